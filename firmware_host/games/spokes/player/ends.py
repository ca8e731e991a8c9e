"""The ends of one resolution phase, the best of them for the resolver, and how to get there.

Breadth first over the resolution graph, so that the way to an end is the shortest. An end is a rest or an unbreakable
loop (R6): a strongly connected set of positions that no step leaves. Such a set is a true loop even where the rest of
the graph was cut off.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board
from firmware_host.games.spokes.kernel import BLACK, WHITE, Partners
from firmware_host.games.spokes.player.graph import Graph
from firmware_host.games.spokes.player.judge import WIN, Judge
from firmware_host.games.spokes.player.stacked import Stacked, placed
from firmware_host.games.spokes.position import Cells
from firmware_host.games.spokes.search.explore import Clock, Steps
from firmware_host.games.spokes.search.leftovers import Leftovers

ALL: Final = (1 << 45) - 1
_NEAR: Final[list[i64]] = [i64(nodes) for nodes in board.NEAR]
_NODES: Final = 45
_VALUE: Final = 32
"""Where in a label the value of an end begins, plus 1; below it the number of the end, counted downwards."""
_LAST: Final = (1 << 32) - 1


class Ends(Steps):
    """Looks at one graph after the other, from one position or from many at once: ``best`` value, at ``best_at``.

    The label of a position tells the best end that is known to be within reach: after :meth:`explore` for the ends
    themselves, after :meth:`spread` for all. The higher the label, the better the end; 0 where none is known.
    """

    def __init__(self, graph: Graph, leftovers: Leftovers, judge: Judge, stacked: Stacked, clock: Clock) -> None:
        """``graph`` is emptied by each look."""
        super().__init__(leftovers)
        self.graph = graph
        self.judge = judge
        self.stacked = stacked
        self.clock = clock
        self.best: i64 = 0
        self.best_at: i64 = 0
        self.looked: i64 = 0
        """Positions looked at in all."""
        self.complete = False
        self.outward = False
        """Take only steps that raise the sum of the nodes' numbers, and pulls: no way of these circles."""
        self.loops: dict[int, int] = {}
        """First position of a loop → the nodes that it clears."""
        self._team: i64 = 0
        self._at: i64 = 0
        self._found: i64 = 0
        self._circles = False

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Take the position after a push."""
        self._found += 1
        if self.outward and target < pushed:
            return
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self.met(self._a ^ change, self._b)
        else:
            self.met(self._a, self._b ^ change)

    def met(self, a: i64, b: i64) -> None:
        """Add a position after the one that is expanded."""
        self._found += 1
        number = self.graph.add(a, b, self._at)
        if number < 0:
            number = -1 - number
        elif number <= self._at:
            self._circles = True
        self.graph.step(number)

    def begin(self, team: i64) -> None:
        """Begin a new graph, whose ends are valued by a team."""
        self.graph.clear()
        self.best = -1
        self.best_at = -1
        self._team = team
        self._circles = False
        self.loops = {}

    def root(self, a: i64, b: i64) -> i64:
        """Return the number of a position from which the graph is explored; add it where it is new."""
        number = self.graph.add(a, b, 0)
        return number if number >= 0 else -1 - number

    def explore(self, most: i64) -> None:
        """Explore until all is known, ``most`` positions are expanded, or time is over; label the ends."""
        graph = self.graph
        at = graph.expanded
        start = at
        while at < graph.count and at < most:
            if self.clock.tick():
                break
            self._at = at
            self._found = 0
            graph.expand()
            if not self.steps(graph.a(at), graph.b(at)) and self._found == 0:
                self._end(at, self._rest(graph.a(at), graph.b(at)))
            at += 1
        self.looked += at - start
        self.complete = at == graph.count
        if self._circles:
            self._find_loops()

    def look(self, a: i64, b: i64, team: i64, most: i64) -> i64:
        """Return the value of the best end for a team from one position; an estimate where no end is known."""
        self.begin(team)
        self.root(a, b)
        self.explore(most)
        if self.best < 0:
            return self.judge.chance(a & ALL, b, team)
        return self.best

    def value(self, number: i64) -> i64:
        """Return what a position is worth by its label; an estimate where no end is known."""
        label = self.graph.label(number)
        if label == 0:
            return self.judge.chance(self.graph.a(number) & ALL, self.graph.b(number), self._team)
        value = (label >> _VALUE) - 1
        # Where not all is known a loss is not certain.
        return 1 if value == 0 and not self.complete else value

    def _rest(self, a: i64, b: i64) -> i64:
        if a >> _NODES:
            return self.stacked.rest(a, b, self._team)
        return self.judge.rest(a, b, self._team)

    def _end(self, number: i64, value: i64) -> i64:
        """Note an end, and return its label: of ends that are worth the same the first one is the best.

        The first is the nearest where all begins from one position: only so each step comes nearer to the target.
        """
        label = (value + 1) << _VALUE | _LAST - number
        self.graph.set_label(number, label)
        if value > self.best or (value == self.best and number < self.best_at):
            self.best, self.best_at = value, number
        return label

    # -- loops -----------------------------------------------------------------------------------------------------

    def _find_loops(self) -> None:
        """Find the loops among positions from which neither a rest nor anything not looked at can be reached."""
        graph = self.graph
        leaves = bytearray(graph.count)
        number: i64 = 0
        open_positions: i64 = 0
        while number < graph.count:
            if number >= graph.expanded or graph.label(number):
                leaves[number] = 1
            else:
                open_positions += 1
            number += 1
        changed = True
        while changed and open_positions:
            changed = False
            number = graph.expanded
            while number > 0:
                number -= 1
                if leaves[number] == 0 and self._can_leave(leaves, number):
                    leaves[number] = 1
                    open_positions -= 1
                    changed = True
        if open_positions:
            self._components(leaves)

    def _can_leave(self, leaves: bytearray, number: i64) -> bool:
        at = self.graph.first(number)
        last = self.graph.last(number)
        while at < last:
            if leaves[self.graph.target(at)]:
                return True
            at += 1
        return False

    def _components(self, leaves: bytearray) -> None:
        """Find the strongly connected sets that nothing leaves among the positions that are 0 (Tarjan)."""
        graph = self.graph
        order: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        done: set[int] = set()
        for root in range(graph.expanded):
            if leaves[root] or root in order:
                continue
            ways: list[tuple[int, int]] = [(root, graph.first(root))]
            order[root] = low[root] = len(order)
            stack.append(root)
            while ways:
                at, index = ways.pop()
                if index < graph.last(at):
                    ways.append((at, index + 1))
                    target = graph.target(index)
                    if target not in order:
                        order[target] = low[target] = len(order)
                        stack.append(target)
                        ways.append((target, graph.first(target)))
                    elif target not in done:
                        low[at] = min(low[at], order[target])
                    continue
                if ways:
                    low[ways[-1][0]] = min(low[ways[-1][0]], low[at])
                if low[at] == order[at]:
                    cut = stack.index(at)
                    members = stack[cut:]
                    del stack[cut:]
                    done.update(members)
                    self._component(members)

    def _component(self, members: list[int]) -> None:
        """Take a strongly connected set for a loop where no step leaves it."""
        graph = self.graph
        inside = set(members)
        partners = Partners()
        for number in members:
            for index in range(graph.first(number), graph.last(number)):
                if graph.target(index) not in inside:
                    return
            a, b = graph.a(number), graph.b(number)
            taken = (a | b) & ALL
            if a >> _NODES:
                taken |= self.leftovers.nodes(a >> _NODES)
            blocks = a & b
            partners.scan_pushes(a & ALL & ~blocks, taken, WHITE)
            partners.scan_pushes(b & ~blocks, taken, BLACK)
        if len(members) < 2:
            return
        first = min(members)
        a, b = graph.a(first), graph.b(first)
        if a >> _NODES:
            value = self.stacked.loop(a, b, partners.nodes, self._team)
        else:
            value = self.judge.loop(a, b, partners.nodes, self._team)
        self.loops[first] = partners.nodes
        label = self._end(first, value)
        for number in members:
            graph.set_label(number, label)

    # -- ways ------------------------------------------------------------------------------------------------------

    def way(self, number: int) -> list[int]:
        """Return the positions from the start to one of them, both included: the shortest way."""
        found = [number]
        while found[-1]:
            found.append(self.graph.parent(found[-1]))
        return found[::-1]

    def spread(self) -> None:
        """Label each position with the best end that can be reached from it."""
        changed = True
        while changed and not self.clock.over:
            changed = False
            number = self.graph.expanded
            while number > 0:
                number -= 1
                if self._improves(number):
                    changed = True
            if not changed:
                break
            changed = False
            while number < self.graph.expanded:
                if self._improves(number):
                    changed = True
                number += 1

    def _improves(self, number: i64) -> bool:
        """Label a position by its steps; tell whether that is better than before."""
        graph = self.graph
        before = graph.label(number)
        best = before
        at = graph.first(number)
        last = graph.last(number)
        while at < last:
            label = graph.label(graph.target(at))
            best = max(best, label)
            at += 1
        if best == before:
            return False
        graph.set_label(number, best)
        return True

    def value_to(self, number: i64, team: i64) -> i64:
        """Return what a position is worth to another team than the one that chooses the end."""
        graph = self.graph
        label = graph.label(number)
        if label == 0:
            return self.judge.chance(graph.a(number) & ALL, graph.b(number), team)
        end = _LAST - (label & _LAST)
        a, b = graph.a(end), graph.b(end)
        nodes = self.loops.get(end, 0)
        if a >> _NODES:
            return self.stacked.loop(a, b, nodes, team) if nodes else self.stacked.rest(a, b, team)
        return self.judge.loop(a, b, nodes, team) if nodes else self.judge.rest(a, b, team)


class Pairs:
    """Weighs pairs of placements: what each position after both is worth. A placement is its node, and 64 if black."""

    def __init__(self, ends: Ends, cells: Cells, resolver: i64, team: i64, most: i64) -> None:
        """The board before the placements, the team that resolves, the team to which all is worth something.

        ``most`` positions are looked at in all. Two teams only.
        """
        self._ends = ends
        self._cells = cells
        a, b = ends.leftovers.pair(cells)
        self._a: i64 = a
        self._b: i64 = b
        self._resolver: i64 = resolver
        self._team: i64 = team
        self._most: i64 = most

    def matrix(self, own: list[int], replies: list[int]) -> list[int]:
        """Return the values of each own placement with each reply, row by row.

        All pairs share one graph, as their ways meet: most positions are reached from many pairs.
        """
        self._ends.begin(self._resolver)
        alike = own == replies
        for row, first in enumerate(own):
            for second in replies[row if alike else 0 :]:
                self._root(first, second)
        self._ends.explore(self._most)
        self._ends.spread()
        values: list[int] = []
        count = len(own)
        for row, first in enumerate(own):
            for column, second in enumerate(replies):
                # Two stones are the same whoever has placed which.
                if alike and column < row:
                    values.append(values[column * count + row])
                else:
                    value = self._ends.value(self._root(first, second))
                    values.append(value if self._resolver == self._team else WIN - value)
        return values

    def value(self, first: i64, second: i64) -> i64:
        """Return the value of one pair of placements."""
        self._ends.begin(self._resolver)
        self._root(first, second)
        self._ends.explore(self._most)
        self._ends.spread()
        value = self._ends.value(self._root(first, second))
        return value if self._resolver == self._team else WIN - value

    def _root(self, first: i64, second: i64) -> i64:
        """Return the number of the position after two placements: of the best one, where a double leads to several."""
        if first == second:
            return self._double(first)
        one: i64 = 1
        a, b = self._a, self._b
        if first & 64:
            b |= one << (first & 63)
        else:
            a |= one << first
        if second & 64:
            b |= one << (second & 63)
        else:
            a |= one << second
        return self._ends.root(a, b)

    def _double(self, placement: i64) -> i64:
        """Return the number after two like stones on one node have become two nodes' again, in the best way.

        One of them moves first: to an empty node beside it, or onto a single stone of the other colour. Where it can do
        neither, or other stacks lie on the board, the rules say where it goes.
        """
        one: i64 = 1
        bit = one << (placement & 63)
        other = (self._a if placement & 64 else self._b) & ~(self._a & self._b)
        targets = _NEAR[placement & 63] & (~(self._a | self._b) | other)
        if targets == 0 or self._a >> _NODES:
            a, b = self._ends.leftovers.pair(placed(self._cells, [placement, placement]))
            return self._ends.root(a, b)
        best: i64 = -1
        while targets:
            target = targets & -targets
            targets ^= target
            if placement & 64:
                number = self._ends.root(self._a, self._b | bit | target)
            else:
                number = self._ends.root(self._a | bit | target, self._b)
            if best < 0 or self._ends.graph.label(number) > self._ends.graph.label(best):
                best = number
        return best
