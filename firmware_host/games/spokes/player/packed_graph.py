"""The compiled form of the graph, in flat memory that is kept from one graph to the next. Needs ``librt``."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from firmware_host.games.spokes.player.graph import Graph

_START: Final = 256
_LOW30: Final = 0x3FFFFFFF
_NUMBER: Final = 0xFFFFFFFF
_GENERATION_BITS: Final = 32


def _hash(a: i64, b: i64) -> i64:
    """Return well mixed bits; no product overflows."""
    mixed = (a & _LOW30) * 0x1E3779B1 + (a >> 30) * 0x165667B5
    mixed = (mixed ^ mixed >> 27) + (b & _LOW30) * 0x12E3D5A1 + (b >> 30) * 0x0B4F6A93
    return mixed ^ mixed >> 29


def _zeros(size: i64) -> vec[i64]:
    found = vec[i64](capacity=size)
    zero: i64 = 0
    at: i64 = 0
    while at < size:
        found = append(found, zero)
        at += 1
    return found


def _longer(old: vec[i64]) -> vec[i64]:
    """Return a copy with room for twice as many."""
    size: i64 = len(old)
    new = _zeros(2 * size)
    at: i64 = 0
    while at < size:
        new[at] = old[at]
        at += 1
    return new


class PackedGraph(Graph):
    """A graph in flat memory: 72 bytes a position and 24 a step.

    A slot of the hash table holds a number and, above it, the generation: those of earlier graphs count as empty.
    """

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self._generation: i64 = 1
        self._a: vec[i64] = _zeros(_START)
        self._b: vec[i64] = _zeros(_START)
        self._parents: vec[i64] = _zeros(_START)
        self._labels: vec[i64] = _zeros(_START)
        self._firsts: vec[i64] = _zeros(_START)
        self._into: vec[i64] = _zeros(_START)
        self._targets: vec[i64] = _zeros(4 * _START)
        self._sources: vec[i64] = _zeros(4 * _START)
        self._others: vec[i64] = _zeros(4 * _START)
        self._slots: vec[i64] = _zeros(2 * _START)
        self._room: i64 = _START
        self._steps: i64 = 0
        self._steps_room: i64 = 4 * _START

    def clear(self) -> None:
        """Forget everything."""
        self.count = 0
        self.expanded = 0
        self._steps = 0
        self._generation += 1

    def _slot(self, a: i64, b: i64) -> i64:
        """Return the slot of a position, or the empty one where it belongs."""
        mask = 2 * self._room - 1
        at = _hash(a, b) & mask
        while True:
            slot = self._slots[at]
            if slot >> _GENERATION_BITS != self._generation:
                return at
            number = slot & _NUMBER
            if self._a[number] == a and self._b[number] == b:
                return at
            at = (at + 1) & mask

    def add(self, a: i64, b: i64, parent: i64) -> i64:
        """Return the number of a known position; number a new one and return -1 - number."""
        at = self._slot(a, b)
        slot = self._slots[at]
        if slot >> _GENERATION_BITS == self._generation:
            return slot & _NUMBER
        number = self.count
        if number == self._room:
            self._grow()
            at = self._slot(a, b)
        self._slots[at] = self._generation << _GENERATION_BITS | number
        self._a[number] = a
        self._b[number] = b
        self._parents[number] = parent
        self._labels[number] = 0
        self._into[number] = -1
        self.count = number + 1
        return -1 - number

    def _grow(self) -> None:
        self._a = _longer(self._a)
        self._b = _longer(self._b)
        self._parents = _longer(self._parents)
        self._labels = _longer(self._labels)
        self._firsts = _longer(self._firsts)
        self._into = _longer(self._into)
        self._room *= 2
        self._slots = _zeros(2 * self._room)
        number: i64 = 0
        while number < self.count:
            at = self._slot(self._a[number], self._b[number])
            self._slots[at] = self._generation << _GENERATION_BITS | number
            number += 1

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        slot = self._slots[self._slot(a, b)]
        return slot & _NUMBER if slot >> _GENERATION_BITS == self._generation else -1

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        return self._a[number]

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        return self._b[number]

    def parent(self, number: i64) -> i64:
        """Return the position from which this one was added."""
        return self._parents[number]

    def label(self, number: i64) -> i64:
        """Return the label of a position, 0 unless it was set."""
        return self._labels[number]

    def set_label(self, number: i64, label: i64) -> None:
        """Set the label of a position."""
        self._labels[number] = label

    def expand(self) -> None:
        """Begin with the steps of the next position."""
        self._firsts[self.expanded] = self._steps
        self.expanded += 1

    def step(self, number: i64) -> None:
        """Add a step from the position that is expanded now."""
        if self._steps == self._steps_room:
            self._targets = _longer(self._targets)
            self._sources = _longer(self._sources)
            self._others = _longer(self._others)
            self._steps_room *= 2
        self._targets[self._steps] = number
        self._sources[self._steps] = self.expanded - 1
        self._others[self._steps] = self._into[number]
        self._into[number] = self._steps
        self._steps += 1

    def first(self, number: i64) -> i64:
        """Return the index of the first step of an expanded position."""
        return self._firsts[number]

    def last(self, number: i64) -> i64:
        """Return the index after the last step of an expanded position."""
        return self._firsts[number + 1] if number + 1 < self.expanded else self._steps

    def target(self, index: i64) -> i64:
        """Return the position to which a step leads."""
        return self._targets[index]

    def source(self, index: i64) -> i64:
        """Return the position from which a step leads."""
        return self._sources[index]

    def into(self, number: i64) -> i64:
        """Return the index of a step that leads to a position, -1 where there is none."""
        return self._into[number]

    def other(self, index: i64) -> i64:
        """Return the index of another step to the same position, -1 after the last of them."""
        return self._others[index]
