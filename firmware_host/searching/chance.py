"""Random numbers for compiled searches: whole, quick, and the same on every machine (xorshift: Marsaglia, 2003)."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.searching.vectors import vec

_MASK: Final = (1 << 32) - 1


class Chance:
    """A sequence of pseudo-random numbers; ``drawn`` is its state, from 1 to 2**32 - 1."""

    def __init__(self) -> None:
        """Begin with the seed 1."""
        self.drawn: i64 = 1

    def seed(self, seed: int) -> None:
        """Begin another sequence; of near seeds the first numbers are alike."""
        self.drawn = (seed & 0xFFFFFFFF) | 1

    def draw(self, below: i64) -> i64:
        """Return a number from 0 to ``below - 1``."""
        drawn = self.drawn
        drawn ^= drawn << 13 & _MASK
        drawn ^= drawn >> 17
        drawn ^= drawn << 5 & _MASK
        self.drawn = drawn
        return drawn * below >> 32

    def shuffle(self, items: vec[i64], count: i64) -> None:
        """Put the first ``count`` items in random order, as :meth:`draw` picks them from the last place down."""
        while count > 0:
            at = self.draw(count)
            count -= 1
            item = items[at]
            items[at] = items[count]
            items[count] = item
