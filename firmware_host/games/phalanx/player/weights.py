"""What an estimate of a position is made of: numbers for each feature, in 1/1000 logit; mypyc compiles it.

Every list is one form of the evaluation's; player/forms.py makes them from data.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

POINTS: Final = 90
LEFTS: Final = 5
"""Actions left of a turn: 0 to 4."""
WAYS: Final = 14
"""Distances to a goal: 0 to 13."""
STONES: Final = 10
WALLS: Final = 60


class Weights:
    """One form of the evaluation: whole numbers in 1/1000 logit, positive where they speak for the side that acts.

    ``points`` has 90 numbers a side, first Black's: what a hoplite there is worth. ``race`` is by actions left, own
    distance, opponent's distance (:func:`firmware_host.games.phalanx.player.flat.distance`). ``stones`` is by
    hoplites of a side; ``mean`` is for each point that the opponent's mean distance to its goal is longer. ``wall``
    is by hoplites on the three diagonals before the corner that a side guards. The others are by actions left, and for
    each hoplite with one friend, push and killing push at hand, of the side that acts and of its opponent.
    """

    def __init__(self, points: list[i64], race: list[i64], stones: list[i64], wall: list[i64], mean: i64) -> None:
        self.points = points
        self.race = race
        self.stones = stones
        self.wall = wall
        self.mean = mean
        self.lonely_own: list[i64] = [0] * LEFTS
        self.lonely_opp: list[i64] = [0] * LEFTS
        self.push_own: list[i64] = [0] * LEFTS
        self.push_opp: list[i64] = [0] * LEFTS
        self.kill_own: list[i64] = [0] * LEFTS
        self.kill_opp: list[i64] = [0] * LEFTS
