"""The magnet of a stone: its field on the sensor below it, and the linear sensors that bear so much."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hw.sensor_parts import PARTS, SUPPLY_V

REMANENCE_T: Mapping[str, float] = MappingProxyType({"N35": 1.19, "N38": 1.24, "N42": 1.30, "N45": 1.35, "N52": 1.45})
"""The remanence of sintered neodymium by grade, in tesla: the middle of what the manufacturers' tables have."""
STONE_MM = 6.0
"""Usual height of a stone."""


@dataclass(frozen=True)
class Magnet:
    """A disc, magnetised through its height, and the gap between its face and the sensor's element; all in mm."""

    mm: float
    """Diameter."""
    height_mm: float
    grade: str
    gap_mm: float
    stone_mm: float = STONE_MM
    """Height of the stone that carries it: the next magnet of a stack lies that much higher."""

    @property
    def mt(self) -> float:
        """Return the field at the sensor, mT: Br/2 ((d+h)/√(R²+(d+h)²) - d/√(R²+d²)), on the axis."""
        radius, near, far = self.mm / 2, self.gap_mm, self.gap_mm + self.height_mm
        share = far / math.hypot(radius, far) - near / math.hypot(radius, near)
        return 500 * REMANENCE_T[self.grade] * share


def saturates(part: str, field_mt: float, volts: float = SUPPLY_V) -> bool:
    """Return whether a field drives a linear part to the end of its range; False for switches, which have none."""
    return 0 < PARTS[part].linear_at(volts)[1] < field_mt


def fitting(field_mt: float, volts: float = SUPPLY_V) -> str:
    """Return the most sensitive linear part that a field does not saturate; the least sensitive if it saturates all."""
    linear = [name for name, part in PARTS.items() if part.range_mt]
    return next((name for name in linear if not saturates(name, field_mt, volts)), linear[-1])
