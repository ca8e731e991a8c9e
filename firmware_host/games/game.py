"""What every game offers to the table, the tracker, the panel, the records and the engine.

Nothing else of a game is used anywhere. A position is an immutable value that compares and hashes; an action is
named by its text (``docs/formats``: ``wD12``, ``C6-D11-11``), which is its only public form. Everything here is
pure: no clock, no I/O, and no randomness but the ``random.Random`` passed in.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic, Protocol, TypeVar

P = TypeVar("P", bound=Hashable)

Stack = tuple[str, ...]
"""The pieces on one node from bottom to top, a letter each (``w``, ``b``); never empty."""

Occupancy = Mapping[str, Stack]
"""Node → stack, for nodes that carry at least one piece."""


class GameError(ValueError):
    """A request that the rules refuse. ``code`` is the engine protocol's word for it, the message names the culprit."""

    code = "bad_request"

    @property
    def message(self) -> str:
        """Return what it says, which may be a :class:`firmware_host.text.words.Text`."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class BadPosition(GameError):
    """A position text that does not parse, or a position that can't be."""

    code = "bad_position"


class BadAction(GameError):
    """An action that does not parse or is not legal in the position."""

    code = "bad_action"


class GameOver(GameError):
    """An action asked for in a position that is over."""

    code = "game_over"


class OverBudget(GameError):
    """An exact answer was asked for that the budget does not allow."""

    code = "over_budget"


@dataclass(frozen=True)
class Layout:
    """The board as a drawing: what lights, phones and the tracker's distances need.

    ``nodes`` maps a name to (x, y) in units of one line's length, y upwards, the centre at (0, 0); its order is the
    order in which nodes are listed everywhere. ``lines`` are the pairs of joined nodes. ``circles`` are radii to draw
    round the centre (a line between two nodes of one such circle is drawn by the circle). ``placeable`` are the nodes
    on which a player may ever choose to place. ``wells`` are nodes into which octagonal tiles fit, all others carry
    round pieces; ``paths`` are further printed curves, each through its points in order.
    """

    nodes: Mapping[str, tuple[float, float]]
    lines: tuple[tuple[str, str], ...]
    circles: tuple[float, ...] = ()
    placeable: frozenset[str] = frozenset()
    wells: frozenset[str] = frozenset()
    paths: tuple[tuple[tuple[float, float], ...], ...] = ()


@dataclass(frozen=True)
class PieceMove:
    """One piece carried by a hand: from a node (None: the supply) to a node (None: off the board).

    ``pieces`` are carried together, bottom to top (a block is two).
    """

    pieces: Stack
    source: str | None
    target: str | None


@dataclass(frozen=True)
class Step:
    """What the hands do for one action, for the tracker and the guide.

    ``after`` is the occupancy when the hands are done, before anything that the rules then remove; ``moves`` in the
    order in which they are best done, none where nothing is to be done on the board (a pass); ``touches`` every node
    whose pieces a hand may well lift or slide over on the way, the moves' own nodes included; ``partners`` the nodes
    that take part without moving (the pusher, the puller). ``line`` are the nodes along which several pieces move
    together, or one runs, in the direction in which light runs. ``removed`` are the nodes that the rules clear
    afterwards: hands may clear them at once. ``tap_twice`` are nodes of which tapping any one twice means this step
    too. ``partial`` tells that the step is a part of an action only, and its text the action's beginning
    (:class:`HasStages`).
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
    """What an action (or the simultaneous actions of all seats) led to.

    ``placed`` is the occupancy when the hands have done it and before ``removed`` nodes are cleared by the rules
    (an unbreakable loop); ``status`` is that of ``position``, with its reason.
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
    """What is said of pieces that the rules take off the board (:attr:`Transition.removed`).

    ``meaning`` is that of their lights: ``loop`` (violet runs round them) or ``remove`` (each asks to be taken off).
    ``message`` tells everybody what to do, ``node`` says it of one ``{node}``, ``event`` tells the history of
    ``{nodes}``.
    """

    meaning: str
    message: str
    node: str
    event: str


@dataclass(frozen=True)
class Scoring:
    """How score lines are told. ``score`` and ``tiebreak`` head the two columns, ``line`` says both in one sentence.

    ``hint`` explains what counts, ``tied`` what decides between equal scores; ``tiebreak`` and ``tied`` are empty where
    nothing does.
    """

    score: str
    tiebreak: str
    line: str
    hint: str
    tied: str


@dataclass(frozen=True)
class Decision:
    """What no play can change any more: the seat that must win, and why, in words."""

    winner: int
    words: str


@dataclass(frozen=True)
class Analysis:
    """What a search knows of how the present phase can end.

    ``rest_reachable`` and ``in_loop`` are None while they are not decided; True and False are proofs. ``loop_nodes``
    are the nodes that the loop clears where ``in_loop`` is True; where it is None, those seen to take part in the
    circling so far, so that players can agree to call it a loop. ``way`` are the actions, in order, to the best end
    known for the actor, which is ``end`` (``rest`` or ``loop``; None: no end is known) with ``cells``. ``worth`` is
    what that end is worth to him, the more the better, compared like any tuple; ``exact`` tells that no end is better.
    """

    rest_reachable: bool | None
    in_loop: bool | None
    loop_nodes: tuple[str, ...] = ()
    way: tuple[str, ...] = ()
    end: str | None = None
    cells: str | None = None
    exact: bool = False
    worth: tuple[int, ...] = ()


class Game(Protocol[P]):
    """One game. ``P`` is its position type; the text of a position round-trips through ``parse`` and ``text``.

    A position also tells its ``mode``. Whether a game keeps all that is said here, :mod:`firmware_host.games.contract`
    checks; a game for two who take turns need not write most of it: :class:`firmware_host.games.plain.Plain`.
    """

    name: str
    """ASCII without spaces: what board files, records and requests call it; its folder's or entry point's name."""
    title: str
    """Its name for people."""
    modes: tuple[str, ...]
    """What can be chosen before the start (``2``, ``4``), the usual one first; mostly a number of players."""
    pieces: Mapping[str, str]
    """Piece letter → its name in words (``w`` → ``white``); a :class:`firmware_host.games.naming.Piece` tells more."""
    poles: Mapping[str, str]
    """Piece letter → the magnet's pole that points up, ``N`` or ``S``."""
    endings: Mapping[str, str]
    """Reason of a status → how the game ended, a sentence with a full stop; ``resigned`` is always among them."""
    removal: Removal | None
    """What is said of pieces that the rules remove; None where they never do."""
    scoring: Scoring | None
    """How :meth:`explain` is told; None where nothing is counted."""
    goals: bool
    """Whether :meth:`homes` are where a seat's pieces must get to; pages call them its goal then."""

    def layout(self) -> Layout:
        """Return the board's drawing."""
        ...

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return the seats of a mode, from 1. Raise GameError for an unknown mode."""
        ...

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each score line: one tuple a player, or one a team; each seat is in one of them."""
        ...

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return the nodes that belong to a seat (lit in its colour when it wins); may be empty."""
        ...

    def start(self, mode: str) -> P:
        """Return the starting position. Raise GameError for an unknown mode."""
        ...

    def parse(self, text: str) -> P:
        """Return the position that a text stands for. Raise BadPosition naming the field and what was expected."""
        ...

    def text(self, position: P) -> str:
        """Return a position's text: one ASCII line, fields separated by one space; a resignation is left out."""
        ...

    def simultaneous(self, position: P) -> bool:
        """Tell whether all seats that act now seal their action and act together."""
        ...

    def actions(self, position: P) -> Mapping[int, Sequence[str]]:
        """Return the sorted legal actions of each seat that acts now, at least one each; empty when the game is over.

        An action's text is ASCII without spaces. Where actions are not simultaneous, only :meth:`actor` has any.
        """
        ...

    def check(self, position: P, seat: int, action: str) -> None:
        """Raise BadAction (saying why) when the action is not legal for the seat now, GameOver when all is over."""
        ...

    def apply(self, position: P, actions: Mapping[int, str]) -> Transition[P]:
        """Apply one seat's action, or all seats' actions where they are simultaneous.

        ``actions`` is seat → action of just those who act. Raise BadAction (as :meth:`check` does), or GameOver.
        """
        ...

    def resign(self, position: P, seat: int) -> Transition[P]:
        """Let a seat resign, in any phase and whichever seat acts.

        Raise GameOver when the game is over, BadAction when the seat already has resigned or is none of the mode's.
        """
        ...

    def status(self, position: P) -> Status:
        """Return the status of a position (of one that is over, without the reason where it does not tell)."""
        ...

    def occupancy(self, position: P) -> Occupancy:
        """Return the stack on each node; of mixed stacks the order is canonical, not what lies there."""
        ...

    def steps(self, position: P) -> Sequence[Step]:
        """Return what the hands do for each legal action of the one seat that acts, in the order of :meth:`actions`.

        Two actions that lead to different positions must not leave the same on the board, but for those without moves,
        which are chosen on the phone. None where actions are simultaneous.
        """
        ...

    def placements(self, position: P, actions: Mapping[int, str]) -> Sequence[tuple[int, PieceMove]]:
        """Return (seat, move) for revealed simultaneous actions, in seat order; a game without such has none."""
        ...

    def turn(self, position: P) -> int:
        """Return the number of the turn, from 1; it never falls, and each simultaneous round has one of its own."""
        ...

    def actor(self, position: P) -> int | None:
        """Return the seat that acts, or that will resolve this turn; None when the game is over."""
        ...

    def prompt(self, position: P) -> str:
        """Say what the one who acts does now, to be read after a name: ``resolves turn 3``."""
        ...

    def plays(self, position: P) -> Mapping[int, str]:
        """Return the piece letter that each seat plays now; empty where pieces belong to nobody."""
        ...

    def decisive(self, position: P) -> Sequence[str]:
        """Return the nodes that decided a game which is over, as light runs along them; none: the winner's homes.

        Asked for any position that is over, whatever has ended it.
        """
        ...

    def random_action(self, position: P, seat: int, rng: Random) -> str:
        """Return a random legal action of a seat. Raise BadAction where it does not act now."""
        ...

    def explain(self, position: P) -> Sequence[ScoreLine]:
        """Return the score of each of :meth:`teams` as it stands, counted node by node; told if there is a scoring."""
        ...

    def words(self, action: str) -> str:
        """Return an action in words, for the log (``C6 pushes D11 to 11``); the position is not known here."""
        ...
