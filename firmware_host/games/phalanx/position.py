"""A position of Phalanx as a value, and its text (formats.md, Phalanx)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmware_host.games.game import BadPosition
from firmware_host.games.phalanx.board import BIT, GOAL, HOPLITES, NODES, SET_UP, SIDES, SIZE, near

Board = tuple[int, int]
"""The hoplites of Black and of White (sets of points)."""

Began = tuple[str, int, int]
"""The beginning of a turn: its side, and the board."""

ACTIONS = 3
"""Number of actions in a turn."""
BONUS_TURN = 2
"""White's first turn: one action more by the option ``second_player_bonus`` (R3)."""
_COLOUR = {"b": "black", "w": "white"}


@dataclass(frozen=True)
class Position:
    """One position.

    The text has all fields except the past, which decides draws (R6): ``past`` has the beginning of every known turn,
    the present one last; ``idle``: the turn before was empty. ``resigned`` is the seat that has resigned, else 0.
    A position without actions left in the turn is over.
    """

    board: Board
    side: str
    left: int
    turn: int
    past: tuple[Began, ...] = ()
    idle: bool = False
    resigned: int = 0

    mode = "2"

    @property
    def seat(self) -> int:
        """Return the seat whose turn it is; if the game is over, the seat whose action ended it."""
        return SIDES.index(self.side) + 1

    def hoplites(self, side: str) -> int:
        """Return the points with hoplites of a side."""
        return self.board[SIDES.index(side)]


def allowance(turn: int, *, bonus: bool) -> int:
    """Return the number of actions in a turn."""
    return ACTIONS + (bonus and turn == BONUS_TURN)


def start() -> Position:
    """Return the set-up."""
    board = SET_UP["b"], SET_UP["w"]
    return Position(board, "b", ACTIONS, 1, (("b", *board),))


# -- text --------------------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return a position's text."""
    black, white = position.board
    signs = "".join("b" if black & BIT[node] else "w" if white & BIT[node] else "." for node in NODES)
    rows = (signs[first : first + SIZE] for first in range(0, len(signs), SIZE))
    told = "/".join(re.sub(r"\.+", lambda run: str(len(run.group())), row) for row in rows)
    return f"{told} {position.side} {position.left} {position.turn}"


def parse(line: str, *, bonus: bool) -> Position:
    """Return the position of a text. Raise BadPosition naming the field and what was expected."""
    words = line.split(" ")
    if len(words) != 4:
        raise BadPosition(f"position: expected 4 fields (rows side left turn) separated by one space, got {len(words)}")
    rows, side, left, turn = words
    board = _parse_rows(rows)
    if side not in SIDES:
        raise BadPosition(f"side: expected b or w, got {side[:20]!r}")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", turn, re.ASCII):
        raise BadPosition(f"turn: expected a whole number from 1, got {turn[:20]!r}")
    number = int(turn)
    if side != SIDES[(number - 1) % 2]:
        raise BadPosition(
            f"turn: expected an {'odd' if side == 'b' else 'even'} number for {_COLOUR[side]}, got {turn}"
        )
    most = allowance(number, bonus=bonus)
    if left not in map(str, range(most + 1)):
        raise BadPosition(f"left: expected a number of actions from 0 to {most} in turn {turn}, got {left[:20]!r}")
    past: tuple[Began, ...] = ((side, *board),) if int(left) == most else ()
    return Position(board, side, int(left), number, past)


def _parse_rows(word: str) -> Board:
    rows = word.split("/")
    if len(rows) != SIZE:
        raise BadPosition(f"rows: expected {SIZE} rows joined by '/', got {len(rows)} in {word[:120]!r}")
    signs = ""
    for number, row in zip(range(SIZE, 0, -1), rows, strict=True):
        if not re.fullmatch(r"(?:[bw]|[1-9](?![1-9]))+", row, re.ASCII):
            raise BadPosition(
                f"rows: row {number}: expected b, w and digits for whole runs of empty points, got {row[:20]!r}"
            )
        told = re.sub(r"[1-9]", lambda run: "." * int(run.group()), row)
        if len(told) != SIZE:
            raise BadPosition(f"rows: row {number}: expected {SIZE} points, got {len(told)} in {row[:20]!r}")
        signs += told
    board = _hoplites(signs, "b"), _hoplites(signs, "w")
    if not any(board):
        raise BadPosition("rows: expected hoplites of one side at least, got an empty board")
    return board


def _hoplites(signs: str, side: str) -> int:
    """Return the points of one side's hoplites. Raise BadPosition if they are impossible."""
    points = sum(BIT[node] for node, sign in zip(NODES, signs, strict=True) if sign == side)
    if points.bit_count() > HOPLITES:
        raise BadPosition(f"rows: expected at most {HOPLITES} {_COLOUR[side]} hoplites, got {points.bit_count()}")
    for goal in GOAL.values():
        if points & BIT[goal]:
            raise BadPosition(f"rows: expected {goal} empty, as it is a goal, got {side}")
    for node in NODES:
        if points & BIT[node] & ~near(points):
            raise BadPosition(f"rows: {node}: expected no {_COLOUR[side]} hoplite without a neighbour, as it is dead")
    return points
