"""Random games of Coil by sets of cells, each an ``int``: the fastest form in plain Python.

Stones are not put one by one. In phase II the number of black stones only grows, so the full board shows the winner:
it is filled at once, half of the empty cells black. In phase I the pass is as likely as each empty cell: in a random
order of the cells and the pass, the stones put are those before the pass, or up to the stone that closes a coil. The
number of stones before the pass is drawn first; then whole parts of the order are put and checked.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from operator import or_
from random import Random

from firmware_host.games.coil.board import Board, board
from firmware_host.games.coil.coils import has_coil
from firmware_host.games.coil.draws import (
    BLACK,
    COIL,
    CONTRACT,
    FEW,
    OTHER,
    SOME,
    STAGE,
    WHITE,
    enough,
    size_of_number,
)


class Sets:
    """Plays on a board of one size. ``coil.words.Words`` draws the same numbers and plays the same games."""

    def __init__(self, size: int) -> None:
        """Take the tables from the board of a size."""
        self._board: Board = board(size)
        bits = self._board.bits
        self._size = size_of_number(len(bits))
        self._mask = (1 << len(bits).bit_length()) - 1
        self._cells = bytes(value & self._mask for value in range(256)) if self._size == 1 else b""
        self._none = bytes(value for value in range(256) if value & self._mask >= len(bits))
        self._low = (self._board.length + 7) // 8 * 8

    def play(self, black: int, white: int, begin: int, rng: Random) -> int:
        """Play random legal actions to the end from a position without a coil. Return the flags COIL and OTHER."""
        empty = self._board.all ^ (black | white)
        others = begin == WHITE
        if begin == CONTRACT:
            laid, closed = self._contract(black, empty, rng)
            others = laid.bit_count() & 1 == 1
            if closed:
                return COIL | OTHER if others else COIL
            black |= laid
            empty ^= laid
        black |= self._half(empty, rng, more=begin == BLACK)
        coil = has_coil(self._board, black)
        return coil | (OTHER if coil == others else 0)

    def _contract(self, black: int, empty: int, rng: Random) -> tuple[int, bool]:
        """Play phase I. Return the stones put, and whether the last one closed a coil."""
        bits = self._board.bits
        most = rng.getrandbits(32) * (empty.bit_count() + 1) >> 32
        drawn: list[int] = []
        order: list[int] = []
        laid, count, stage = black, 0, len(bits) // 2
        while count < most:
            end = min(most, count + stage)
            while len(order) < end:
                drawn += self._drawn(rng, enough(end - len(order)))
                named = map(bits.__getitem__, dict.fromkeys(drawn))
                order = list(filter(empty.__and__, named) if empty != self._board.all else named)
            grown = list(accumulate(order[count:end], or_, initial=laid))
            laid, count, stage = grown[-1], end, STAGE
            if has_coil(self._board, laid):
                closed = bisect_left(grown, True, key=partial(has_coil, self._board))
                return grown[closed] ^ black, True
        return laid ^ black, False

    def _drawn(self, rng: Random, count: int) -> Sequence[int]:
        """Return the cells named by this many random numbers, as indices."""
        told = rng.getrandbits(8 * self._size * count).to_bytes(self._size * count, "little")
        if self._size == 1:
            return told.translate(self._cells, self._none)
        cells = len(self._board.bits)
        return [cell for value in struct.unpack(f"<{count}H", told) if (cell := value & self._mask) < cells]

    def _half(self, pool: int, rng: Random, *, more: bool) -> int:
        """Return a random half of some cells, all equally likely; an odd number is rounded down or up (``more``).

        Each cell is taken with probability 1/2. The number of cells taken is independent of which they are, so adding
        or removing random cells keeps all choices equally likely.
        """
        size = pool.bit_count()
        count = (size + more) // 2
        if size <= FEW:
            few = [1 << cell for cell in self._board.members(pool)]
            return sum(few.pop(rng.getrandbits(32) * len(few) >> 32) for _ in range(count))
        low, bits = self._low, self._board.bits
        drawn = rng.getrandbits(low)
        taken = pool & drawn
        wrong = taken.bit_count() - count
        side = taken if wrong > 0 else pool ^ taken
        left = abs(wrong)
        while left:
            for cell in self._drawn(rng, SOME):
                bit = bits[cell]
                if side & bit:
                    side ^= bit
                    left -= 1
                    if not left:
                        break
        return side if wrong > 0 else pool ^ side
