"""The unbreakable loops of a graph that is known completely (R6, R7).

In the terms of graphs they are the strongly connected components of more than one position that no edge leaves.
Tarjan's algorithm ("Depth-First Search and Linear Graph Algorithms", 1972) needs the edges, for which there is no
memory where millions of positions are known (player/ends.py uses it on small graphs).

What can reach a rest is in no loop. From what is left every way circles in the end: a long walk mostly ends inside a
loop, and what can be reached from a position is one exactly when all of it can reach that position again. No edges are
kept: steps are found anew when they are needed, and what can reach what is found by sweeping over the positions, to
and fro, until nothing changes.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.flat import Clock, Partners, Steps
from firmware_host.games.spokes.search.explore import Explorer
from firmware_host.games.spokes.search.store import NumberList, PositionStore

OPEN: Final = 0
LEAVES: Final = 1
"""Can reach something that can't reach it again."""
AHEAD: Final = 2
"""Can be reached from the position looked at."""
CIRCLES: Final = 3
"""Can be reached from the position looked at, and can reach it."""
LOOP: Final = 4
_WALK: Final = 1000
_WALKS: Final = 20
"""Walks in a row that find nothing new before a sweep tells what is still open."""
_LOW31: Final = 0x7FFFFFFF


class _GraphScan(Steps):
    """Looks along the steps of a known graph: for a flag, for all that is ahead, or for one step at random."""

    def __init__(self, graph: Explorer) -> None:
        super().__init__(graph.leftovers)
        self.store: PositionStore = graph.store
        self.clock: Clock = graph.clock
        self.members: NumberList = graph.store.numbers()
        """What the last :meth:`ahead` found."""
        self._task: i64 = OPEN
        self._wanted: i64 = 0
        self._found = False
        self._picked: i64 = 0
        self._chance: i64 = 1
        self._met: i64 = 0

    def visit(self, a: i64, b: i64) -> None:
        """Take the position after a step."""
        if self._task == LOOP:
            if not self._found:
                self._found = self._wanted >> self.store.flag(self.store.find(a, b)) & 1 != 0
            return
        number = self.store.find(a, b)
        if self._task == AHEAD:
            flag = self.store.flag(number)
            if flag == OPEN:
                self.store.set_flag(number, AHEAD)
                self.members.append(number)
            elif flag != AHEAD:
                self._found = True
            return
        self._met += 1
        self._chance = (self._chance * 1103515245 + 12345) & _LOW31
        if (self._chance >> 8) % self._met == 0:
            self._picked = number

    def sweep(self, numbers: NumberList, flag: i64, wanted: i64, new: i64) -> None:
        """Give ``numbers`` of a flag a new one when a step leads to one of the ``wanted`` flags (a bit each).

        To and fro until nothing changes; those that keep the flag stay in the list.
        """
        self._wanted = wanted
        changed = True
        while changed and not self.clock.over:
            changed = False
            at = numbers.size
            while at > 0 and not self.clock.tick():
                at -= 1
                if self._flags(numbers.at(at), flag, new):
                    changed = True
            kept: i64 = 0
            at = 0
            while at < numbers.size and not self.clock.tick():
                number = numbers.at(at)
                at += 1
                if self._flags(number, flag, new):
                    changed = True
                if self.store.flag(number) == flag:
                    numbers.put(kept, number)
                    kept += 1
            if not self.clock.over:
                numbers.cut(kept)

    def _flags(self, number: i64, flag: i64, new: i64) -> bool:
        """Tell whether a number gets the new flag."""
        if self.store.flag(number) != flag:
            return False
        self._task = LOOP
        self._found = False
        self.steps(self.store.a(number), self.store.b(number))
        if self._found:
            self.store.set_flag(number, new)
        return self._found

    def walk(self, number: i64, length: i64) -> i64:
        """Return where a random walk ends, at the latest where it is known what can be reached."""
        self._task = OPEN
        while length > 0 and self.store.flag(number) == OPEN:
            self._met = 0
            self.steps(self.store.a(number), self.store.b(number))
            number = self._picked
            length -= 1
        return number

    def ahead(self, number: i64) -> bool:
        """Collect all that can be reached from an open position; return False as soon as something known is."""
        self._task = AHEAD
        self._found = False
        self.members = self.store.numbers()
        self.members.append(number)
        self.store.set_flag(number, AHEAD)
        at: i64 = 0
        while at < self.members.size and not self._found and not self.clock.tick():
            number = self.members.at(at)
            at += 1
            self.steps(self.store.a(number), self.store.b(number))
        return not self._found


class Loop:
    """An unbreakable loop: its ``members``, the ``first`` of them to be met, and the nodes that it clears (R7)."""

    def __init__(self, members: NumberList, first: int, nodes: int) -> None:
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
        self._graph = graph
        self._seen: PositionStore = graph.store
        self._clock: Clock = graph.clock
        self._scan_of_steps = _GraphScan(graph)

    def run(self) -> bool:
        """Find them; return False when time ran out first."""
        store = self._seen
        left = store.numbers()
        number: i64 = 0
        while number < store.count:
            left.append(number)
            number += 1
        for rest in self._graph.rests:
            store.set_flag(rest, LEAVES)
        if self._graph.rests:  # What can reach a rest is in no loop: mostly that is all but a few positions.
            self._scan_of_steps.sweep(left, OPEN, 1 << LEAVES, LEAVES)
        while left.size and not self._clock.over:
            self._try(left)
            self._scan_of_steps.sweep(left, OPEN, 1 << LEAVES | 1 << LOOP, LEAVES)
        return not self._clock.over

    def _try(self, left: NumberList) -> None:
        """Walk from here and there until nothing new has been found for a while."""
        vain: i64 = 0
        at: i64 = 0
        length: i64 = _WALK
        length = min(length, 4 * left.size)
        while vain < _WALKS and not self._clock.over:
            # A long walk by chance ends in a loop if there is one ahead: nothing leads out of it again.
            end = self._scan_of_steps.walk(left.at(at), length)
            vain += 1
            if self._seen.flag(end) == OPEN and self._settle(end):
                vain = 0
            at = (at + left.size // _WALKS + 1) % left.size

    def _settle(self, start: i64) -> bool:
        """Find out about what is ahead of an open position; return whether it is a loop."""
        looks, store = self._scan_of_steps, self._seen
        whole = looks.ahead(start)
        members = looks.members
        store.set_flag(start, CIRCLES)
        if whole:
            whole = self._all_circle(members)
        if self._clock.over:
            return False
        at: i64 = 0
        while at < members.size:
            member = members.at(at)
            at += 1
            if whole:
                store.set_flag(member, LOOP)
            else:
                store.set_flag(member, LEAVES if store.flag(member) == CIRCLES else OPEN)
        if whole:
            self.loops.append(self._loop(members))
        return whole

    def _all_circle(self, members: NumberList) -> bool:
        """Tell whether all members can reach the flagged member; flag those that can."""
        looks, store = self._scan_of_steps, self._seen
        left = store.numbers()
        at: i64 = 0
        while at < members.size:
            left.append(members.at(at))
            at += 1
        looks.sweep(left, AHEAD, 1 << CIRCLES, CIRCLES)
        return left.size == 0

    def _loop(self, members: NumberList) -> Loop:
        found = Partners(self._graph.leftovers)
        first = members.at(0)
        at: i64 = 0
        while at < members.size:
            number = members.at(at)
            at += 1
            first = min(first, number)
            found.look(self._seen.a(number), self._seen.b(number))
        return Loop(members, first, found.nodes)
