"""The steps after a step are kept, but not more of them than a small machine can hold."""

from __future__ import annotations

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
        fresh = NextStepCache(game).after(position, (), step)
        assert cache.after(position, (), step) == fresh
        assert cache.after(position, (), step) is cache.after(position, (), step)
        assert sum(1 + len(kept) for kept in cache._known.values()) <= 300
    assert len(cache._known) < len(steps)
