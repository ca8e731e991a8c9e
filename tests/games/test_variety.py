"""No game is like another: at every level of every game, seeds alone make games from the same start differ."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import LEVELS, choose
from firmware_host.searching.alpha_beta import AlphaBeta
from tests.sampling import cases

COMPILED = not hasattr(AlphaBeta.rank, "__code__")
GAMES_PLAYED = 20
NODES = 3_000 if COMPILED else 300
"""What a level may look at here: what differs with few nodes does so with many."""
ROUNDS = 10
WAYS = [(name, level) for name in sorted(GAMES) for level in range(LEVELS)]


def opening(one: Any, level: int, seed: int) -> tuple[str, ...]:
    """Return the first actions of a game that begins as all others do."""
    rng, now = Random(seed), starting(one, one.modes[0], {SEED: 1})
    strength = one.strengths[level]
    budget = replace(strength.budget, nodes=min(NODES, strength.budget.nodes))
    found: list[str] = []
    for _ in range(ROUNDS):
        chosen = {s: choose(one.think(now, s, budget, rng), strength.spread, rng).action for s in one.actions(now)}
        found += chosen.values()
        now = one.apply(now, chosen).position
    return tuple(found)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level"), cases(WAYS, ("phalanx", LEVELS - 1)))
def test_of_twenty_games_no_two_begin_alike(name: str, level: int) -> None:
    one = game(name)
    assert len({opening(one, level, seed) for seed in range(GAMES_PLAYED)}) == GAMES_PLAYED


def test_what_is_drawn_is_worth_nearly_as_much_as_the_best() -> None:
    """Without variety a thought tells what each action is worth; with it another may come first, but none far off."""
    phalanx: Any = game("phalanx")
    now = phalanx.start("2")
    budget = replace(phalanx.strengths[0].budget, nodes=3_000, depth=2)
    exact = {one.action: one.value for one in phalanx.think(now, 1, budget, Random(0)).choices}
    drawn = [phalanx.think(now, 1, replace(budget, variety=60), Random(seed)).choices[0].action for seed in range(20)]
    assert len(set(drawn)) > 1
    assert all(exact[action] > max(exact.values()) - 0.02 for action in drawn)
