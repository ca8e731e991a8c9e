"""The rules of Phalanx on sets of points: actions, deaths, turns, the winner. This module is the reference.

Source: phalanx.md; each ruling of docs/rulings.md is named beside the code that enforces it. Everything is an immutable
value, written to be read. The same rules stand a second time, for searches, in
:mod:`firmware_host.games.phalanx.flat`; tests/games/test_phalanx_forms.py compares the two. ``own`` are the hoplites of
the side that acts, ``other`` those of its opponent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from firmware_host.games.game import Status
from firmware_host.games.phalanx.board import (
    BOARD,
    HOPLITES,
    NEAR_GOAL,
    NODE,
    OTHER,
    PLAYABLE,
    SET_UP,
    SHIFT,
    SIDES,
    members,
    near,
    shift_points,
)
from firmware_host.games.plain import option
from firmware_host.text.words import say

Board = tuple[int, int]
"""The hoplites of Black and of White (sets of points)."""

TurnStart = tuple[str, int, int]
"""The beginning of a turn: its side, and the board."""

ACTIONS = 3
"""Number of actions in a turn."""
BONUS_TURN = 2
"""White's first turn: one action more by the option ``second_player_bonus`` (R3)."""


@dataclass(frozen=True)
class Options:
    """The options of the rules, under which a whole game is played."""

    second_player_bonus: bool = option(say("White's first turn has four actions"))
    """R3: White's first turn has one action more."""

    def allowance(self, turn: int) -> int:
        """Return the number of actions in a turn."""
        return ACTIONS + (self.second_player_bonus and turn == BONUS_TURN)


PLAIN = Options()


@dataclass(frozen=True)
class Position:
    """One position, and the options under which it is played.

    The text has all fields except the options and the past, which decides draws (R6): ``past`` has the beginning of
    every known turn, the present one last; ``idle``: the turn before was empty. ``resigned`` is the seat that has
    resigned, else 0. A position without actions left in the turn is over.
    """

    board: Board
    side: str
    left: int
    turn: int
    past: tuple[TurnStart, ...] = ()
    idle: bool = False
    resigned: int = 0
    options: Options = PLAIN

    mode = "2"

    @property
    def seat(self) -> int:
        """Return the seat whose turn it is; if the game is over, the seat whose action ended it."""
        return SIDES.index(self.side) + 1

    @property
    def allowance(self) -> int:
        """Return the number of actions in the present turn."""
        return self.options.allowance(self.turn)

    def hoplites(self, side: str) -> int:
        """Return the points with hoplites of a side."""
        return self.board[SIDES.index(side)]


def start(options: Options = PLAIN) -> Position:
    """Return the set-up."""
    board = SET_UP["b"], SET_UP["w"]
    return Position(board, "b", options.allowance(1), 1, (("b", *board),), options=options)


def sides(position: Position) -> tuple[int, int]:
    """Return the hoplites of the side that acts and of its opponent."""
    black, white = position.board
    return (black, white) if position.side == "b" else (white, black)


def board_of(side: str, own: int, other: int) -> Board:
    """Return the board on which a side has ``own``."""
    return (own, other) if side == "b" else (other, own)


# -- actions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Push:
    """A line that can be pushed: own and opposing hoplites from the rear on, and the point beyond the last one.

    ``landing`` is 0 if the last hoplite is pushed to its death: off the board, or (R2) onto ``goal``, which is else 0.
    """

    direction: str
    own: tuple[int, ...]
    other: tuple[int, ...]
    landing: int
    goal: int

    @property
    def text(self) -> str:
        """Return the action's text: ``B7>e``."""
        return f"{NODE[self.own[0]]}>{self.direction}"


@dataclass(frozen=True)
class LegalActions:
    """The legal actions except the end of the turn: points for adds, (source, targets) of moves, and pushes."""

    adds: int
    moves: tuple[tuple[int, int], ...]
    pushes: tuple[Push, ...]


def legal_actions(own: int, other: int) -> LegalActions:
    """Return a side's legal actions."""
    empty = PLAYABLE & ~own & ~other
    moves, rest = [], own
    while rest:
        army = army_of(own, rest & -rest)
        moves += [(source, move_targets(army, source, empty)) for source in members(army)]
        rest ^= army
    return LegalActions(add_targets(own, empty), tuple(moves), tuple(pushes(own, other)))


def add_targets(own: int, empty: int) -> int:
    """Return the points on which a hoplite can be added."""
    return near(own) & empty if own.bit_count() < HOPLITES else 0


def move_targets(army: int, source: int, empty: int) -> int:
    """Return the points to which a hoplite of an army can move: next to another one of it, at any distance."""
    return near(army ^ source) & empty


def army_of(own: int, hoplite: int) -> int:
    """Return the connected group that a hoplite belongs to."""
    army = front = hoplite
    while front:
        army |= front
        front = near(front) & own & ~army
    return army


def pushes(own: int, other: int) -> list[Push]:
    """Return every push. The line has all own hoplites from the rear one on; it must be the longer one."""
    found = []
    for direction, by in SHIFT.items():
        if not shift_points(own, by) & other:
            continue
        for rear in members(own & ~shift_points(own, by) & shift_points(own, -by)):
            push = push_from(own, other, rear, direction)
            if push is not None:
                found.append(push)
    return found


def push_from(own: int, other: int, rear: int, direction: str) -> Push | None:
    """Return the push of the line whose rear is this hoplite; None if it can't push."""
    by = SHIFT[direction]
    mine, at = line(own, rear, by)
    theirs, beyond = line(other, at, by)
    if not 0 < len(theirs) < len(mine):
        return None
    if beyond & own:  # R4
        return None
    return Push(direction, mine, theirs, beyond & PLAYABLE, beyond & ~PLAYABLE)


def line(points: int, at: int, by: int) -> tuple[tuple[int, ...], int]:
    """Return the gapless points of a set from a point on in a direction, and the first point outside the set."""
    found = []
    while at & points:
        found.append(at)
        at = shift_points(at, by)
    return tuple(found), at & BOARD


# -- after an action ---------------------------------------------------------------------------------------------------

END = "end"
"""The action that ends a turn."""


HandMove = tuple[bool, int, int]
"""One hoplite in the hand: whether it is the acting side's, its source (0: added) and its target (0: dead)."""


class Effect(NamedTuple):
    """The effect of an action: both sides' hoplites after it, before lonely ones die; and the hands' moves."""

    own: int
    other: int
    hand_moves: tuple[HandMove, ...] = ()


def effect_of_add(own: int, other: int, target: int) -> Effect:
    """Return the effect of adding a hoplite on a point."""
    return Effect(own | target, other, ((True, 0, target),))


def effect_of_move(own: int, other: int, source: int, target: int) -> Effect:
    """Return the effect of a move."""
    return Effect(own ^ source | target, other, ((True, source, target),))


def effect_of_push(own: int, other: int, push: Push) -> Effect:
    """Return the effect of a push. The front hoplite is carried first, each next one to the node left empty.

    One that dies on a goal may lie there until it is taken off.
    """
    hoplites = [(True, point) for point in push.own] + [(False, point) for point in push.other]
    targets = [*push.own[1:], *push.other, push.landing or push.goal]
    carried = [(mine, at, to) for (mine, at), to in zip(hoplites, targets, strict=True)]
    return Effect(own ^ push.own[0] | push.other[0], other ^ push.other[0] | push.landing, tuple(reversed(carried)))


def survivors(points: int) -> int:
    """Return the hoplites with a neighbour of their side; the others are dead."""
    return points & near(points)


def winner(black: int, white: int, acted: str) -> tuple[str, str] | None:
    """Return the winning side and the reason; None without a winner. R5: the side that acted is checked first."""
    hoplites = {"b": black, "w": white}
    for side in (acted, OTHER[acted]):
        if not hoplites[OTHER[side]]:
            return side, "eliminated"
        if hoplites[side] & NEAR_GOAL[side]:
            return side, "goal"
    return None


# -- turns -------------------------------------------------------------------------------------------------------------

REPEATS = 3
"""R6: this many turns that begin alike are a draw."""
RUNNING = Status(over=False)
DRAW = Status(over=True, reason="draw")
WORDS = {
    "goal": say("A hoplite stands next to its side's goal."),
    "eliminated": say("One side has no hoplites left."),
    "draw": say("Two empty turns in a row, or the same position for the third time."),
    "resigned": say("The other player has resigned."),
}
"""Reason → a sentence about the end of the game."""


@dataclass(frozen=True)
class Arrival:
    """The result of an action: the position, its status, and the hoplites that died because they stood alone."""

    position: Position
    status: Status
    dead: int = 0


def status(position: Position) -> Status:
    """Return the status. A game that ended as a draw has no winner and no actions left in its turn."""
    if position.resigned:
        return Status(over=True, reason="resigned", winners=(3 - position.resigned,))
    won = winner(*position.board, position.side)
    if won:
        return Status(over=True, reason=won[1], winners=(SIDES.index(won[0]) + 1,))
    return RUNNING if position.left else DRAW


def after_action(position: Position, own: int, other: int) -> Arrival:
    """Return the result of an add, a move or a push that left these hoplites: deaths, the end or the next action."""
    living = survivors(own), survivors(other)
    board = board_of(position.side, *living)
    dead = (own ^ living[0]) | (other ^ living[1])
    after = replace(position, board=board, left=position.left - 1)
    now = RUNNING if after.left and not winner(*board, position.side) else status(after)
    if after.left or now.winners:
        return Arrival(after, now, dead)
    return _turn_over(after, empty=False, dead=dead)


def after_turn(position: Position) -> Arrival:
    """Return the result of ending the turn early."""
    empty = position.left == position.allowance
    return _turn_over(replace(position, left=0), empty=empty)


def _turn_over(position: Position, *, empty: bool, dead: int = 0) -> Arrival:
    """Begin the next turn. R6: a draw after two empty turns, or if a turn begins so for the third time."""
    side, turn = OTHER[position.side], position.turn + 1
    began = (side, *position.board)
    past = (*position.past, began)
    if (empty and position.idle) or past.count(began) >= REPEATS:
        return Arrival(position, DRAW, dead)
    left = position.options.allowance(turn)
    following = Position(position.board, side, left, turn, past, empty, options=position.options)
    return Arrival(following, RUNNING, dead)
