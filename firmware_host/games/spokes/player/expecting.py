"""How to mix placements against people: in part they place what looks best on average, in part as well as can be.

An equilibrium alone wins no more from those who err than from those who do not. So the other side is thought to place
by a simple model in half of all cases and by its best answer to our mix in the others: a restricted Nash response
(Johanson, Zinkevich, Bowling, "Computing Robust Counter-Strategies", 2007). It wins most of what the model offers and
loses little to an opponent that knows it. All numbers are whole, so that every machine chooses the same.
"""

from __future__ import annotations

from firmware_host.games.spokes.player.judge import WIN
from firmware_host.searching import matrix

ROUNDS = 1000
NEAR = 2000
"""Millionths of a win by which the mixed strategies may be worse than those of an equilibrium."""
SIMPLE = 2
"""One in so many placements of the other side is thought to follow the model."""
FAR = 40_000
"""Millionths of a win: a placement that looks worse than the best one by so much is taken a quarter as often."""


def solve(values: list[int], size: int) -> tuple[list[int], list[int]]:
    """Return our mix for a square matrix, and the mix that the other side is thought to have.

    ``values`` are what pairs are worth to us, row by row, ours in rows.
    """
    model = likely(values, size)
    against = matrix.means(values, model, size)
    blended = [
        (against[row] + (SIMPLE - 1) * values[row * size + column]) // SIMPLE
        for row in range(size)
        for column in range(size)
    ]
    mine, theirs = matrix.solve(blended, size, size, ROUNDS, NEAR)
    return mine, [(one + (SIMPLE - 1) * other) // SIMPLE for one, other in zip(model, theirs, strict=True)]


def likely(values: list[int], size: int) -> list[int]:
    """Return how often the model places what: by its mean over all of ours, as a share of :data:`matrix.ONE`."""
    means = [sum(WIN - value for value in values[column::size]) // size for column in range(size)]
    best = max(means)
    weights = [FAR * FAR * matrix.ONE // (FAR + best - mean) ** 2 for mean in means]
    total = sum(weights)
    return [weight * matrix.ONE // total for weight in weights]
