"""Which step to take: towards the best end of the phase, by the shortest way, so that no step is taken back.

Each step is thought out anew from the position alone, and still the ways of one phase agree. Where the whole graph is
known, the best end that can be reached stays the best one and comes nearer with each step. Where it is too large,
only steps that raise the sum of the stones' nodes (and pulls) are looked at: those never circle. Where these lead to no
end, one push that lowers the sum is allowed, then two and so on: their number falls on the way. Where even so no end is
known, any rest is the target.
"""

from __future__ import annotations

from firmware_host.games.spokes import rules
from firmware_host.games.spokes.player.evaluator import WIN, PatternWeights
from firmware_host.games.spokes.player.search_context import SearchContext, choose_end, is_worthwhile
from firmware_host.games.spokes.rules import Cells, Position
from firmware_host.games.spokes.search.proofs import Survey, steps
from firmware_host.games.thinking import Budget, Choice, Thought
from firmware_host.text.words import say, say_many

MOST = 20_000
"""Positions of the graph that are looked at: all of it, but for some positions of mostly one colour."""
DECIDING = 60_000
"""Positions that the search for any rest looks at where none was near: a second of a small machine."""
FOLLOWED = 40
"""Positions whose ways to a rest are compared."""
WINS = say("It leads to the end of the game, and wins it.")
WINS_BY_LOOP = say("It keeps the stones circling: the loop clears them, and wins the game.")
LOSES = say("Every known continuation loses.")


def think(position: Position, budget: Budget, weights: PatternWeights | None = None) -> Thought:
    """Rank the steps of the resolver; ``weights`` are others than those of the budget's evaluation."""
    context = SearchContext(position, budget, weights)
    a, b = context.leftovers.pair(position.cells)
    ends = context.ends
    # Positions that can be reached are looked at whatever the budget: a win must not be missed for lack of nodes.
    ends.look(a, b, context.resolver, MOST)
    acts = rules.legal_steps(position.cells)
    exact = ends.complete
    if not exact and ends.best < WIN:
        nearest = ends.best
        ends.outward = True
        ends.look(a, b, context.resolver, MOST)
        while ends.best_at < 0 and ends.complete and ends.step_inward():
            ends.explore(MOST)
        if ends.best_at < 0:
            return _towards_any_rest(context, acts, nearest)
    ends.spread()
    if 0 < ends.best < WIN and is_worthwhile(context, budget):
        choose_end(context, budget)
    way = [_cells(context, number) for number in ends.way(ends.best_at)]
    return _rank_steps(context, acts, way, exact)


def _cells(context: SearchContext, number: int) -> Cells:
    graph = context.ends.graph
    return context.leftovers.cells(graph.a(number), graph.b(number))


def _rank_steps(context: SearchContext, acts: list[rules.SpokesStep], way: list[Cells], exact: bool) -> Thought:
    """Return all steps by the best end that they leave within reach; the first of the shortest way comes first."""
    ends = context.ends
    # Inside a loop there is nowhere to go: any step will do.
    line = steps(way) or (acts[0].text,)
    found = {}
    for act in acts:
        number = ends.graph.find(*context.leftovers.pair(rules.after(context.position.cells, act)))
        # Where no end is known to be within reach it is worth as much as the position is now.
        known = number >= 0 and ends.graph.label(number)
        found[act.text] = ends.value(number) if known else min(ends.best, WIN // 2)
    proved = ends.best == WIN or (exact and ends.best == 0)
    choices = [
        Choice(
            text,
            _score(value, proved),
            line=line[1:] if text == line[0] else (),
            reasons=_reasons(context, way[-1], proved) if text == line[0] else (),
        )
        for text, value in sorted(found.items(), key=lambda one: (-one[1], one[0] != line[0], one[0]))
    ]
    return Thought(tuple(choices), ends.nodes_searched, proved)


def _score(value: int, proved: bool) -> float:
    return value / WIN if proved else min(max(value, 1), WIN - 1) / WIN


def _towards_any_rest(context: SearchContext, acts: list[rules.SpokesStep], value: int) -> Thought:
    """Return a way to a rest that any search finds; any step where there is none."""
    way = _way(context)
    line = steps(way) if way else ()
    texts = sorted({act.text for act in acts}, key=lambda text: (bool(line) and text != line[0], text))
    worth = _score(value if value >= 0 else WIN // 2, False)
    choices = [Choice(text, worth, line=line[1:] if line and text == line[0] else ()) for text in texts]
    return Thought(tuple(choices), context.ends.nodes_searched)


def _way(context: SearchContext) -> list[Cells]:
    """Return the cells from the position to a rest.

    A search finds one way of many, and from the next position maybe one that leads back. So its steps are followed:
    where they circle, the way of the circle's least position is the way of all positions that are on it.
    """
    start, ways = context.position.cells, dict[Cells, list[Cells]]()
    at = start
    while at not in ways and len(ways) < FOLLOWED and not context.clock.over:
        way = Survey(at, 0, DECIDING, lambda: context.clock.over, ways=True).way_to_rest
        ways[at] = way
        at = way[1] if len(way) > 1 else at
    met = list(ways)
    circle = met[met.index(at) :] if at in ways else []
    common = ways[min(circle)] if circle else []
    return common[common.index(start) :] if start in common else ways.get(start, [])


def _reasons(context: SearchContext, end: Cells, proved: bool) -> tuple[str, ...]:
    """Say what the target is."""
    ends, position = context.ends, context.position
    loop = ends.best_at in ends.loops
    if ends.best == WIN:
        return (WINS_BY_LOOP if loop else WINS,)
    if proved:
        return (LOSES,)
    stones = rules.stones_on(end, rules.HOMES[position.mode][context.teams[context.resolver]])
    return (
        say_many(
            "It comes to rest with {count} stone on its own home nodes.",
            "It comes to rest with {count} stones on its own home nodes.",
            stones,
        ),
    )
