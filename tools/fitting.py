"""Logistic regression on sparse features, in plain Python, for evaluations fitted on self-play."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from random import Random

Sample = tuple["array[int]", "array[float]", float]
"""Numbers of the features that are not 0, their values, and the score that came of it, 0 to 1."""


def fit(
    samples: Sequence[Sample],
    prior: Sequence[float],
    *,
    hold: Sequence[float],
    epochs: int,
    pace: float,
    rng: Random,
) -> list[float]:
    """Return weights in logit, by adaptive gradient steps (AdaGrad) over shuffled samples.

    ``prior`` is where they begin, and are expected with a variance of 1 / ``hold``: features that are seldom seen stay
    near it.
    """
    seen = [0] * len(prior)
    for features, _, _ in samples:
        for feature in features:
            seen[feature] += 1
    pull = [strength / max(1, count) for strength, count in zip(hold, seen, strict=True)]
    weights = list(prior)
    squares = [1e-3] * len(weights)
    order = list(range(len(samples)))
    for _ in range(epochs):
        rng.shuffle(order)
        for number in order:
            features, values, score = samples[number]
            error = score - sigmoid(sum(weights[f] * v for f, v in zip(features, values, strict=True)))
            for feature, value in zip(features, values, strict=True):
                slope = error * value - pull[feature] * (weights[feature] - prior[feature])
                squares[feature] += slope * slope
                weights[feature] += pace * slope / math.sqrt(squares[feature])
    return weights


def loss(samples: Sequence[Sample], weights: Sequence[float]) -> float:
    """Return the mean logarithmic loss, in nats."""
    total = 0.0
    for features, values, score in samples:
        expected = sigmoid(sum(weights[f] * v for f, v in zip(features, values, strict=True)))
        expected = min(max(expected, 1e-9), 1 - 1e-9)
        total -= score * math.log(expected) + (1 - score) * math.log(1 - expected)
    return total / len(samples)


def sigmoid(logit: float) -> float:
    """Return the probability of a logit."""
    return 1 / (1 + math.exp(-min(max(logit, -30.0), 30.0)))
