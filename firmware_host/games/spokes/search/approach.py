"""Walking forwards to where rests are known: always on from the position that is most like one of them."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.search.configurations import size
from firmware_host.games.spokes.search.explore import Clock, Explorer
from firmware_host.games.spokes.search.leftovers import Leftovers
from firmware_host.games.spokes.search.seen import Numbers, Seen

_MOST_LIKE: Final = 90


class Approach(Explorer):
    """Explores towards some configurations at rest, until a position of ``goal`` is met."""

    def __init__(
        self, seen: Seen, leftovers: Leftovers, clock: Clock, start: tuple[int, int], rests: list[tuple[int, int]]
    ) -> None:
        """``seen`` is an empty store, to be filled."""
        super().__init__(seen, leftovers, clock, start[0], start[1])
        self._rests_a: list[i64] = [a for a, _ in rests]
        self._rests_b: list[i64] = [b for _, b in rests]
        self._waiting_by_likeness: list[Numbers] = [seen.numbers() for _ in range(_MOST_LIKE + 1)]
        self._best: i64 = 0
        self._waiting_by_likeness[0].append(0)

    def met(self, a: i64, b: i64) -> None:
        """Number a position after the one being looked at."""
        number = self.seen.add(a, b, self._at)
        if number >= 0:
            return
        number = -1 - number
        if self.goal is not None and self.goal.find(a, b) >= 0:
            self.hit = number
        like: i64 = 0
        index: i64 = 0
        while index < len(self._rests_a):
            like = max(like, size(a & self._rests_a[index]) + size(b & self._rests_b[index]))
            index += 1
        self._waiting_by_likeness[like].append(number)
        self._best = max(self._best, like)

    def until_goal(self, most: int) -> int:
        """Return the number of the first position of ``goal`` that is met, -1 when there is none among ``most``."""
        limit: i64 = most
        while self.hit < 0 and self.seen.count < limit and not self.clock.tick():
            while self._best > 0 and self._waiting_by_likeness[self._best].size == 0:
                self._best -= 1
            waiting = self._waiting_by_likeness[self._best]
            if waiting.size == 0:
                break
            self._at = waiting.pop()
            self.steps(self.seen.a(self._at), self.seen.b(self._at))
        return self.hit
