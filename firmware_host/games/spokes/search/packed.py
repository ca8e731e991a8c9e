"""The stores of positions in flat memory, for the compiled form. Needs ``librt``; the methods are those of store.py.

Whole numbers of a known size in blocks that never move: 30 bytes a position in :class:`PackedStore`. Both hash tables
probe linearly (Knuth, The Art of Computer Programming 3, 6.4, algorithm L).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from firmware_host.games.spokes.search.store import Graph, NumberList, PositionStore

_CHUNK_BITS: Final = 14
_CHUNK: Final = 1 << _CHUNK_BITS
_IN_CHUNK: Final = _CHUNK - 1
_FEW_BITS: Final = 10
_FEW: Final = 1 << _FEW_BITS
"""Numbers in a chunk of a list: there may be many lists, most of them short."""
_PARTS: Final = 256
"""The hash table is in so many parts, which grow one by one: no moment needs twice the memory."""
_NUMBER_BITS: Final = 25
"""A slot of the hash table holds a number + 1 and, above these bits, six bits of the hash: most keys that differ are
told apart without looking at them, which matters as they lie anywhere in memory."""
_NUMBER: Final = (1 << _NUMBER_BITS) - 1
_LOW30: Final = 0x3FFFFFFF
_LOW62: Final = 0x3FFFFFFFFFFFFFFF


def _hash(a: i64, b: i64) -> i64:
    """Return 62 well mixed bits; no product overflows, so both forms of this text agree."""
    mixed = (a & _LOW30) * 0x1E3779B1 + (a >> 30 & _LOW30) * 0x165667B5
    mixed = (mixed ^ mixed >> 27) + (b & _LOW30) * 0x12E3D5A1 + (b >> 30) * 0x0B4F6A93
    mixed &= _LOW62
    mixed ^= mixed >> 29
    mixed = (mixed & _LOW30) * 0x1BD1E995 + (mixed >> 30)
    return (mixed ^ mixed >> 31) & _LOW62


def _zeros(size: i64) -> vec[i32]:
    found = vec[i32](capacity=size)
    zero: i32 = 0
    at: i64 = 0
    while at < size:
        found = append(found, zero)
        at += 1
    return found


class PackedList(NumberList):
    """A list in flat memory: 4 bytes a number."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self._chunks: vec[vec[i32]] = vec[vec[i32]]()

    def append(self, number: i64) -> None:
        """Add a number at the end."""
        at = self.size >> _FEW_BITS
        if at >= len(self._chunks):
            self._chunks = append(self._chunks, _zeros(_FEW))
        chunk = self._chunks[at]
        chunk[self.size & (_FEW - 1)] = i32(number)
        self.size += 1

    def at(self, index: i64) -> i64:
        """Return the number at an index."""
        return i64(self._chunks[index >> _FEW_BITS][index & (_FEW - 1)])

    def put(self, index: i64, number: i64) -> None:
        """Replace the number at an index."""
        chunk = self._chunks[index >> _FEW_BITS]
        chunk[index & (_FEW - 1)] = i32(number)

    def cut(self, size: i64) -> None:
        """Keep the first ``size`` numbers only; the memory is kept for more."""
        self.size = size

    def pop(self) -> i64:
        """Take the last number off; its memory is kept for the next."""
        self.size -= 1
        return self.at(self.size)


class PackedStore(PositionStore):
    """A store in flat memory: 16 bytes of key, 5 to 8 of hash table, 4 of mark and 1 of flag a position."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self._key_chunks: vec[vec[i64]] = vec[vec[i64]]()
        self._mark_chunks: vec[vec[i32]] = vec[vec[i32]]()
        self._flag_chunks: vec[vec[u8]] = vec[vec[u8]]()
        self._parts: vec[vec[i32]] = vec[vec[i32]]()
        self._used: vec[i64] = vec[i64]()
        zero: i64 = 0
        at: i64 = 0
        while at < _PARTS:
            self._parts = append(self._parts, _zeros(16))
            self._used = append(self._used, zero)
            at += 1

    def add(self, a: i64, b: i64, mark: i64) -> i64:
        """Return the number of a known position; number a new one, mark it, and return -1 - number."""
        mixed = _hash(a, b)
        which = mixed & 255
        part = self._parts[which]
        size: i64 = len(part)
        at = (mixed >> 8 & _LOW30) * size >> 30
        tag = mixed >> 56
        while True:
            slot = i64(part[at])
            if slot == 0:
                break
            if slot >> _NUMBER_BITS == tag:
                number = (slot & _NUMBER) - 1
                chunk = self._key_chunks[number >> _CHUNK_BITS]
                place = (number & _IN_CHUNK) << 1
                if chunk[place] == a and chunk[place + 1] == b:
                    return number
            at += 1
            if at == size:
                at = 0
        number = self.count
        part[at] = i32(tag << _NUMBER_BITS | number + 1)
        self._append(a, b, mark)
        used = self._used[which] + 1
        self._used[which] = used
        if used * 5 > size * 4:
            self._grow(which, size + (size >> 1))
        return -1 - number

    def _append(self, a: i64, b: i64, mark: i64) -> None:
        number = self.count
        at = number >> _CHUNK_BITS
        if number & _IN_CHUNK == 0:
            self._key_chunks = append(self._key_chunks, vec[i64](capacity=2 * _CHUNK))
            self._mark_chunks = append(self._mark_chunks, vec[i32](capacity=_CHUNK))
        keys = self._key_chunks[at]
        keys = append(keys, a)
        self._key_chunks[at] = append(keys, b)
        self._mark_chunks[at] = append(self._mark_chunks[at], i32(mark))
        self.count = number + 1

    def _grow(self, which: i64, size: i64) -> None:
        old, new = self._parts[which], _zeros(size)
        count: i64 = len(old)
        index: i64 = 0
        while index < count:
            filled = old[index]
            index += 1
            if filled != 0:
                number = (i64(filled) & _NUMBER) - 1
                at = (_hash(self.a(number), self.b(number)) >> 8 & _LOW30) * size >> 30
                while new[at] != 0:
                    at += 1
                    if at == size:
                        at = 0
                new[at] = filled
        self._parts[which] = new

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        mixed = _hash(a, b)
        part = self._parts[mixed & 255]
        size: i64 = len(part)
        at = (mixed >> 8 & _LOW30) * size >> 30
        tag = mixed >> 56
        while True:
            slot = i64(part[at])
            if slot == 0:
                return -1
            if slot >> _NUMBER_BITS == tag:
                number = (slot & _NUMBER) - 1
                chunk = self._key_chunks[number >> _CHUNK_BITS]
                place = (number & _IN_CHUNK) << 1
                if chunk[place] == a and chunk[place + 1] == b:
                    return number
            at += 1
            if at == size:
                at = 0

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        return self._key_chunks[number >> _CHUNK_BITS][(number & _IN_CHUNK) << 1]

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        return self._key_chunks[number >> _CHUNK_BITS][(number & _IN_CHUNK) << 1 | 1]

    def mark(self, number: i64) -> i64:
        """Return the mark of a position."""
        return i64(self._mark_chunks[number >> _CHUNK_BITS][number & _IN_CHUNK])

    def flag(self, number: i64) -> i64:
        """Return the flag of a position, 0 unless it was set."""
        at = number >> _CHUNK_BITS
        if at >= len(self._flag_chunks):
            return 0
        return i64(self._flag_chunks[at][number & _IN_CHUNK])

    def set_flag(self, number: i64, flag: i64) -> None:
        """Set the flag of a position."""
        at = number >> _CHUNK_BITS
        zero: u8 = 0
        while at >= len(self._flag_chunks):
            fresh = vec[u8](capacity=_CHUNK)
            index: i64 = 0
            while index < _CHUNK:
                fresh = append(fresh, zero)
                index += 1
            self._flag_chunks = append(self._flag_chunks, fresh)
        flags = self._flag_chunks[at]
        flags[number & _IN_CHUNK] = u8(flag)

    def fresh(self) -> PositionStore:
        """Return an empty store of the same form."""
        return PackedStore()

    def numbers(self) -> NumberList:
        """Return an empty list of the same form."""
        return PackedList()


# -- the small graph ---------------------------------------------------------------------------------------------------

_START: Final = 256
_IN_SLOT: Final = 0xFFFFFFFF
_GENERATION_BITS: Final = 32


def _quick_hash(a: i64, b: i64) -> i64:
    """Return well mixed bits, fewer than :func:`_hash` does; no product overflows."""
    mixed = (a & _LOW30) * 0x1E3779B1 + (a >> 30) * 0x165667B5
    mixed = (mixed ^ mixed >> 27) + (b & _LOW30) * 0x12E3D5A1 + (b >> 30) * 0x0B4F6A93
    return mixed ^ mixed >> 29


def _words(size: i64) -> vec[i64]:
    found = vec[i64](capacity=size)
    zero: i64 = 0
    at: i64 = 0
    while at < size:
        found = append(found, zero)
        at += 1
    return found


class PackedGraph(Graph):
    """A graph in flat memory: 72 bytes a position and 8 a step, 24 once they are linked.

    A slot of the hash table holds a number and, above it, the generation: those of earlier graphs count as empty.
    """

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self._generation: i64 = 1
        self._pairs: vec[i64] = vec[i64]()
        self._parent_of: vec[i64] = vec[i64]()
        self._label_of: vec[i64] = vec[i64]()
        self._first_of: vec[i64] = vec[i64]()
        self._into_of: vec[i64] = vec[i64]()
        self._target_of: vec[i64] = vec[i64]()
        self._source_of: vec[i64] = vec[i64]()
        self._other_of: vec[i64] = vec[i64]()
        self._slots: vec[i64] = _words(2 * _START)
        self._room: i64 = _START
        self._steps: i64 = 0

    def clear(self) -> None:
        """Forget everything."""
        self.count = 0
        self.expanded = 0
        self.linked = 0
        self._steps = 0
        self._generation += 1

    def _slot(self, a: i64, b: i64) -> i64:
        """Return the slot of a position, or the empty one where it belongs."""
        mask = 2 * self._room - 1
        at = _quick_hash(a, b) & mask
        while True:
            slot = self._slots[at]
            if slot >> _GENERATION_BITS != self._generation:
                return at
            number = slot & _IN_SLOT
            if self._pairs[2 * number] == a and self._pairs[2 * number + 1] == b:
                return at
            at = (at + 1) & mask

    def add(self, a: i64, b: i64, parent: i64) -> i64:
        """Return the number of a known position; number a new one and return -1 - number."""
        at = self._slot(a, b)
        slot = self._slots[at]
        if slot >> _GENERATION_BITS == self._generation:
            return slot & _IN_SLOT
        number = self.count
        if number == self._room:
            self._grow()
            at = self._slot(a, b)
        self._slots[at] = self._generation << _GENERATION_BITS | number
        no_label: i64 = 0
        nowhere: i64 = -1
        if number == len(self._label_of):
            self._pairs = append(append(self._pairs, a), b)
            self._parent_of = append(self._parent_of, parent)
            self._label_of = append(self._label_of, no_label)
            self._into_of = append(self._into_of, nowhere)
        else:
            self._pairs[2 * number] = a
            self._pairs[2 * number + 1] = b
            self._parent_of[number] = parent
            self._label_of[number] = 0
            self._into_of[number] = -1
        self.count = number + 1
        return -1 - number

    def _grow(self) -> None:
        self._room *= 2
        self._slots = _words(2 * self._room)
        number: i64 = 0
        while number < self.count:
            at = self._slot(self._pairs[2 * number], self._pairs[2 * number + 1])
            self._slots[at] = self._generation << _GENERATION_BITS | number
            number += 1

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        slot = self._slots[self._slot(a, b)]
        return slot & _IN_SLOT if slot >> _GENERATION_BITS == self._generation else -1

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        return self._pairs[2 * number]

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        return self._pairs[2 * number + 1]

    def parent(self, number: i64) -> i64:
        """Return the position from which this one was added."""
        return self._parent_of[number]

    def label(self, number: i64) -> i64:
        """Return the label of a position, 0 unless it was set."""
        return self._label_of[number]

    def set_label(self, number: i64, label: i64) -> None:
        """Set the label of a position."""
        self._label_of[number] = label

    def expand(self) -> None:
        """Begin with the steps of the next position."""
        if self.expanded == len(self._first_of):
            self._first_of = append(self._first_of, self._steps)
        else:
            self._first_of[self.expanded] = self._steps
        self.expanded += 1

    def step(self, number: i64) -> None:
        """Add a step from the position that is expanded now."""
        if self._steps == len(self._target_of):
            self._target_of = append(self._target_of, number)
        else:
            self._target_of[self._steps] = number
        self._steps += 1

    def link(self) -> None:
        """Note which steps lead to each position, for those that are expanded: few graphs are walked backwards."""
        while self.linked < self.expanded:
            index, last = self.first(self.linked), self.last(self.linked)
            while index < last:
                number = self._target_of[index]
                if index == len(self._source_of):
                    self._source_of = append(self._source_of, self.linked)
                    self._other_of = append(self._other_of, self._into_of[number])
                else:
                    self._source_of[index] = self.linked
                    self._other_of[index] = self._into_of[number]
                self._into_of[number] = index
                index += 1
            self.linked += 1

    def first(self, number: i64) -> i64:
        """Return the index of the first step of an expanded position."""
        return self._first_of[number]

    def last(self, number: i64) -> i64:
        """Return the index after the last step of an expanded position."""
        return self._first_of[number + 1] if number + 1 < self.expanded else self._steps

    def target(self, index: i64) -> i64:
        """Return the position to which a step leads."""
        return self._target_of[index]

    def source(self, index: i64) -> i64:
        """Return the position from which a step leads."""
        return self._source_of[index]

    def into(self, number: i64) -> i64:
        """Return the index of a step that leads to a position, -1 where none is linked."""
        return self._into_of[number]

    def other(self, index: i64) -> i64:
        """Return the index of another step to the same position, -1 after the last of them."""
        return self._other_of[index]
