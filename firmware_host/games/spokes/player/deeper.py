"""Ends of a phase valued by the turn after it: by its matrix of placements instead of the judge.

The judge knows patterns, the matrix also what the next resolver can do with them. It takes some thousand positions for
each end, so only ends that matter are valued so: those between which the resolver chooses, and those to which good
placements lead.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

from firmware_host.games.spokes import endings
from firmware_host.games.spokes.player.judge import WIN, Weights
from firmware_host.games.spokes.player.pairs import Pairs
from firmware_host.games.spokes.player.scene import Scene
from firmware_host.games.spokes.position import Position
from firmware_host.games.thinking import Budget
from firmware_host.searching import matrix

TURN = 20_000
"""Positions of one turn that are looked at at most."""
AN_END = 5_000
"""Positions that are allowed for each end between which a resolver chooses."""
CHOSEN = 12
"""Ends between which a resolver chooses, at most."""
FIELD = 6
"""Placements of each side whose ends are valued: the best ones against the other side's mix."""
LAST = 6
"""Placements of each side, at most, where all turns to the end of the game are looked at."""
A_TURN = 300
"""Positions that take as long as all else that a turn needs."""
ROUNDS = 100
NEAR = 10_000
NODES = 45
KEPT = 4096
"""Turns whose worth is kept: a phase meets the same ones at each of its steps."""


def worthwhile(scene: Scene, budget: Budget) -> bool:
    """Tell whether ends are to be valued by their next turn: two sides of one player each, and no limit of depth."""
    return budget.depth != 1 and len(scene.position.active) == 2 and len(scene.teams) == 2


def choose_end(scene: Scene, budget: Budget) -> None:
    """Value the best ends of a resolver anew; the others count as no better than these.

    Which ones depends on the ends within reach alone: each step of a phase comes to the same, so no way circles.
    """
    ends = scene.ends
    first = ends.best_ends(min(CHOSEN, budget.nodes // AN_END))
    if len(first) < 2:
        return
    values: dict[int, int] = {}
    for number in first:
        if budget.out_of_time():
            return
        values[number] = _value(scene, number)
    worst = min(values.values())
    for number in ends.best_ends(ends.graph.count):
        values.setdefault(number, min(worst, ends.value(number)))
    ends.revalue(values)


class Turns:
    """Values pairs of placements by the turns after them, as long as there are nodes."""

    def __init__(self, scene: Scene, pairs: Pairs, offered: list[int], budget: Budget) -> None:
        """``pairs`` has explored all of what is offered; the budget's nodes bound all that the scene looks at."""
        self._scene = scene
        self._pairs = pairs
        self._offered = offered
        self._budget = budget
        self._known: dict[int, int] = {}

    def deepen(self, values: list[int], mine: list[int], theirs: list[int]) -> list[int]:
        """Return the matrix with the ends of the best placements valued anew; the same list where nothing is left.

        ``mine`` and ``theirs`` are the mixes of the matrix as it is.
        """
        wanted = self._wanted(values, mine, theirs)
        before = len(self._known)
        for number in wanted:
            if self._scene.ends.looked >= self._budget.nodes or self._budget.out_of_time():
                break
            self._known[number] = _value(self._scene, number)
        if len(self._known) == before:
            return values
        self._scene.ends.revalue(self._known)
        return self._pairs.values(self._offered, self._offered)

    def _wanted(self, values: list[int], mine: list[int], theirs: list[int]) -> list[int]:
        """Return the ends of the best placements that are only judged so far, those of the very best first."""
        size = len(self._offered)
        rows = matrix.means(values, theirs, size)
        columns = matrix.means(_columns(values, size), mine, size)
        best = sorted(range(size), key=lambda row: -rows[row])[:FIELD]
        others = sorted(range(size), key=lambda column: columns[column])[:FIELD]
        found: dict[int, None] = {}
        for row, column in sorted(product(range(len(best)), range(len(others))), key=sum):
            number = self._pairs.end_of(self._offered[best[row]], self._offered[others[column]])
            if number >= 0 and number not in self._known:
                found[number] = None
        return list(found)


def _value(scene: Scene, number: int) -> int:
    """Return what an end is worth to the resolver's team, by the turn after it where the game goes on."""
    ends = scene.ends
    graph, team = ends.graph, scene.resolver
    if number in ends.loops or graph.a(number) >> NODES:
        return ends.value_to(number, team)
    rested = replace(scene.position, cells=scene.leftovers.cells(graph.a(number), graph.b(number)))
    if endings.ending(rested, loop=False) is not None:
        return ends.value_to(number, team)
    following = replace(rested, turn=1, resolver=endings.next_resolver(rested), phase="place")
    value, looked = _worth(following, scene.patterns, scene.weights)
    ends.looked += looked
    return min(max(WIN - value if team else value, 1), WIN - 1)


@lru_cache(maxsize=KEPT)
def _worth(position: Position, patterns: bool, weights: Weights | None) -> tuple[int, int]:
    """Return what a turn is worth to the first team, and the nodes that it took.

    Near the end of the game turns are looked at to the end.
    """
    scene = Scene(position, Budget(0, evaluation=int(patterns)), weights)
    offered = scene.placements()
    size = len(offered)
    pairs = Pairs(scene.ends, position.cells, scene.resolver, 0, TURN)
    turns = Turns(scene, pairs, offered, Budget(TURN))
    values = pairs.matrix(offered, offered)
    mine, theirs = matrix.solve(values, size, size, ROUNDS, NEAR)
    while size <= LAST and (deepened := turns.deepen(values, mine, theirs)) is not values:
        values = deepened
        mine, theirs = matrix.solve(values, size, size, ROUNDS, NEAR)
    most, least = max(matrix.means(values, theirs, size)), min(matrix.means(_columns(values, size), mine, size))
    return (most + least) // 2, scene.ends.looked + A_TURN


def _columns(values: list[int], size: int) -> list[int]:
    """Return a square matrix column by column."""
    return [values[at % size * size + at // size] for at in range(size * size)]
