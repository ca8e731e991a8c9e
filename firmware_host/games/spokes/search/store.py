"""The positions that searches meet, numbered in the order in which they are met, in plain Python objects.

A position is a pair of numbers (:mod:`firmware_host.games.spokes.flat`). Where the search is compiled, flat memory
takes the place of these objects (:mod:`firmware_host.games.spokes.search.packed`): the same methods, a tenth of the
memory, and no object for a number. :mod:`firmware_host.games.spokes.search.forms` has the form that runs.
"""

from __future__ import annotations

from mypy_extensions import i64


class NumberList:
    """A growing list of numbers below 2**31. This form is a Python list."""

    def __init__(self) -> None:
        """Begin empty."""
        self.size: i64 = 0
        self._numbers: list[int] = []

    def append(self, number: i64) -> None:
        """Add a number at the end."""
        self._numbers.append(number)
        self.size += 1

    def at(self, index: i64) -> i64:
        """Return the number at an index."""
        return self._numbers[index]

    def put(self, index: i64, number: i64) -> None:
        """Replace the number at an index."""
        self._numbers[index] = number

    def cut(self, size: i64) -> None:
        """Keep the first ``size`` numbers only."""
        del self._numbers[size:]
        self.size = size

    def pop(self) -> i64:
        """Take the last number off; the list must not be empty."""
        self.size -= 1
        return self._numbers.pop()


class PositionStore:
    """The positions that a search has met. ``count`` of them are numbered from 0; each carries a mark and a flag.

    This form has plain Python objects: quick where nothing is compiled, about 300 bytes a position.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self.count: i64 = 0
        self._numbers: dict[tuple[int, int], int] = {}
        self._keys: list[tuple[int, int]] = []
        self._marks: list[int] = []
        self._flags = bytearray()

    def add(self, a: i64, b: i64, mark: i64) -> i64:
        """Return the number of a known position; number a new one, mark it, and return -1 - number."""
        key = (a, b)
        known = self._numbers.get(key)
        if known is not None:
            return known
        number = self.count
        self._numbers[key] = number
        self._keys.append(key)
        self._marks.append(mark)
        self.count = number + 1
        return -1 - number

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        return self._numbers.get((a, b), -1)

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        return self._keys[number][0]

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        return self._keys[number][1]

    def mark(self, number: i64) -> i64:
        """Return the mark of a position: a number below 2**31."""
        return self._marks[number]

    def flag(self, number: i64) -> i64:
        """Return the flag of a position, 0 unless it was set."""
        return self._flags[number] if number < len(self._flags) else 0

    def set_flag(self, number: i64, flag: i64) -> None:
        """Set the flag of a position: 0 to 255."""
        if number >= len(self._flags):
            self._flags.extend(bytes(self.count - len(self._flags)))
        self._flags[number] = flag

    def fresh(self) -> PositionStore:
        """Return an empty store of the same form."""
        return PositionStore()

    def numbers(self) -> NumberList:
        """Return an empty list of the same form."""
        return NumberList()


class Graph:
    """A small resolution graph that is filled and emptied again and again: positions, their steps, and a label each.

    Unlike :class:`PositionStore` it keeps the steps, and costs nothing to empty: placements are weighed by thousands of
    graphs of a few positions. Positions are expanded in the order of their numbers: the steps of one are added
    together.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self.count: i64 = 0
        self.expanded: i64 = 0
        """Positions whose steps have been added, or are being added."""
        self._numbers: dict[tuple[int, int], int] = {}
        self._keys: list[tuple[int, int]] = []
        self._parents: list[int] = []
        self._labels: list[int] = []
        self._firsts: list[int] = []
        self._targets: list[int] = []
        self._sources: list[int] = []
        self._into: list[int] = []
        self._others: list[int] = []
        self.linked: i64 = 0
        """Positions whose steps :meth:`link` has noted."""

    def clear(self) -> None:
        """Forget everything."""
        self.count = 0
        self.expanded = 0
        self._numbers = {}
        self._keys = []
        self._parents = []
        self._labels = []
        self._firsts = []
        self._targets = []
        self._sources = []
        self._into = []
        self._others = []
        self.linked = 0

    def add(self, a: i64, b: i64, parent: i64) -> i64:
        """Return the number of a known position; number a new one and return -1 - number."""
        key = (a, b)
        known = self._numbers.get(key)
        if known is not None:
            return known
        number = self.count
        self._numbers[key] = number
        self._keys.append(key)
        self._parents.append(parent)
        self._labels.append(0)
        self._into.append(-1)
        self.count = number + 1
        return -1 - number

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        return self._numbers.get((a, b), -1)

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        return self._keys[number][0]

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        return self._keys[number][1]

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
        self._firsts.append(len(self._targets))
        self.expanded += 1

    def step(self, number: i64) -> None:
        """Add a step from the position that is expanded now."""
        self._targets.append(number)

    def link(self) -> None:
        """Note which steps lead to each position, for those that are expanded: few graphs are walked backwards."""
        while self.linked < self.expanded:
            for index in range(self.first(self.linked), self.last(self.linked)):
                number = self._targets[index]
                self._others.append(self._into[number])
                self._into[number] = index
                self._sources.append(self.linked)
            self.linked += 1

    def first(self, number: i64) -> i64:
        """Return the index of the first step of an expanded position."""
        return self._firsts[number]

    def last(self, number: i64) -> i64:
        """Return the index after the last step of an expanded position."""
        return self._firsts[number + 1] if number + 1 < self.expanded else len(self._targets)

    def target(self, index: i64) -> i64:
        """Return the position to which a step leads."""
        return self._targets[index]

    def source(self, index: i64) -> i64:
        """Return the position from which a step leads."""
        return self._sources[index]

    def into(self, number: i64) -> i64:
        """Return the index of a step that leads to a position, -1 where none is linked."""
        return self._into[number]

    def other(self, index: i64) -> i64:
        """Return the index of another step to the same position, -1 after the last of them."""
        return self._others[index]
