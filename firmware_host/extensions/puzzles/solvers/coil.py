"""Puzzles of Coil: the kinds, and their solvers on the flat form of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.extensions.puzzles.puzzle import (
    FORCE,
    PREVENT,
    REACH,
    WHO,
    Claim,
    Puzzle,
    PuzzleKind,
    Solver,
    group_replies,
)
from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.flat import BLACK, WHITE, FlatCoil
from firmware_host.games.coil.rules import Position, has_coil, other, start, text
from firmware_host.games.game import Game
from firmware_host.link.weak_games import game_positions
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
        say("Stop the coil"),
        say("Black is about to close a coil within two stones. Where does White stop every coil?"),
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


def make_puzzle(kind: str, position: Position) -> Puzzle | None:
    """Return a running position as a puzzle of a kind; None if it has no unique best answer."""
    if position.phase != "main":
        return None
    if kind == "who":
        return _who(position)
    if (position.colour == "w") != (kind == "stop"):
        return None
    solver = {"close": _close, "two": _two, "stop": _stop}[kind]
    game = _flat(position.size)
    game.begin(position)
    return solver(position, board(position.size), game)


@cache
def _flat(size: int) -> FlatCoil:
    return FlatCoil(size)


def _closing(game: FlatCoil, black: int | None = None, white: int | None = None) -> list[int]:
    """Return the cells that close a coil, in the root or after one more stone of a colour or of each."""
    game.reset()
    if black is not None:
        game.put(black, BLACK)
    if white is not None:
        game.put(white, WHITE)
    return game.threats()


def _winning(position: Position, cells: Board, game: FlatCoil, white: int | None = None) -> Iterator[int]:
    """Yield the stones by which Black closes a coil, now or with the next stone, after one more stone of White.

    Of the latter there are two next stones at least: White can stop only one of them.
    """
    closing = _closing(game, white=white)
    yield from closing
    for cell in cells.members(position.empty):
        # A stone makes new places for a coil only if it touches others.
        touches = position.black & (cells.near[cell] | _around(cells.size)[cell])
        if touches and cell != white and cell not in closing and len(_closing(game, cell, white)) > 1:
            yield cell


@cache
def _around(size: int) -> dict[int, int]:
    """Return the cells within two steps of any of these."""
    cells = board(size)
    return {cell: sum(1 << far for far in cells.cells if cells.near[far] & near) for cell, near in cells.near.items()}


def _close(position: Position, cells: Board, game: FlatCoil) -> Puzzle | None:
    found = _closing(game)
    if len(found) != 1:
        return None
    count = position.empty.bit_count()
    return _puzzle("close", position, cells.names[found[0]], count, count, {})


def _two(position: Position, cells: Board, game: FlatCoil) -> Puzzle | None:
    if _closing(game):
        return None
    found = list(_winning(position, cells, game))
    if len(found) != 1:
        return None
    replies = {}
    for cell in cells.members(position.empty & ~(1 << found[0])):
        others = cells.members(position.empty & ~(1 << cell))
        replies[cells.names[cell]] = (cells.names[next(iter(_closing(game, cell)), next(others, 0))],)
    count = position.empty.bit_count()
    threats = sum(bool(_closing(game, cell)) for cell in cells.members(position.empty))
    return _puzzle("two", position, cells.names[found[0]], count, count + THREAT * threats, replies)


def _stop(position: Position, cells: Board, game: FlatCoil) -> Puzzle | None:
    closing = _closing(game)
    # What may stop each threat: a stone on its own cell, or on those of the stones after it.
    threats = {
        first: {first} if first in closing else {first, *_closing(game, first)}
        for first in list(_winning(position, cells, game))
    }
    if not threats:
        return None
    right, replies = [], {}
    for cell in cells.members(position.empty):
        still = next((first for first, stopping in threats.items() if cell not in stopping), None)
        if still is None:
            still = next(_winning(position, cells, game, cell), None)
        if still is not None:
            replies[cells.names[cell]] = (cells.names[still],)
            continue
        right.append(cell)
        if len(right) > 1:
            return None
    count = position.empty.bit_count()
    looked = count + THREAT * sum(map(len, threats.values()))
    return _puzzle("stop", position, cells.names[right[0]], count, looked, replies) if right else None


# -- the end of a game -------------------------------------------------------------------------------------------------


def ending_positions(position: Position, rng: Random) -> Iterator[Position]:
    """Yield positions near the end of a random game without a coil."""
    cells = board(position.size)
    order = list(cells.cells)
    rng.shuffle(order)
    black = white = 0
    for number, cell in enumerate(order[:-FEWEST]):
        if number % 2 and not has_coil(cells, black | 1 << cell):
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
    if not FEWEST <= empty <= LAST or not _can_close(cells, position):
        return None
    black_wins = _black_wins(cells, position.black, position.white, position.colour == "b", seen)
    if len(seen) < 4 * empty:
        return None
    winner = position.holder if black_wins else other(position.holder)
    return _puzzle("who", position, str(winner), 2, len(seen), {})


def _can_close(cells: Board, position: Position) -> bool:
    return any(has_coil(cells, position.black | 1 << cell) for cell in cells.members(position.empty))


def _black_wins(cells: Board, black: int, white: int, blacks_turn: bool, seen: dict[tuple[int, int], bool]) -> bool:
    """Return whether Black can force a coil; ``seen`` caches positions."""
    key = black, white
    if key not in seen:
        empty = cells.all & ~(black | white)
        if not empty:
            seen[key] = False
        elif blacks_turn:
            seen[key] = any(
                has_coil(cells, black | 1 << cell) or _black_wins(cells, black | 1 << cell, white, False, seen)
                for cell in cells.members(empty)
            )
        else:
            seen[key] = all(_black_wins(cells, black, white | 1 << cell, True, seen) for cell in cells.members(empty))
    return seen[key]


def _puzzle(
    kind: str, position: Position, answer: str, ends: int, looked: int, replies: Mapping[str, tuple[str, ...]]
) -> Puzzle:
    return Puzzle("coil", kind, text(position), position.seat, (answer,), ends, looked, group_replies(replies))


def candidates(game: Game[Any], kind: str, mode: str, rng: Random) -> Iterator[Position]:
    """Yield the positions of one random game; for the kind ``who`` endings on a small board."""
    if kind == "who":
        return ending_positions(start(SMALL), rng)
    return game_positions(game, game.start(mode), rng)


SOLVER = Solver("coil", KINDS, candidates, make_puzzle, Path(__file__).parent / "puzzles/coil.jsonl")
