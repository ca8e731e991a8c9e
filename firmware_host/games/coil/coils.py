"""Coils: whether a position has one, whether one more stone closes one, and the loop itself.

Source: coil.md. A cell is cut off if black stones (other than one on the cell) separate it from the outside.
"""

from __future__ import annotations

from collections.abc import Iterable

from firmware_host.games.coil.board import Board


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


def closes(board: Board, black: int, cell: int) -> bool:
    """Return whether a black stone put on an empty cell closes a coil; ``black`` has none yet.

    It does exactly if two runs of black around the cell belong to one group, or a black neighbour is surrounded now.
    """
    near = board.near[cell]
    if not black & near:
        return False
    after = black | 1 << cell
    if any(board.near[other] & ~after == 0 for other in board.members(black & near)):
        return True
    runs = runs_round(board, black, cell)
    while len(runs) > 1:
        first = runs.pop()
        group = _group(board, black, first)
        if any(group & run for run in runs):
            return True
    return False


def runs_round(board: Board, black: int, cell: int) -> list[int]:
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


def _group(board: Board, black: int, seed: int) -> int:
    """Return the black stones connected to those of ``seed``."""
    width = board.width
    while True:
        wider = seed | seed << 1
        wider = (wider | wider << width) & black
        wider |= wider >> 1
        wider = (wider | wider >> width) & black
        if wider == seed:
            return seed
        seed = wider


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
    runs = runs_round(board, black, cell)
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
