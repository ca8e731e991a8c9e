"""What a game may offer beside :class:`firmware_host.games.game.Game`: each of these is a protocol of its own.

A game offers one by having its members. Which of them a game has, :func:`offers_of` finds out once a game object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from firmware_host.games.game import Analysis, Decision, Game, Layout, Occupancy, Step, Transition
from firmware_host.games.remembered import remembered

P = TypeVar("P", bound=Hashable)
P_contra = TypeVar("P_contra", bound=Hashable, contravariant=True)


@runtime_checkable
class Foresees(Protocol[P]):
    """What a game offers beside :class:`Game` when its phases can circle for ever, or are worth a search."""

    def foresee(self, position: P, max_positions: int, out_of_time: Callable[[], bool]) -> Analysis:
        """Search how the present phase can end, until it is all known, out of positions or out of time.

        Raise GameError outside of such a phase.
        """
        ...

    def loop(self, position: P) -> Sequence[str]:
        """Return the nodes that the unbreakable loop in which a position lies clears.

        No nodes where it lies in no loop, or in one that can't be proved in some seconds. ``apply`` calls loops by
        itself where that takes some milliseconds; what plays on without a table looks here after it.
        """
        ...

    def call_loop(self, position: P, nodes: Sequence[str]) -> Transition[P]:
        """End the present phase as an unbreakable loop that clears the movable pieces on some nodes.

        The caller vouches for it: a search has proved it, or all players agree. Raise BadAction outside of such a
        phase, for an unknown node, and when nothing would be cleared.
        """
        ...


@dataclass(frozen=True)
class Supply:
    """What is put next: ``piece`` without its turning (``7``), and how many lie in the stack, this one included."""

    piece: str
    left: int


@runtime_checkable
class HasTiles(Game[P], Protocol[P]):
    """What a game offers beside :class:`Game` when tiles with lines lie in its wells.

    A tile's piece is its name and its turning in eighths clockwise: ``7r5``.
    """

    tiles: Mapping[str, tuple[tuple[int, int], ...]]
    """Name of a tile → its lines, each from edge to edge; edges 0 to 7 clockwise from the top, unturned."""

    def supply(self, position: P) -> Supply:
        """Return the tile on top of the stack."""
        ...


@runtime_checkable
class HasStages(Game[P], Protocol[P]):
    """What a game offers beside :class:`Game` when hands do an action in stages that can be tried and put back.

    Nothing is committed before the last stage has settled. ``done`` names the stages that lie on the board already,
    each by the text of its step: ``("b3r5",)``.
    """

    def stage(self, position: P, done: Sequence[str]) -> Sequence[Step]:
        """Return the steps of the next stage: partial ones, or in the last stage those of whole actions.

        Raise BadAction for stages that don't follow from the position.
        """
        ...

    def begun(self, position: P, done: Sequence[str]) -> Occupancy:
        """Return what lies on the board once these stages are done. Raise BadAction as :meth:`stage` does."""
        ...

    def tidying(self, position: P, action: str) -> str | None:
        """Say what is to be done beside the board after a whole action (a tile put under the stack), None: nothing."""
        ...


@dataclass(frozen=True)
class Attempt:
    """What a hand does with one piece, or what a finger shows of it, as far as it is known.

    ``source`` is the node from which the piece comes (None: the supply), ``target`` the node to which it goes (None:
    it is only lifted, or pointed at, so far), ``piece`` its letter (None where nothing tells it). One of the two nodes
    is given, and they differ.
    """

    source: str | None
    target: str | None
    piece: str | None = None


@runtime_checkable
class Explains(Protocol[P_contra]):
    """What a game offers beside :class:`Game` when it can say why something is not possible, whatever people try."""

    def why_not(self, position: P_contra, attempt: Attempt, done: Sequence[str] = ()) -> str | None:
        """Say by which rule those who act now can't do this; None where it is a part of a legal action.

        ``attempt`` names nodes of the layout, in a position that is not over; ``done`` are the stages that lie on the
        board already (:class:`HasStages`). The answer is a clause that begins in small letters and has no full stop:
        ``D4 is not empty``.
        """
        ...


@runtime_checkable
class Decides(Protocol[P]):
    """What a game offers beside :class:`Game` when it can be decided long before its rules end it."""

    def decided(self, position: P) -> Decision | None:
        """Return who must win however all go on, where that is known; None too once the game is over."""
        ...

    def settle(self, position: P) -> Transition[P]:
        """End a decided game by agreement, with reason ``decided``. Raise BadAction where nothing is decided."""
        ...


@runtime_checkable
class HasOptions(Protocol[P]):
    """What a game offers beside :class:`Game` when its rules have options, each of them off unless asked for."""

    options: Mapping[str, str]
    """Option → what it changes, in words."""
    rules: Mapping[str, bool]
    """The options that are on in this game, each true."""

    def with_rules(self, rules: Mapping[str, bool]) -> Game[P]:
        """Return the game under known options; those not named are off."""
        ...


@runtime_checkable
class HasStartOptions(Game[P], Protocol[P]):
    """What a game offers beside :class:`Game` when it can start in more ways than its modes say."""

    start_options: Sequence[str]
    """The options' names, which are fields of the engine's ``start``."""

    def start_with(self, mode: str, options: Mapping[str, object]) -> P:
        """Return the starting position with some options. Raise GameError naming an option that can't be."""
        ...


@dataclass(frozen=True)
class Picture:
    """One picture of how a game is played: a position, what is pointed out in it, and one or two sentences.

    ``position`` is the text of a legal position. ``action`` is a legal action in it, drawn as arrows: as it is going to
    be done, or with ``done`` as it was, before anything that the rules then remove. ``lit`` maps a node to the meaning
    of its light (docs/view.md), or to a seat, in whose colour it is lit. ``layout`` is another board than the game's
    own, where the position is one on a smaller board.
    """

    words: str
    position: str
    action: str | None = None
    done: bool = False
    lit: Mapping[str, str | int] = field(default_factory=dict)
    layout: Layout | None = None


@dataclass(frozen=True)
class HowToPlay:
    """What people read before their first game: the aim in one line, some pictures, and each term in a sentence.

    ``cover`` is the picture that stands for the game where games are chosen, without a word (None: the first of the
    pictures); ``minutes`` tells how long a
    game takes about, from and to, None where nobody knows.
    """

    aim: str
    pictures: Sequence[Picture]
    terms: Mapping[str, str]
    cover: Picture | None = None
    minutes: tuple[int, int] | None = None


@runtime_checkable
class Teaches(Protocol):
    """What a game offers beside :class:`Game` when it explains itself to people who have never heard of it."""

    how_to_play: HowToPlay


def taught(game: Game[Any]) -> HowToPlay | None:
    """Return how a game explains itself, None where it does not."""
    found = getattr(game, "how_to_play", None)
    return found if isinstance(found, HowToPlay) else None


def aim_of(game: Game[Any]) -> str | None:
    """Return what a game is about, in one line; None where it does not say."""
    sheet = taught(game)
    return sheet.aim if sheet else None


@dataclass(frozen=True)
class Capabilities:
    """A game as each of the protocols that it fulfils; None for those that it does not."""

    search: Foresees[Any] | None
    tiles: HasTiles[Any] | None
    stages: HasStages[Any] | None
    reasons: Explains[Any] | None
    decisions: Decides[Any] | None
    options: HasOptions[Any] | None
    start_options: HasStartOptions[Any] | None


@remembered(64)
def offers_of(game: Game[Any]) -> Capabilities:
    """Return what a game offers. To look at all members of a protocol takes long, so each game is looked at once."""
    return Capabilities(
        search=game if isinstance(game, Foresees) else None,
        tiles=game if isinstance(game, HasTiles) else None,
        stages=game if isinstance(game, HasStages) else None,
        reasons=game if isinstance(game, Explains) else None,
        decisions=game if isinstance(game, Decides) else None,
        options=game if isinstance(game, HasOptions) else None,
        start_options=game if isinstance(game, HasStartOptions) else None,
    )


def rules_of(game: Game[Any]) -> dict[str, bool]:
    """Return the options that are on in a game, each true; none where its rules have no options."""
    options = offers_of(game).options
    return dict(options.rules) if options else {}
