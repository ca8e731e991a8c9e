"""Optional capabilities of a :class:`firmware_host.games.game.Game`, each a protocol.

A game has a capability by having its members. :func:`capabilities_of` finds those of a game, once for each object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from firmware_host.games.game import (
    Analysis,
    Decision,
    Game,
    Layout,
    Occupancy,
    Step,
    Transition,
    bounded_cache,
)

P = TypeVar("P", bound=Hashable)
P_contra = TypeVar("P_contra", bound=Hashable, contravariant=True)

ENDLESS, CIRCLED = "endless", "circling"
"""By which rule endless circling ends, as records name it: all clears what could still move, or, in records of earlier
versions, the circle that was gone round."""
CIRCLES = (ENDLESS, CIRCLED)


@runtime_checkable
class HasAnalysis(Protocol[P]):
    """The further members of a :class:`Game` whose phases can circle for ever, or are worth a search."""

    def foresee(self, position: P, max_positions: int, out_of_time: Callable[[], bool]) -> Analysis:
        """Search the possible ends of the present phase, until all is known or a limit is reached.

        Raise GameError outside of such a phase.
        """
        ...

    def loop(self, position: P) -> Sequence[str]:
        """Return the nodes that the unbreakable loop of a position clears.

        Empty if there is no loop, or it can't be proved within seconds. ``apply`` itself calls loops that are proved
        within milliseconds; a program that plays without a table calls this method after it. Circling that the rules
        end because nothing can come to rest any more (:meth:`circling`) counts as a loop.
        """
        ...

    def circling(self, position: P, by: str = ENDLESS) -> Sequence[str]:
        """Return the nodes that endless circling clears, once it is proved that nothing can come to rest any more.

        Empty as long as what the phase has met does not count as circling. Takes no time. ``by`` names the rule, one
        of :data:`CIRCLES`.
        """
        ...

    def call_loop(self, position: P, nodes: Sequence[str]) -> Transition[P]:
        """End the present phase as an unbreakable loop that clears the movable pieces on some nodes.

        The caller must have a proof by search, or the agreement of all players. Raise BadAction outside of such a
        phase, for an unknown node, or if nothing would be cleared.
        """
        ...


@dataclass(frozen=True)
class TileSupply:
    """The next tile: ``piece`` without its turning (``7``); ``left`` counts the stack including it."""

    piece: str
    left: int


@runtime_checkable
class HasTiles(Game[P], Protocol[P]):
    """The further members of a :class:`Game` with tiles in wells.

    A tile's piece is its name and its turning in eighths clockwise: ``7r5``.
    """

    tiles: Mapping[str, tuple[tuple[int, int], ...]]
    """Name of a tile → its lines, each a pair of edges; edges 0 to 7 clockwise from the top, unturned."""

    def supply(self, position: P) -> TileSupply:
        """Return the tile on top of the stack."""
        ...


@runtime_checkable
class HasStages(Game[P], Protocol[P]):
    """The further members of a :class:`Game` whose actions are made in stages that can be tried and undone.

    An action is committed after its last stage. ``done`` are the texts of the stages already on the board:
    ``("b3r5",)``.
    """

    def stage(self, position: P, done: Sequence[str]) -> Sequence[Step]:
        """Return the steps of the next stage: partial ones, or in the last stage those of whole actions.

        Raise BadAction for stages that are not possible in the position.
        """
        ...

    def board_after(self, position: P, done: Sequence[str]) -> Occupancy:
        """Return the occupancy after these stages. Raise BadAction as :meth:`stage` does."""
        ...

    def tidying(self, position: P, action: str) -> str | None:
        """Return the task off the board after a whole action (put a tile under the stack); None if there is none."""
        ...


@dataclass(frozen=True)
class Attempt:
    """A possibly illegal move of one piece, by a hand or tapped on a phone, as far as it is known.

    ``source`` is the node from which the piece comes (None: the supply), ``target`` the node to which it goes (None:
    so far it is only lifted or tapped), ``piece`` its letter (None: unknown). At least one of the two nodes is given,
    and they differ.
    """

    source: str | None
    target: str | None
    piece: str | None = None


@runtime_checkable
class HasReasons(Protocol[P_contra]):
    """The further member of a :class:`Game` that can explain why any attempt is not possible."""

    def why_not(self, position: P_contra, attempt: Attempt, done: Sequence[str] = ()) -> str | None:
        """Return the rule that forbids the acting seats an attempt; None if it is a part of a legal action.

        ``attempt`` names nodes of the layout, the position is not over; ``done`` are the stages already on the board
        (:class:`HasStages`). The answer is a clause in small letters without a full stop: ``D4 is not empty``.
        """
        ...


@runtime_checkable
class HasDecisions(Protocol[P]):
    """The further members of a :class:`Game` that can be decided long before its rules end it."""

    def decision(self, position: P) -> Decision | None:
        """Return the known certain winner; None if unknown, and after the end of the game."""
        ...

    def settle(self, position: P) -> Transition[P]:
        """End a decided game by agreement, with reason ``decided``. Raise BadAction if the game is not decided."""
        ...


@runtime_checkable
class HasOptions(Protocol[P]):
    """The further members of a :class:`Game` with rule options, each off by default."""

    options: Mapping[str, str]
    """Option → its effect, in words."""
    rules: Mapping[str, bool]
    """The options that are on in this game, each true."""

    def with_rules(self, rules: Mapping[str, bool]) -> Game[P]:
        """Return the game with these options; the others are off."""
        ...


@runtime_checkable
class HasStartOptions(Game[P], Protocol[P]):
    """The further members of a :class:`Game` that has options for its start besides the modes."""

    start_options: Sequence[str]
    """The options' names, which are fields of the engine's ``start``."""

    def start_with(self, mode: str, options: Mapping[str, object]) -> P:
        """Return the starting position with some options. Raise GameError naming an impossible option."""
        ...


@runtime_checkable
class HasBoards(Game[P], Protocol[P]):
    """The further member of a :class:`Game` that is also played on other boards than the one of its layout."""

    def on_board(self, position: P) -> bool:
        """Return whether a position is one of the layout's board."""
        ...


@runtime_checkable
class HasStack(Game[P], Protocol[P]):
    """The further members of a :class:`Game` whose stack can be drawn piece by piece, while the game is played.

    Nobody needs to know its order then: what no lot has drawn yet stands in a position in an order of its own, which
    says nothing. Lots are counted from 1, from the top of the stack as it lies before play.
    """

    lots: int
    """Number of lots after which all of the stack is known."""

    def start_by_lot(self, mode: str) -> P:
        """Return the position in which a game begins before the first lot."""
        ...

    def lots_needed(self, position: P) -> int:
        """Return how many lots must have been drawn before a seat can act in a position."""
        ...

    def with_lot(self, position: P, number: int, lot: int) -> P:
        """Return a position, now or earlier in the game, once a lot has drawn the next piece.

        ``lot`` is a large random number that picks the piece. All positions of a game get all lots: then actions lead
        from each to the next as if the stack had been shuffled so before play.
        """
        ...

    def as_known(self, position: P, now: P) -> P:
        """Return a position as seats know it now, later in the game: what nobody has seen yet is in that order."""
        ...


@dataclass(frozen=True)
class Facts:
    """What players look for beside the board, as far as a game has it.

    ``stock`` maps a piece's letter to the number that is not on the board; ``actions`` are those left in the turn and
    those that it began with; ``roles`` maps a seat to what it is after, in two or three words, if seats differ in that.
    """

    stock: Mapping[str, int] = field(default_factory=dict)
    actions: tuple[int, int] | None = None
    roles: Mapping[int, str] = field(default_factory=dict)


@runtime_checkable
class HasFacts(Protocol[P_contra]):
    """The further member of a :class:`Game` that counts, or gives seats roles."""

    def facts(self, position: P_contra) -> Facts:
        """Return what is to be told about a position beside its board."""
        ...


@dataclass(frozen=True)
class RulesPicture:
    """One picture of the rules: a position with lights or an action, and one or two sentences.

    ``position`` is the text of a legal position. ``action`` is a legal action in it, drawn as arrows: before it is
    made, or with ``done`` after it, but before the rules remove anything. ``lit`` maps a node to the meaning of its
    light (docs/view.md), or to the seat in whose colour it is lit. ``layout`` replaces the game's own board if the
    position is on a smaller one.
    """

    words: str
    position: str
    action: str | None = None
    done: bool = False
    lit: Mapping[str, str | int] = field(default_factory=dict)
    layout: Layout | None = None


@dataclass(frozen=True)
class HowToPlay:
    """The explanation of a game for new players: the aim in one line, some pictures, and each term in a sentence.

    ``cover`` is the picture that represents the game in the choice of games, without words (None: the first picture).
    ``minutes`` is the usual duration of a game (from, to), None if unknown.
    """

    aim: str
    pictures: Sequence[RulesPicture]
    terms: Mapping[str, str]
    cover: RulesPicture | None = None
    minutes: tuple[int, int] | None = None


@runtime_checkable
class HasHowToPlay(Protocol):
    """The further member of a :class:`Game` with an explanation for new players."""

    how_to_play: HowToPlay


def how_to_play_of(game: Game[Any]) -> HowToPlay | None:
    """Return a game's explanation, None without one."""
    found = getattr(game, "how_to_play", None)
    return found if isinstance(found, HowToPlay) else None


def aim_of(game: Game[Any]) -> str | None:
    """Return a game's aim, in one line; None without an explanation."""
    sheet = how_to_play_of(game)
    return sheet.aim if sheet else None


def card_view(game: Game[Any]) -> dict[str, Any]:
    """Return what people choose a game by: its aim, how long it takes, and how many may play."""
    sheet = how_to_play_of(game)
    return {
        "aim": sheet.aim if sheet else None,
        "minutes": list(sheet.minutes) if sheet and sheet.minutes else None,
        "players": sorted({len(game.seats(mode)) for mode in game.modes}),
    }


@dataclass(frozen=True)
class Capabilities:
    """The game itself, as each protocol that it fulfils; None for the others."""

    analysis: HasAnalysis[Any] | None
    tiles: HasTiles[Any] | None
    stages: HasStages[Any] | None
    reasons: HasReasons[Any] | None
    decisions: HasDecisions[Any] | None
    options: HasOptions[Any] | None
    start_options: HasStartOptions[Any] | None
    boards: HasBoards[Any] | None
    stack: HasStack[Any] | None
    facts: HasFacts[Any] | None


@bounded_cache(64)
def capabilities_of(game: Game[Any]) -> Capabilities:
    """Return a game's capabilities; cached, because checks of runtime protocols are slow."""
    return Capabilities(
        analysis=game if isinstance(game, HasAnalysis) else None,
        tiles=game if isinstance(game, HasTiles) else None,
        stages=game if isinstance(game, HasStages) else None,
        reasons=game if isinstance(game, HasReasons) else None,
        decisions=game if isinstance(game, HasDecisions) else None,
        options=game if isinstance(game, HasOptions) else None,
        start_options=game if isinstance(game, HasStartOptions) else None,
        boards=game if isinstance(game, HasBoards) else None,
        stack=game if isinstance(game, HasStack) else None,
        facts=game if isinstance(game, HasFacts) else None,
    )


def rules_of(game: Game[Any]) -> dict[str, bool]:
    """Return the options that are on in a game, each true; empty for a game without options."""
    options = capabilities_of(game).options
    return dict(options.rules) if options else {}
