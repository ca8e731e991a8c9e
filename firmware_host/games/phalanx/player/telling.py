"""Why the player does what it does, in sentences that can be translated."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_host.games.phalanx.player.armies import ADD, KINDS, Armies
from firmware_host.games.phalanx.player.spot import COUNT, WON
from firmware_host.text.words import say

TURN = 3
"""Actions of a turn."""


def reasons(armies: Armies, move: int, value: float) -> Iterator[str]:
    """Yield what speaks for a move at the root, the most important first; nothing where nothing plain does."""
    before = armies.spot(0)
    side, left = before.side, before.left
    own, opp = before.own_count >> COUNT & 15, before.opp_count >> COUNT & 15
    armies.verdict(0)
    armies.measure(0)
    way, opp_way = before.way, before.opp_way
    turns = armies.play(0, move)
    after = armies.spot(1)
    if after.ended == WON:
        yield say("It wins.")
        return
    armies.verdict(1)
    if value >= 1.0:
        if not turns and after.ended == 0:
            yield say("It wins within this turn.") if after.way <= after.left else say("It wins by force.")
        else:
            yield say("It wins by force.")
    if after.ended:
        return
    armies.measure(1)
    same = after.side == side
    own_after, opp_after = (after.own_count, after.opp_count) if same else (after.opp_count, after.own_count)
    way_after, opp_way_after = (after.way, after.opp_way) if same else (after.opp_way, after.way)
    if (gone := opp - (opp_after >> COUNT & 15)) > 0:
        yield say("It removes a hoplite.") if gone == 1 else say("It removes {count} hoplites.", count=gone)
    if opp_way <= TURN < opp_way_after:
        yield say("It closes the opponent's way to its goal.")
    elif opp_way_after > opp_way:
        yield say("It makes the opponent's way to its goal longer.")
    if way_after < way:
        yield say("It brings the phalanx nearer to its goal.")
    if move & KINDS == ADD and (own_after >> COUNT & 15) > own:
        yield say("It makes the phalanx stronger.")
    if same and left > 1 and after.own_pushes > before.own_pushes:
        yield say("It prepares a push.")
