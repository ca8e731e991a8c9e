"""Finds a win within one's own turn that needs pushes; mypyc compiles it."""

from __future__ import annotations

from mypy_extensions import i64

from firmware_host.games.phalanx.player.armies import Armies
from firmware_host.games.phalanx.player.flat import PLAY_HIGH, PLAY_LOW, near_high, near_low
from firmware_host.games.phalanx.player.spot import Spot
from firmware_host.searching.alpha_beta import MOVE_BITS, PROVED, UNKNOWN


def winning(armies: Armies, ply: i64, seen: set[int]) -> i64:
    """Return a move after which the side that acts wins within this turn; 0 where there is none, or no push in it.

    Everything is looked at but for turns in which no push can be: without one, only empty points lead to a win, and
    :meth:`Armies.verdict` knows those. ``seen`` is empty at first.
    """
    spot = armies.spot(ply)
    left = spot.left
    if left - 1 < _to_contact(spot, left):
        return 0
    found: list[i64] = []
    if left == 1:
        armies.expand_pushes(spot, found)
    else:
        armies.expand(ply, found)
    for code in found:
        move = code & (1 << MOVE_BITS) - 1
        turns = armies.play(ply, move)
        if turns:
            continue
        value = armies.verdict(ply + 1)
        if value != UNKNOWN:
            if value >= PROVED:
                return move
            continue
        key = armies.key(ply + 1)
        if key not in seen:
            seen.add(key)
            if winning(armies, ply + 1, seen):
                return move
    return 0


def _to_contact(spot: Spot, most: i64) -> i64:
    """Return how many actions it takes to stand next to an opponent; at most ``most``."""
    low, high = spot.own_low, spot.own_high
    free_low, free_high = PLAY_LOW & ~spot.opp_low, PLAY_HIGH & ~spot.opp_high
    beside_low, beside_high = near_low(spot.opp_low, spot.opp_high), near_high(spot.opp_low, spot.opp_high)
    steps: i64 = 0
    while steps < most and low & beside_low | high & beside_high == 0:
        more_low = (near_low(low, high) | low) & free_low
        more_high = (near_high(low, high) | high) & free_high
        low = more_low
        high = more_high
        steps += 1
    return steps
