"""Positions of Phalanx for tests: close armies at random, and what random games come to."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from firmware_host.games.phalanx.rules import Position
from firmware_host.games.registry import game
from tests.games import phalanx_reference as slow

PHALANX: Any = game("phalanx")
START = "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1"


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A running position: close armies at random, or what a random game came to."""
    rng = Random(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        return wandered(rng, draw(st.integers(0, 60)))
    return armies(rng, draw(st.integers(1, 40)), draw(st.integers(1, 3)))


def armies(rng: Random, turn: int = 1, left: int = 3) -> Position:
    """Return a running position of close armies."""
    side = "b" if turn % 2 else "w"
    while True:
        living = crowd(rng)
        if len(set(living.values())) == 2 and not slow.winner(living, side):
            now: Position = PHALANX.parse(f"{slow.write(living)} {side} {left} {turn}")
            return now


def crowd(rng: Random) -> slow.Points:
    """Return close armies without their dead."""
    column, row = rng.randrange(6), rng.randrange(6)
    near = [f"{slow.COLUMNS[column + x]}{row + y + 1}" for x in range(4) for y in range(4)]
    rng.shuffle(near)
    black, white = rng.randint(2, 9), rng.randint(2, 9)
    points = dict.fromkeys(near[:black], "b") | dict.fromkeys(near[black : black + white], "w")
    return slow.bury({point: side for point, side in points.items() if point not in slow.GOALS.values()})


def wandered(rng: Random, actions: int) -> Position:
    now: Position = PHALANX.start("2")
    for _ in range(actions):
        after = PHALANX.apply(now, {now.seat: PHALANX.random_action(now, now.seat, rng)})
        if after.status.over:
            break
        now = after.position
    return now
