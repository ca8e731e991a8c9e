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


class Ends(Steps):
    """Looks at one graph after the other. What was found last: ``best`` value, at ``best_at``, ``count`` of ends.

    The label of a position is 1 + the value of the end that it is, 0 for no end; after :meth:`spread` of the best end
    that can be reached from it.
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
        self.count: i64 = 0
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

    def look(self, a: i64, b: i64, team: i64, most: i64) -> i64:
        """Return the value of the best end for a team among ``most`` positions; an estimate where no end is known."""
        graph = self.graph
        graph.clear()
        graph.add(a, b, 0)
        self.best = -1
        self.count = 0
        self._team = team
        self._circles = False
        if self.loops:
            self.loops = {}
        at: i64 = 0
        while at < graph.count and at < most:
            if self.clock.tick():
                break
            self._at = at
            self._found = 0
            graph.expand()
            if not self.steps(graph.a(at), graph.b(at)) and self._found == 0:
                self._end(at, self._rest(graph.a(at), graph.b(at)))
            at += 1
        self.looked += at
        self.complete = at == graph.count
        if self._circles and self.best < WIN:
            self._find_loops()
        if self.best < 0:
            self.best_at = -1
            return self.judge.chance(a & ALL, b, team)
        return self.best

    def _rest(self, a: i64, b: i64) -> i64:
        if a >> _NODES:
            return self.stacked.rest(a, b, self._team)
        return self.judge.rest(a, b, self._team)

    def _end(self, number: i64, value: i64) -> None:
        self.graph.set_label(number, value + 1)
        self.count += 1
        if value > self.best:
            self.best, self.best_at = value, number

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
        for number in members:
            graph.set_label(number, value + 1)
        self.count += 1
        # Of ends that are worth the same the nearest is the target: only then does each step come nearer to it.
        if value > self.best or (value == self.best and first < self.best_at):
            self.best, self.best_at = value, first

    # -- ways ------------------------------------------------------------------------------------------------------

    def way(self, number: int) -> list[int]:
        """Return the positions from the start to one of them, both included: the shortest way."""
        found = [number]
        while found[-1]:
            found.append(self.graph.parent(found[-1]))
        return found[::-1]

    def spread(self) -> None:
        """Label each position with the best end that can be reached from it."""
        graph = self.graph
        changed = True
        while changed and not self.clock.over:
            changed = False
            number = graph.expanded
            while number > 0:
                number -= 1
                best = graph.label(number)
                at = graph.first(number)
                last = graph.last(number)
                while at < last:
                    best = max(best, graph.label(graph.target(at)))
                    at += 1
                if best > graph.label(number):
                    graph.set_label(number, best)
                    changed = True

    def value_to(self, team: i64) -> i64:
        """Return what the best end is worth to another team than the one it was looked for."""
        graph = self.graph
        if self.best_at < 0:
            return self.judge.chance(graph.a(0) & ALL, graph.b(0), team)
        a, b = graph.a(self.best_at), graph.b(self.best_at)
        nodes = self.loops.get(self.best_at, 0)
        if a >> _NODES:
            return self.stacked.loop(a, b, nodes, team) if nodes else self.stacked.rest(a, b, team)
        return self.judge.loop(a, b, nodes, team) if nodes else self.judge.rest(a, b, team)


class Pairs:
    """Weighs pairs of placements: what each position after both is worth. A placement is its node, and 64 if black."""

    def __init__(self, ends: Ends, cells: Cells, resolver: i64, team: i64, most: i64) -> None:
        """The board before the placements, the team that resolves, the team to which all is worth something.

        ``most`` positions are looked at after each pair. Two teams only.
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
        """Return the values of each own placement with each reply, row by row."""
        values: list[int] = []
        alike = own == replies
        count = len(own)
        for row, first in enumerate(own):
            for column, second in enumerate(replies):
                # Two stones are the same whoever has placed which.
                known = alike and column < row
                values.append(values[column * count + row] if known else self.value(first, second))
        return values

    def value(self, first: i64, second: i64) -> i64:
        """Return the value of one pair of placements."""
        if first == second:
            value = self._double(first)
        else:
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
            value = self._ends.look(a, b, self._resolver, self._most)
        return value if self._resolver == self._team else WIN - value

    def _double(self, placement: i64) -> i64:
        """Return what two like stones on one node are worth to the resolver.

        One of them moves first: to an empty node beside it, or onto a single stone of the other colour. Where it can do
        neither, or other stacks lie on the board, the rules say where it goes.
        """
        one: i64 = 1
        bit = one << (placement & 63)
        blocks = self._a & self._b
        other = (self._a if placement & 64 else self._b) & ~blocks
        targets = _NEAR[placement & 63] & (~(self._a | self._b) | other)
        if targets == 0 or self._a >> _NODES:
            a, b = self._ends.leftovers.pair(placed(self._cells, [placement, placement]))
            return self._ends.look(a, b, self._resolver, self._most)
        best: i64 = 0
        while targets and best < WIN:
            target = targets & -targets
            targets ^= target
            if placement & 64:
                value = self._ends.look(self._a, self._b | bit | target, self._resolver, self._most)
            else:
                value = self._ends.look(self._a | bit | target, self._b, self._resolver, self._most)
            best = max(best, value)
        return best
