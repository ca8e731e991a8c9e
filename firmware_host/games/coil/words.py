"""Random games of Coil in machine words: what :mod:`firmware_host.games.coil.sets` does, for mypyc to compile.

A set of cells is a few words that hold whole rows of the padded board each, lowest first, so that neighbours in a row
are in one word. No number here is beyond 62 bits once it is masked, so that compiled and uncompiled agree.
"""

from __future__ import annotations

from random import Random
from typing import Final

from librt.strings import read_i64_le
from librt.vecs import append, vec
from mypy_extensions import i64

from firmware_host.games.coil.board import board
from firmware_host.games.coil.draws import BLACK, COIL, CONTRACT, FEW, OTHER, SOME, STAGE, WHITE, enough, size_of_number

_WORD_BITS: Final = 56
"""At most so many: read from any bit of a byte on, they are in eight bytes."""
_FIVES: Final = 0x5555555555555555
_THREES: Final = 0x3333333333333333
_NIBBLES: Final = 0x0F0F0F0F0F0F0F0F


def _count(ones: i64) -> i64:
    """Return the number of bits set."""
    ones -= ones >> 1 & _FIVES
    ones = (ones & _THREES) + (ones >> 2 & _THREES)
    ones = ones + (ones >> 4) & _NIBBLES
    ones += ones >> 8
    ones += ones >> 16
    return ones + (ones >> 32) & 127


def _zeros(size: i64) -> vec[i64]:
    found = vec[i64](capacity=size)
    zero: i64 = 0
    at: i64 = 0
    while at < size:
        found = append(found, zero)
        at += 1
    return found


class Words:
    """Plays on a board of one size. Its lists are scratch space: nothing is kept from one game to the next."""

    def __init__(self, size: int) -> None:
        """Take the tables of a size from its board."""
        cells = board(size)
        stride: int = _WORD_BITS // cells.width * cells.width
        mask: int = (1 << stride) - 1  # Shifted as an int: compiled, ``1`` is no longer than 32 bits.
        self._width: i64 = cells.width
        self._stride: i64 = stride
        self._mask: i64 = mask
        self._words: i64 = (cells.length + self._stride - 1) // self._stride
        self._cells: i64 = len(cells.bits)
        self._number: i64 = (1 << len(cells.bits).bit_length()) - 1
        self._size: i64 = size_of_number(len(cells.bits))
        self._low: i64 = (cells.length + 7) // 8
        self._bytes: i64 = self._words * self._stride // 8 + 9
        self._all: vec[i64] = _zeros(self._words)
        self._rim: vec[i64] = _zeros(self._words)
        self._black: vec[i64] = _zeros(self._words)
        self._pool: vec[i64] = _zeros(self._words)
        self._laid: vec[i64] = _zeros(self._words)
        self._free: vec[i64] = _zeros(self._words)
        self._reached: vec[i64] = _zeros(self._words)
        self._word: vec[i64] = _zeros(self._number + 1)
        self._bit: vec[i64] = _zeros(self._number + 1)
        self._order: vec[i64] = _zeros(self._cells)
        self._drawn: i64 = 0
        self._read(cells.all, self._all)
        self._read(cells.rim, self._rim)
        for number, cell in enumerate(cells.cells):
            at: i64 = number
            bit: int = 1 << cell % stride
            self._word[at] = cell // stride
            self._bit[at] = bit

    def play(self, black: int, white: int, begin: i64, rng: Random) -> i64:
        """Play random legal actions to the end from a position without a coil: return COIL and OTHER as they apply."""
        pool, every, taken = self._pool, self._all, self._black
        self._read(white, pool)
        self._read(black, taken)
        at: i64 = 0
        while at < self._words:
            pool[at] = every[at] ^ (pool[at] | taken[at])
            at += 1
        others: i64 = 1 if begin == WHITE else 0
        if begin == CONTRACT:
            laid = self._contract(rng)
            others = (laid if laid > 0 else -laid) & 1
            if laid < 0:
                return COIL | OTHER if others else COIL
        self._half(rng, 1 if begin == BLACK else 0)
        if self._has_coil():
            return COIL | OTHER if others else COIL
        return 0 if others else OTHER

    def _read(self, cells: int, into: vec[i64]) -> None:
        """Take a set apart."""
        if cells:
            self._take_apart(cells.to_bytes(self._bytes, "little"), into)
            return
        at: i64 = 0
        while at < self._words:
            into[at] = 0
            at += 1

    def _take_apart(self, told: bytes, into: vec[i64]) -> None:
        at: i64 = 0
        bit: i64 = 0
        while at < self._words:
            into[at] = read_i64_le(told, bit >> 3) >> (bit & 7) & self._mask
            bit += self._stride
            at += 1

    def _total(self, cells: vec[i64]) -> i64:
        found: i64 = 0
        at: i64 = 0
        while at < self._words:
            found += _count(cells[at])
            at += 1
        return found

    # -- phase I -------------------------------------------------------------------------------------------------

    def _contract(self, rng: Random) -> i64:
        """Play phase I: return the number of stones laid, below 0 where the last one closed a coil.

        Where none did they are black now, and no longer in the pool.
        """
        drawn: i64 = rng.getrandbits(32)
        most = drawn * (self._total(self._pool) + 1) >> 32
        self._drawn = 0
        count: i64 = 0
        stage = self._cells >> 1
        while count < most:
            end = most if most < count + stage else count + stage
            while self._drawn < end:
                self._draw(rng, enough(end - self._drawn))
            self._lay(count, end)
            if self._has_coil():
                self._lay(count, end)
                return -self._closing(count, end)
            count = end
            stage = STAGE
        end = self._drawn
        while end > count:
            end -= 1
            cell = self._order[end]
            self._pool[self._word[cell]] |= self._bit[cell]
        return count

    def _draw(self, rng: Random, numbers: i64) -> None:
        """Make the order longer by what so many random numbers name: it leaves the pool."""
        size = self._size
        length = size * numbers
        told: bytes = rng.getrandbits(8 * length).to_bytes(length + 8 - size, "little")
        order, pool, words, bits, mask = self._order, self._pool, self._word, self._bit, self._number
        drawn = self._drawn
        at: i64 = 0
        while at < length:
            cell = read_i64_le(told, at) & mask
            bit = bits[cell]
            word = words[cell]
            if pool[word] & bit:
                pool[word] ^= bit
                order[drawn] = cell
                drawn += 1
            at += size
        self._drawn = drawn

    def _lay(self, first: i64, end: i64) -> None:
        """Lay part of the order, or take it up again."""
        order, black, words, bits = self._order, self._black, self._word, self._bit
        while first < end:
            cell = order[first]
            black[words[cell]] ^= bits[cell]
            first += 1

    def _closing(self, low: i64, high: i64) -> i64:
        """Return which stone of the order closes a coil; those before ``low`` lie there already."""
        while high - low > 1:
            middle = low + high >> 1
            self._lay(low, middle)
            if self._has_coil():
                self._lay(low, middle)
                high = middle
            else:
                low = middle
        return high

    # -- phase II ------------------------------------------------------------------------------------------------

    def _half(self, rng: Random, more: i64) -> None:
        """Make a random half of the pool black; of an odd number less or ``more``."""
        pool, black, taken = self._pool, self._black, self._laid
        size = self._total(pool)
        count = size + more >> 1
        if size <= FEW:
            self._half_of_few(rng, count)
            return
        self._take_apart(rng.getrandbits(8 * self._low).to_bytes(self._bytes, "little"), taken)
        wrong: i64 = -count
        at: i64 = 0
        while at < self._words:
            taken[at] &= pool[at]
            wrong += _count(taken[at])
            at += 1
        left = wrong
        if wrong <= 0:
            left = -wrong
            at = 0
            while at < self._words:
                taken[at] ^= pool[at]
                at += 1
        while left > 0:
            left = self._mend(rng, left)
        at = 0
        while at < self._words:
            black[at] |= taken[at] if wrong > 0 else pool[at] ^ taken[at]
            at += 1

    def _mend(self, rng: Random, left: i64) -> i64:
        """Take random cells off what was taken; return how many are still to be."""
        size = self._size
        length = size * SOME
        told: bytes = rng.getrandbits(8 * length).to_bytes(length + 8 - size, "little")
        taken, words, bits, mask = self._laid, self._word, self._bit, self._number
        at: i64 = 0
        while at < length and left:
            cell = read_i64_le(told, at) & mask
            bit = bits[cell]
            word = words[cell]
            if taken[word] & bit:
                taken[word] ^= bit
                left -= 1
            at += size
        return left

    def _half_of_few(self, rng: Random, count: i64) -> None:
        pool, black, words, bits = self._pool, self._black, self._word, self._bit
        few: list[i64] = []
        at: i64 = 0
        while at < self._cells:
            if pool[words[at]] & bits[at]:
                few.append(at)
            at += 1
        while count:
            size: i64 = len(few)
            drawn: i64 = rng.getrandbits(32)
            cell = few.pop(drawn * size >> 32)
            black[words[cell]] |= bits[cell]
            count -= 1

    # -- coils ---------------------------------------------------------------------------------------------------

    def _has_coil(self) -> bool:
        """Tell whether black stones cut a cell off, by flooding the others from the rim."""
        black, free, reached, every, rim = self._black, self._free, self._reached, self._all, self._rim
        width, mask, words = self._width, self._mask, self._words
        over = self._stride - width
        before: i64 = 0
        at: i64 = 0
        while at < words:
            here = black[at]
            after: i64 = black[at + 1] if at + 1 < words else 0
            ring = here << 1 & here >> 1
            if ring:
                ring &= here << width | before >> over
                ring &= here >> width | after << over
                ring &= here << width + 1 | before >> over - 1
                ring &= here >> width + 1 | after << over - 1
                if ring & mask:
                    return True
            before = here
            free[at] = every[at] & ~here
            reached[at] = rim[at] & free[at]
            at += 1
        return self._cut_off()

    def _cut_off(self) -> bool:
        """Tell whether a flood does not reach all that is free; up and down, word by word."""
        free, reached = self._free, self._reached
        width, words = self._width, self._words
        over = self._stride - width
        step: i64 = 1
        first = True
        while True:
            at: i64 = 0 if step > 0 else words - 1
            missing: i64 = 0
            changed = False
            while 0 <= at < words:
                here = reached[at]
                open_cells = free[at]
                wide = here
                if at > 0:
                    other = reached[at - 1]
                    wide |= other >> over | other >> over - 1
                if at + 1 < words:
                    other = reached[at + 1]
                    wide |= other << over | other << over - 1
                wide &= open_cells
                if wide != here or first:
                    while True:
                        wider = wide | wide << 1
                        wider = (wider | wider << width) & open_cells
                        wider |= wider >> 1
                        wider = (wider | wider >> width) & open_cells
                        if wider == wide:
                            break
                        wide = wider
                    if wide != here:
                        changed = True
                        reached[at] = wide
                missing |= wide ^ open_cells
                at += step
            if missing == 0:
                return False
            if not changed:
                return True
            first = False
            step = -step
