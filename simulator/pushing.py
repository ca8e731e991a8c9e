"""Pushing a line of stones: every stone straight ahead of the pushed one moves on by one node."""

from __future__ import annotations

import math
from collections.abc import Mapping

from simulator.hand import Hand
from simulator.stones import World

Places = Mapping[str, tuple[float, float]]
"""Node → (x, y), in any unit."""
NEXT = 1.35
"""Maximum distance of neighbours, as a multiple of the distance of a node's nearest node."""
AIM = 0.35
"""Maximum distance of the next node of a line from its ideal place, as a share of the step."""


def ahead(places: Places, source: str, target: str) -> list[str]:
    """Return the nodes in line from ``target`` on, away from ``source``; empty if the two are not neighbours.

    Raise KeyError for an unknown node.
    """
    (x0, y0), (x, y) = places[source], places[target]
    dx, dy = x - x0, y - y0
    step = math.hypot(dx, dy)
    nearest = min(math.dist(places[target], place) for node, place in places.items() if node != target)
    if not 0 < step <= NEXT * nearest:
        return []
    found = [target]
    while True:
        x, y = x + dx, y + dy
        node = min(places, key=lambda name: math.dist(places[name], (x, y)))
        if math.dist(places[node], (x, y)) > AIM * step:
            return found
        found.append(node)


def shove(world: World, places: Places, source: str, target: str, name: str) -> None:
    """Make room on ``target`` for a stone from ``source``: the stones in line move on, the foremost first.

    A stone that is pushed over the edge goes to the supply. ``name`` is the name of the hand.
    """
    stones = world.stones()
    line = ahead(places, source, target)
    pushed = []
    for node in line:
        if node not in stones:
            break
        pushed.append(node)
    hand = Hand(world, name)
    for at in reversed(range(len(pushed))):
        if at + 1 < len(line):
            hand.carry(line[at], line[at + 1], stones[line[at]])
        else:
            hand.take_off(line[at])
