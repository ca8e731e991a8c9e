"""The hexagonal board of Coil in every size: its cells, their names, and sets of them as integers.

Source: coil.md and formats.md. A set of cells is an ``int`` with one bit a cell, on a grid with padding around the
board: ``width`` is the distance between rows, and a bit shifted over the rim lands on padding. The neighbours of bit
``b``, in circular order, are ``b + 1``, ``b + width + 1``, ``b + width``, ``b - 1``, ``b - width - 1``, ``b - width``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from string import ascii_lowercase

from firmware_host.games.game import Layout

SIZES = range(3, 11)
SIZE = 7
"""The default size, and that of the table's board."""


class Board:
    """The geometry of a board of one size."""

    def __init__(self, size: int) -> None:
        """Lay out the rows: ``size`` cells in the first, growing to the middle, shrinking to the last."""
        rows = 2 * size - 1
        self.size = size
        self.width = rows + 1
        self.steps = (1, self.width + 1, self.width, -1, -self.width - 1, -self.width)
        """The differences from a bit to its neighbours, in circular order."""
        self.rows: tuple[tuple[int, ...], ...] = tuple(
            tuple((r + 1) * self.width + 1 + max(0, r - size + 1) + k for k in range(rows - abs(r - size + 1)))
            for r in range(rows)
        )
        """The bit numbers of each row's cells."""
        self.cells: tuple[int, ...] = tuple(cell for row in self.rows for cell in row)
        self.bits: tuple[int, ...] = tuple(1 << cell for cell in self.cells)
        self.all: int = sum(self.bits)
        self.length: int = self.all.bit_length()
        self.names: dict[int, str] = {
            cell: f"{ascii_lowercase[r]}{k}" for r, row in enumerate(self.rows) for k, cell in enumerate(row, 1)
        }
        self.numbers: dict[str, int] = {name: cell for cell, name in self.names.items()}
        self.circles: dict[int, tuple[int, ...]] = {
            cell: tuple(cell + step for step in self.steps) for cell in self.cells
        }
        """The six neighbours of each cell in circular order, including padding."""
        self.near: dict[int, int] = {cell: sum(1 << other for other in circle) for cell, circle in self.circles.items()}
        """The six neighbours of each cell as a set, including padding."""
        self.rim: int = sum(1 << cell for cell in self.cells if self.near[cell] & ~self.all)

    def members(self, cells: int) -> Iterator[int]:
        """Yield the bit numbers of a set in ascending order: row by row, as the names."""
        while cells:
            lowest = cells & -cells
            yield lowest.bit_length() - 1
            cells ^= lowest

    def neighbours(self, cell: int) -> list[int]:
        """Return the neighbours that are on the board."""
        return [other for other in self.circles[cell] if other in self.names]

    def layout(self) -> Layout:
        """Return the drawing: rows of cells one unit apart, the middle cell at (0, 0)."""
        nodes = {
            self.names[cell]: (k - (len(row) - 1) / 2, (self.size - 1 - r) * math.sqrt(3) / 2)
            for r, row in enumerate(self.rows)
            for k, cell in enumerate(row)
        }
        lines = tuple(
            (self.names[cell], self.names[other])
            for cell in self.cells
            for other in sorted(self.neighbours(cell))
            if other > cell
        )
        return Layout(nodes=nodes, lines=lines, placeable=frozenset(nodes), style="cells")


@cache
def board(size: int) -> Board:
    """Return the board of a size."""
    return Board(size)
