"""A peer for Spokes: greedy placement with greedy resolving, 24 candidates against 12 replies.

It counts stones on home nodes, then those in the sector, and looks no further than the end of this phase. Of its
candidates it takes the one with the best mean over the replies. It shares the search for ends with the player (only so
it is quick enough for hundreds of games), not its evaluation: a win or a loss that ends the game is seen, everything
else is worth its lead.
"""

from __future__ import annotations

from functools import cache
from random import Random

from firmware_host.games.spokes.player import placing, resolving
from firmware_host.games.spokes.player.ends import Pairs
from firmware_host.games.spokes.player.evaluator import (
    HOME_PATTERNS,
    INNER_PATTERNS,
    LEAD_PATTERNS,
    LEADS,
    RING_PATTERNS,
    PatternWeights,
)
from firmware_host.games.spokes.player.search_context import SearchContext, placement_text
from firmware_host.games.spokes.rules import Position
from firmware_host.games.thinking import Budget

CANDIDATES = 24
REPLIES = 12
AIM = 0.95
"""Score of the highest level against this player, at least."""
MODES = ("4", "2v2")
"""Further modes that it plays."""
BUDGET = Budget(nodes=10_000, depth=1, width=CANDIDATES, evaluation=0)


@cache
def weights() -> PatternWeights:
    """Return a lead's worth: each stone on a home node as much as the others, the sector where that is equal."""
    leads = [0] * LEAD_PATTERNS
    for at in range(LEAD_PATTERNS):
        rest, lead = divmod(at, LEADS)
        leads[at] = (lead - LEADS // 2) * 400 + (rest % 3 - 1) * 40
    return PatternWeights([0] * HOME_PATTERNS, [0] * RING_PATTERNS, [0] * INNER_PATTERNS, leads)


def choose(game: object, position: Position, seat: int, rng: Random) -> str:  # noqa: ARG001 - a peer's signature
    """Return the action of a seat."""
    if position.phase != "place":
        return resolving.think(position, BUDGET, weights()).choices[0].action
    if len(position.active) > 2:
        return placing.think(position, seat, BUDGET, rng, weights()).choices[0].action
    scene = SearchContext(position, BUDGET, weights())
    offered = scene.placements()
    own = rng.sample(offered, min(CANDIDATES, len(offered)))
    replies = rng.sample(offered, min(REPLIES, len(offered)))
    pairs = Pairs(scene.ends, position.cells, scene.resolver, scene.team(seat), BUDGET.nodes)
    values = pairs.matrix(own, replies)
    sums = [sum(values[row * len(replies) : (row + 1) * len(replies)]) for row in range(len(own))]
    return placement_text(own[sums.index(max(sums))])
