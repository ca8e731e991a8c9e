"""The rules of Coil, readable and on immutable positions: the reference that the flat form is compared with.

Source: coil.md; the text of a position: formats.md, Coil. Both players put black stones (phase I, the contract) until
one passes and plays black from then on (phase II). Then Black tries to close a *coil*: black stones that cut a cell off
from the outside. A stone on that cell does not count, so that six stones round any cell are a coil, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from firmware_host.games.coil.board import SIZES, Board, board
from firmware_host.games.game import BadPosition

MODE = "2"
SEATS = (1, 2)
PHASES = ("contract", "main")
PASS = "pass"  # noqa: S105 - no password


@dataclass(frozen=True)
class Options:
    """The options of the rules, under which a whole game is played: none by now.

    One is a field with :func:`firmware_host.games.plain.option` as default. What it changes reads it in the position,
    here and in ``FlatCoil.begin``.
    """


PLAIN = Options()


@dataclass(frozen=True)
class Position:
    """One position, and the options under which it is played.

    ``black`` and ``white`` are sets of cells, ``holder`` is the seat that plays black, 0 in phase I.
    ``seat`` is to move, or ended the game. ``ending`` is None, ``coil`` or ``full`` (by the stones), ``resigned`` or
    ``decided``. ``resigned`` is the seat that has resigned, else 0. The text lacks only resignations,
    decisions and options.
    """

    size: int
    black: int
    white: int
    phase: str
    seat: int
    holder: int
    ending: str | None = None
    resigned: int = 0
    options: Options = PLAIN

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
        """Return the seat that has won, else 0.

        R1: who closes a coil before the first pass has lost. After it a coil wins for Black, anything else for White.
        """
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


def start(size: int, options: Options = PLAIN) -> Position:
    """Return the empty board."""
    return Position(size, 0, 0, "contract", 1, 0, options=options)


# -- actions -----------------------------------------------------------------------------------------------------------


def after_pass(position: Position) -> Position:
    """Return the position after the pass that ends the contract: who passes is Black, and White begins."""
    return replace(position, phase="main", seat=other(position.seat), holder=position.seat)


def after_stone(position: Position, cell: int) -> Position:
    """Return the position after a stone of the seat to move on an empty cell; who ends the game keeps the turn."""
    black, white = position.black, position.white
    if position.colour == "b":
        black |= 1 << cell
    else:
        white |= 1 << cell
    ended = ending(board(position.size), black, white)
    seat = position.seat if ended else other(position.seat)
    return replace(position, black=black, white=white, seat=seat, ending=ended)


def ending(cells: Board, black: int, white: int) -> str | None:
    """Return how the stones have ended the game; None if it goes on."""
    if has_coil(cells, black):
        return "coil"
    return "full" if black | white == cells.all else None


# -- coils -------------------------------------------------------------------------------------------------------------


def has_coil(board: Board, black: int) -> bool:
    """Return whether black stones cut a cell off: a flood fill of the other cells from the rim does not reach it."""
    width = board.width
    both = black << 1 & black >> 1
    if both and both & black << width & black >> width & black << width + 1 & black >> width + 1:
        return True  # Six stones in a circle, with any cell in the middle.
    free = board.all & ~black
    reached = board.rim & free
    while True:
        wider = reached | reached << 1
        wider = (wider | wider << width) & free
        wider |= wider >> 1
        wider = (wider | wider >> width) & free
        if wider == reached:
            return reached != free
        reached = wider


def coil(board: Board, black: int) -> tuple[int, ...]:
    """Return the stones of a shortest coil in circular order; nothing if there is no coil."""
    best: tuple[int, ...] = ()
    for cell in board.members(black):
        if board.near[cell] & ~black == 0:
            return board.circles[cell]
        found = _loop_through(board, black, cell)
        if found and (not best or len(found) < len(best)):
            best = found
    return best


def _loop_through(board: Board, black: int, cell: int) -> tuple[int, ...]:
    """Return a shortest loop through a stone, from one run around it to another, the stone first; () without one."""
    runs = _runs_round(board, black, cell)
    rest = black & ~(1 << cell)
    loops: list[tuple[int, ...]] = []
    for k, run in enumerate(runs):
        others = sum(runs[k + 1 :])
        path = _path(board, rest, board.members(run), others) if others else ()
        if path:
            loops.append((cell, *path))
    return min(loops, key=len, default=())


def _path(board: Board, black: int, sources: Iterable[int], targets: int) -> tuple[int, ...]:
    """Return a shortest path over black stones from a source to a target; () without one."""
    paths: list[tuple[int, ...]] = [(cell,) for cell in sources]
    seen = sum(1 << path[0] for path in paths)
    while paths:
        longer: list[tuple[int, ...]] = []
        for path in paths:
            if targets >> path[-1] & 1:
                return path
            for other in board.members(board.near[path[-1]] & black & ~seen):
                seen |= 1 << other
                longer.append((*path, other))
        paths = longer
    return ()


def _runs_round(board: Board, black: int, cell: int) -> list[int]:
    """Return the runs of black in the circle around a cell, each as a set of cells."""
    circle = board.circles[cell]
    first = next((k for k in range(6) if not black >> circle[k] & 1), None)
    if first is None:
        return [board.near[cell]]
    runs: list[int] = []
    run = 0
    for k in range(first + 1, first + 7):
        bit = 1 << circle[k % 6]
        if black & bit:
            run |= bit
        elif run:
            runs.append(run)
            run = 0
    return runs


# -- text --------------------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return a position's text."""
    signs = "/".join(
        "".join("b" if position.black >> cell & 1 else "w" if position.white >> cell & 1 else "." for cell in row)
        for row in board(position.size).rows
    )
    return f"{signs} {position.phase} {position.seat} {position.holder or '-'}"


def parse(line: str, options: Options = PLAIN) -> Position:
    """Return the position of a text under some options. Raise BadPosition naming the field and what was expected."""
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
    ended, black_seat = ending(board(size), black, white), 0 if holder == "-" else int(holder)
    return Position(size, black, white, phase, int(seat), black_seat, ended, options=options)


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
