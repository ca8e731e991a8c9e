"""Walking the resolution graph forwards: all of it, breadth first, or deep until the first rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.kernel import WHITE, Moves
from firmware_host.games.spokes.search.leftovers import Leftovers
from firmware_host.games.spokes.search.seen import Seen

ALL: Final = (1 << 45) - 1
_NODES: Final = 45
_BETWEEN_LOOKS: Final = 255


class Clock:
    """Tells a search when to stop; looks at ``out_of_time`` once in a while only."""

    def __init__(self, out_of_time: Callable[[], bool] | None) -> None:
        """None: never stop."""
        self._out_of_time = out_of_time
        self._ticks: i64 = 0
        self.over = False

    def tick(self) -> bool:
        """Tell whether time is over."""
        self._ticks += 1
        if self._ticks & _BETWEEN_LOOKS == 0 and self._out_of_time is not None and self._out_of_time():
            self.over = True
        return self.over


class Steps(Moves):
    """Makes the position after each step; a subclass takes it in :meth:`met`."""

    def __init__(self, leftovers: Leftovers) -> None:
        """Begin nowhere."""
        self.leftovers = leftovers
        self._a: i64 = 0
        self._b: i64 = 0
        self._one: i64 = 1

    def met(self, a: i64, b: i64) -> None:
        """Take the position after a step."""
        raise NotImplementedError

    def steps(self, a: i64, b: i64) -> bool:
        """Meet every position one step later. Return True when the steps were moves of excess."""
        stacks = a >> _NODES
        taken = (a | b) & ALL
        if stacks:
            shifted = self.leftovers.shifted(a, b)
            if shifted:
                for later_a, later_b in shifted:
                    self.met(later_a, later_b)
                return True
            taken |= self.leftovers.nodes(stacks)
        self._a, self._b = a, b
        blocks = a & b
        self.scan(a & ALL & ~blocks, b & ~blocks, taken)
        return False

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Meet the position after a push."""
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self.met(self._a ^ change, self._b)
        else:
            self.met(self._a, self._b ^ change)

    def pull(self, puller: i64, pulled: i64) -> None:
        """Meet the position after a pull."""
        block, gone = self._one << puller, ~(self._one << pulled)
        self.met((self._a | block) & gone, (self._b | block) & gone)


class Explorer(Steps):
    """Explores from one position. The mark of each position met is the number of the one it was first met from."""

    def __init__(self, seen: Seen, leftovers: Leftovers, clock: Clock, a: int, b: int) -> None:
        """``seen`` is an empty store, to be filled."""
        super().__init__(leftovers)
        self.seen = seen
        self.clock = clock
        self.rests: list[int] = []
        self.exact = False
        self.shifting: dict[int, list[int]] = {}
        """Number → the numbers after its moves of excess: the steps that are not found by looking backwards."""
        self._at: i64 = 0
        self._found: i64 = 0
        self._targets: list[int] = []
        self.goal: Seen | None = None
        """Positions known to reach a rest; ``hit`` is the number of the first position met that is one of them."""
        self.hit: i64 = -1
        self._deep = False
        self._waiting = seen.numbers()
        seen.add(a, b, 0)

    def met(self, a: i64, b: i64) -> None:
        """Number a position after the one being looked at."""
        number = self.seen.add(a, b, self._at)
        self._found += 1
        if number < 0:
            number = -1 - number
            if self._deep:
                self._waiting.append(number)
                if self.goal is not None and self.goal.find(a, b) >= 0:
                    self.hit = number
        if a >> _NODES or self._a >> _NODES:
            self._targets.append(number)

    def _expand(self, number: i64) -> None:
        self._at = number
        self._found = 0
        self._targets = []
        a = self.seen.a(number)
        self._a = a
        if self.steps(a, self.seen.b(number)):
            self.shifting[number] = self._targets
        elif self._found == 0:
            self.rests.append(number)

    def all(self, most: int) -> bool:
        """Explore breadth first until all is known, ``most`` positions are met, or time is over; tell if it is all."""
        limit: i64 = most
        seen = self.seen
        at: i64 = 0
        while at < seen.count:
            if seen.count > limit or self.clock.tick():
                return False
            self._expand(at)
            at += 1
        self.exact = seen.count <= limit and not self.leftovers.full
        return self.exact

    def until_rest(self, most: int) -> int:
        """Explore depth first; return the number of the first rest met, -1 when there is none (``exact``) or no more
        may be looked at. May be called again to go on."""
        limit: i64 = most
        known = len(self.rests)
        if not self._deep:
            self._deep = True
            self._waiting.append(0)
        while self._waiting.size:
            if self.seen.count > limit or self.clock.tick():
                return -1
            self._expand(self._waiting.pop())
            if len(self.rests) > known:
                return self.rests[-1]
            if self.hit >= 0:
                return self.hit
        self.exact = not self.leftovers.full
        return -1

    def fronts(self, most: int) -> list[int] | None:
        """Return the positions that moves of excess lead to from the start, the start itself where it has none.

        None where stacks stay behind, or after ``most`` positions.
        """
        found: list[int] = []
        waiting = [0]
        known = {0}
        for number in waiting:
            if not self.seen.a(number) >> _NODES:
                found.append(number)
                continue
            if number not in self.shifting:
                self._expand(number)
            if number not in self.shifting or len(known) > most:
                return None
            waiting += [later for later in self.shifting[number] if later not in known]
            known.update(self.shifting[number])
        return found

    def way(self, number: int) -> list[int]:
        """Return the numbers from the start to a position, as it was first met."""
        found = [number]
        while found[-1]:
            found.append(self.seen.mark(found[-1]))
        return found[::-1]
