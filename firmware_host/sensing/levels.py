"""Level readings to sensed states by each sensor's thresholds: ``N`` stone, ``N<`` opposite stack, ``N>`` like stack.

A linear hall sensor rests near the middle of its range. The change by a stone depends on the magnet, on the sensor and
on the wood between them. A board file's ``[calibration]`` has the measured levels of each sensor
(:class:`hw.ports.NodeLevels`); nodes without it use the board's :class:`hw.ports.LevelBands`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from hw.ports import LevelBands, NodeLevels

NO_FIELD = 128
"""Rest level of a sensor without calibration."""
HYSTERESIS = 4
"""Level steps beyond a threshold at which the sensed state changes."""
LOWEST_REST = 2 * HYSTERESIS
"""Least strength of a stack, in level steps; anything weaker is noise."""


@dataclass(frozen=True)
class Scale:
    """The thresholds of one sensor."""

    rest: int
    bands: Mapping[str, LevelBands]
    """Pole (``N``, ``S``) → thresholds as distances from ``rest``."""
    turned: bool = False
    """Whether the sensor is mounted face down: north lowers the level."""
    stacks: bool = True
    """Whether stacks are distinguished from stones; if not, the sensed state is only the pole."""

    def sensed_state(self, reading: int, before: str = "") -> str:
        """Return the sensed state of a reading (0 to 255); within the hysteresis it stays ``before``."""
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
    """Distances of one sensor's level from rest: under an opposite stack, a single stone, a like stack."""

    opposite: float
    single: float
    like: float

    def steps(self) -> tuple[float, float, float]:
        """Return the three differences from the next weaker strength; the first is from rest."""
        first, second, third = (b - a for a, b in itertools.pairwise((0.0, self.opposite, self.single, self.like)))
        return first, second, third


def strengths(levels: NodeLevels) -> dict[str, Strengths]:
    """Return pole → strengths at a sensor.

    The calibration has a stone of either pole, and one opposite stack with north below. The share that the upper stone
    takes away there is assumed for south as well. A stone of the same pole adds that share, within 0 to 255.
    """
    north, south = abs(levels.north - levels.rest), abs(levels.south - levels.rest)
    kept = (levels.stack - levels.rest) / (levels.north - levels.rest)
    found = {}
    for pole, single, reading in (("N", north, levels.north), ("S", south, levels.south)):
        room = 255 - levels.rest if reading > levels.rest else levels.rest
        found[pole] = Strengths(single * kept, float(single), min(single * (2.0 - kept), float(room)))
    return found


def scale(levels: NodeLevels | None, usual: LevelBands) -> Scale:
    """Return the scale of a sensor from its calibration or, with None, from the board's bands."""
    if levels is None:
        return Scale(NO_FIELD, {"N": usual, "S": usual})
    bands = {pole: _bands(found) for pole, found in strengths(levels).items()}
    return Scale(levels.rest, bands, turned=levels.north < levels.rest, stacks=levels.stacks)


def _bands(found: Strengths) -> LevelBands:
    """Return thresholds halfway between the strengths."""
    rest = round(max(found.opposite / 2, min(LOWEST_REST, found.single / 2), 1))
    single = max(rest + 1, round((found.opposite + found.single) / 2))
    return LevelBands(rest, single, max(single + 1, round((found.single + found.like) / 2)))
