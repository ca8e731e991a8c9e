"""The positions a search has met, numbered in the order in which it met them.

A position is a pair of numbers: ``a`` white stones and blocks, ``b`` black stones and blocks, both as sets of nodes;
above bit 45 of ``a`` stands the number of its leftover stacks (:mod:`firmware_host.games.spokes.search.leftovers`).
"""

from __future__ import annotations

from mypy_extensions import i64


class Numbers:
    """A growing list of numbers below 2**31."""

    def __init__(self) -> None:
        """Begin empty."""
        self.size: i64 = 0

    def append(self, number: i64) -> None:
        """Add a number at the end."""
        raise NotImplementedError

    def at(self, index: i64) -> i64:
        """Return the number at an index."""
        raise NotImplementedError

    def put(self, index: i64, number: i64) -> None:
        """Replace the number at an index."""
        raise NotImplementedError

    def cut(self, size: i64) -> None:
        """Keep the first ``size`` numbers only."""
        raise NotImplementedError

    def pop(self) -> i64:
        """Take the last number off; the list must not be empty."""
        raise NotImplementedError


class PlainNumbers(Numbers):
    """A Python list."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
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
        """Take the last number off."""
        self.size -= 1
        return self._numbers.pop()


class Seen:
    """What every store of positions does. ``count`` positions are numbered from 0; each carries a mark and a flag."""

    def __init__(self) -> None:
        """Begin empty."""
        self.count: i64 = 0

    def add(self, a: i64, b: i64, mark: i64) -> i64:
        """Return the number of a known position; number a new one, mark it, and return -1 - number."""
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

    def mark(self, number: i64) -> i64:
        """Return the mark of a position: a number below 2**31."""
        raise NotImplementedError

    def flag(self, number: i64) -> i64:
        """Return the flag of a position, 0 unless it was set."""
        raise NotImplementedError

    def set_flag(self, number: i64, flag: i64) -> None:
        """Set the flag of a position: 0 to 255."""
        raise NotImplementedError

    def fresh(self) -> Seen:
        """Return an empty store of the same form."""
        raise NotImplementedError

    def numbers(self) -> Numbers:
        """Return an empty list of the same form."""
        raise NotImplementedError


class PlainSeen(Seen):
    """A store of plain Python objects: quick where nothing is compiled, about 300 bytes a position."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
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
        """Return the mark of a position."""
        return self._marks[number]

    def flag(self, number: i64) -> i64:
        """Return the flag of a position, 0 unless it was set."""
        return self._flags[number] if number < len(self._flags) else 0

    def set_flag(self, number: i64, flag: i64) -> None:
        """Set the flag of a position."""
        if number >= len(self._flags):
            self._flags.extend(bytes(self.count - len(self._flags)))
        self._flags[number] = flag

    def fresh(self) -> Seen:
        """Return an empty store of the same form."""
        return PlainSeen()

    def numbers(self) -> Numbers:
        """Return an empty list of the same form."""
        return PlainNumbers()
