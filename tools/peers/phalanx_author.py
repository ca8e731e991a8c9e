"""The author's own computer player of Phalanx, restated: a peer to measure our player against.

It looks two actions ahead, whichever side acts, by alpha-beta in the order adds, pushes, moves. The value
of a position to a side is twice its hoplites less the opponent's, less the mean straight-line distance of its own
hoplites to its goal; 100 where a side has won. It never ends a turn early. Among actions of one kind
the author's order is that of a hash table: here it is drawn. Left out is the author's table of positions, which mixes
values of searches that are not equally deep.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import GOAL, NODE, OTHER, coordinates, members
from firmware_host.games.phalanx.rules import ACTIONS, Position

DEPTH = 2
AIM = 0.9
"""Score of the highest level against this player, at least."""
WON = 100.0

_PLACES = coordinates()
_AWAY = {
    side: {bit: math.dist(_PLACES[node], _PLACES[goal]) for bit, node in NODE.items()} for side, goal in GOAL.items()
}
Way = tuple[str, int, int]
"""An action's text, the hoplites of the side that acts after it, and those of its opponent."""


def choose(game: Any, position: Position, seat: int, rng: Random) -> str:  # noqa: ARG001
    """Return the author's action."""
    own, other = rules.sides(position)
    best, chosen = -math.inf, "end"
    for action, mine, theirs in _ways(own, other, rng):
        value = _value(position.side, position.side, mine, theirs, position.left - 1, DEPTH - 1, best, math.inf, rng)
        if value > best:
            best, chosen = value, action
    return chosen


def _value(
    us: str, side: str, own: int, other: int, left: int, depth: int, low: float, high: float, rng: Random
) -> float:
    """Return what a position is worth to ``us`` after an action of ``side``, which has so many actions left."""
    won = rules.winner(*((own, other) if side == "b" else (other, own)), side)
    if won:
        return WON if won[0] == us else -WON
    if depth == 0:
        return _rate(us, own, other) if side == us else _rate(us, other, own)
    if not left:
        side, own, other, left = OTHER[side], other, own, ACTIONS
    for _, mine, theirs in _ways(own, other, rng):
        value = _value(us, side, mine, theirs, left - 1, depth - 1, low, high, rng)
        if side == us:
            low = max(low, value)
        else:
            high = min(high, value)
        if low >= high:
            break
    return low if side == us else high


def _rate(us: str, own: int, other: int) -> float:
    mine = members(own)
    return 2 * (len(mine) - other.bit_count()) - sum(_AWAY[us][bit] for bit in mine) / len(mine)


def _ways(own: int, other: int, rng: Random) -> Iterator[Way]:
    offer = rules.legal_actions(own, other)
    adds = members(offer.adds)
    rng.shuffle(adds)
    for target in adds:
        yield f"+{NODE[target]}", own | target, other
    pushes = list(offer.pushes)
    rng.shuffle(pushes)
    for push in pushes:
        mine, theirs, _ = rules.effect_of_push(own, other, push)
        yield push.text, rules.survivors(mine), rules.survivors(theirs)
    moves = [(source, target) for source, targets in offer.moves for target in members(targets)]
    rng.shuffle(moves)
    for source, target in moves:
        yield f"{NODE[source]}-{NODE[target]}", rules.survivors(own ^ source | target), rules.survivors(other)
