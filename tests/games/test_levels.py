"""Levels have names that people understand, whatever number of them a game has."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.games.levels import default_level, levels
from firmware_host.games.thinking import LEVELS, Choice, Thought, choose


def names(count: int) -> list[str]:
    return [str(level.name) for level in levels(count)]


def test_five_levels_have_five_names_and_a_sentence_each() -> None:
    assert names(5) == ["Beginner", "Casual", "Experienced", "Strong", "Expert"]
    assert all(level.about.endswith(".") for level in levels(5))


def test_fewer_levels_have_some_of_the_names_in_their_order() -> None:
    assert names(3) == ["Beginner", "Experienced", "Expert"]
    assert names(1) == ["Expert"]
    for count in range(1, LEVELS + 1):
        assert [level.number for level in levels(count)] == list(range(1, count + 1))
        assert len(set(names(count))) == count
        assert sorted(names(count), key=names(5).index) == names(count)
        assert 1 <= default_level(count) <= count


@pytest.mark.parametrize("count", [0, LEVELS + 1])
def test_no_level_or_too_many_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 5"):
        levels(count)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 3), st.integers())
def test_a_level_takes_a_certain_win_and_no_certain_loss(values: list[float], spread: float, seed: int) -> None:
    ranked = sorted(values, reverse=True)
    thought = Thought(tuple(Choice(str(at), value) for at, value in enumerate(ranked)), 1)
    taken = choose(thought, spread, Random(seed))
    if ranked[0] == 1.0:
        assert taken.value == 1.0
    if ranked[0] > 0.0:
        assert taken.value > 0.0
