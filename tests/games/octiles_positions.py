"""Positions of Octiles for tests: scattered at random, and what random games come to."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from firmware_host.games.octiles import notation, rules
from firmware_host.games.octiles.board import NODES, ROWS_GAINED
from firmware_host.games.octiles.rules import Position
from firmware_host.games.registry import game
from firmware_host.services.engine import answer_line
from tests.games import octiles_reference as slow

OCTILES: Any = game("octiles")
WELLS = list(slow.EDGES)
STACK = [16, 11, 14, 7, 17, 6, 8, 10, 9, 15, 3, 2, 1, 18, 4, 5, 13, 12]
GOOD = "b3:12r5,c1:4r0 blue:A1,A2,A3,A4,B3;yellow:E5,F2,F3,F4,F5 1,2,3,5,6,7,8,9,10,11,13,14,15,16,17,18 2 1"


def ask(**request: Any) -> Any:
    return json.loads(answer_line(json.dumps({"game": "octiles", **request})))


@st.composite
def positions(draw: st.DrawFn, modes: str = "234", full: bool = False) -> Position:
    """A running position of any mode: tiles and runners scattered, or what a random game came to."""
    rng = Random(draw(st.integers(0, 2**32)))
    mode = draw(st.sampled_from(modes))
    if draw(st.booleans()) and not full:
        return wandered(rng, mode, draw(st.integers(0, 80)))
    now: Position = OCTILES.parse(slow.write(scattered(rng, mode, 17 if full else draw(st.integers(0, 17)))))
    return now


def scattered(rng: Random, mode: str, tiles: int) -> slow.State:
    """Return tiles and runners anywhere they may be, of a game that is not over."""
    while True:
        deal = rng.sample(range(1, 19), 18)
        wells = {well: (deal.pop(), rng.randrange(8)) for well in rng.sample(WELLS, tiles)}
        free = rng.sample(slow.NODES, len(slow.NODES))
        runners: dict[str, list[str]] = {}
        crowded = rng.random() < 0.3  # Home sides all occupied, as the vacate rule needs them.
        for side in slow.SIDES[mode]:
            may = [node for node in free if node in slow.STOPS or node in slow.HOME[side] or node in slow.GOAL[side]]
            if crowded:
                may.sort(key=lambda node: node in slow.STOPS)
            runners[side] = sorted(may[: 4 if mode == "4" else 5])
            free = [node for node in free if node not in runners[side]]
        state = slow.State(wells, runners, deal, mode, rng.randint(1, len(runners)))
        if not any(set(nodes) <= set(slow.GOAL[side]) for side, nodes in runners.items()):
            return state


def wandered(rng: Random, mode: str, turns: int) -> Position:
    """Return what some random turns of a game come to, before it is over."""
    now: Position = OCTILES.start_with(mode, {"seed": rng.randrange(1000)})
    for _ in range(turns):
        after = OCTILES.apply(now, {now.seat: OCTILES.random_action(now, now.seat, rng)})
        if after.status.over:
            break
        now = after.position
    return now


def greedy_action(position: Position, seat: int, rng: Random) -> str:
    """Return a legal turn of the seat to move that gains most rows for a runner, a random one of equals."""
    assert position.seat == seat
    offered = sorted(rules.legal_turns(position).turns)
    gains = [ROWS_GAINED[position.side][code % len(NODES) ** 2] for code in offered]
    furthest = [code for code, gain in zip(offered, gains, strict=True) if gain == max(gains)]
    return notation.text(rng.choice(furthest)) if furthest else notation.PASS
