"""The ends of one resolution phase, the best of them for the resolver, how to get there, and pairs of placements.

Breadth first over the resolution graph, so that the way to an end is the shortest. An end is a rest or an unbreakable
loop (R6): a strongly connected set of positions that no step leaves (Tarjan, "Depth-First Search and Linear Graph
Algorithms", 1972). Such a set is a true loop even where the rest of the graph was cut off. Only one player chooses in a
phase, so a position is worth its best end: labels spread backwards from the ends, the best first (retrograde analysis).

Placements are simultaneous: the value of each pair of them is that of the position after both. All pairs share one
graph (:class:`Pairs`), as their ways meet: the 58 × 58 pairs of the empty board have far fewer positions than pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import rules
from firmware_host.games.spokes.flat import ALL, NODES, WHITE, Clock, Leftovers, Partners, Steps, settling_nodes
from firmware_host.games.spokes.player.evaluator import WIN, Evaluator
from firmware_host.games.spokes.rules import TEAMS, Cells, Position
from firmware_host.games.spokes.search.store import Graph
from firmware_host.searching.vectors import vec, zeros

_VALUE: Final = 32
"""Where in a label the value of an end begins, plus 1; below it the number of the end, counted downwards."""
_LAST: Final = (1 << 32) - 1
_COLOURS: Final = (("w",), ("b",))


# -- boards with leftover stacks ---------------------------------------------------------------------------------------


class StackedEnds:
    """Judges ends of a phase with stacks left over, which a pair of sets alone does not tell."""

    def __init__(self, position: Position, leftovers: Leftovers, evaluator: Evaluator) -> None:
        """``position`` gives all but the cells."""
        self._position = position
        self._leftovers = leftovers
        self._evaluator = evaluator

    def rest(self, a: int, b: int, team: int) -> int:
        """Return what a rest is worth to a team."""
        return self._value(self._leftovers.cells(a, b), team, loop=False)

    def loop(self, a: int, b: int, nodes: int, team: int) -> int:
        """Return what a loop is worth to a team."""
        return self._value(rules.clear_nodes(self._leftovers.cells(a, b), nodes), team, loop=True)

    def _value(self, cells: Cells, team: int, *, loop: bool) -> int:
        ended = replace(self._position, cells=cells)
        reason = rules.ending(ended, loop=loop)
        if reason is None:
            # A stack counts like a block, which is near enough where nothing is certain.
            stacks = self._leftovers.nodes(self._leftovers.pair(cells)[0] >> NODES)
            white, black, blocks, _ = cells
            return self._evaluator.chance((white | blocks | stacks) & ALL, black | blocks | stacks, team)
        winners = rules.status(replace(ended, phase="over"), reason).winners
        return WIN if TEAMS[self._position.mode][team] == winners else 0


def after_placements(cells: Cells, placements: list[int]) -> Cells:
    """Return the cells with stones put down: a placement is its node, and 64 more for a black stone."""
    for placement in placements:
        cells = rules.add(cells, placement & 63, _COLOURS[placement >> 6])
    return cells


# -- the ends of a phase -----------------------------------------------------------------------------------------------


class EndSearch(Steps):
    """Looks at one graph after the other, from one position or from many at once: ``best`` value, at ``best_at``.

    The label of a position tells the best end that is known to be within reach: after :meth:`explore` for the ends
    themselves, after :meth:`spread` for all. The higher the label, the better the end; 0 where none is known.
    """

    def __init__(
        self, graph: Graph, leftovers: Leftovers, evaluator: Evaluator, stacked: StackedEnds, clock: Clock
    ) -> None:
        """``graph`` is emptied by each look."""
        super().__init__(leftovers)
        self.graph = graph
        self.evaluator = evaluator
        self.stacked = stacked
        self.clock = clock
        self.best: i64 = 0
        self.best_at: i64 = 0
        self.nodes_searched: i64 = 0
        """Positions looked at in all."""
        self.complete = False
        self.outward = False
        """Take only steps that raise the sum of the nodes' numbers, and pulls: no way of these circles."""
        self._inward = False
        self.loops: dict[int, int] = {}
        """First position of a loop → the nodes that it clears."""
        self._team: i64 = 0
        self._at: i64 = 0
        self._found: i64 = 0
        self._circles = False
        self._labels: list[int] = []

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Take the position after a push."""
        self._found += 1
        if self.outward and (target < pushed) != self._inward:
            return
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self.visit(self._a ^ change, self._b)
        else:
            self.visit(self._a, self._b ^ change)

    def visit(self, a: i64, b: i64) -> None:
        """Add a position after the expanded one."""
        self._found += 1
        number = self.graph.add(a, b, self._at)
        if self._inward:
            return
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
        self._labels = []
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
        self.nodes_searched += at - start
        self.complete = at == graph.count
        if self._circles:
            self._find_loops()

    def step_inward(self) -> bool:
        """Add the positions one push inward after all that were expanded outward; tell whether any is new.

        So a position is reached by as few pushes inward as possible. On a way to the nearest end their number falls
        with each push inward, and the sum rises with each other one: such ways don't circle either.
        """
        graph = self.graph
        before = graph.count
        self._inward = True
        at: i64 = 0
        while at < before:
            self._at = at
            self.steps(graph.a(at), graph.b(at))
            at += 1
        self._inward = False
        return graph.count > before

    def look(self, a: i64, b: i64, team: i64, most: i64) -> i64:
        """Return the value of the best end for a team from one position; an estimate where no end is known."""
        self.begin(team)
        self.root(a, b)
        self.explore(most)
        if self.best < 0:
            return self.evaluator.chance(a & ALL, b, team)
        return self.best

    def value(self, number: i64) -> i64:
        """Return what a position is worth by its label; an estimate where no end is known."""
        label = self.graph.label(number)
        if label == 0:
            return self.evaluator.chance(self.graph.a(number) & ALL, self.graph.b(number), self._team)
        value = (label >> _VALUE) - 1
        # Where not all is known a loss is not certain.
        return 1 if value == 0 and not self.complete else value

    def _rest(self, a: i64, b: i64) -> i64:
        if a >> NODES:
            return self.stacked.rest(a, b, self._team)
        return self.evaluator.rest(a, b, self._team)

    def _end(self, number: i64, value: i64) -> None:
        """Label an end; a loop's first position stands for it. Of ends that are worth the same the first is the best.

        The first is the nearest where all begins from one position: only so each step comes nearer to the target.
        """
        label = (value + 1) << _VALUE | _LAST - number
        self.graph.set_label(number, label)
        self._labels.append(label)
        if value > self.best or (value == self.best and number < self.best_at):
            self.best, self.best_at = value, number

    # -- loops -----------------------------------------------------------------------------------------------------

    def _find_loops(self) -> None:
        """Find the loops among positions from which neither a rest nor anything not looked at can be reached.

        Nearly all have a step to a later number, or one that leads there in its turn: so from the last one down, then
        to and fro over what is left until nothing changes.
        """
        leaves = zeros(self.graph.expanded)
        left: list[int] = list(range(self.graph.expanded))
        before = -1
        while len(left) != before:
            before = len(left)
            left = [number for number in reversed(left) if not self._leaves(number, leaves)]
        if left:
            self._components(leaves)

    def _leaves(self, number: i64, leaves: vec[i64]) -> bool:
        """Tell, and note, whether a position is an end or a step leads to one that leaves or was not looked at."""
        graph = self.graph
        found = graph.label(number) != 0
        index, last = graph.first(number), graph.last(number)
        while index < last and not found:
            target = graph.target(index)
            found = target >= graph.expanded or leaves[target] != 0
            index += 1
        leaves[number] = 1 if found else 0
        return found

    def _components(self, leaves: vec[i64]) -> None:
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
        partners = Partners(self.leftovers)
        for number in members:
            for index in range(graph.first(number), graph.last(number)):
                if graph.target(index) not in inside:
                    return
            partners.look(graph.a(number), graph.b(number))
        if len(members) < 2:
            return
        first = min(members)
        a, b = graph.a(first), graph.b(first)
        if a >> NODES:
            value = self.stacked.loop(a, b, partners.nodes, self._team)
        else:
            value = self.evaluator.loop(a, b, partners.nodes, self._team)
        self.loops[first] = partners.nodes
        self._end(first, value)

    # -- values from a deeper look ---------------------------------------------------------------------------------

    def best_ends(self, most: int) -> list[int]:
        """Return the ends that are worth the most; equal ones in an order that all positions of a phase agree on."""
        found: list[tuple[int, int, int, int]] = []
        for label in self._labels:
            number = _LAST - (label & _LAST)
            found.append((-(label >> _VALUE), self.graph.a(number), self.graph.b(number), number))
        found.sort()
        return [one[3] for one in found[:most]]

    def end_of(self, number: i64) -> i64:
        """Return the end to which a position's label leads, -1 where none is known."""
        label = self.graph.label(number)
        return _LAST - (label & _LAST) if label else -1

    def revalue(self, values: dict[int, int]) -> None:
        """Give ends other values, and label all positions anew (:meth:`spread`)."""
        graph = self.graph
        number: i64 = 0
        while number < graph.count:
            graph.set_label(number, 0)
            number += 1
        before = self._labels
        self._labels = []
        self.best = -1
        self.best_at = -1
        for label in before:
            number = _LAST - (label & _LAST)
            self._end(number, values.get(int(number), (label >> _VALUE) - 1))
        self.spread()

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
        graph.link()
        for label in sorted(self._labels, reverse=True):
            end: i64 = label
            waiting: list[int] = [_LAST - (end & _LAST)]
            while waiting:
                index = graph.into(waiting.pop())
                while index >= 0:
                    source = graph.source(index)
                    # Better ends came first: what has a label keeps it.
                    if graph.label(source) == 0:
                        graph.set_label(source, label)
                        waiting.append(source)
                    index = graph.other(index)

    def value_to(self, number: i64, team: i64) -> i64:
        """Return the value of a position to a team that does not choose the end."""
        graph = self.graph
        label = graph.label(number)
        if label == 0:
            return self.evaluator.chance(graph.a(number) & ALL, graph.b(number), team)
        end = _LAST - (label & _LAST)
        a, b = graph.a(end), graph.b(end)
        nodes = self.loops.get(end, 0)
        if a >> NODES:
            return self.stacked.loop(a, b, nodes, team) if nodes else self.stacked.rest(a, b, team)
        return self.evaluator.loop(a, b, nodes, team) if nodes else self.evaluator.rest(a, b, team)


# -- pairs of placements -----------------------------------------------------------------------------------------------


class Pairs:
    """Weighs pairs of placements: what each position after both is worth. A placement is its node, and 64 if black."""

    def __init__(self, ends: EndSearch, cells: Cells, resolver: i64, team: i64, most: i64) -> None:
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
        self.explore(own, replies)
        return self.values(own, replies)

    def explore(self, own: list[int], replies: list[int]) -> None:
        """Look at what follows from each own placement with each reply."""
        self._ends.begin(self._resolver)
        alike = own == replies
        for row, first in enumerate(own):
            for second in replies[row if alike else 0 :]:
                self._root(first, second)
        self._ends.explore(self._most)
        self._ends.spread()

    def values(self, own: list[int], replies: list[int]) -> list[int]:
        """Return the values of pairs that were explored, as the ends are valued now."""
        alike = own == replies
        values: list[int] = []
        count = len(own)
        for row, first in enumerate(own):
            for column, second in enumerate(replies):
                # Two stones are the same, whichever player has placed which.
                if alike and column < row:
                    values.append(values[column * count + row])
                else:
                    value = self._ends.value(self._root(first, second))
                    values.append(value if self._resolver == self._team else WIN - value)
        return values

    def end_of(self, first: i64, second: i64) -> i64:
        """Return the end that the resolver takes after a pair that was explored, -1 where none is known."""
        return self._ends.end_of(self._root(first, second))

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
        targets: i64 = 0 if self._a >> NODES else settling_nodes(self._a, self._b, placement & 63, placement & 64 != 0)
        if targets == 0:
            a, b = self._ends.leftovers.pair(after_placements(self._cells, [placement, placement]))
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
