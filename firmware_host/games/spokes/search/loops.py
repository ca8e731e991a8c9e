"""The unbreakable loops of a graph that is known completely (R6, R7).

What can reach a rest is in no loop; that is found backwards from the rests. From what is left every way circles in the
end: a long walk mostly ends inside a loop, and a set of positions is one exactly when all that can be reached from one
of them can reach it again. No edges are kept: steps are found anew when they are needed.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.kernel import WHITE, Origins, Partners
from firmware_host.games.spokes.search.explore import ALL, Clock, Explorer, Steps
from firmware_host.games.spokes.search.seen import Numbers, Seen

OPEN: Final = 0
LEAVES: Final = 1
"""Can reach something that can't reach it again."""
AHEAD: Final = 2
"""Can be reached from the position looked at."""
CIRCLES: Final = 3
"""Can be reached from the position looked at, and can reach it."""
LOOP: Final = 4
_WALK: Final = 1000
_NODES: Final = 45
_LOW31: Final = 0x7FFFFFFF


class _Forwards(Steps):
    """Steps inside the graph: marks what is ahead, or picks one step at random."""

    def __init__(self, graph: Explorer) -> None:
        super().__init__(graph.leftovers)
        self.seen: Seen = graph.seen
        self.members: Numbers = graph.seen.numbers()
        self.picked: i64 = -1
        self._walking = False
        self._chance: i64 = 1
        self._met: i64 = 0

    def met(self, a: i64, b: i64) -> None:
        """Take the position after a step."""
        number = self.seen.find(a, b)
        if not self._walking:
            if self.seen.flag(number) == OPEN:
                self.seen.set_flag(number, AHEAD)
                self.members.append(number)
            return
        self._met += 1
        self._chance = (self._chance * 1103515245 + 12345) & _LOW31
        if (self._chance >> 8) % self._met == 0:
            self.picked = number

    def walk(self, number: i64, length: i64) -> i64:
        """Return where a random walk ends."""
        self._walking = True
        for _ in range(length):
            self._met = 0
            self.steps(self.seen.a(number), self.seen.b(number))
            number = self.picked
        self._walking = False
        return number

    def ahead(self, number: i64, clock: Clock) -> None:
        """Collect in ``members`` all that can be reached from an open position."""
        self.members = self.seen.numbers()
        self.members.append(number)
        self.seen.set_flag(number, AHEAD)
        at: i64 = 0
        while at < self.members.size and not clock.tick():
            number = self.members.at(at)
            at += 1
            self.steps(self.seen.a(number), self.seen.b(number))


class _Backwards(Origins):
    """Gives all positions of one flag that can reach some positions another flag."""

    def __init__(self, graph: Explorer) -> None:
        self.seen: Seen = graph.seen
        self.count: i64 = 0
        self._leftovers = graph.leftovers
        self._waiting: Numbers = graph.seen.numbers()
        self._flag: i64 = OPEN
        self._new: i64 = LEAVES
        self._a: i64 = 0
        self._b: i64 = 0
        self._one: i64 = 1
        self._divisible: i64 = ~(graph.seen.a(0) & graph.seen.b(0)) & ALL
        """Nodes whose block was not there at the start."""
        self._shifting = graph.shifting
        self._shifted_from: dict[int, list[int]] = {}
        for number, targets in graph.shifting.items():
            for target in targets:
                self._shifted_from.setdefault(target, []).append(number)

    def add(self, number: i64, new: i64) -> None:
        """Begin at a position, which takes the new flag."""
        self.seen.set_flag(number, new)
        self._waiting.append(number)

    def reach(self, flag: i64, new: i64, clock: Clock) -> None:
        """Go back from what was added, over positions with a flag; they take the new one. ``count`` counts all."""
        self._flag, self._new = flag, new
        self.count = 0
        while self._waiting.size and not clock.tick():
            self._back(self._waiting.pop())
            self.count += 1

    def _back(self, number: i64) -> None:
        a, b = self.seen.a(number), self.seen.b(number)
        stacks = a >> _NODES
        taken = (a | b) & ALL
        if stacks:
            taken |= self._leftovers.nodes(stacks)
        self._a, self._b = a, b
        blocks = a & b
        self.scan_back(a & ALL & ~blocks, b & ~blocks, taken, blocks & self._divisible)
        if self._shifted_from and number in self._shifted_from:
            for source in self._shifted_from[number]:
                self._take(source)

    def _take(self, number: i64) -> None:
        if self.seen.flag(number) == self._flag:
            self.seen.set_flag(number, self._new)
            self._waiting.append(number)

    def _came_from(self, a: i64, b: i64) -> None:
        number = self.seen.find(a, b)
        # Where excess can move nothing else can, so that such a position has no pushes and pulls.
        if number >= 0 and not (a >> _NODES and number in self._shifting):
            self._take(number)

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


class Loop:
    """An unbreakable loop: its ``members``, the ``first`` of them to be met, and the nodes that it clears (R7)."""

    def __init__(self, members: Numbers, first: int, nodes: int) -> None:
        """All are numbers of positions, ``nodes`` a set of nodes."""
        self.members = members
        self.first = first
        self.nodes = nodes

    def numbers(self) -> list[int]:
        """Return all its positions."""
        return [self.members.at(index) for index in range(self.members.size)]


class LoopSearch:
    """Finds all loops of a completely explored graph; flags say afterwards what each position is."""

    def __init__(self, graph: Explorer) -> None:
        """``graph`` must be exact."""
        self.loops: list[Loop] = []
        self._seen: Seen = graph.seen
        self._clock = graph.clock
        self._leftovers = graph.leftovers
        self._forwards = _Forwards(graph)
        self._backwards = _Backwards(graph)
        self._rests = graph.rests

    def run(self) -> bool:
        """Find them; return False when time ran out first."""
        for rest in self._rests:
            self._backwards.add(rest, LEAVES)
        self._backwards.reach(OPEN, LEAVES, self._clock)
        number: i64 = 0
        while number < self._seen.count and not self._clock.over:
            if self._seen.flag(number) == OPEN:
                self._settle(number)
            else:
                number += 1
        return not self._clock.over

    def _settle(self, number: i64) -> None:
        """Find out about some open positions, at least one of them."""
        forwards, backwards, seen = self._forwards, self._backwards, self._seen
        length: i64 = _WALK
        start = forwards.walk(number, min(length, seen.count * 4))
        forwards.ahead(start, self._clock)
        backwards.add(start, CIRCLES)
        backwards.reach(AHEAD, CIRCLES, self._clock)
        if self._clock.over:
            return
        members = forwards.members
        whole = backwards.count == members.size
        at: i64 = 0
        while at < members.size:
            member = members.at(at)
            if seen.flag(member) == AHEAD:
                seen.set_flag(member, OPEN)
            else:
                backwards.add(member, LOOP if whole else LEAVES)
            at += 1
        if whole:
            self.loops.append(self._loop(members))
        backwards.reach(OPEN, LEAVES, self._clock)

    def _loop(self, members: Numbers) -> Loop:
        found = Partners()
        first = members.at(0)
        at: i64 = 0
        while at < members.size:
            number = members.at(at)
            at += 1
            first = min(first, number)
            a, b = self._seen.a(number), self._seen.b(number)
            taken = (a | b) & ALL
            if a >> _NODES:
                taken |= self._leftovers.nodes(a >> _NODES)
            blocks = a & b
            found.scan_pushes(a & ALL & ~blocks, taken, 0)
            found.scan_pushes(b & ~blocks, taken, 1)
        return Loop(members, first, found.nodes)
