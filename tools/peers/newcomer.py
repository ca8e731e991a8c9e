"""Somebody in a first game, for the level "First steps": sees one action ahead, and nothing of what others may do.

Takes what wins at once. Else takes, of all actions, one that makes the most of what is plain to see: in Spokes more
stones on the own homes than on the others', then the end of the turn, and no board where the stones have been; in
Phalanx more hoplites than the other side has, and these nearer to the goal; in Octiles runners nearer to theirs. In
Coil nothing is plain: there it goes beside stones that lie. Where actions are sealed it places by lot.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

GAME = "every game"
PASS = "pass"  # noqa: S105 - an action
LEAST_STONES = 4
"""Black stones of Coil before which nobody thinks of passing."""


def choose(game: Any, position: Any, seat: int, rng: Random) -> str:
    """Return the newcomer's action."""
    offered = list(game.actions(position)[seat])
    if game.simultaneous(position):
        return rng.choice(offered)
    rng.shuffle(offered)
    best, chosen = -math.inf, offered[0]
    for action in offered:
        after = game.apply(position, {seat: action})
        if after.status.over:
            value = math.inf if seat in after.status.winners else -1e6
        else:
            value = PLAIN[game.name](game, position, after.position, seat, action)
        if value > best:
            best, chosen = value, action
    return chosen


def _lead(game: Any, position: Any, seat: int) -> float:
    """Return how far a seat's score is ahead of the others'."""
    scores = game.explain(position)
    own = next(line.score for line in scores if seat in line.seats)
    return float(own - max(line.score for line in scores if seat not in line.seats))


def _homes(game: Any, before: Any, after: Any, seat: int, _action: str) -> float:
    been_there = after.cells in after.met
    return _lead(game, after, seat) + (game.turn(after) != game.turn(before)) / 2 - 9 * been_there


def _army(game: Any, _before: Any, after: Any, seat: int, _action: str) -> float:
    away = _away(game, after, seat)
    return 2 * _lead(game, after, seat) - sum(away) / len(away)


def _all_near(game: Any, _before: Any, after: Any, seat: int, _action: str) -> float:
    return -sum(_away(game, after, seat))


def _away(game: Any, position: Any, seat: int) -> list[float]:
    """Return how far each own piece is from the nearest node of the own goal."""
    places, colour = game.layout().nodes, game.plays(position)[seat]
    goal = [places[node] for node in game.homes(position.mode, seat)]
    own = [places[node] for node, stack in game.occupancy(position).items() if colour in stack]
    return [min(math.dist(place, one) for one in goal) for place in own] or [0.0]


def _beside(game: Any, before: Any, _after: Any, _seat: int, action: str) -> float:
    """Return minus the distance to the nearest stone; a pass comes once some lie, not sooner."""
    places, lying = game.layout().nodes, game.occupancy(before)
    if action == PASS:
        return 1.0 if len(lying) > LEAST_STONES else -math.inf
    return -min((math.dist(places[action], places[node]) for node in lying), default=0.0)


PLAIN: dict[str, Callable[[Any, Any, Any, int, str], float]] = {
    "spokes": _homes,
    "phalanx": _army,
    "octiles": _all_near,
    "coil": _beside,
}
"""Game → what is plain to see of an action: its position before and after it, the seat, and the action."""
