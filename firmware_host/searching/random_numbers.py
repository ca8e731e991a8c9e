"""Random numbers for compiled searches: whole, quick, and the same on every machine (xorshift: Marsaglia, 2003)."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.searching.vectors import vec

_MASK: Final = (1 << 32) - 1


class RandomNumbers:
    """A sequence of pseudo-random numbers; ``word`` is its state, from 1 to 2**32 - 1."""

    def __init__(self) -> None:
        """Begin with the seed 1."""
        self.word: i64 = 1

    def seed(self, seed: int) -> None:
        """Begin another sequence; of near seeds the first numbers are alike."""
        self.word = (seed & 0xFFFFFFFF) | 1

    def draw(self, below: i64) -> i64:
        """Return a number from 0 to ``below - 1``."""
        word = self.word
        word ^= word << 13 & _MASK
        word ^= word >> 17
        word ^= word << 5 & _MASK
        self.word = word
        return word * below >> 32

    def shuffle(self, items: vec[i64], count: i64) -> None:
        """Put the first ``count`` items in random order, as :meth:`draw` picks them from the last place down."""
        while count > 0:
            at = self.draw(count)
            count -= 1
            item = items[at]
            items[at] = items[count]
            items[count] = item
