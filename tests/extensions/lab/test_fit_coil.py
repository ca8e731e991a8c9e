"""Coil's player is tuned by its own games: the same sample again, and curves that are known are found."""

from __future__ import annotations

import math
from random import Random

import pytest

from firmware_host.extensions.lab import fit_coil
from firmware_host.games.coil.player.thinking import logit


@pytest.mark.thorough
def test_a_sample_of_the_fit_is_the_same_again() -> None:
    one = fit_coil.sample(1, 12)
    assert one == fit_coil.sample(1, 12)
    assert 0 <= one["found"] <= 1
    assert one["stones"] >= fit_coil.BY_CHANCE


@pytest.mark.thorough
def test_the_course_of_a_game_is_the_same_again() -> None:
    rows = fit_coil.course(1, 30)
    assert rows == fit_coil.course(1, 30)
    assert len({row["black"] for row in rows}) == 1, "one side has won the game"
    assert [row["turn"] for row in rows[:4]] == [False, True, False, True], "White begins after a pass"
    assert [row["put"] for row in rows] == sorted(row["put"] for row in rows)


def test_few_games_of_one_result_are_fitted_too() -> None:
    offsets, slope = fit_coil.fit_offsets([{"nodes": 100, "found": found, "black": True} for found in (0.8, 0.9, 0.95)])
    assert math.isfinite(offsets[100])
    assert slope > 0


def test_the_fit_finds_curves_that_are_known() -> None:
    rng, samples = Random(1), []
    for nodes, offset in ((100, -1.0), (1000, -2.0)):
        for found in (rng.uniform(0.05, 0.95) for _ in range(400)):
            black = rng.random() < 1 / (1 + math.exp(-offset - 2 * logit(found)))
            samples.append({"nodes": nodes, "found": found, "black": black})
    offsets, slope = fit_coil.fit_offsets(samples)
    assert abs(offsets[100] + 1) < 0.4
    assert abs(offsets[1000] + 2) < 0.4
    assert abs(slope - 2) < 0.4


def test_the_curve_of_the_main_phase_is_found() -> None:
    rng, rows, offsets, slope = Random(1), list[dict[str, object]](), {1000: -2.0}, 2.0
    for found in (rng.uniform(0.1, 0.9) for _ in range(6000)):
        put, turn = rng.uniform(0, 0.3), rng.random() < 0.5
        black = rng.random() < 1 / (1 + math.exp(-0.8 * (-2 + 2 * logit(found)) - 1 - 4 * put + turn))
        rows.append({"found": found, "put": put, "turn": turn, "black": black})
    found_ones = fit_coil.fit_main(rows, 1000, offsets, slope)
    for one, known, near in zip(found_ones, (0.8, 1, 4, -1), (0.1, 0.3, 1.2, 0.2), strict=True):
        assert abs(one - known) < near
