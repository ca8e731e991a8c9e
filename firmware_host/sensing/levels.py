"""Level readings → sights: where nothing ends and a stone begins, for each sensor on its own.

A linear hall sensor rests somewhere near the middle of its range, and how far a stone moves it depends on the magnet,
on the sensor and on the wood between them. A board file's ``[calibration]`` says what each sensor was measured to read
(:class:`hw.ports.NodeLevels`); nodes without it go by the board's :class:`hw.ports.LevelBands`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from hw.ports import LevelBands, NodeLevels

NO_FIELD = 128
"""What a sensor without calibration reads at rest."""
HYSTERESIS = 4
"""Level steps by which a reading must pass a threshold before the sight changes again."""
LOWEST_REST = 2 * HYSTERESIS
"""Whatever is weaker than this is noise, however weak a stack may be."""


@dataclass(frozen=True)
class Scale:
    """How the readings of one sensor are understood."""

    rest: int
    bands: Mapping[str, LevelBands]
    """For each pole (``N``, ``S``): thresholds as distances from ``rest``."""
    turned: bool = False
    """The sensor lies face down: north pulls it below ``rest``."""
    stacks: bool = True
    """Whether stacks can be told from stones; if not, only the pole is told."""

    def sight(self, reading: int, before: str = "") -> str:
        """Return the sight of a reading (0 to 255); ``before`` gets the benefit of the doubt."""
        away = reading - self.rest
        pole = "N" if (away > 0) != self.turned else "S"
        strength, bands = abs(away), self.bands[pole]
        for slack in (-HYSTERESIS, HYSTERESIS):
            if self._band(strength + slack, pole, bands) == before:
                return before
        return self._band(strength, pole, bands)

    def _band(self, strength: int, pole: str, bands: LevelBands) -> str:
        if strength < bands.rest:
            return ""
        if not self.stacks:
            return pole
        if strength < bands.single:
            return f"{pole}<"
        return pole if strength < bands.double else f"{pole}>"


@dataclass(frozen=True)
class Strengths:
    """What moves one sensor how far from its rest, in level steps: an opposite stack, a stone alone, a like stack."""

    opposite: float
    single: float
    like: float

    def steps(self) -> tuple[float, float, float]:
        """Return how far each is from the next weaker one; the first from rest."""
        first, second, third = (b - a for a, b in itertools.pairwise((0.0, self.opposite, self.single, self.like)))
        return first, second, third


def strengths(levels: NodeLevels) -> dict[str, Strengths]:
    """Return for each pole what stones of it do to a sensor.

    Measured are a stone of either pole and one opposite stack with north below. What the upper stone of that took away,
    it takes away under south as well, and adds when its pole is the same, as far as the range of 0 to 255 goes.
    """
    north, south = abs(levels.north - levels.rest), abs(levels.south - levels.rest)
    kept = (levels.stack - levels.rest) / (levels.north - levels.rest)
    found = {}
    for pole, single, reading in (("N", north, levels.north), ("S", south, levels.south)):
        room = 255 - levels.rest if reading > levels.rest else levels.rest
        found[pole] = Strengths(single * kept, float(single), min(single * (2.0 - kept), float(room)))
    return found


def scale(levels: NodeLevels | None, usual: LevelBands) -> Scale:
    """Return the scale of a sensor by its calibration, or (None) by the board's bands."""
    if levels is None:
        return Scale(NO_FIELD, {"N": usual, "S": usual})
    bands = {pole: _bands(found) for pole, found in strengths(levels).items()}
    return Scale(levels.rest, bands, turned=levels.north < levels.rest, stacks=levels.stacks)


def _bands(found: Strengths) -> LevelBands:
    """Put each threshold half way between two strengths."""
    rest = round(max(found.opposite / 2, min(LOWEST_REST, found.single / 2), 1))
    single = max(rest + 1, round((found.opposite + found.single) / 2))
    return LevelBands(rest, single, max(single + 1, round((found.single + found.like) / 2)))


def level_sight(reading: int, bands: LevelBands, before: str = "") -> str:
    """Return the sight of a level reading (128 no field) on a sensor without calibration."""
    return scale(None, bands).sight(reading, before)
