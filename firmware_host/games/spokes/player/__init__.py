"""The computer player of Spokes: five levels, and what each phase is thought out with.

search_context.py  a position set up for the player; what the turn after an end is worth
placing.py         which stone to seal: mixed strategies over a matrix of placements
resolving.py       which step to take: the shortest way to the best end
ends.py            the ends of a phase, and pairs of placements in one graph (compiled)
evaluator.py       what a position at rest is worth (compiled); weights.json: what its patterns are worth
"""

from __future__ import annotations

from random import Random

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.spokes.player import placing, resolving
from firmware_host.games.spokes.rules import Position
from firmware_host.games.thinking import Budget, Oversights, Strength, Thought
from firmware_host.text.words import say

_SEVERAL = (
    Strength(Budget(nodes=400, depth=1, width=2, evaluation=0)),
    Strength(Budget(nodes=2_000, depth=1, width=5, evaluation=1)),
    Strength(Budget(nodes=10_000, depth=1, width=10, evaluation=1)),
    Strength(Budget(nodes=100_000, depth=1, evaluation=1)),
)
"""The lower four levels among four players or two teams, where a placement counts for less than between two."""
STRENGTHS = (
    Strength(Budget(nodes=400, depth=1, width=4, evaluation=0), modes={"4": _SEVERAL[0], "2v2": _SEVERAL[0]}),
    Strength(Budget(nodes=700, depth=1, width=5, evaluation=1), modes={"4": _SEVERAL[1], "2v2": _SEVERAL[1]}),
    Strength(Budget(nodes=10_000, depth=1, width=8, evaluation=1), modes={"4": _SEVERAL[2], "2v2": _SEVERAL[2]}),
    Strength(Budget(nodes=2_500, depth=1, evaluation=1), modes={"4": _SEVERAL[3], "2v2": _SEVERAL[3]}),
    Strength(Budget(nodes=400_000, evaluation=1)),
)
"""The lower three look at some candidates and replies, and see some steps ahead when they resolve (resolving.py); the
first knows nothing of patterns. The others mix all placements and overlook no end of a phase that they resolve; the
fourth looks at one turn only. A spread would make the steps of a phase circle."""
FIRST_STEPS = Strength(
    Budget(nodes=400, depth=1, width=2, evaluation=0), oversights=Oversights(wins=0.2, plans=0.7, sealed_only=True)
)


def think(position: Position, seat: int, budget: Budget, rng: Random) -> Thought:
    """Rank what a seat can do. Raise GameOver, or BadAction where the seat does not act now."""
    if position.phase == "over":
        raise GameOver(say("the game is over"))
    if position.phase == "place":
        if seat not in position.active:
            raise BadAction(say("seat {seat} does not place", seat=seat))
        return placing.think(position, seat, budget, rng)
    if seat != position.resolver:
        raise BadAction(say("seat {seat}: seat {other} resolves this turn", seat=seat, other=position.resolver))
    return resolving.think(position, budget)
