"""A small resolution graph that is filled and emptied again and again: positions, their steps, and a label each.

Unlike :mod:`firmware_host.games.spokes.search.seen` it keeps the steps, and costs nothing to empty: placements are
weighed by thousands of graphs of a few positions.
"""

from __future__ import annotations

from mypy_extensions import i64


class Graph:
    """What every form of the graph does. Positions are pairs (search/seen.py), numbered from 0 as they are added.

    Positions are expanded in the order of their numbers: the steps of one are added together.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self.count: i64 = 0
        self.expanded: i64 = 0
        """Positions whose steps have been added, or are being added."""

    def clear(self) -> None:
        """Forget everything."""
        raise NotImplementedError

    def add(self, a: i64, b: i64, parent: i64) -> i64:
        """Return the number of a known position; number a new one and return -1 - number."""
        raise NotImplementedError

    def find(self, a: i64, b: i64) -> i64:
        """Return the number of a position, -1 when it is not known."""
        raise NotImplementedError

    def a(self, number: i64) -> i64:
        """Return the first half of a position."""
        raise NotImplementedError

    def b(self, number: i64) -> i64:
        """Return the second half of a position."""
        raise NotImplementedError

    def parent(self, number: i64) -> i64:
        """Return the position from which this one was added."""
        raise NotImplementedError

    def label(self, number: i64) -> i64:
        """Return the label of a position, 0 unless it was set."""
        raise NotImplementedError

    def set_label(self, number: i64, label: i64) -> None:
        """Set the label of a position."""
        raise NotImplementedError

    def expand(self) -> None:
        """Begin with the steps of the next position."""
        raise NotImplementedError

    def step(self, number: i64) -> None:
        """Add a step from the position that is expanded now."""
        raise NotImplementedError

    def first(self, number: i64) -> i64:
        """Return the index of the first step of an expanded position."""
        raise NotImplementedError

    def last(self, number: i64) -> i64:
        """Return the index after the last step of an expanded position."""
        raise NotImplementedError

    def target(self, index: i64) -> i64:
        """Return the position to which a step leads."""
        raise NotImplementedError

    def source(self, index: i64) -> i64:
        """Return the position from which a step leads."""
        raise NotImplementedError

    def into(self, number: i64) -> i64:
        """Return the index of a step that leads to a position, -1 where there is none."""
        raise NotImplementedError

    def other(self, index: i64) -> i64:
        """Return the index of another step to the same position, -1 after the last of them."""
        raise NotImplementedError


class PlainGraph(Graph):
    """A graph of plain Python objects, quick where nothing is compiled."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.count = 0
        self.expanded = 0
        self._numbers: dict[tuple[int, int], int] = {}
        self._keys: list[tuple[int, int]] = []
        self._parents: list[int] = []
        self._labels: list[int] = []
        self._firsts: list[int] = []
        self._targets: list[int] = []
        self._sources: list[int] = []
        self._into: list[int] = []
        self._others: list[int] = []

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
        self._others.append(self._into[number])
        self._into[number] = len(self._targets)
        self._targets.append(number)
        self._sources.append(self.expanded - 1)

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
        """Return the index of a step that leads to a position, -1 where there is none."""
        return self._into[number]

    def other(self, index: i64) -> i64:
        """Return the index of another step to the same position, -1 after the last of them."""
        return self._others[index]
