"""Coil once more, for comparison: by row and place instead of bits, slow and plain, and the flat lists of old.

Nothing here is shared with ``firmware_host.games.coil``. :func:`has_coil` floods, stone by stone; :class:`FlatLists`
plays random games in flat Python lists with union-find, the variant that performance figures are compared with.
"""

from __future__ import annotations

from functools import cache
from random import Random

Cell = tuple[int, int]
"""Row and place in it, both from 0."""


def lengths(size: int) -> list[int]:
    return [*range(size, 2 * size), *range(2 * size - 2, size - 1, -1)]


@cache
def cells(size: int) -> tuple[Cell, ...]:
    return tuple((row, place) for row, length in enumerate(lengths(size)) for place in range(length))


def name(cell: Cell) -> str:
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


@cache
def circle(size: int, cell: Cell) -> tuple[Cell | None, ...]:
    """The six neighbours in a circle, None off the board."""
    row, place = cell
    down = 0 if row < size - 1 else -1  # Where the row below is longer its cells lie to the left and right of ours.
    up = -1 if row < size else 0
    around = [
        (row, place + 1),
        (row + 1, place + down + 1),
        (row + 1, place + down),
        (row, place - 1),
        (row - 1, place + up),
        (row - 1, place + up + 1),
    ]
    return tuple(other if other in cells(size) else None for other in around)


def has_coil(size: int, black: set[Cell]) -> bool:
    """By the first definition: some cell is cut off from outside by the black stones other than one on itself."""
    return any(not _gets_out(size, black - {cell}, cell) for cell in cells(size))


def _gets_out(size: int, black: set[Cell], start: Cell) -> bool:
    seen, todo = {start}, [start]
    while todo:
        for other in circle(size, todo.pop()):
            if other is None:
                return True
            if other not in black and other not in seen:
                seen.add(other)
                todo.append(other)
    return False


def flooded(size: int, black: set[Cell]) -> bool:
    """By the second definition, one flood for all cells: it does not reach all, or six stones lie round a seventh."""
    todo = [cell for cell in cells(size) if None in circle(size, cell) and cell not in black]
    seen = set(todo)
    while todo:
        for other in circle(size, todo.pop()):
            if other is not None and other not in black and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen) + len(black) < len(cells(size)) or any(black.issuperset(circle(size, cell)) for cell in black)


class FlatLists:
    """Random games stone by stone: cells are numbers in flat lists, groups of black stones a union-find."""

    def __init__(self, size: int) -> None:
        self.cells = cells(size)
        numbers = {cell: number for number, cell in enumerate(self.cells)}
        off = len(self.cells)  # One more cell, always empty, stands for everything off the board.
        self.circles = [
            tuple(off if other is None else numbers[other] for other in circle(size, cell)) for cell in self.cells
        ]

    def playout(self, black: list[int], empty: list[int], rng: Random, *, contract: bool, blacks_turn: bool) -> int:
        """Play to the end: return 0 where White has won, 1 where Black has.

        Where a coil was closed in phase I return 2 or 3: who moved first, or the other, has won. ``black`` holds none.
        """
        random = rng.random
        stones = [0] * (len(self.cells) + 1)
        group = list(range(len(self.cells) + 1))
        for cell in black:
            self._put(cell, stones, group)
        order = empty[:]
        left = len(order)
        laid = 0
        while contract:
            at = int(random() * (left + 1))
            if at == left:
                contract, blacks_turn = False, False
                break
            left -= 1
            cell = order[at]
            order[at] = order[left]
            laid += 1
            if self._put(cell, stones, group):
                return 3 if laid % 2 else 2
        while left:
            at = int(random() * left)
            left -= 1
            cell = order[at]
            order[at] = order[left]
            if blacks_turn and self._put(cell, stones, group):
                return 1
            blacks_turn = not blacks_turn
        return 0

    def _put(self, cell: int, stones: list[int], group: list[int]) -> bool:
        """Put a black stone down; tell whether it closes a coil."""
        stones[cell] = 1
        circles = self.circles
        around = circles[cell]
        before = stones[around[5]]
        roots: list[int] = []
        for other in around:
            now = stones[other]
            if now:
                if not before:
                    root = other
                    while group[root] != root:
                        group[root] = root = group[group[root]]
                    if root in roots:
                        return True
                    roots.append(root)
                a, b, c, d, e, f = circles[other]
                if stones[a] and stones[b] and stones[c] and stones[d] and stones[e] and stones[f]:
                    return True
            before = now
        if not roots and before:  # All six are black: the stone lies in the middle of a coil that was there before.
            return True
        for root in roots:
            group[root] = cell
        return False
