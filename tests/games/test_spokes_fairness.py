"""With four players of Spokes nobody is singled out: on the turned board each seat plays what its neighbour played."""

from __future__ import annotations

import re
from random import Random

import pytest

from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget
from tests.sampling import together

SPOKES = game("spokes")


def turned(text: str) -> str:
    """Return a position that resolves after a quarter turn: seat 1 has what seat 4 had."""
    cells, mode, turn, resolver, *rest = text.split(" ")
    rings = [re.findall(r"\([^)]*\)|.", ring) for ring in cells.split("/")]
    moved = ["".join(ring[-len(ring) // 4 :] + ring[: -len(ring) // 4]) if len(ring) > 1 else ring[0] for ring in rings]
    return " ".join(["/".join(moved), mode, turn, str(int(resolver) % 4 + 1), *rest])


@pytest.mark.parametrize("evaluation", [0, 1])
@together("seed", range(12))
def test_a_turned_board_is_worth_the_same_to_the_next_seat(seed: int, evaluation: int) -> None:
    rng, position = Random(seed), SPOKES.start("4")
    for _ in range(rng.randrange(3, 10)):
        if not SPOKES.status(position).over:
            chosen = {seat: SPOKES.random_action(position, seat, rng) for seat in SPOKES.actions(position)}
            position = SPOKES.apply(position, chosen).position
    if SPOKES.status(position).over or SPOKES.simultaneous(position):
        return
    values = []
    for now in (position, SPOKES.parse(turned(SPOKES.text(position)))):
        seat = SPOKES.actor(now)
        assert seat
        values.append(SPOKES.think(now, seat, Budget(5_000, evaluation=evaluation), Random(1)).choices[0].value)
    assert values[0] == pytest.approx(values[1])
