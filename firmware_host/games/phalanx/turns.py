"""The flow of Phalanx: what follows an action, the ends of turns and of the game."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_host.games.game import Status
from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import OTHER, SIDES
from firmware_host.games.phalanx.position import Board, Position, allowance
from firmware_host.text.words import say

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


def sides(position: Position) -> tuple[int, int]:
    """Return the hoplites of the side that acts and of its opponent."""
    black, white = position.board
    return (black, white) if position.side == "b" else (white, black)


def board_of(side: str, own: int, other: int) -> Board:
    """Return the board on which a side has ``own``."""
    return (own, other) if side == "b" else (other, own)


def status(position: Position) -> Status:
    """Return the status. A game that ended as a draw has no winner and no actions left in its turn."""
    if position.resigned:
        return Status(over=True, reason="resigned", winners=(3 - position.resigned,))
    won = rules.winner(*position.board, position.side)
    if won:
        return Status(over=True, reason=won[1], winners=(SIDES.index(won[0]) + 1,))
    return RUNNING if position.left else DRAW


def acted(position: Position, own: int, other: int, *, bonus: bool) -> Arrival:
    """Return the result of an add, a move or a push that left these hoplites: deaths, the end or the next action."""
    living = rules.alive(own), rules.alive(other)
    board = board_of(position.side, *living)
    dead = (own ^ living[0]) | (other ^ living[1])
    after = replace(position, board=board, left=position.left - 1)
    now = RUNNING if after.left and not rules.winner(*board, position.side) else status(after)
    if after.left or now.winners:
        return Arrival(after, now, dead)
    return _turn_over(after, empty=False, bonus=bonus, dead=dead)


def ended(position: Position, *, bonus: bool) -> Arrival:
    """Return the result of ending the turn early."""
    empty = position.left == allowance(position.turn, bonus=bonus)
    return _turn_over(replace(position, left=0), empty=empty, bonus=bonus)


def _turn_over(position: Position, *, empty: bool, bonus: bool, dead: int = 0) -> Arrival:
    """Begin the next turn. R6: a draw after two empty turns, or if a turn begins so for the third time."""
    side, turn = OTHER[position.side], position.turn + 1
    began = (side, *position.board)
    past = (*position.past, began)
    if (empty and position.idle) or past.count(began) >= REPEATS:
        return Arrival(position, DRAW, dead)
    following = Position(position.board, side, allowance(turn, bonus=bonus), turn, past, empty)
    return Arrival(following, RUNNING, dead)
