"""A position set up for the player, and what the turn after an end of its phase is worth.

:class:`SearchContext` is one position and all that looks at it: teams as numbers, an evaluator, a search for ends. The
judge knows patterns; the matrix of the next turn's placements also knows what the next resolver can do with them. So
the strongest level values ends by that matrix (:func:`choose_end`, :class:`FollowingTurns`): a search two turns deep.
It takes some hundred positions for each end, so only ends that matter are valued so: those between which the resolver
chooses, and those to which good placements lead. The best of a resolver's ends are then valued three turns deep.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import NODES
from firmware_host.games.spokes.flat import NODES as BITS
from firmware_host.games.spokes.flat import Clock, Leftovers, Mobile
from firmware_host.games.spokes.player.ends import EndSearch, Pairs, StackedEnds, after_placements
from firmware_host.games.spokes.player.evaluator import WIN, Evaluator, PatternWeights, fitted_weights, simple_weights
from firmware_host.games.spokes.rules import TEAMS, Cells, Position
from firmware_host.games.spokes.search.forms import new_graph
from firmware_host.games.thinking import Budget
from firmware_host.searching import matrix

TURN = 20_000
"""Positions of one turn that are looked at at most."""
AN_END = 1_000
"""Positions that are allowed for each end between which a resolver chooses."""
CHOSEN, CLOSEST = 12, 4
"""Ends between which a resolver chooses, at most, and how many of these are valued by two turns after them."""
CLOSELY = 5_000
"""Positions that are allowed for an end so valued, at least."""
FIELD, WIDER = 6, 2
"""Placements of each side whose ends are valued first, the best ones against the other side's mix; and how many more
once all of these are known and there are nodes left."""
LAST = 6
"""Placements of each side, at most, where all turns to the end of the game are looked at."""
A_TURN = 300
"""Positions that take as long as all else that a turn needs."""
ROUNDS = 100
NEAR = 10_000
KEPT = 4096
"""Turns whose worth is kept: a phase meets the same ones at each of its steps."""


class SearchContext:
    """One position and all that looks at it."""

    def __init__(self, position: Position, budget: Budget, weights: PatternWeights | None = None) -> None:
        """``weights``: others than those that the budget's form of the evaluation has."""
        patterns = self.patterns = budget.evaluation > 0
        self.weights = weights
        self.position = position
        self.teams = TEAMS[position.mode]
        self.out_of_time = budget.out_of_time
        self.clock = Clock(budget.out_of_time)
        self.leftovers = Leftovers()
        self.evaluator = Evaluator(
            position.mode,
            weights or (fitted_weights() if patterns else simple_weights()),
            patterns or weights is not None,
        )
        standing = sum(1 << self.teams.index(team) for team in rules.teams_left(position))
        self.evaluator.turn_to(len(position.active), standing)
        self.evaluator.follow(self.team(rules.next_resolver(position)))
        stacked = StackedEnds(position, self.leftovers, self.evaluator)
        self.ends = EndSearch(new_graph(), self.leftovers, self.evaluator, stacked, self.clock)

    def team(self, seat: int) -> int:
        """Return the number of a seat's team."""
        return next(number for number, team in enumerate(self.teams) if seat in team)

    @property
    def resolver(self) -> int:
        """Return the number of the team that resolves."""
        return self.team(self.position.resolver)

    def endless(self, cells: Cells) -> int:
        """Return what it is worth to the resolver when the phase ends at a board because it circles for ever (R12)."""
        cleared = rules.clear_nodes(cells, Mobile().nodes(*cells[:2], rules.occupied_nodes(cells)))
        over = replace(self.position, cells=cleared, phase="over")
        return WIN if self.position.resolver in rules.status(over, "loop").winners else 0

    def placements(self) -> list[int]:
        """Return all placements that are offered: a node, and 64 more for a black stone."""
        return [node + 64 * (colour == "b") for colour, node in rules.placements(self.position)]

    def after(self, placements: list[int]) -> tuple[int, int]:
        """Return the position after some placements."""
        nodes = {placement & 63 for placement in placements}
        if len(nodes) < len(placements):
            return self.leftovers.pair(after_placements(self.position.cells, placements))
        a, b = self.leftovers.pair(self.position.cells)
        for placement in placements:
            if placement & 64:
                b |= 1 << (placement & 63)
            else:
                a |= 1 << placement
        return a, b


def placement_text(placement: int) -> str:
    """Return a placement as an action."""
    return "wb"[placement >> 6] + NODES[placement & 63]


# -- the turn after ----------------------------------------------------------------------------------------------------


def is_worthwhile(context: SearchContext, budget: Budget) -> bool:
    """Tell whether ends are to be valued by their next turn: two sides of one player each, and no limit of depth."""
    return budget.depth != 1 and len(context.position.active) == 2 and len(context.teams) == 2


def choose_end(context: SearchContext, budget: Budget) -> None:
    """Value the best ends of a resolver anew, by the turn after them, and the best of these by two turns after them.

    Which ones depends on the ends within reach alone: each step of a phase comes to the same, so no way circles.
    """
    ends = context.ends
    values = {number: ends.value(number) for number in ends.best_ends(ends.graph.count)}
    chosen, closely = min(CHOSEN, budget.nodes // AN_END), budget.nodes // CLOSEST
    if min(chosen, len(values)) < 2:
        return
    for most, nodes in ((chosen, 0), (CLOSEST, closely)) if closely >= CLOSELY else ((chosen, 0),):
        valued: dict[int, int] = {}
        for number in sorted(values, key=lambda number: -values[number])[:most]:
            if budget.out_of_time():
                return
            valued[number] = _value(context, number, nodes)
        # An end that is not looked at so closely counts as no better than those that are.
        worst = min(valued.values())
        values = {number: valued.get(number, min(worst, value)) for number, value in values.items()}
    ends.revalue(values)


class FollowingTurns:
    """Values pairs of placements by the turns after them, as long as there are nodes."""

    def __init__(self, context: SearchContext, pairs: Pairs, offered: list[int], budget: Budget) -> None:
        """``pairs`` has explored all of what is offered; the budget's nodes bound all that the context looks at."""
        self._context = context
        self._pairs = pairs
        self._offered = offered
        self._budget = budget
        self._known: dict[int, int] = {}
        self._field = FIELD

    def deepen(self, values: list[int], mine: list[int], theirs: list[int]) -> list[int]:
        """Return the matrix with the ends of the best placements valued anew; the same list where nothing is left.

        ``mine`` and ``theirs`` are the mixes of the matrix as it is.
        """
        wanted = self._ends_to_value(values, mine, theirs)
        while not wanted and self._field < len(self._offered):
            self._field += WIDER
            wanted = self._ends_to_value(values, mine, theirs)
        before = len(self._known)
        for number in wanted:
            if self._context.ends.nodes_searched >= self._budget.nodes or self._budget.out_of_time():
                break
            self._known[number] = _value(self._context, number)
        if len(self._known) == before:
            return values
        self._context.ends.revalue(self._known)
        return self._pairs.values(self._offered, self._offered)

    def _ends_to_value(self, values: list[int], mine: list[int], theirs: list[int]) -> list[int]:
        """Return the ends of the best placements that are only judged so far, those of the very best first."""
        size = len(self._offered)
        rows = matrix.means(values, theirs, size)
        columns = matrix.means(_columns(values, size), mine, size)
        best = sorted(range(size), key=lambda row: -rows[row])[: self._field]
        others = sorted(range(size), key=lambda column: columns[column])[: self._field]
        found: dict[int, None] = {}
        for row, column in sorted(product(range(len(best)), range(len(others))), key=sum):
            number = self._pairs.end_of(self._offered[best[row]], self._offered[others[column]])
            if number >= 0 and number not in self._known:
                found[number] = None
        return list(found)


def _value(context: SearchContext, number: int, nodes: int = 0) -> int:
    """Return what an end is worth to the resolver's team, by the turn after it where the game goes on.

    With ``nodes`` that turn's ends are valued by the next one, too, until so many positions were looked at.
    """
    ends = context.ends
    graph, team = ends.graph, context.resolver
    if number in ends.loops or graph.a(number) >> BITS:
        return ends.value_to(number, team)
    rested = replace(context.position, cells=context.leftovers.cells(graph.a(number), graph.b(number)))
    if rules.ending(rested, loop=False) is not None:
        return ends.value_to(number, team)
    following = replace(rested, turn=1, resolver=rules.next_resolver(rested), phase="place")
    value, looked = _worth(following, context.patterns, context.weights, nodes)
    ends.nodes_searched += looked
    return min(max(WIN - value if team else value, 1), WIN - 1)


@lru_cache(maxsize=KEPT)
def _worth(position: Position, patterns: bool, weights: PatternWeights | None, nodes: int) -> tuple[int, int]:
    """Return what a turn is worth to the first team, and the nodes that it took.

    With ``nodes`` the next turn is looked at, too; near the end of the game all turns are.
    """
    context = SearchContext(position, Budget(0, evaluation=int(patterns)), weights)
    offered = context.placements()
    size = len(offered)
    pairs = Pairs(context.ends, position.cells, context.resolver, 0, TURN)
    turns = FollowingTurns(context, pairs, offered, Budget(nodes or TURN))
    values = pairs.matrix(offered, offered)
    mine, theirs = matrix.solve(values, size, size, ROUNDS, NEAR)
    while (nodes or size <= LAST) and (deepened := turns.deepen(values, mine, theirs)) is not values:
        values = deepened
        mine, theirs = matrix.solve(values, size, size, ROUNDS, NEAR)
    most, least = max(matrix.means(values, theirs, size)), min(matrix.means(_columns(values, size), mine, size))
    return (most + least) // 2, context.ends.nodes_searched + A_TURN


def _columns(values: list[int], size: int) -> list[int]:
    """Return a square matrix column by column."""
    return [values[at % size * size + at // size] for at in range(size * size)]
