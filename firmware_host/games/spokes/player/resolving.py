"""Which step to take: towards the best end of the phase, by the shortest way, which is kept until it ends.

A way that was found is followed as long as hands follow it: no later search takes a step of it back, and a win that was
found stays one. It is left only for a way that wins, or a shorter one that does. So that the same position after the
same steps has the same answer everywhere, the way is no state: it is found again from the boards that the phase has met
(:attr:`firmware_host.games.spokes.rules.Position.met`), with a cache of what was searched.

A position whose past is unknown is thought out from itself alone, and still the ways of one phase mostly agree. Where
the whole graph is known, the best end that can be reached stays the best one and comes nearer with each step. Where it
is too large, only steps that raise the sum of the stones' nodes (and pulls) are looked at: those never circle. Where
these lead to no end, one push that lowers the sum is allowed, then two and so on: their number falls on the way. Where
even so no end is known, any rest is the target. Without a way to one, boards that the phase has met are avoided; where
it is proved that there is none, they are sought, as R11 then ends the phase.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

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
KEPT = 128
"""Positions of phases whose ways are kept."""
WINS = say("It leads to the end of the game, and wins it.")
WINS_BY_LOOP = say("It keeps the stones circling: the loop clears them, and wins the game.")
LOSES = say("Every known continuation loses.")

Way = tuple[Cells, ...]
"""The boards from a position to an end of its phase, both included; the position's own alone where no end is known."""


class _Look:
    """What is known of a position's phase from there on: its graph, and the way to the best end."""

    def __init__(self, position: Position, budget: Budget, weights: PatternWeights | None) -> None:
        """Look."""
        self.position = position
        context = self.context = SearchContext(position, budget, weights)
        a, b = context.leftovers.pair(position.cells)
        ends = self.ends = context.ends
        # Positions that can be reached are looked at whatever the budget: a win must not be missed for lack of nodes.
        ends.look(a, b, context.resolver, MOST)
        self.exact = ends.complete
        self.nearest = ends.best
        """The worth of the best end within reach, -1 where none is known."""
        self.way: Way = (position.cells,)
        if not self.exact and ends.best < WIN:
            ends.outward = True
            ends.look(a, b, context.resolver, MOST)
            while ends.best_at < 0 and ends.complete and ends.step_inward():
                ends.explore(MOST)
        self.has_end = ends.best_at >= 0
        """Whether the graph holds an end; else the way leads to any rest."""
        self.is_restless = False
        """Whether it is proved that no rest can be reached."""
        if not self.has_end:
            way = way_to_rest(context)
            self.is_restless = way is None
            self.way = tuple(way or self.way)
            return
        ends.spread()
        if 0 < ends.best < WIN and is_worthwhile(context, budget):
            choose_end(context, budget)
        self.way = tuple(_cells(context, number) for number in ends.way(ends.best_at))

    @property
    def wins(self) -> bool:
        """Return whether the way wins."""
        return self.ends.best == WIN


def think(position: Position, budget: Budget, weights: PatternWeights | None = None) -> Thought:
    """Rank the steps of the resolver; ``weights`` are others than those of the budget's evaluation."""
    look = _Look(position, budget, weights)
    way, wins = _ways.way(look, budget, weights)
    acts = rules.legal_steps(position.cells)
    if len(way) < 2 and not look.has_end:
        return _avoid_circles(look, acts)
    if wins and not look.wins:
        return _keep_to(look, acts, way)
    return _rank_steps(look, acts, way) if look.has_end else _towards_any_rest(look, acts, way)


class _Ways:
    """The ways that phases have taken, kept for their next steps."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], tuple[Way, bool]] = OrderedDict()

    def way(self, look: _Look, budget: Budget, weights: PatternWeights | None) -> tuple[Way, bool]:
        """Return the way of a phase at the position looked at, and whether it wins."""
        position = look.position
        boards = (*position.met, position.cells)
        keys = [self._key(position, boards[: number + 1], budget, weights) for number in range(len(boards))]
        first = next((number for number in range(len(boards) - 1, -1, -1) if keys[number] in self._known), -1)
        found = self._known[keys[first]] if first >= 0 else ((), False)
        for number in range(first + 1, len(boards)):
            is_last = number == len(boards) - 1
            earlier = replace(position, cells=boards[number], met=boards[:number])
            found = _follow(found, look if is_last else _Look(earlier, budget, weights))
            if budget.out_of_time():
                break  # What the clock has stopped is not kept: it depends on the machine.
            self._known[keys[number]] = found
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        way = found[0]
        return found if way and way[0] == position.cells else (look.way, look.wins)

    @staticmethod
    def _key(position: Position, boards: Way, budget: Budget, weights: PatternWeights | None) -> tuple[object, ...]:
        limits = (budget.nodes, budget.depth, budget.width, budget.evaluation, None if weights is None else id(weights))
        return (boards, position.mode, position.turn, position.resolver, position.resigned, limits)


_ways = _Ways()


def _follow(before: tuple[Way, bool], look: _Look) -> tuple[Way, bool]:
    """Return the way one step later: the rest of the one before, or the one that a look has found.

    What a look finds counts where hands have left the way or none was known, and where it wins earlier than the way.
    """
    way, wins = before[0][1:], before[1]
    if len(way) < 2 or way[0] != look.position.cells:
        return look.way, look.wins
    if look.wins and (not wins or len(look.way) < len(way)):
        return look.way, True
    return way, wins


def _cells(context: SearchContext, number: int) -> Cells:
    graph = context.ends.graph
    return context.leftovers.cells(graph.a(number), graph.b(number))


def _rank_steps(look: _Look, acts: list[rules.SpokesStep], way: Way) -> Thought:
    """Return all steps by the best end that they leave within reach; the first of the way comes first."""
    ends, context = look.ends, look.context
    # Inside a loop there is nowhere to go: any step will do.
    line = steps(list(way)) or (acts[0].text,)
    found = {}
    for act in acts:
        number = ends.graph.find(*context.leftovers.pair(rules.after(look.position.cells, act)))
        # Where no end is known to be within reach it is worth as much as the position is now.
        known = number >= 0 and ends.graph.label(number)
        found[act.text] = ends.value(number) if known else min(ends.best, WIN // 2)
    found[line[0]] = ends.best
    proved = ends.best == WIN or (look.exact and ends.best == 0)
    choices = [
        Choice(
            text,
            _score(value, proved),
            line=line[1:] if text == line[0] else (),
            reasons=_reasons(look, way, proved) if text == line[0] else (),
        )
        for text, value in sorted(found.items(), key=lambda one: (-one[1], one[0] != line[0], one[0]))
    ]
    return Thought(tuple(choices), ends.nodes_searched, proved)


def _score(value: int, proved: bool) -> float:
    return value / WIN if proved else min(max(value, 1), WIN - 1) / WIN


def _keep_to(look: _Look, acts: list[rules.SpokesStep], way: Way) -> Thought:
    """Return the first step of a way that wins, then all others: this look has not found the win again."""
    line = steps(list(way))
    others = sorted({act.text for act in acts} - {line[0]})
    reason = WINS if rules.at_rest(way[-1]) else WINS_BY_LOOP
    choices = [Choice(line[0], 1.0, line=line[1:], reasons=(reason,)), *(Choice(text, 0.5) for text in others)]
    return Thought(tuple(choices), look.ends.nodes_searched, True)


def _towards_any_rest(look: _Look, acts: list[rules.SpokesStep], way: Way) -> Thought:
    """Return the first step of a way to a rest, then all others."""
    line = steps(list(way))
    texts = sorted({act.text for act in acts}, key=lambda text: (text != line[0], text))
    choices = [Choice(text, _worth(look), line=line[1:] if text == line[0] else ()) for text in texts]
    return Thought(tuple(choices), look.ends.nodes_searched)


def _avoid_circles(look: _Look, acts: list[rules.SpokesStep]) -> Thought:
    """Return the steps where no way to an end is known: those first that lead where the phase has been least.

    Where no rest can be reached it is the other way round: R11 ends the phase once a board has come up often enough.
    """
    position = look.position
    boards = (*position.met, position.cells)
    sign = -1 if look.is_restless else 1
    ranked = sorted((sign * boards.count(rules.after(position.cells, act)), act.text) for act in acts)
    choices = tuple(Choice(text, _worth(look)) for _, text in dict.fromkeys(ranked))
    return Thought(choices, look.ends.nodes_searched)


def _worth(look: _Look) -> float:
    return _score(look.nearest if look.nearest >= 0 else WIN // 2, False)


def way_to_rest(context: SearchContext) -> list[Cells] | None:
    """Return the cells from the position to a rest; empty if none is found, None if it is proved that there is none.

    A search finds one way of many, and from the next position maybe one that leads back. So its steps are followed:
    where they circle, the way of the circle's least position is the way of all positions that are on it.
    """
    start, ways = context.position.cells, dict[Cells, list[Cells]]()
    at = start
    while at not in ways and len(ways) < FOLLOWED and not context.clock.over:
        survey = Survey(at, 0, DECIDING, lambda: context.clock.over, ways=True)
        if survey.rest_reachable is False:
            return None
        ways[at] = way = survey.way_to_rest
        at = way[1] if len(way) > 1 else at
    met = list(ways)
    circle = met[met.index(at) :] if at in ways else []
    common = ways[min(circle)] if circle else []
    return common[common.index(start) :] if start in common else ways.get(start, [])


def _reasons(look: _Look, way: Way, proved: bool) -> tuple[str, ...]:
    """Say what the target is."""
    ends, position = look.ends, look.position
    loop = ends.best_at in ends.loops
    if ends.best == WIN:
        return (WINS_BY_LOOP if loop else WINS,)
    if proved:
        return (LOSES,)
    stones = rules.stones_on(way[-1], rules.HOMES[position.mode][look.context.teams[look.context.resolver]])
    return (
        say_many(
            "It comes to rest with {count} stone on its own home nodes.",
            "It comes to rest with {count} stones on its own home nodes.",
            stones,
        ),
    )
