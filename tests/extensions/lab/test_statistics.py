"""Elo, its interval and the sequential test say what is known from elsewhere, and hold in simulated matches."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.extensions.lab.arena.statistics import (
    elo,
    expected_score,
    likelihood,
    sequential_decision,
    tally,
)
from tests.sampling import together


def test_known_differences() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(10 / 11) == pytest.approx(400)
    assert (elo(1), elo(0)) == (math.inf, -math.inf)


def test_of_several_sides_equal_players_have_their_share() -> None:
    assert elo(1 / 3, 3) == pytest.approx(0)
    assert elo(1 / 4, 4) == pytest.approx(0)
    assert elo(0.5, 3) > 0 > elo(0.3, 4 - 1)


@given(st.floats(-600, 600), st.integers(2, 4))
def test_expected_is_the_inverse(difference: float, sides: int) -> None:
    assert elo(expected_score(difference, sides), sides) == pytest.approx(difference, abs=1e-6)


def test_wilsons_interval_without_draws() -> None:
    """The example of 8 successes in 10, Wilson's interval 0.490 to 0.943."""
    low, high = tally([1.0] * 8 + [0.0] * 2, 2).interval()
    assert (low, high) == (pytest.approx(0.490, abs=0.001), pytest.approx(0.943, abs=0.001))


@together("games", range(1, 60))
def test_of_games_all_alike_one_end_is_certain(games: int) -> None:
    assert tally([1.0] * games, 2).elo()[2] == math.inf
    assert tally([0.0] * games, 2).elo()[1] == -math.inf


def test_draws_make_it_narrower_and_nothing_makes_it_empty() -> None:
    wide, narrow = tally([1.0, 0.0] * 50, 2).interval(), tally([0.5] * 100, 2).interval()
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]
    assert tally([], 2).interval() == (0.0, 1.0)
    low, high = tally([1.0] * 20, 2).interval()
    assert 0.8 < low < high == 1.0


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60))
def test_the_interval_holds_the_score(scores: list[float]) -> None:
    found = tally(scores, 2)
    low, high = found.interval()
    assert 0 <= low <= found.score + 1e-9
    assert found.score <= high + 1e-9 <= 1 + 1e-9
    assert found.wins + found.draws + found.losses == len(scores)


def _simulated(true: float, low: float, high: float, seed: int) -> str | None:
    rng, scores = Random(seed), list[float]()
    while len(scores) < 4000:
        scores += [float(rng.random() < expected_score(true)) for _ in range(20)]
        found = sequential_decision(tally(scores, 2), low, high)
        if found:
            return found
    return None


def test_the_sequential_test_is_rarely_wrong() -> None:
    right = [_simulated(60, 0, 60, seed) == "stronger" for seed in range(40)]
    right += [_simulated(0, 0, 60, seed) == "weaker" for seed in range(40)]
    assert sum(right) >= 72


def test_it_does_not_decide_on_few_games() -> None:
    assert sequential_decision(tally([1.0] * 2, 2), 0, 50) is None
    assert likelihood(tally([], 2), 0, 50) == pytest.approx(0, abs=1e-4)


def test_without_draws_the_likelihood_is_that_of_a_coin() -> None:
    """Of scores 0 and 1 the mean is the whole distribution."""
    by_hand = 30 * math.log(expected_score(60) / expected_score(10)) + 20 * math.log(
        expected_score(-60) / expected_score(-10)
    )
    assert likelihood(tally([1.0] * 30 + [0.0] * 20, 2), 10, 60) == pytest.approx(by_hand)
