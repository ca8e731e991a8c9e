"""Finds a win within one's own turn that needs pushes; mypyc compiles it."""

from __future__ import annotations

from mypy_extensions import i64

from firmware_host.games.phalanx.player.armies import Armies
from firmware_host.games.phalanx.player.flat import PLAY_HIGH, PLAY_LOW, near_high, near_low
from firmware_host.games.phalanx.player.spot import WON, Spot
from firmware_host.searching.alpha_beta import MOVE_BITS, PROVED, UNKNOWN, WIN


def winning(armies: Armies) -> tuple[i64, i64]:
    """Return a move with which the side that acts wins soonest within this turn, and how many positions were seen.

    The move is 0 where there is no win, or no push in it: without one, only empty points lead to a win, and
    :meth:`Armies.verdict` knows those. Everything is looked at but for turns in which no push can be. A win in one
    action is looked for before one in two, and so on: a win at hand is not put off.
    """
    looked: i64 = 0
    within: i64 = 1
    while within <= armies.spot(0).left:
        seen: set[int] = set()
        move = _winning(armies, 0, within, seen)
        looked += len(seen)
        if move:
            return move, looked
        within += 1
    return 0, looked


def _winning(armies: Armies, ply: i64, within: i64, seen: set[int]) -> i64:
    """Return a move after which so many actions in all win, 0 where there is none. ``seen`` did not win so soon."""
    spot = armies.spot(ply)
    if within - 1 < _to_contact(spot, within):
        return 0
    found: list[i64] = []
    if within == 1:
        armies.expand_pushes(spot, found)
    else:
        armies.expand(ply, found)
    for code in found:
        move = code & (1 << MOVE_BITS) - 1
        turns = armies.play(ply, move)
        if armies.spot(ply + 1).ended == WON and not turns:
            return move
        if turns or within == 1:
            continue
        value = armies.verdict(ply + 1)
        if value != UNKNOWN:
            if WIN - ply - within <= value:
                return move
            if value < PROVED:
                continue
        key = armies.key(ply + 1)
        if key not in seen:
            seen.add(key)
            if _winning(armies, ply + 1, within - 1, seen):
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
