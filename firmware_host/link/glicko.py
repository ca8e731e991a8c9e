"""Glicko-2 ratings: playing strength and its uncertainty, updated once for each rating period.

Source: M. E. Glickman, "Example of the Glicko-2 system" (revised 22 March 2022); variable names are the paper's. No
Python package: ``glicko2`` uses the rating instead of the deviation in step 5, others are new or need compiling.

The paper makes one step of Newton's method towards the most likely strength. After results against all expectation,
as when two people win everything in turns, that step is too long, and each later one longer still. So points, the step
of a period and the volatility have bounds here; ordinary results reach none of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SCALE = 173.7178
"""Rating points in one unit of the paper's internal scale."""
MEAN = 1500.0
WIDEST = 350.0
"""The deviation of a new player, and the maximum."""
TAU = 0.5
"""The system constant, which limits changes of the volatility; the paper recommends 0.3 to 1.2."""
LEAST, MOST = 0.0, 3000.0
"""Bounds of the points. They keep an expected score away from 0 and 1, where a result weighs nothing at all."""
LONGEST_STEP = 2 * WIDEST
"""Maximum change of the points in a period: what was known of a new player with 95 % certainty."""
MOST_VOLATILE = 0.3
"""Maximum volatility: five times that of a new player."""
CLOSE = 1e-6


@dataclass(frozen=True)
class Rating:
    """A rating in points; the true strength is within two deviations with 95 % certainty. ``volatility``: no unit."""

    points: float = MEAN
    deviation: float = WIDEST
    volatility: float = 0.06

    def after_rest(self, periods: int) -> Rating:
        """Return the rating after periods without a game: the deviation grows."""
        grown = math.hypot(self.deviation, math.sqrt(max(periods, 0)) * self.volatility * SCALE)
        return Rating(self.points, min(grown, WIDEST), self.volatility)

    def after(self, results: Sequence[tuple[Rating, float]]) -> Rating:
        """Return the rating after a period. ``results``: (opponent's rating before the period, score 1, 0.5 or 0).

        Their order does not matter, to the last bit: a sum of floats depends on it, :func:`math.fsum` does not.
        """
        if not results:
            return self.after_rest(1)
        mu, phi = (self.points - MEAN) / SCALE, self.deviation / SCALE
        gains, weights = list[float](), list[float]()
        for other, score in results:
            g = 1 / math.sqrt(1 + 3 * (other.deviation / SCALE) ** 2 / math.pi**2)
            expected = 1 / (1 + math.exp(-g * (mu - (other.points - MEAN) / SCALE)))
            gains.append(g * (score - expected))
            weights.append(g * g * expected * (1 - expected))
        weighed, inverse = math.fsum(gains), math.fsum(weights)
        v = 1 / inverse
        sigma = min(_volatility(self.volatility, phi, v, v * weighed), MOST_VOLATILE)
        phi = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + inverse)
        step = _within(SCALE * phi * phi * weighed, -LONGEST_STEP, LONGEST_STEP)
        return Rating(_within(self.points + step, LEAST, MOST), min(SCALE * phi, WIDEST), sigma)


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Return the new volatility (step 5, by the Illinois algorithm)."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        grown = phi * phi + v + math.exp(x)
        return math.exp(x) * (delta * delta - grown) / (2 * grown * grown) - (x - a) / (TAU * TAU)

    low, high = a, _other_end(f, a, delta * delta - phi * phi - v)
    at_low, at_high = f(low), f(high)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)


def _other_end(f: Callable[[float], float], a: float, surprise: float) -> float:
    """Return the second starting point, after ``a``, of the search for the zero of ``f``."""
    if surprise > 0:
        return math.log(surprise)
    steps = 1
    while f(a - steps * TAU) < 0:
        steps += 1
    return a - steps * TAU
