"""How a resolution phase can end: its rests and its unbreakable loops (spokes.md R6, R7).

Vertices of the resolution graph are cells, edges are steps. Nothing here is unbounded: beyond its budget of positions
or seconds a search says that it is not exact, and no loop is ever called that is not proved one.
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
"""Positions that are explored for an exact answer when nobody says how many."""
DECIDING = 8_000_000 if COMPILED else 500_000
"""Positions that are explored, from either end, for the question whether a rest can be reached: half a gigabyte."""
LONG = 20
"""Steps of a way that is worth a search for a shorter one."""
MOST = 20_000_000 if COMPILED else 1_500_000
"""Positions that fit into a gigabyte: no search explores more."""
AT_ONCE = 1_000
"""Positions that play itself explores for the question whether a step has led into a loop: a few milliseconds. The
number belongs to every journal: the same loops are called on every machine, and in both forms of the search."""


def loop_nodes(cells: Cells) -> int:
    """Return the nodes on which a pushing or a pushed stone stands."""
    return kernel.partners(cells[0], cells[1], occupied(cells))


def cleared(cells: Cells, nodes: int) -> Cells:
    """Return the cells without the charged stones on some nodes."""
    white, black, blocks, stacks = cells
    return white & ~nodes, black & ~nodes, blocks, stacks


class LoopFinder:
    """Answers, for positions one after the other, whether they lie in an unbreakable loop, and what it takes away.

    A position is not in a loop when a rest can be reached from it, which a dive mostly meets at once. Where none is
    met the whole graph is known; what was found out about it is kept, as play goes on inside it.
    """

    def __init__(self, budget: int = AT_ONCE, kept: int = 4) -> None:
        """``budget`` positions are explored at most for one question, and ``kept`` graphs are kept."""
        self._budget = budget
        self._kept = kept
        self._graphs: OrderedDict[Cells, dict[Cells, int]] = OrderedDict()
        self._without: OrderedDict[Cells, None] = OrderedDict()

    def nodes(self, cells: Cells) -> int:
        """Return the nodes that the loop clears, 0 when the position is in none (or none can be proved)."""
        if cells in self._without:
            return 0
        for known in self._graphs.values():
            if cells in known:
                return known[cells]
        leftovers = Leftovers()
        graph = Explorer(new_seen(), leftovers, Clock(None), *leftovers.pair(cells))
        if graph.until_rest(self._budget) >= 0 or not graph.exact:
            self._without[cells] = None
            if len(self._without) > 4096:
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
    """What is known of the graph that begins at some cells: exactly where it is all explored in time.

    ``way_to_rest`` is one way, not the shortest; ``graph`` is explored breadth first, so that its ways are.
    """

    def __init__(
        self, cells: Cells, budget: int, deciding: int, out_of_time: Callable[[], bool] | None, *, ways: bool = False
    ) -> None:
        """Explore ``budget`` positions at most, ``deciding`` for the question whether a rest can be reached.

        ``ways``: look for a short way to a rest before all else.
        """
        clock = Clock(out_of_time)
        self.leftovers = Leftovers()
        decision = decide(cells, self.leftovers, clock, deciding)
        self.rest_reachable = decision.rest_reachable
        self.way_to_rest = decision.way
        del decision  # Its positions may fill a lot of memory.
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
    """How a phase can end. ``rest_reachable`` is None when it could not be decided; ``loops`` are after the removal."""

    exact: bool
    rest_reachable: bool | None
    positions: int
    rests: tuple[Cells, ...]
    loops: tuple[Cells, ...]


def outcomes(
    cells: Cells, budget: int = BUDGET, deciding: int = DECIDING, out_of_time: Callable[[], bool] | None = None
) -> Outcomes:
    """Return every rest and every loop that a position can end in, exactly, or as far as the budget goes."""
    survey = Survey(cells, budget, deciding, out_of_time)
    rests = tuple(survey.cells(number) for number in survey.graph.rests)
    ended = {cleared(survey.cells(loop.first), loop.nodes) for loop in survey.loops} if survey.exact else set()
    return Outcomes(survey.exact, survey.rest_reachable, survey.graph.seen.count, rests, tuple(ended))
