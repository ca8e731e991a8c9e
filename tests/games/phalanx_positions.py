"""Positions of Phalanx for tests: close armies at random, and what random games come to."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from firmware_host.games.phalanx.position import Position
from firmware_host.games.registry import game
from tests.games import phalanx_reference as slow

PHALANX: Any = game("phalanx")
START = "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1"


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A running position: close armies at random, or what a random game came to."""
    if draw(st.booleans()):
        return wandered(Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 60)))
    rng = Random(draw(st.integers(0, 2**32)))
    corner = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    crowd = [f"{slow.COLUMNS[corner[0] + x]}{corner[1] + y + 1}" for x in range(4) for y in range(4)]
    rng.shuffle(crowd)
    black, white = draw(st.integers(2, 9)), draw(st.integers(2, 9))
    points = dict.fromkeys(crowd[:black], "b") | dict.fromkeys(crowd[black : black + white], "w")
    living = slow.bury({point: side for point, side in points.items() if point not in slow.GOALS.values()})
    turn = draw(st.integers(1, 40))
    left = draw(st.integers(1, 3))
    side = "b" if turn % 2 else "w"
    text = f"{slow.write(living)} {side} {left} {turn}"
    if len(set(living.values())) < 2 or slow.winner(living, side):
        text = START
    now: Position = PHALANX.parse(text)
    return now


def wandered(rng: Random, actions: int) -> Position:
    now: Position = PHALANX.start("2")
    for _ in range(actions):
        after = PHALANX.apply(now, {now.seat: PHALANX.random_action(now, now.seat, rng)})
        if after.status.over:
            break
        now = after.position
    return now
