"""The resolution graph: every position that the steps reach, its rests and its unbreakable loops.

Source: spokes.md R6 and R7. Vertices are cells, edges are steps. Nothing here is unbounded: beyond its budget of
positions or seconds an exploration says that it is not exact, and no loop is ever called that is not proved one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_host.games.spokes.position import Cells, occupied
from firmware_host.games.spokes.rules import pushes, successors

BUDGET = 200_000
"""Positions that are explored for an exact answer."""
CHUNK = 256
"""Positions between two looks at the deadline."""


@dataclass
class Graph:
    """What an exploration found. ``edges`` maps each explored position to its successors, by number."""

    cells: list[Cells]
    edges: list[list[int]]
    exact: bool
    rests: list[int] = field(default_factory=list)

    @property
    def positions(self) -> int:
        """Return how many positions were met."""
        return len(self.cells)


def explore(
    start: Cells,
    budget: int = BUDGET,
    *,
    out_of_time: Callable[[], bool] | None = None,
    until_rest: bool = False,
) -> Graph:
    """Explore depth first from ``start``; stop at the budget, when time is out, or (``until_rest``) at a rest."""
    number = {start: 0}
    cells = [start]
    edges: list[list[int]] = [[]]
    rests: list[int] = []
    stack = [0]
    done = 0
    while stack:
        at = stack.pop()
        done += 1
        if done % CHUNK == 0 and out_of_time is not None and out_of_time():
            return Graph(cells, edges, exact=False, rests=rests)
        nexts = successors(cells[at])
        if not nexts:
            rests.append(at)
            if until_rest:
                return Graph(cells, edges, exact=False, rests=rests)
        for later in nexts:
            known = number.get(later)
            if known is None:
                if len(cells) >= budget:
                    return Graph(cells, edges, exact=False, rests=rests)
                known = len(cells)
                number[later] = known
                cells.append(later)
                edges.append([])
                stack.append(known)
            edges[at].append(known)
    return Graph(cells, edges, exact=True, rests=rests)


def components(edges: list[list[int]]) -> list[list[int]]:
    """Return the strongly connected components (Tarjan, without recursion), a component before those that reach it."""
    order: list[int] = [-1] * len(edges)
    low: list[int] = [0] * len(edges)
    waiting: list[int] = []
    on_stack = bytearray(len(edges))
    found: list[list[int]] = []
    count = 0
    for root in range(len(edges)):
        if order[root] >= 0:
            continue
        path = [(root, 0)]
        while path:
            node, at = path.pop()
            if at == 0:
                order[node] = low[node] = count
                count += 1
                waiting.append(node)
                on_stack[node] = 1
            for index in range(at, len(edges[node])):
                later = edges[node][index]
                if order[later] < 0:
                    path += [(node, index + 1), (later, 0)]
                    break
                if on_stack[later]:
                    low[node] = min(low[node], order[later])
            else:
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    found.append(_pop_component(node, waiting, on_stack))
    return found


def _pop_component(node: int, waiting: list[int], on_stack: bytearray) -> list[int]:
    component = []
    while True:
        member = waiting.pop()
        on_stack[member] = 0
        component.append(member)
        if member == node:
            return component


def loops(graph: Graph) -> list[list[int]]:
    """Return the unbreakable loops of an exact graph (R6): components of two or more positions that no step leaves."""
    component_of: dict[int, int] = {}
    all_components = components(graph.edges)
    for name, component in enumerate(all_components):
        component_of.update(dict.fromkeys(component, name))
    return [
        component
        for name, component in enumerate(all_components)
        if len(component) > 1
        and all(component_of[later] == name for member in component for later in graph.edges[member])
    ]


def loop_nodes(positions: list[Cells]) -> int:
    """Return the nodes on which, anywhere in a loop, a pushing or a pushed stone stands (R7)."""
    nodes = 0
    for cells in positions:
        taken = occupied(cells)
        for mine in cells[:2]:
            for pusher, pushed, _ in pushes(mine, taken):
                nodes |= 1 << pusher | 1 << pushed
    return nodes


def cleared(cells: Cells, nodes: int) -> Cells:
    """Return the cells without the charged stones on some nodes."""
    white, black, blocks, stacks = cells
    return white & ~nodes, black & ~nodes, blocks, stacks


class LoopFinder:
    """Answers, for positions one after the other, whether they lie in an unbreakable loop, and what it takes away.

    A position is not in a loop when a rest can be reached from it, which a depth-first search mostly meets at once.
    Where none is met the whole graph is explored once and kept, as play goes on inside it.
    """

    def __init__(self, budget: int = BUDGET, kept: int = 4) -> None:
        """``budget`` positions are explored at most for one question; beyond it no loop is called."""
        self._budget = budget
        self._kept = kept
        self._graphs: OrderedDict[Cells, dict[Cells, int]] = OrderedDict()
        self._restful: OrderedDict[Cells, None] = OrderedDict()

    def nodes(self, cells: Cells) -> int:
        """Return the nodes that the loop clears, 0 when the position is in none (or none can be proved)."""
        if cells in self._restful:
            return 0
        for known in self._graphs.values():
            if cells in known:
                return known[cells]
        graph = explore(cells, self._budget, until_rest=True)
        if graph.rests or not graph.exact:
            self._restful[cells] = None
            if len(self._restful) > 4096:
                self._restful.popitem(last=False)
            return 0
        known = dict.fromkeys(graph.cells, 0)
        for loop in loops(graph):
            positions = [graph.cells[member] for member in loop]
            known.update(dict.fromkeys(positions, loop_nodes(positions)))
        self._graphs[cells] = known
        if len(self._graphs) > self._kept:
            self._graphs.popitem(last=False)
        return known[cells]


@dataclass(frozen=True)
class Outcomes:
    """How a phase can end. ``rest_reachable`` is None when it could not be decided; ``loops`` are after the removal."""

    exact: bool
    rest_reachable: bool | None
    positions: int
    rests: tuple[Cells, ...]
    loops: tuple[Cells, ...]


def outcomes(cells: Cells, budget: int = BUDGET, out_of_time: Callable[[], bool] | None = None) -> Outcomes:
    """Return every rest and every loop that a position can end in, exactly, or as far as the budget goes."""
    graph = explore(cells, budget, out_of_time=out_of_time)
    rests = tuple({graph.cells[member] for member in graph.rests})
    if not graph.exact:
        return Outcomes(False, True if rests else None, graph.positions, rests, ())
    ended: set[Cells] = set()
    for loop in loops(graph):
        positions = [graph.cells[member] for member in loop]
        nodes = loop_nodes(positions)
        ended.update(cleared(position, nodes) for position in positions)
    return Outcomes(True, bool(rests), graph.positions, rests, tuple(ended))
