"""Backwards from configurations at rest: every position that can reach one of them."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.kernel import WHITE, Origins
from firmware_host.games.spokes.search.explore import ALL, Clock
from firmware_host.games.spokes.search.seen import Seen

_NOT_YET: Final = -1


class Retreat(Origins):
    """Walks back breadth first, over positions without leftover stacks.

    The mark of each position is the number of the next one on its shortest way to rest. ``blocks`` are never divided.
    """

    def __init__(self, seen: Seen, clock: Clock, blocks: int) -> None:
        """``seen`` is an empty store, to be filled."""
        self.seen = seen
        self.clock = clock
        self.exact = False
        """Everything that can reach a rest that was added has been met."""
        self._at: i64 = 0
        self._a: i64 = 0
        self._b: i64 = 0
        self._one: i64 = 1
        self._kept: i64 = blocks
        self._goal: Seen | None = None
        self._met: i64 = _NOT_YET

    def add(self, a: int, b: int) -> None:
        """Begin at a configuration at rest (all of them before the first run)."""
        self.seen.add(a, b, self.seen.count)

    def until(self, goal: Seen, most: int) -> int:
        """Go on until a position of ``goal`` is met, all are met (``exact``), ``most`` are, or time is over.

        Return the number of the position that was met, -1 if none was.
        """
        limit: i64 = most
        self._goal = goal
        self._met = _NOT_YET
        seen = self.seen
        if self._at == 0:
            self._look_at_rests(goal)
        while self._at < seen.count and self._met < 0:
            if seen.count > limit or self.clock.tick():
                return -1
            self._back()
            self._at += 1
        if self._met < 0:
            self.exact = True
        return self._met

    def _look_at_rests(self, goal: Seen) -> None:
        number: i64 = 0
        while number < self.seen.count:
            if goal.find(self.seen.a(number), self.seen.b(number)) >= 0:
                self._met = number
            number += 1

    def _back(self) -> None:
        a, b = self.seen.a(self._at), self.seen.b(self._at)
        self._a, self._b = a, b
        blocks = a & b
        self.scan_back(a & ~blocks, b & ~blocks, (a | b) & ALL, blocks & ~self._kept)

    def _came_from(self, a: i64, b: i64) -> None:
        number = self.seen.add(a, b, self._at)
        if number < 0 and self._goal is not None and self._goal.find(a, b) >= 0:
            self._met = -1 - number

    def unpush(self, pushed: i64, target: i64, colour: i64) -> None:
        """Take the position before a push."""
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self._came_from(self._a ^ change, self._b)
        else:
            self._came_from(self._a, self._b ^ change)

    def unpull(self, puller: i64, pulled: i64, colour: i64) -> None:
        """Take the position before a pull."""
        puller_bit, pulled_bit = self._one << puller, self._one << pulled
        if colour == WHITE:
            self._came_from(self._a & ~puller_bit | pulled_bit, self._b)
        else:
            self._came_from(self._a, self._b & ~puller_bit | pulled_bit)

    def way(self, number: int) -> list[int]:
        """Return the numbers from a position to its rest."""
        found = [number]
        while self.seen.mark(found[-1]) != found[-1]:
            found.append(self.seen.mark(found[-1]))
        return found
