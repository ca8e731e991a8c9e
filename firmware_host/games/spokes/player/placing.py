"""Which stone to seal: every own placement is weighed against the replies, each by the end that its resolver takes.

Both sides choose at the same time, so no single placement is best: a turn is a matrix game, whose answer is a mix (von
Neumann, "Zur Theorie der Gesellschaftsspiele", 1928), found by regret matching (searching/matrix.py).

An equilibrium alone wins no more from those who err than from those who do not. So the other side is thought to place
by a simple model in half of all cases and by its best answer to our mix in the others: a restricted Nash response
(Johanson, Zinkevich, Bowling, "Computing Robust Counter-Strategies", 2007). It wins most of what the model offers and
loses little to an opponent that knows it. All numbers are whole, so that every machine chooses the same.

Among several players, own placements meet the same sampled joint replies, each made of what suits its seat.
"""

from __future__ import annotations

import itertools
from random import Random

from firmware_host.games.spokes.player.ends import Pairs
from firmware_host.games.spokes.player.evaluator import WIN, PatternWeights
from firmware_host.games.spokes.player.search_context import (
    FollowingTurns,
    SearchContext,
    is_worthwhile,
    placement_text,
)
from firmware_host.games.spokes.rules import Position
from firmware_host.games.thinking import Budget, Choice, Thought
from firmware_host.searching import matrix
from firmware_host.text.words import say

RARE = matrix.ONE // 100
"""A share below this is what is left of the first rounds."""
FEWEST = 500
"""Positions looked at, however small the budget is."""
SURELY = 100_000
"""Positions looked at, about, for placements that win whatever is placed beside them: late in a game it could be
millions, each placement with each reply."""
JOINT = 24
"""Joint replies of more than one other player that are sampled at least, unless the budget has a width."""
EVERY = 300
"""Joint replies that are all looked at."""
ALL_POSITIONS = 50_000
EACH = 8
"""Positions looked at for each placement with a joint reply, at least: without any, a board before its resolution would
be valued."""
BLIND = 6
"""Random joint replies that tell at least what suits the other seats."""
MORE = 50_000
"""Nodes for which there are as many of both as these say; there are twice as many for twice the nodes.

By a large sample, a placement that is chosen with 48 and 96 of them is worth 1.4 % less than the best one, with 6 and
24 it is 3.4 % (30 positions of four players; of two teams 3.2 and 5.6 %).
"""
SURE = say("This wins, whatever the others place.")
MIXED = say("No single placement is best: it is one of several, so that nobody can foresee it.")
ROUNDS = 1000
NEAR = 2000
"""Millionths of a win by which the mixed strategies may be worse than those of an equilibrium."""
SIMPLE = 2
"""One placement of the other side in this number is thought to follow the model."""
FAR = 40_000
"""Millionths of a win: a placement that looks worse than the best one by so much is taken a quarter as often."""


def think(position: Position, seat: int, budget: Budget, rng: Random, weights: PatternWeights | None = None) -> Thought:
    """Rank the placements of a seat; ``weights`` are others than those of the budget's evaluation."""
    context = SearchContext(position, budget, weights)
    team = context.team(seat)
    offered = context.placements()
    own = rng.sample(offered, budget.width) if 0 < budget.width < len(offered) else offered
    if len(position.active) == 2 and len(context.teams) == 2:
        return _against_one(context, team, offered, own, budget, rng)
    return _against_several(context, seat, own, budget, rng)


def _against_one(
    context: SearchContext, team: int, offered: list[int], own: list[int], budget: Budget, rng: Random
) -> Thought:
    replies = offered if own is offered else rng.sample(offered, min(len(offered), max(1, (budget.width + 1) // 2)))
    pairs = Pairs(context.ends, context.position.cells, context.resolver, team, max(FEWEST, budget.nodes))
    sure = _sure_wins(context, pairs, offered)
    if sure:
        return _make_thought([(WIN, 0, placement) for placement in sure], context, proved=True)
    values = pairs.matrix(own, replies)
    if own is not offered:
        size = len(replies)
        means = [sum(values[row * size : (row + 1) * size]) // size for row in range(len(own))]
        return _make_thought([(value, 0, placement) for value, placement in zip(means, own, strict=True)], context)
    if is_worthwhile(context, budget):
        mine, theirs = solve(values, len(own))
        turns = FollowingTurns(context, pairs, offered, budget)
        while (deepened := turns.deepen(values, mine, theirs)) is not values:
            values = deepened
            mine, theirs = solve(values, len(own))
    else:
        mine, theirs = matrix.solve(values, len(own), len(replies), ROUNDS, NEAR)
    mine = [share if share >= RARE else 0 for share in mine]
    worths = matrix.means(values, theirs, len(own))
    return _make_thought(list(zip(worths, mine, own, strict=True)), context)


def _sure_wins(context: SearchContext, pairs: Pairs, offered: list[int]) -> list[int]:
    """Return the placements that win whatever is placed beside them, as far as :data:`SURELY` allows."""
    found: list[int] = []
    for placement in offered:
        if context.ends.nodes_searched > SURELY:
            break
        if all(pairs.value(placement, reply) == WIN for reply in offered):
            found.append(placement)
    return found


def _against_several(context: SearchContext, seat: int, own: list[int], budget: Budget, rng: Random) -> Thought:
    """Weigh own placements against the same joint replies for all of them: of each other seat what suits it.

    What suits a seat is found by its own chances alone, so that nobody is singled out.
    """
    offered, others = context.placements(), [one for one in context.position.active if one != seat]
    if len(offered) ** len(others) <= EVERY:
        return _against_all(context, context.team(seat), offered, len(others))
    nodes, more = max(FEWEST, budget.nodes // len(context.position.active)), max(1, budget.nodes // MORE)
    blind = [[rng.choice(offered) for _ in others] for _ in range(BLIND * more)]
    likely = []
    for other in others:
        some = rng.sample(offered, min(len(offered), len(own)))
        worths = _worths(context, context.team(other), some, blind, nodes)
        ranked = sorted(zip(worths, some, strict=True), key=lambda one: -one[0])
        likely.append([placement for _, placement in ranked[: max(1, len(ranked) // 5)]])
    count = min(budget.width or JOINT * more, JOINT * more)
    samples = [[rng.choice(choices) for choices in likely] for _ in range(count)]
    worths = _worths(context, context.team(seat), own, samples, nodes)
    return _make_thought([(worth, 0, placement) for worth, placement in zip(worths, own, strict=True)], context)


def _against_all(context: SearchContext, team: int, offered: list[int], others: int) -> Thought:
    """Weigh placements against all joint replies: at the end of the game there are few."""
    every = [list(replies) for replies in itertools.product(offered, repeat=others)]
    worths = _worths(context, team, offered, every, ALL_POSITIONS)
    sure = context.ends.complete and WIN in worths
    found = [(worth, 0, placement) for worth, placement in zip(worths, offered, strict=True)]
    return _make_thought([one for one in found if one[0] == WIN] if sure else found, context, proved=sure)


def _worths(context: SearchContext, team: int, own: list[int], samples: list[list[int]], nodes: int) -> list[int]:
    """Return what each placement is worth to a team on average beside samples of all others'.

    ``nodes`` positions are looked at, or more where there are many pairs.
    """
    ends = context.ends
    ends.begin(context.resolver)
    roots = [[ends.root(*context.after([placement, *sample])) for sample in samples] for placement in own]
    ends.explore(max(nodes, EACH * len(own) * len(samples)))
    ends.spread()
    return [sum(ends.value_to(number, team) for number in row) // len(row) for row in roots]


def _make_thought(found: list[tuple[int, int, int]], context: SearchContext, *, proved: bool = False) -> Thought:
    """Return the choices in order: by share, then by value; what is likeliest to be played comes first."""
    found.sort(key=lambda one: (-one[1], -one[0], one[2]))
    mixed = sum(share * 20 > matrix.ONE for _, share, _ in found) > 1
    choices = []
    for value, share, placement in found:
        often = share * 20 > matrix.ONE
        reasons = (SURE,) if value == WIN else (MIXED,) if mixed and often else ()
        within = value if proved else min(max(value, 1), WIN - 1)
        choices.append(Choice(placement_text(placement), within / WIN, share / matrix.ONE, reasons=reasons))
    return Thought(tuple(choices), context.ends.nodes_searched, proved)


# -- the mix -----------------------------------------------------------------------------------------------------------


def solve(values: list[int], size: int) -> tuple[list[int], list[int]]:
    """Return our mix for a square matrix, and the mix that the other side is thought to have.

    ``values`` are what pairs are worth to us, row by row, ours in rows.
    """
    model = likely_shares(values, size)
    against = matrix.means(values, model, size)
    blended = [
        (against[row] + (SIMPLE - 1) * values[row * size + column]) // SIMPLE
        for row in range(size)
        for column in range(size)
    ]
    mine, theirs = matrix.solve(blended, size, size, ROUNDS, NEAR)
    return mine, [(one + (SIMPLE - 1) * other) // SIMPLE for one, other in zip(model, theirs, strict=True)]


def likely_shares(values: list[int], size: int) -> list[int]:
    """Return how often the model places what: by its mean over all of ours, as a share of :data:`matrix.ONE`."""
    means = [sum(WIN - value for value in values[column::size]) // size for column in range(size)]
    best = max(means)
    weights = [FAR * FAR * matrix.ONE // (FAR + best - mean) ** 2 for mean in means]
    total = sum(weights)
    return [weight * matrix.ONE // total for weight in weights]
