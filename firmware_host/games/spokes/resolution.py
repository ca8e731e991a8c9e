"""The ends of a resolution phase: its rests and its unbreakable loops (spokes.md R6, R7).

Vertices of the resolution graph are cells, edges are steps. Every search is bounded: beyond its budget of positions or
seconds its result is marked as not exact, and no loop is called without a proof.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from firmware_host.games.spokes import kernel
from firmware_host.games.spokes.position import Cells, occupied
from firmware_host.games.spokes.search.decide import decide, shorter
from firmware_host.games.spokes.search.explore import Clock, Explorer
from firmware_host.games.spokes.search.leftovers import Leftovers
from firmware_host.games.spokes.search.loops import Loop, LoopSearch
from firmware_host.games.spokes.search.store import COMPILED, new_seen

BUDGET = 200_000
"""Default number of positions explored for an exact answer."""
DECIDING = 8_000_000 if COMPILED else 500_000
"""Number of positions explored, from either end, to decide whether a rest can be reached: half a gigabyte."""
LONG = 20
"""Number of steps from which on a search for a shorter path is worthwhile."""
MOST = 20_000_000 if COMPILED else 1_500_000
"""Maximum number of positions in any search: they fit into a gigabyte."""
AT_ONCE = 1_000
"""Number of positions explored during play to decide whether a step has led into a loop: a few milliseconds. Journals
depend on this number: all machines and both forms of the search must call the same loops."""
FREE = 256
"""Number of positions that are remembered to be in no loop: more than the steps of a few positions lead to."""


def loop_nodes(cells: Cells) -> int:
    """Return the nodes on which a pushing or a pushed stone stands."""
    return kernel.partners(cells[0], cells[1], occupied(cells))


def cleared(cells: Cells, nodes: int) -> Cells:
    """Return the cells without the charged stones on some nodes."""
    white, black, blocks, stacks = cells
    return white & ~nodes, black & ~nodes, blocks, stacks


class LoopFinder:
    """Decides for successive positions whether they are in an unbreakable loop, and which nodes it clears.

    A position is not in a loop if a rest can be reached from it; a depth-first search mostly finds one at once. If it
    finds none, the whole graph is known; it is cached, because play goes on inside it.
    """

    def __init__(self, budget: int = AT_ONCE, kept: int = 4) -> None:
        """``budget`` is the maximum number of positions explored for one question, ``kept`` that of cached graphs."""
        self._budget = budget
        self._kept = kept
        self._graphs: OrderedDict[Cells, dict[Cells, int]] = OrderedDict()
        self._without: OrderedDict[Cells, None] = OrderedDict()

    def nodes(self, cells: Cells) -> int:
        """Return the nodes that the loop clears; 0 if the position is in none, or none can be proved."""
        if cells in self._without:
            return 0
        for known in self._graphs.values():
            if cells in known:
                return known[cells]
        leftovers = Leftovers()
        graph = Explorer(new_seen(), leftovers, Clock(None), *leftovers.pair(cells))
        if graph.until_rest(self._budget) >= 0 or not graph.exact:
            self._without[cells] = None
            if len(self._without) > FREE:
                self._without.popitem(last=False)
            return 0
        found = LoopSearch(graph)
        found.run()
        pairs = ((graph.seen.a(number), graph.seen.b(number)) for number in range(graph.seen.count))
        known = dict.fromkeys((leftovers.cells(*pair) for pair in pairs), 0)
        for loop in found.loops:
            for number in loop.numbers():
                known[leftovers.cells(graph.seen.a(number), graph.seen.b(number))] = loop.nodes
        self._graphs[cells] = known
        if len(self._graphs) > self._kept:
            self._graphs.popitem(last=False)
        return known[cells]


class Survey:
    """The knowledge about the graph from some cells on; exact if all of it was explored in time.

    ``way_to_rest`` is one path, not the shortest; ``graph`` is explored breadth first, so its paths are shortest.
    """

    def __init__(
        self, cells: Cells, budget: int, deciding: int, out_of_time: Callable[[], bool] | None, *, ways: bool = False
    ) -> None:
        """Explore at most ``budget`` positions, and ``deciding`` to decide whether a rest can be reached.

        ``ways``: search for a short path to a rest first.
        """
        clock = Clock(out_of_time)
        self.leftovers = Leftovers()
        decision = decide(cells, self.leftovers, clock, deciding)
        self.rest_reachable = decision.rest_reachable
        self.way_to_rest = decision.way
        del decision  # Its positions may take a lot of memory.
        self.graph = Explorer(new_seen(), self.leftovers, clock, *self.leftovers.pair(cells))
        if ways and len(self.way_to_rest) > LONG:
            self.way_to_rest = shorter(self.graph, self.way_to_rest)
        self.exact = self.graph.all(min(budget, MOST))
        self.loops: list[Loop] = []
        if self.exact:
            search = LoopSearch(self.graph)
            self.exact = search.run()
            self.loops = search.loops
        if self.rest_reachable is None:
            self.rest_reachable = True if self.graph.rests else False if self.graph.exact else None

    def cells(self, number: int) -> Cells:
        """Return the cells of a position of the graph."""
        return self.leftovers.cells(self.graph.seen.a(number), self.graph.seen.b(number))


@dataclass(frozen=True)
class Outcomes:
    """The ends of a phase. ``rest_reachable`` is None if undecided; ``loops`` are the cells after the removal."""

    exact: bool
    rest_reachable: bool | None
    positions: int
    rests: tuple[Cells, ...]
    loops: tuple[Cells, ...]


def outcomes(
    cells: Cells, budget: int = BUDGET, deciding: int = DECIDING, out_of_time: Callable[[], bool] | None = None
) -> Outcomes:
    """Return all rests and loops that can be reached, exactly, or as far as the budget allows."""
    survey = Survey(cells, budget, deciding, out_of_time)
    rests = tuple(survey.cells(number) for number in survey.graph.rests)
    ended = {cleared(survey.cells(loop.first), loop.nodes) for loop in survey.loops} if survey.exact else set()
    return Outcomes(survey.exact, survey.rest_reachable, survey.graph.seen.count, rests, tuple(ended))
