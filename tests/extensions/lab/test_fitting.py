"""The tools that fit evaluations: the regression finds known weights, and features are what the player estimates by."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given, settings

from firmware_host.extensions.lab import fit_phalanx
from firmware_host.extensions.lab.fitting import Sample, fit, loss, sigmoid
from firmware_host.games.phalanx.player import forms, thinking
from firmware_host.games.phalanx.rules import Position
from firmware_host.searching.alpha_beta import UNKNOWN
from tests.games.phalanx_positions import positions


def samples(weights: list[float], count: int, rng: Random) -> list[Sample]:
    found = []
    for _ in range(count):
        values = [rng.choice([-1.0, 0.0, 2.0]) for _ in weights]
        chance = sigmoid(sum(weight * value for weight, value in zip(weights, values, strict=True)))
        score = float(rng.random() < chance)
        found.append((array("i", range(len(weights))), array("d", values), score))
    return found


def test_the_regression_finds_the_weights_that_made_the_results() -> None:
    rng = Random(1)
    real = [1.0, -0.5, 0.0, 0.3]
    known = samples(real, 3000, rng)
    fitted = fit(known, [0.0] * 4, hold=[0.0] * 4, epochs=5, pace=0.05, rng=rng)
    assert fitted == pytest.approx(real, abs=0.15)
    assert loss(known, fitted) < loss(known, [0.0] * 4)


def test_what_is_held_stays_near_where_it_began() -> None:
    rng = Random(2)
    known = samples([1.0], 1000, rng)
    free, held = (fit(known, [0.0], hold=[hold], epochs=3, pace=0.05, rng=Random(1))[0] for hold in (0.0, 500.0))
    assert 0 < held < free / 2


@settings(deadline=None, max_examples=60)
@given(position=positions())
def test_features_times_weights_are_the_estimate(position: Position) -> None:
    rng = Random(3)
    numbers = {name: [rng.randrange(-1000, 1000) for _ in range(size)] for name, size in forms.SIZES.items()}
    line = thinking.line_from(position, forms.make_weights(numbers))
    if line.verdict(0) != UNKNOWN:
        return
    found, values = fit_phalanx.features(line)
    weights = fit_phalanx.flat(numbers)
    told = 1000 * sum(weights[at] * value for at, value in zip(found, values, strict=True))
    assert line.evaluate(0, -UNKNOWN, UNKNOWN) == pytest.approx(told, abs=25), "means are rounded to 1/100 of a point"


def test_a_game_with_itself_gives_positions_with_scores_and_the_same_ones_again() -> None:
    weights = forms.weights(forms.SIMPLE)
    one, two = (fit_phalanx.play_game(weights, 30, Random(5)) for _ in range(2))
    assert one == two
    assert len(one) > 5
    assert all(0 <= score <= 1 for _, _, score in one)


def test_what_is_written_is_read_again() -> None:
    numbers = fit_phalanx.name_weights(fit_phalanx.flat(forms.NUMBERS))
    text = "\n".join(fit_phalanx.file_lines(numbers, "Made by: a test"))
    names: dict[str, dict[str, tuple[int, ...]]] = {}
    exec(text.replace("NUMBERS: dict[str, tuple[int, ...]]", "NUMBERS"), names)
    assert {name: list(weights) for name, weights in names["NUMBERS"].items()} == numbers
