"""What every form of a random game of Coil agrees on: so that with one seed all play the same game."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

CONTRACT: Final = 0
WHITE: Final = 1
BLACK: Final = 2
"""Where a random game begins: in phase I, or in phase II with White or Black to move."""

COIL: Final = 1
OTHER: Final = 2
"""How it ends, two bits: a coil has closed, and who was not to move when it began has won."""

# A number that is drawn names a cell, by its lowest bits, or none. Bits cost time: no more are drawn than it takes.
SOME: Final = 16
"""Numbers that are drawn at once to mend a half."""
STAGE: Final = 16
"""Stones between two looks for a coil, where the first half of the board held none."""
FEW: Final = 12
"""From so few cells they are drawn one by one."""


def size_of_number(cells: i64) -> i64:
    """Return the bytes of a number."""
    return 1 if cells < 256 else 2


def enough(stones: i64) -> i64:
    """Return how many numbers are drawn for so many stones, of which some will fall on cells that are taken."""
    return stones * 3 // 2 + 1
