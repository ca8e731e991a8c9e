"""What results say: a score, the difference in Elo with its interval, and whether a sequential test has decided.

Sources: E. B. Wilson, "Probable Inference" (1927) for the interval, with the number of games divided by how much less
draws spread than wins and losses; A. Wald's sequential probability ratio test, generalised to distributions of which
only the mean is given (M. Van den Bergh, "A practical introduction to the GSPRT").
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
ERROR = 0.05
"""How often a sequential test may be wrong, either way."""
SMALL = 1e-3
"""Counted for a score that never came: no likelihood is nothing."""


@dataclass(frozen=True)
class Tally:
    """What one side scored, of ``sides`` that meet: score of a game → how many games."""

    counts: Mapping[float, int]
    sides: int = 2

    @property
    def won(self) -> int:
        """Return how many games were won."""
        return self.counts.get(1.0, 0)

    @property
    def lost(self) -> int:
        """Return how many games were lost."""
        return self.counts.get(0.0, 0)

    @property
    def drawn(self) -> int:
        """Return how many games were drawn, or won together with others."""
        return self.games - self.won - self.lost

    @property
    def games(self) -> int:
        """Return how many games there are."""
        return sum(self.counts.values())

    @property
    def score(self) -> float:
        """Return the mean score; of no games what equal players would have."""
        return _mean(self.counts) if self.games else 1 / self.sides

    def interval(self) -> tuple[float, float]:
        """Return the scores between which the true one is, in 95 of 100 cases."""
        if not self.games:
            return 0.0, 1.0
        z, mean = NormalDist().inv_cdf((1 + CONFIDENCE) / 2), self.score
        smooth = {**self.counts, 0.0: self.lost + 0.5, 1.0: self.won + 0.5}  # Else nothing but draws would be certain.
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
        """Return the difference in Elo and its interval; infinite where all or no points were won."""
        low, high = self.interval()
        return elo(self.score, self.sides), elo(low, self.sides), elo(high, self.sides)


def tally(scores: Iterable[float], sides: int) -> Tally:
    """Return what some scores add up to."""
    return Tally(dict(Counter(map(float, scores))), sides)


def elo(score: float, sides: int = 2) -> float:
    """Return the difference in Elo at which one side scores this against equal others, as many as are left.

    Of several sides equal players score 1/sides each; the odds against that chance are what counts.
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score) * (sides - 1))


def expected(difference: float, sides: int = 2) -> float:
    """Return the score that a difference in Elo lets expect."""
    odds: float = 10 ** (difference / 400) / (sides - 1)
    return odds / (1 + odds)


def likelihood(found: Tally, low: float, high: float) -> float:
    """Return the logarithm of the ratio of likelihoods: that the difference is ``high`` Elo to that it is ``low``.

    Each likelihood is the greatest of any distribution of scores with the mean that the difference lets expect.
    """
    counts = {0.0: SMALL, 1.0: SMALL, **{score: float(count) for score, count in found.counts.items() if count}}
    first, second = (_likeliest(counts, expected(difference, found.sides)) for difference in (low, high))
    return sum(count * math.log(second[score] / first[score]) for score, count in counts.items())


def _likeliest(counts: Mapping[float, float], mean: float) -> dict[float, float]:
    """Return the distribution with a mean under which some counts are likeliest, by Lagrange's multiplier."""
    total = sum(counts.values())
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(100):
        middle = (low + high) / 2
        slope = sum(count * (score - mean) / (1 + middle * (score - mean)) for score, count in counts.items())
        low, high = (middle, high) if slope > 0 else (low, middle)
    return {score: count / total / (1 + low * (score - mean)) for score, count in counts.items()}


def _mean(counts: Mapping[float, float]) -> float:
    return sum(score * count for score, count in counts.items()) / sum(counts.values())


def decided(found: Tally, low: float, high: float) -> str | None:
    """Return ``stronger`` where the test accepts the higher difference, ``weaker`` the lower one, None: not yet."""
    bound = math.log((1 - ERROR) / ERROR)
    ratio = likelihood(found, low, high)
    return "stronger" if ratio >= bound else "weaker" if ratio <= -bound else None
