"""The interface of every game to the table, the tracker, the panel, the records and the engine.

No other part of a game is used. A position is an immutable, hashable value; an action is named by its text
(``docs/formats``: ``wD12``, ``C6-D11-11``), which is its only public form. Everything here is pure: no clock, no I/O,
and no randomness except the ``random.Random`` passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Generic, Literal, ParamSpec, Protocol, TypeVar, cast

from firmware_host.text.words import say

P = TypeVar("P", bound=Hashable)

Stack = tuple[str, ...]
"""The pieces on one node from bottom to top, a letter each (``w``, ``b``); never empty."""

Occupancy = Mapping[str, Stack]
"""Node → stack, for nodes that carry at least one piece."""


class GameError(ValueError):
    """A request that the rules refuse. ``code`` is its code in the engine protocol; the message names the fault."""

    code = "bad_request"

    @property
    def message(self) -> str:
        """Return the message, which may be a :class:`firmware_host.text.words.Text`."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class BadPosition(GameError):
    """A position text that does not parse, or an impossible position."""

    code = "bad_position"


class BadAction(GameError):
    """An action that does not parse or is not legal in the position."""

    code = "bad_action"


class GameOver(GameError):
    """An action in a position that is over."""

    code = "game_over"


class OverBudget(GameError):
    """An exact answer is not possible within the budget."""

    code = "over_budget"


NodeStyle = Literal["holes", "crossings", "cells"]


@dataclass(frozen=True)
class Layout:
    """The board as a drawing, for lights, phones and the tracker's distances.

    ``nodes`` maps a name to (x, y) in units of one line's length, y upwards, the centre at (0, 0); its order is the
    order in which nodes are listed everywhere. ``lines`` are the pairs of joined nodes. ``circles`` are radii to draw
    around the centre (a line between two nodes of one such circle is drawn by the circle). ``placeable`` are the nodes
    on which a player may ever choose to place. ``wells`` are nodes for octagonal tiles, all others carry round pieces;
    ``paths`` are further printed curves, each through its points in order. ``style`` says what a node looks like: a
    hole in the wood, a crossing of lines, or a cell; on the latter two, names that are made of a row's and a column's
    parts stand at the rim.
    """

    nodes: Mapping[str, tuple[float, float]]
    lines: tuple[tuple[str, str], ...]
    circles: tuple[float, ...] = ()
    placeable: frozenset[str] = frozenset()
    wells: frozenset[str] = frozenset()
    paths: tuple[tuple[tuple[float, float], ...], ...] = ()
    style: NodeStyle = "holes"


@dataclass(frozen=True)
class PieceMove:
    """One move of a hand: from a node (None: the supply) to a node (None: off the board).

    ``pieces`` are moved together, listed from bottom to top (a block is two).
    """

    pieces: Stack
    source: str | None
    target: str | None


@dataclass(frozen=True)
class Step:
    """The hands' work for one action, for the tracker and the guide.

    ``after`` is the occupancy after the moves, before the rules remove anything. ``moves`` are in the best order; empty
    if there is nothing to do on the board (a pass). ``touches`` are all nodes whose pieces a hand may lift or slide
    over on the way, including the moves' own nodes. ``partners`` are the nodes that take part without moving (the
    pusher, the puller). ``line`` are the nodes along which several pieces move together, or one runs, in the direction
    of the running light. ``removed`` are the nodes that the rules clear afterwards; hands may clear them at once.
    ``tap_twice`` are nodes on any of which a double tap also means this step. With ``partial`` the step is only a part
    of an action, and its text the action's beginning (:class:`HasStages`).
    """

    action: str
    words: str
    moves: tuple[PieceMove, ...]
    after: Occupancy
    touches: frozenset[str]
    partners: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    removed: frozenset[str] = frozenset()
    tap_twice: frozenset[str] = frozenset()
    partial: bool = False


@dataclass(frozen=True)
class Status:
    """Whether the game is over, and its result. ``winners`` are seats, empty for a draw."""

    over: bool
    reason: str | None = None
    winners: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    tiebreak: tuple[int, ...] = ()


@dataclass(frozen=True)
class Transition(Generic[P]):
    """The result of an action (or of the simultaneous actions of all seats).

    ``placed`` is the occupancy after the hands' moves and before the rules clear the ``removed`` nodes (an unbreakable
    loop); ``status`` is that of ``position``, with its reason.
    """

    position: P
    status: Status
    placed: Occupancy
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreLine:
    """One player's (or team's) score in words, for the end screen."""

    seats: tuple[int, ...]
    score: int
    tiebreak: int
    counted: Mapping[str, int] = field(default_factory=dict)
    """Home node → stones counted there (nodes with none are left out)."""
    sector: Mapping[str, int] = field(default_factory=dict)
    """Node of the tie-break sector → stones counted there."""


@dataclass(frozen=True)
class Removal:
    """The words about pieces that the rules take off the board (:attr:`Transition.removed`).

    ``meaning`` is the meaning of their lights: ``loop`` (a violet running light) or ``remove`` (a light on each).
    ``message`` tells everybody why, ``node`` what to do with the piece on one ``{node}``, ``event`` is the log's line
    about ``{nodes}``.
    """

    meaning: str
    message: str
    node: str
    event: str


@dataclass(frozen=True)
class Scoring:
    """The words of score lines. ``score`` and ``tiebreak`` head the two columns, ``line`` has both in one sentence.

    ``hint`` explains the score, ``tied`` the tie-break; ``tiebreak`` and ``tied`` are empty for a game without one.
    ``decides``: the score decides who wins, not only how the others stand.
    """

    score: str
    tiebreak: str
    line: str
    hint: str
    tied: str
    decides: bool = True


@dataclass(frozen=True)
class Decision:
    """A result that no play can change any more: the seat that must win, and the reason in words."""

    winner: int
    words: str


@dataclass(frozen=True)
class Analysis:
    """A search's knowledge of the possible ends of the present phase.

    ``rest_reachable`` and ``in_loop`` are None while undecided; True and False are proofs. ``loop_nodes`` are the nodes
    that the loop clears if ``in_loop`` is True; if it is None, the nodes of the circling seen so far, so that players
    can agree to call it a loop. ``way`` are the actions, in order, to the best known end for the actor, which is
    ``end`` (``rest`` or ``loop``; None: no end is known) with ``cells``. ``worth`` is that end's value for the actor:
    a tuple, greater is better. ``exact``: no end is better.
    """

    rest_reachable: bool | None
    in_loop: bool | None
    loop_nodes: tuple[str, ...] = ()
    way: tuple[str, ...] = ()
    end: str | None = None
    cells: str | None = None
    exact: bool = False
    worth: tuple[int, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether no search can add anything."""
        return self.in_loop is True or (self.in_loop is False and self.rest_reachable is not None and self.exact)

    def after(self, action: str) -> Analysis | None:
        """Return what still holds after an action; None if nothing does.

        After the first step of a path the rest of it remains the best: every end within reach after the step was within
        reach before it. For the same reason, where no end could be reached before, none can be reached after it.
        """
        restless = self.rest_reachable is False
        if self.way[:1] != (action,):
            return Analysis(rest_reachable=False, in_loop=None) if restless else None
        to_rest = self.end == "rest"
        return replace(
            self,
            rest_reachable=True if to_rest else False if restless else None,
            in_loop=False if to_rest else None,
            loop_nodes=(),
            way=self.way[1:],
        )

    def with_proofs_of(self, other: Analysis) -> Analysis:
        """Return this analysis with what the other one has proved of the same position."""
        return replace(
            self,
            rest_reachable=other.rest_reachable if self.rest_reachable is None else self.rest_reachable,
            in_loop=other.in_loop if self.in_loop is None else self.in_loop,
            loop_nodes=self.loop_nodes or other.loop_nodes,
        )


class Game(Protocol[P]):
    """One game. ``P`` is its position type; the text of a position round-trips through ``parse`` and ``text``.

    A position also has a ``mode``. :mod:`lodestone.game_contract` checks a game against this interface. A game for
    two players who take turns inherits most of it from :class:`firmware_host.games.plain.Plain`.
    """

    name: str
    """Its name in board files, records and requests, ASCII without spaces; also its folder's or entry point's name."""
    title: str
    """Its name for people."""
    modes: tuple[str, ...]
    """The modes to choose from before the start (``2``, ``4``), the usual one first; mostly numbers of players."""
    pieces: Mapping[str, str]
    """Piece letter → its name in words (``w`` → ``white``), preferably a :class:`firmware_host.games.naming.Piece`."""
    poles: Mapping[str, str]
    """Piece letter → the magnet's pole that points up, ``N`` or ``S``."""
    endings: Mapping[str, str]
    """Reason of a status → a sentence about the end, with a full stop; must include ``resigned``."""
    removal: Removal | None
    """The words about pieces that the rules remove; None if they never do."""
    scoring: Scoring | None
    """The words for :meth:`explain`; None for a game without scores."""
    goals: bool
    """Whether :meth:`homes` are the target of a seat's pieces; pages then call them its goal."""

    def layout(self) -> Layout:
        """Return the board's drawing."""
        ...

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return the seats of a mode, from 1. Raise GameError for an unknown mode."""
        ...

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each score line: one tuple for each player or team; each seat is in exactly one."""
        ...

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return the nodes that belong to a seat (lit in its colour when it wins); may be empty."""
        ...

    def start(self, mode: str) -> P:
        """Return the starting position. Raise GameError for an unknown mode."""
        ...

    def parse(self, text: str) -> P:
        """Return the position of a text. Raise BadPosition naming the field and what was expected."""
        ...

    def text(self, position: P) -> str:
        """Return a position's text: one ASCII line, fields separated by one space; resignations are not included."""
        ...

    def simultaneous(self, position: P) -> bool:
        """Tell whether the acting seats seal their actions and act together."""
        ...

    def actions(self, position: P) -> Mapping[int, Sequence[str]]:
        """Return the sorted legal actions of each seat that acts now, at least one each; empty when the game is over.

        An action's text is ASCII without spaces. Where actions are not simultaneous, only :meth:`actor` has any.
        """
        ...

    def check(self, position: P, seat: int, action: str) -> None:
        """Raise BadAction (saying why) if the action is not legal for the seat now, GameOver if the game is over."""
        ...

    def apply(self, position: P, actions: Mapping[int, str]) -> Transition[P]:
        """Apply one seat's action, or the simultaneous actions of all seats.

        ``actions`` maps exactly the acting seats to actions. Raise BadAction (as :meth:`check` does), or GameOver.
        """
        ...

    def resign(self, position: P, seat: int) -> Transition[P]:
        """Let a seat resign, in any phase, even if another seat acts.

        Raise GameOver if the game is over, BadAction if the seat has already resigned or does not belong to the mode.
        """
        ...

    def status(self, position: P) -> Status:
        """Return the status of a position; ``reason`` may be None where the position alone does not show it."""
        ...

    def occupancy(self, position: P) -> Occupancy:
        """Return the stack on each node; the order within mixed stacks is canonical, not the physical one."""
        ...

    def steps(self, position: P) -> Sequence[Step]:
        """Return the hands' work for each legal action of the acting seat, in the order of :meth:`actions`.

        Two actions that lead to different positions must leave different boards, except actions without moves, which
        are chosen on the phone. Empty for simultaneous actions.
        """
        ...

    def placements(self, position: P, actions: Mapping[int, str]) -> Sequence[tuple[int, PieceMove]]:
        """Return (seat, move) of revealed simultaneous actions, in seat order; empty for a game without them."""
        ...

    def turn(self, position: P) -> int:
        """Return the number of the turn, from 1; it never decreases, and differs for each simultaneous round."""
        ...

    def actor(self, position: P) -> int | None:
        """Return the seat that acts, or that will resolve this turn; None if the game is over."""
        ...

    def prompt(self, position: P) -> str:
        """Return the acting seat's task in words that follow a name: ``resolves turn 3``."""
        ...

    def plays(self, position: P) -> Mapping[int, str]:
        """Return seat → the piece letter that it plays now; empty if pieces belong to nobody."""
        ...

    def decisive(self, position: P) -> Sequence[str]:
        """Return the nodes that decided a finished game, in the order of a running light; empty: the winner's homes.

        Called for any position that is over, for any reason.
        """
        ...

    def random_action(self, position: P, seat: int, rng: Random) -> str:
        """Return a random legal action of a seat. Raise BadAction if it does not act now."""
        ...

    def explain(self, position: P) -> Sequence[ScoreLine]:
        """Return the present score of each of :meth:`teams`, by nodes; shown if the game has a :class:`Scoring`."""
        ...

    def words(self, action: str) -> str:
        """Return an action in words, for the log (``C6 pushes D11 to 11``), without knowledge of the position."""
        ...


class Defaults(Generic[P]):
    """Members that are the same in most games: a game may inherit them, and define any of them itself."""

    max_filled: int | None = None
    """How many empty nodes one step touches at most; None where nobody has counted. It saves looking for steps that
    can't explain what was touched."""

    def decisive(self, position: P) -> Sequence[str]:  # noqa: ARG002 - where a line of nodes decides it matters
        """Return no nodes: the winner's homes are lit."""
        return ()

    def random_action(self: Game[P], position: P, seat: int, rng: Random) -> str:
        """Return a random legal action of a seat. Raise BadAction if it does not act now."""
        offered = self.actions(position).get(seat)
        if not offered:
            raise BadAction(say("seat {seat} does not act now", seat=seat))
        return rng.choice(offered)


G = ParamSpec("G")
R = TypeVar("R")


def bounded_cache(most: int) -> Callable[[Callable[G, R]], Callable[G, R]]:
    """Return a decorator that caches a function's last ``most`` answers; exceptions are not cached."""

    def keep(function: Callable[G, R]) -> Callable[G, R]:
        return cast("Callable[G, R]", lru_cache(maxsize=most)(function))

    return keep
