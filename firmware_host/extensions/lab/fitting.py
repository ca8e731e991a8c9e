"""What the tools that fit evaluations share: self-play as mass work, and logistic regression on sparse features.

Games are played in batches, a batch for each key: a digest of everything that it follows from, and its games' numbers.
So a tool that was stopped goes on with the same command, and plays nothing again (mass-work.md).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.link.mass_work import RowsFile, Workers, add_workers, complete, workers_of
from firmware_host.text.words import Refused

Sample = tuple["array[int]", "array[float]", float]
"""Numbers of the features that are not 0, their values, and the score that came of it, 0 to 1."""


BATCH = 10
"""Games of a unit of work."""


def add_self_play(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the options of self-play to a tool: who plays, and the file that keeps what was played."""
    add_workers(parser)
    parser.add_argument("--samples", type=Path, default=Path(f"{name}-samples.jsonl"), help="what was played")


class SelfPlay:
    """Games that players play against themselves, kept in a file."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Take the options of :func:`add_self_play`. Raise Refused for a file that can't be used."""
        self._file = RowsFile(arguments.samples, option="--samples")
        self._workers: Workers = workers_of(arguments)

    def games(
        self,
        play: Callable[..., Mapping[str, Any]],
        arguments: tuple[Any, ...],
        seed: str,
        games: int,
        batch: int = BATCH,
    ) -> list[list[Any]]:
        """Return what ``play(*arguments, seed, first, end)`` returns as ``games``: for each game its samples, in order.

        ``arguments`` are plain data. Game n is played with :func:`game_chance` of seed and n.
        """
        text = json.dumps([play.__name__, *arguments])
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        units = {}
        for first in range(0, games, batch):
            end = min(first + batch, games)
            units[f"{digest} {seed} games {first} to {end - 1}"] = (*arguments, seed, first, end)
        rows = complete(self._file, play, units, self._workers, title=f"self-play {seed}", unit="batch")
        return [game for row in rows for game in row["games"]]


def run_tool(main: Callable[[], int | None]) -> int:
    """Run a tool's main function; return the exit code. What is refused is told in a sentence."""
    try:
        return main() or 0
    except KeyboardInterrupt:
        print("Stopped; the same command goes on.", file=sys.stderr)
        return 130
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 1


def game_chance(seed: str, number: int) -> Random:
    """Return the chance of one game of self-play."""
    return Random(f"{seed} game {number}")


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
