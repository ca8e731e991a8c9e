"""Statistics of results: score, difference in Elo with its interval, and the decision of a sequential test.

Sources: E. B. Wilson, "Probable Inference" (1927) for the interval, with the number of games scaled up for the smaller
variance of results with draws; A. Wald's sequential probability ratio test, generalised to distributions of which only
the mean is given (M. Van den Bergh, "A practical introduction to the GSPRT").
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
ERROR = 0.05
"""Probability that a sequential test is wrong, in either direction."""
SMALL = 1e-3
"""Count of a score that never occurred, so that no likelihood is zero."""


@dataclass(frozen=True)
class MatchTally:
    """One side's results among ``sides`` sides: score of a game → number of games."""

    counts: Mapping[float, int]
    sides: int = 2

    @property
    def wins(self) -> int:
        """Return the number of won games."""
        return self.counts.get(1.0, 0)

    @property
    def losses(self) -> int:
        """Return the number of lost games."""
        return self.counts.get(0.0, 0)

    @property
    def draws(self) -> int:
        """Return the number of games drawn, or won together with others."""
        return self.games - self.wins - self.losses

    @property
    def games(self) -> int:
        """Return the number of games."""
        return sum(self.counts.values())

    @property
    def score(self) -> float:
        """Return the mean score; without games that of equal players."""
        return _mean(self.counts) if self.games else 1 / self.sides

    def interval(self) -> tuple[float, float]:
        """Return the confidence interval of the score (``CONFIDENCE``)."""
        if not self.games:
            return 0.0, 1.0
        z, mean = NormalDist().inv_cdf((1 + CONFIDENCE) / 2), self.score
        smooth = {**self.counts, 0.0: self.losses + 0.5, 1.0: self.wins + 0.5}  # Only draws must not give certainty.
        inside = _mean(smooth)
        total = sum(smooth.values())
        spread = sum(count * (score - inside) ** 2 for score, count in smooth.items()) / total
        count = self.games * max(1.0, inside * (1 - inside) / spread)
        centre = mean + z * z / (2 * count)
        half = z * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
        scale = 1 + z * z / count
        # Where all games were lost or won, the end of the interval is certain; rounding would make it nearly so.
        low = 0.0 if mean == 0 else max(0.0, (centre - half) / scale)
        return low, 1.0 if mean == 1 else min(1.0, (centre + half) / scale)

    def elo(self) -> tuple[float, float, float]:
        """Return the difference in Elo and its interval (low, high); infinite for a score of 0 or 1."""
        low, high = self.interval()
        return elo(self.score, self.sides), elo(low, self.sides), elo(high, self.sides)


def tally(scores: Iterable[float], sides: int) -> MatchTally:
    """Return the tally of some scores."""
    return MatchTally(dict(Counter(map(float, scores))), sides)


def elo(score: float, sides: int = 2) -> float:
    """Return the difference in Elo at which one side has this score against ``sides - 1`` equal others.

    Equal players score 1/sides each; the difference is the logarithm of the odds relative to that score.
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score) * (sides - 1))


def expected_score(difference: float, sides: int = 2) -> float:
    """Return the expected score at a difference in Elo."""
    odds: float = 10 ** (difference / 400) / (sides - 1)
    return odds / (1 + odds)


def likelihood(found: MatchTally, low: float, high: float) -> float:
    """Return the natural logarithm of the likelihood ratio of a difference of ``high`` Elo to one of ``low``.

    Each likelihood is the maximum over all distributions of scores with the expected mean.
    """
    counts = {0.0: SMALL, 1.0: SMALL, **{score: float(count) for score, count in found.counts.items() if count}}
    first, second = (_likeliest(counts, expected_score(difference, found.sides)) for difference in (low, high))
    return sum(count * math.log(second[score] / first[score]) for score, count in counts.items())


def _likeliest(counts: Mapping[float, float], mean: float) -> dict[float, float]:
    """Return the distribution with this mean that maximises the likelihood of the counts, by Lagrange's multiplier."""
    total = sum(counts.values())
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(100):
        middle = (low + high) / 2
        slope = sum(count * (score - mean) / (1 + middle * (score - mean)) for score, count in counts.items())
        low, high = (middle, high) if slope > 0 else (low, middle)
    return {score: count / total / (1 + low * (score - mean)) for score, count in counts.items()}


def _mean(counts: Mapping[float, float]) -> float:
    return sum(score * count for score, count in counts.items()) / sum(counts.values())


def sequential_decision(found: MatchTally, low: float, high: float) -> str | None:
    """Return ``stronger`` if the test accepts the higher difference, ``weaker`` for the lower one, else None."""
    bound = math.log((1 - ERROR) / ERROR)
    ratio = likelihood(found, low, high)
    return "stronger" if ratio >= bound else "weaker" if ratio <= -bound else None
