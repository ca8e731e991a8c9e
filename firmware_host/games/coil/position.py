"""A position of Coil as a value, and its text (formats.md, Coil)."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.games.coil.board import SIZES, board
from firmware_host.games.coil.coils import has_coil
from firmware_host.games.game import BadPosition

MODE = "2"
SEATS = (1, 2)
PHASES = ("contract", "main")


@dataclass(frozen=True)
class Position:
    """One position. ``black`` and ``white`` are sets of cells, ``holder`` is the seat that plays black, 0 in phase I.

    ``seat`` is to move, or ended the game. ``ending`` is None, ``coil`` or ``full`` (by the stones), ``resigned`` or
    ``decided``. ``resigned`` is the seat that has resigned, else 0. The text lacks only resignations and decisions.
    """

    size: int
    black: int
    white: int
    phase: str
    seat: int
    holder: int
    ending: str | None = None
    resigned: int = 0

    @property
    def mode(self) -> str:
        """Return the only mode."""
        return MODE

    @property
    def colour(self) -> str:
        """Return the piece letter of the stone that the seat places."""
        return "b" if self.phase == "contract" or self.seat == self.holder else "w"

    @property
    def empty(self) -> int:
        """Return the set of empty cells."""
        return board(self.size).all & ~(self.black | self.white)

    @property
    def winner(self) -> int:
        """Return the seat that has won, else 0. R1: a coil before the first pass loses the game."""
        if self.ending is None:
            return 0
        if self.ending == "resigned":
            return other(self.resigned)
        if self.phase == "contract":
            return other(self.seat)
        return self.holder if self.ending == "coil" else other(self.holder)


def other(seat: int) -> int:
    """Return the opponent's seat."""
    return 3 - seat


def start(size: int) -> Position:
    """Return the empty board."""
    return Position(size, 0, 0, "contract", 1, 0)


def ending(size: int, black: int, white: int) -> str | None:
    """Return how the stones have ended the game; None if it goes on."""
    cells = board(size)
    if has_coil(cells, black):
        return "coil"
    return "full" if black | white == cells.all else None


# -- text --------------------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return a position's text."""
    signs = "/".join(
        "".join("b" if position.black >> cell & 1 else "w" if position.white >> cell & 1 else "." for cell in row)
        for row in board(position.size).rows
    )
    return f"{signs} {position.phase} {position.seat} {position.holder or '-'}"


def parse(line: str) -> Position:
    """Return the position of a text. Raise BadPosition naming the field and what was expected."""
    words = line.split(" ")
    if len(words) != 4:
        raise BadPosition(
            f"position: expected 4 fields (rows phase seat black) separated by one space, got {len(words)}"
        )
    rows, phase, seat, holder = words
    size, black, white = _parse_rows(rows)
    if phase not in PHASES:
        raise BadPosition(f"phase: expected contract or main, got {phase[:20]!r}")
    if seat not in {"1", "2"}:
        raise BadPosition(f"seat: expected 1 or 2, got {seat[:20]!r}")
    if holder not in ({"-"} if phase == "contract" else {"1", "2"}):
        expected = "'-'" if phase == "contract" else "1 or 2"
        raise BadPosition(f"black: expected {expected} in phase {phase}, got {holder[:20]!r}")
    if phase == "contract" and white:
        raise BadPosition("rows: expected no white stone in phase contract")
    return Position(
        size, black, white, phase, int(seat), 0 if holder == "-" else int(holder), ending(size, black, white)
    )


def _parse_rows(word: str) -> tuple[int, int, int]:
    """Return size, black and white."""
    rows = word.split("/")
    size = len(rows[0])
    if size not in SIZES:
        raise BadPosition(f"rows: expected {SIZES[0]} to {SIZES[-1]} cells in the first row, got {size}")
    cells = board(size)
    if len(rows) != len(cells.rows):
        raise BadPosition(f"rows: expected {len(cells.rows)} rows joined by '/', got {len(rows)}")
    found = {"b": 0, "w": 0, ".": 0}
    for number, (row, signs) in enumerate(zip(cells.rows, rows, strict=True), 1):
        if len(signs) != len(row):
            raise BadPosition(f"rows: row {number}: expected {len(row)} cells, got {len(signs)}")
        for cell, sign in zip(row, signs, strict=True):
            if sign not in found:
                raise BadPosition(f"rows: row {number}: expected '.', 'b' or 'w', got {sign!r}")
            found[sign] |= 1 << cell
    return size, found["b"], found["w"]
