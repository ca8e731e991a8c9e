"""Puzzles of Coil: the kinds, and a solver on sets of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random

from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.coils import closes
from firmware_host.games.coil.position import Position, other, text
from firmware_host.games.puzzles import FORCE, PREVENT, REACH, WHO, Claim, Puzzle, PuzzleKind, grouped
from firmware_host.text.words import say

SMALL = 4
"""Size of the board for puzzles of the kind ``who``: all continuations are searched."""

KINDS: Mapping[str, PuzzleKind] = {
    "close": PuzzleKind(
        say("Close it"),
        say("Black closes a coil with one stone. Where?"),
        say("This stone closes no coil."),
        Claim(REACH),
    ),
    "two": PuzzleKind(
        say("Close it in two"),
        say("After which black stone can White no longer stop the next one from closing a coil?"),
        say("After that no black stone closes a coil."),
        Claim(FORCE),
    ),
    "stop": PuzzleKind(
        say("Stop it"),
        say("Black is about to close a coil within two stones. Where does White stop every one of them?"),
        say("After that Black still closes a coil, now or with the next stone."),
        Claim(PREVENT, turns=2),
    ),
    "who": PuzzleKind(
        say("Who wins?"),
        say("Few cells are left. Who wins, if both put their stones as well as they can?"),
        say("All continuations were checked: the other player wins."),
        Claim(WHO),
        layout=board(SMALL).layout(),
    ),
}
THREAT = 20
"""Approximate number of cells to consider for each threatening stone."""
FEWEST, LAST = 5, 9
"""Minimum and maximum number of empty cells in puzzles of the kind ``who``."""


def solved(kind: str, position: Position) -> Puzzle | None:
    """Return a running position as a puzzle of a kind; None if it has no unique best answer."""
    if position.phase != "main":
        return None
    if kind == "who":
        return _who(position)
    if (position.colour == "w") != (kind == "stop"):
        return None
    solver = {"close": _close, "two": _two, "stop": _stop}[kind]
    return solver(position, board(position.size))


def _closing(cells: Board, black: int, empty: int) -> list[int]:
    """Return the cells that close a coil."""
    return [cell for cell in cells.members(empty) if closes(cells, black, cell)]


def _forks(cells: Board, black: int, empty: int) -> Iterator[int]:
    """Yield the cells after which two others close a coil: White can stop only one of them."""
    for cell in cells.members(empty):
        # A stone makes new places for a coil only if it touches others.
        if black & cells.near[cell] or black & _around(cells.size)[cell]:
            after = black | 1 << cell
            if len(_closing(cells, after, empty & ~(1 << cell) & _reach(cells, after))) > 1:
                yield cell


@cache
def _around(size: int) -> dict[int, int]:
    """Return the cells within two steps of any of these."""
    cells = board(size)
    return {cell: sum(1 << far for far in cells.cells if cells.near[far] & near) for cell, near in cells.near.items()}


def _reach(cells: Board, black: int) -> int:
    """Return the cells next to black ones."""
    found = 0
    for cell in cells.members(black):
        found |= cells.near[cell]
    return found & cells.all


def _close(position: Position, cells: Board) -> Puzzle | None:
    found = _closing(cells, position.black, position.empty)
    if len(found) != 1:
        return None
    count = position.empty.bit_count()
    return _puzzle("close", position, cells.names[found[0]], count, count, {})


def _two(position: Position, cells: Board) -> Puzzle | None:
    black, empty = position.black, position.empty
    if _closing(cells, black, empty):
        return None
    found = list(_forks(cells, black, empty))
    if len(found) != 1:
        return None
    replies = {}
    for cell in cells.members(empty & ~(1 << found[0])):
        left = empty & ~(1 << cell)
        answer = next(iter(_closing(cells, black | 1 << cell, left)), next(cells.members(left), 0))
        replies[cells.names[cell]] = (cells.names[answer],)
    count = empty.bit_count()
    threats = sum(bool(_closing(cells, black | 1 << cell, empty & ~(1 << cell))) for cell in cells.members(empty))
    return _puzzle("two", position, cells.names[found[0]], count, count + THREAT * threats, replies)


def _stop(position: Position, cells: Board) -> Puzzle | None:
    black, empty = position.black, position.empty
    threats = {first: _spoils(cells, black, empty, first) for first in _winning(cells, black, empty)}
    if not threats:
        return None
    right, replies = [], {}
    for cell in cells.members(empty):
        left = empty & ~(1 << cell)
        still = next((first for first, spoils in threats.items() if not spoils >> cell & 1), None)
        if still is None:
            still = next(_winning(cells, black, left), None)
        if still is not None:
            replies[cells.names[cell]] = (cells.names[still],)
            continue
        right.append(cell)
        if len(right) > 1:
            return None
    count = empty.bit_count()
    looked = count + THREAT * sum(spoils.bit_count() for spoils in threats.values())
    return _puzzle("stop", position, cells.names[right[0]], count, looked, replies) if right else None


def _winning(cells: Board, black: int, empty: int) -> Iterator[int]:
    """Yield the stones by which Black closes a coil, now or with the next stone."""
    yield from _closing(cells, black, empty)
    yield from _forks(cells, black, empty)


def _spoils(cells: Board, black: int, empty: int, first: int) -> int:
    """Return the cells that may stop a black stone's threat: its own cell, and those of the stones after it."""
    if closes(cells, black, first):
        return 1 << first
    followed = _closing(cells, black | 1 << first, empty & ~(1 << first))
    return sum(1 << cell for cell in followed) | 1 << first


# -- the end of a game -------------------------------------------------------------------------------------------------


def endings(position: Position, rng: Random) -> Iterator[Position]:
    """Yield positions near the end of a random game without a coil."""
    cells = board(position.size)
    order = list(cells.cells)
    rng.shuffle(order)
    black = white = 0
    for number, cell in enumerate(order[:-FEWEST]):
        if number % 2 and not closes(cells, black, cell):
            black |= 1 << cell
        else:
            white |= 1 << cell
        if len(order) - number - 1 <= LAST:
            yield Position(position.size, black, white, "main", rng.choice((1, 2)), rng.choice((1, 2)))


def _who(position: Position) -> Puzzle | None:
    """Return the puzzle of the kind ``who``; None if a single move shows the winner."""
    cells = board(position.size)
    seen: dict[tuple[int, int], bool] = {}
    empty = position.empty.bit_count()
    if not FEWEST <= empty <= LAST or _closing(cells, position.black, position.empty) == []:
        return None
    black_wins = _black_wins(cells, position.black, position.white, position.colour == "b", seen)
    if len(seen) < 4 * empty:
        return None
    winner = position.holder if black_wins else other(position.holder)
    return _puzzle("who", position, str(winner), 2, len(seen), {})


def _black_wins(cells: Board, black: int, white: int, blacks_turn: bool, seen: dict[tuple[int, int], bool]) -> bool:
    """Return whether Black can force a coil; ``seen`` caches positions."""
    key = black, white
    if key not in seen:
        empty = cells.all & ~(black | white)
        if not empty:
            seen[key] = False
        elif blacks_turn:
            seen[key] = any(
                closes(cells, black, cell) or _black_wins(cells, black | 1 << cell, white, False, seen)
                for cell in cells.members(empty)
            )
        else:
            seen[key] = all(_black_wins(cells, black, white | 1 << cell, True, seen) for cell in cells.members(empty))
    return seen[key]


def _puzzle(
    kind: str, position: Position, answer: str, ends: int, looked: int, replies: Mapping[str, tuple[str, ...]]
) -> Puzzle:
    return Puzzle("coil", kind, text(position), position.seat, (answer,), ends, looked, grouped(replies))
