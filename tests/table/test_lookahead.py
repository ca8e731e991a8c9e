"""The steps after a step are kept, but not more of them than a small machine can hold."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.games import positions as lookahead
from firmware_host.games.positions import NextStepCache
from firmware_host.games.registry import game as find_game


def test_the_cache_is_bounded_by_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "MAX_STEPS", 300)
    game = find_game("phalanx")
    position = game.start("2")
    steps = [step for step in game.steps(position) if step.moves]
    cache = NextStepCache(game)
    for step in (*steps, *steps):
        first, again = cache.after(position, (), step), cache.after(position, (), step)
        assert first == NextStepCache(game).after(position, (), step)
        assert all(one is other for one, other in zip(first, again, strict=True))
        assert sum(1 + len(kept) for kept in cache._known.values()) <= 300
    assert len(cache._known) < len(steps)


@pytest.mark.parametrize("name", ["phalanx", "coil", "spokes"])
def test_only_steps_that_touch_some_nodes_are_asked_for(name: str) -> None:
    game = find_game(name)
    position = game.start("2")
    while game.simultaneous(position):
        position = game.apply(
            position, {seat: game.random_action(position, seat, Random(seat)) for seat in game.actions(position)}
        ).position
    cache, first = NextStepCache(game), next(step for step in game.steps(position) if step.moves)
    every = cache.after(position, (), first)
    nodes = list(game.layout().nodes)
    for asked in ({one} for one in nodes), ({one, nodes[0]} for one in nodes), [set(nodes[:3])]:
        for some in map(frozenset, asked):
            wanted = [step for step in every if some <= step.touches | step.removed]
            assert list(cache.after(position, (), first, some)) == wanted
