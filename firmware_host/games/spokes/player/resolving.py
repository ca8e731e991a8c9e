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
it is proved that there is none, they are sought, as R11 then ends the phase: by the steps after which the stones that
could still move (R12) leave most behind.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

from firmware_host.games.spokes import rules
from firmware_host.games.spokes.player.evaluator import WIN, PatternWeights
from firmware_host.games.spokes.player.search_context import SearchContext, choose_end, is_worthwhile
from firmware_host.games.spokes.rules import Cells, Position
from firmware_host.games.spokes.search.proofs import Survey, steps
from firmware_host.games.thinking import Budget, Choice, Thought
from firmware_host.text.words import say, say_many

MOST = 20_000
"""Positions of the graph that are looked at: all of it, but for some positions of mostly one colour."""
FEWEST, STEPS = 40, 10
"""A level that sees some steps ahead looks at its nodes divided by this, but at so many positions at least: what wins
at once is among them."""
DECIDING = 60_000
"""Positions that the search for any rest looks at where none was near: a second of a small machine."""
FOLLOWED = 40
"""Positions whose ways to a rest are compared."""
KEPT = 128
"""Positions of phases whose ways are kept."""
WINS = say("This leads to the end of the game, and wins it.")
WINS_BY_LOOP = say("This keeps the stones circling: the loop clears them, and wins the game.")
LOSES = say("Every known continuation loses.")

Way = tuple[Cells, ...]
"""The boards from a position to an end of its phase, both included; the position's own alone where no end is known."""


@dataclass(frozen=True)
class Found:
    """What a phase knows at a position: its way, the worth of the way's end, and whether no rest can be reached.

    That is proved then, and stays so at all later positions of the phase.
    """

    way: Way = ()
    value: int = 0
    is_restless: bool = False


def positions_seen(budget: Budget) -> int:
    """Return how many positions a level looks at from one position.

    A level that compares some placements only sees some steps ahead only, like a person who is new to the game: it goes
    towards any rest, until it sees ends to choose from. Others miss no win for lack of nodes.
    """
    return min(MOST, max(FEWEST, budget.nodes // STEPS)) if budget.width else MOST


class Look:
    """What is known of a position's phase from there on: its graph, and the way to the best end."""

    def __init__(self, position: Position, budget: Budget, weights: PatternWeights | None) -> None:
        """Look at the nearest positions, which are mostly all."""
        self.position = position
        self._budget = budget
        context = self.context = SearchContext(position, budget, weights)
        self._pair = context.leftovers.pair(position.cells)
        ends = self.ends = context.ends
        self._seen = positions_seen(budget)
        ends.look(*self._pair, context.resolver, self._seen)
        self.exact = ends.complete
        self.nearest = ends.best
        """The worth of the best end among the nearest positions, -1 where none is known."""
        self.way: Way = ()
        """The way to the best end; the position alone where none is known. Empty before one has been searched."""
        if self.exact or self.wins or (ends.best_at >= 0 and self._seen < MOST):
            self._take_way()

    @property
    def wins(self) -> bool:
        """Return whether a win is known."""
        return self.ends.best == WIN

    @property
    def value(self) -> int:
        """Return what the best end is worth that is known, half a win without one."""
        return next((value for value in (self.ends.best, self.nearest) if value >= 0), WIN // 2)

    def search_further(self, *, is_restless: bool = False) -> Found:
        """Return what is known after a search for a way where the nearest positions do not tell all.

        ``is_restless``: it is proved already that no rest can be reached, so there is none to be searched.
        """
        if not self.way and not is_restless:
            is_restless = not self._search_rest()
        self.way = self.way or (self.position.cells,)
        return Found(self.way, self.value, is_restless)

    def _search_rest(self) -> bool:
        """Search a way to a rest, also where none was near; return False if it is proved that there is none."""
        ends, context = self.ends, self.context
        if self._seen == MOST:
            ends.outward = True
            ends.look(*self._pair, context.resolver, MOST)
            while ends.best_at < 0 and ends.complete and ends.step_inward():
                ends.explore(MOST)
        if ends.best_at >= 0:
            self._take_way()
            return True
        way = way_to_rest(context)
        self.way = tuple(way or ())
        return way is not None

    def _take_way(self) -> None:
        ends, context = self.ends, self.context
        ends.spread()
        if 0 < ends.best < WIN and is_worthwhile(context, self._budget):
            choose_end(context, self._budget)
        self.way = tuple(_cells(context, number) for number in ends.way(ends.best_at))


def think(position: Position, budget: Budget, weights: PatternWeights | None = None) -> Thought:
    """Rank the steps of the resolver; ``weights`` are others than those of the budget's evaluation."""
    look = Look(position, budget, weights)
    found = _ways.ways_at(look, budget, weights)
    acts = rules.legal_steps(position.cells)
    if found.way == look.way and look.ends.best_at >= 0 and (look.exact or len(found.way) > 1):
        return _rank_steps(look, acts)
    return _keep_to(look, acts, found) if len(found.way) > 1 else _avoid_circles(look, acts, found)


class _Ways:
    """The ways that phases have taken, kept for their next steps."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], Found] = OrderedDict()

    def ways_at(self, look: Look, budget: Budget, weights: PatternWeights | None) -> Found:
        """Return what a phase knows at the position looked at."""
        position = look.position
        boards = (*position.met, position.cells)
        keys = [self._key(position, boards[: number + 1], budget, weights) for number in range(len(boards))]
        first = next((number for number in range(len(boards) - 1, -1, -1) if keys[number] in self._known), -1)
        found = self._known[keys[first]] if first >= 0 else Found()
        for number in range(first + 1, len(boards)):
            is_last = number == len(boards) - 1
            earlier = replace(position, cells=boards[number], met=boards[:number])
            found = _follow(found, look if is_last else Look(earlier, budget, weights))
            if budget.out_of_time():
                break  # What the clock has stopped is not kept: it depends on the machine.
            self._known[keys[number]] = found
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found if found.way[:1] == (position.cells,) else look.search_further()

    @staticmethod
    def _key(position: Position, boards: Way, budget: Budget, weights: PatternWeights | None) -> tuple[object, ...]:
        limits = (budget.nodes, budget.depth, budget.width, budget.evaluation, None if weights is None else id(weights))
        return (boards, position.mode, position.turn, position.resolver, position.resigned, limits)


_ways = _Ways()


def _follow(before: Found, look: Look) -> Found:
    """Return what is known one step later: the rest of the way before, or what a look has found.

    What a look finds counts where hands have left the way or none was known, where it knows the whole graph, and where
    it is worth more than the way or wins earlier.
    """
    kept = replace(before, way=before.way[1:])
    is_on_it = len(kept.way) > 1 and kept.way[0] == look.position.cells
    wins_earlier = look.wins and len(look.way) < len(kept.way)
    if is_on_it and not look.exact and not (look.way and (look.value > kept.value or wins_earlier)):
        return kept
    return look.search_further(is_restless=before.is_restless)


def _cells(context: SearchContext, number: int) -> Cells:
    graph = context.ends.graph
    return context.leftovers.cells(graph.a(number), graph.b(number))


def _rank_steps(look: Look, acts: list[rules.SpokesStep]) -> Thought:
    """Return all steps by the best end that they leave within reach; the first of the shortest way comes first."""
    ends, context = look.ends, look.context
    # Inside a loop there is nowhere to go: any step will do.
    line = steps(list(look.way)) or (acts[0].text,)
    found = {}
    for act in acts:
        number = ends.graph.find(*context.leftovers.pair(rules.after(look.position.cells, act)))
        # Where no end is known to be within reach it is worth as much as the position is now.
        known = number >= 0 and ends.graph.label(number)
        found[act.text] = ends.value(number) if known else min(ends.best, WIN // 2)
    proved = ends.best == WIN or (look.exact and ends.best == 0)
    choices = [
        Choice(
            text,
            _score(value, proved),
            line=line[1:] if text == line[0] else (),
            reasons=_reasons(look, proved) if text == line[0] else (),
        )
        for text, value in sorted(found.items(), key=lambda one: (-one[1], one[0] != line[0], one[0]))
    ]
    return Thought(tuple(choices), ends.nodes_searched, proved)


def _score(value: int, proved: bool) -> float:
    return value / WIN if proved else min(max(value, 1), WIN - 1) / WIN


def _keep_to(look: Look, acts: list[rules.SpokesStep], found: Found) -> Thought:
    """Return the first step of a way whose end this look does not see, then all others."""
    line, wins = steps(list(found.way)), found.value == WIN
    reasons = () if not wins else (WINS,) if rules.at_rest(found.way[-1]) else (WINS_BY_LOOP,)
    first = Choice(line[0], _score(found.value, wins), line=line[1:], reasons=reasons)
    others = [Choice(text, min(first.value, 0.5)) for text in sorted({act.text for act in acts} - {line[0]})]
    return Thought((first, *others), look.ends.nodes_searched, wins)


def _avoid_circles(look: Look, acts: list[rules.SpokesStep], found: Found) -> Thought:
    """Return the steps where no way to an end is known: those first that lead where the phase has been least.

    Where no rest can be reached it is the other way round: R11 ends the phase once a board has come up often enough,
    and what it is worth then (R12) comes first.
    """
    position = look.position
    boards = (*position.met, position.cells)
    ranked = []
    for act in acts:
        later = rules.after(position.cells, act)
        worth = look.context.endless(later) if found.is_restless else look.value
        ranked.append((-worth, boards.count(later) * (-1 if found.is_restless else 1), act.text))
    choices = tuple(
        Choice(text, _score(-worth, False), reasons=(WINS_BY_LOOP,) if found.is_restless and -worth == WIN else ())
        for worth, _, text in dict.fromkeys(sorted(ranked))
    )
    return Thought(choices, look.ends.nodes_searched)


def way_to_rest(context: SearchContext) -> list[Cells] | None:
    """Return the cells from the position to a rest; empty if none is found, None if it is proved that there is none.

    A search finds one way of many, and from the next position maybe one that leads back. So its steps are followed:
    where they circle, the way of the circle's least position is the way of all positions that are on it.
    """
    start, ways = context.position.cells, dict[Cells, list[Cells]]()
    at = start
    while at not in ways and len(ways) < FOLLOWED and not context.out_of_time():
        survey = Survey(at, 0, DECIDING, context.out_of_time, ways=True)
        if survey.rest_reachable is False:
            return None
        ways[at] = way = survey.way_to_rest
        at = way[1] if len(way) > 1 else at
    met = list(ways)
    circle = met[met.index(at) :] if at in ways else []
    common = ways[min(circle)] if circle else []
    return common[common.index(start) :] if start in common else ways.get(start, [])


def _reasons(look: Look, proved: bool) -> tuple[str, ...]:
    """Say what the target is."""
    ends, position = look.ends, look.position
    loop = ends.best_at in ends.loops
    if ends.best == WIN:
        return (WINS_BY_LOOP if loop else WINS,)
    if proved:
        return (LOSES,)
    stones = rules.stones_on(look.way[-1], rules.HOMES[position.mode][look.context.teams[look.context.resolver]])
    return (
        say_many(
            "This comes to rest with {count} stone on the player's own home nodes.",
            "This comes to rest with {count} stones on the player's own home nodes.",
            stones,
        ),
    )
