"""The forms of the evaluation: one set by hand, and the fitted one (fitted.py, made by the laboratory)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random

from mypy_extensions import i64

from firmware_host.games.phalanx.flat import POINTS
from firmware_host.games.phalanx.player.armies import LEFTS, WALLS, WAYS, ArmyWeights
from firmware_host.games.phalanx.player.fitted import NUMBERS
from firmware_host.searching import vectors
from firmware_host.searching.vectors import vec

Numbers = Mapping[str, Sequence[int]]
"""Name of a feature → its weights, in 1/1000 logit."""
FOLDED = 45
"""Points told apart: the board is the same on both sides of the diagonal from goal to goal."""
FITTED_LEFTS = 3
"""Actions left that are told apart: 1 to 3. The option's fourth counts as the third."""
MAX_LEAD = 7
LEADS = 2 * MAX_LEAD + 1
"""How much longer the opponent's way is, from -7 to 7; more counts as that."""
SIZES = {
    "points": FOLDED,
    "race_own": FITTED_LEFTS * WAYS,
    "race_opp": FITTED_LEFTS * WAYS,
    "race_lead": FITTED_LEFTS * LEADS,
    "stones": 10,
    "mean": 1,
    "wall": WALLS,
    **dict.fromkeys(("lonely_own", "lonely_opp", "push_own", "push_opp", "kill_own", "kill_opp"), FITTED_LEFTS),
}
"""Feature → how many weights; those by actions left are told apart by these first."""
SIMPLE, FITTED = range(2)


def folded_point(side: int, point: int) -> int:
    """Return the number of a point among :data:`FOLDED`, as a side sees it: 0 is its goal. Not for the tenth column."""
    row, column = divmod(point, 10)
    up, across = (row, column) if side == 0 else (8 - row, 8 - column)
    near, far = min(up, across), max(up, across)
    return far * (far + 1) // 2 + near


def lead(own: int, opponent: int) -> int:
    """Return the number of a lead in the race, from both distances."""
    return max(-MAX_LEAD, min(MAX_LEAD, opponent - own)) + MAX_LEAD


def by_hand() -> dict[str, list[int]]:
    """Return weights that nobody has fitted: stones, mean distance, and what the actions left of the turn are worth.

    Without the last, positions within a turn could not be compared with those at its end.
    """
    numbers = {name: [0] * size for name, size in SIZES.items()}
    numbers["race_lead"] = [150 * (2 * left - 1) for left in range(FITTED_LEFTS) for _ in range(LEADS)]
    numbers["stones"] = [600 * stones for stones in range(10)]
    numbers["mean"] = [400]
    return numbers


def make_weights(numbers: Numbers, more: Sequence[int] = (0,) * (2 * POINTS)) -> ArmyWeights:
    """Return weights as the player uses them; ``more`` is added to what points are worth, first Black's.

    Raise ValueError where a feature has the wrong number of them.
    """
    for name, size in SIZES.items():
        if len(numbers[name]) != size:
            raise ValueError(f"{name}: expected {size} weights, got {len(numbers[name])}")
    points = [
        numbers["points"][folded_point(side, point)] + more[side * POINTS + point] if point % 10 < 9 else 0
        for side in range(2)
        for point in range(POINTS)
    ]
    race = [
        numbers["race_own"][left * WAYS + own]
        + numbers["race_opp"][left * WAYS + opponent]
        + numbers["race_lead"][left * LEADS + lead(own, opponent)]
        for left in _lefts()
        for own in range(WAYS)
        for opponent in range(WAYS)
    ]
    weights = ArmyWeights(
        vectors.numbers(points),
        vectors.numbers(race),
        vectors.numbers(numbers["stones"]),
        vectors.numbers(numbers["wall"]),
        numbers["mean"][0],
    )
    weights.lonely_own, weights.lonely_opp = _by_left(numbers["lonely_own"]), _by_left(numbers["lonely_opp"])
    weights.push_own, weights.push_opp = _by_left(numbers["push_own"]), _by_left(numbers["push_opp"])
    weights.kill_own, weights.kill_opp = _by_left(numbers["kill_own"]), _by_left(numbers["kill_opp"])
    return weights


def numbers(form: int) -> Numbers:
    """Return a form of the evaluation by its features, the best one for a number beyond it."""
    return by_hand() if form < FITTED else NUMBERS


@lru_cache(maxsize=FITTED + 1)
def weights(form: int) -> ArmyWeights:
    """Return a form of the evaluation as the player uses it."""
    return make_weights(numbers(form))


def varied_weights(form: int, most: int, rng: Random) -> ArmyWeights:
    """Return a form in which each point is worth up to ``most`` 1/1000 logit more or less, by lot.

    A point and its mirror image differ then, too.
    """
    return make_weights(numbers(form), [rng.randint(-most, most) for _ in range(2 * POINTS)])


def _lefts() -> list[int]:
    """Return which fitted weights count, by actions left from 0."""
    return [min(max(left, 1), FITTED_LEFTS) - 1 for left in range(LEFTS)]


def _by_left(fitted: Sequence[int]) -> vec[i64]:
    return vectors.numbers([fitted[left] for left in _lefts()])
