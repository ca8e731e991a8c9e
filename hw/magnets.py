"""The field of a disc magnet anywhere, how much it may vary, and the level reading of a linear sensor in it.

A disc magnetised through its height has the field of a solenoid of its size. Derby and Olbert ("Cylindrical magnets and
ideal solenoids", Am. J. Phys. 78 (2010) 229, arXiv:0909.3880) give it in closed form with one generalised complete
elliptic integral, which Bulirsch's algorithm ``cel`` computes (Numer. Math. 13 (1969) 305). Neodymium has a relative
permeability of 1.05: magnets do not disturb each other's fields by more than some per cent.

Under the discs' plane the field of a neighbour points the other way than that of a stone right above the sensor: a
neighbour of the same pole weakens the stone, and looks like a weak stone of the other pole where none lies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hw.sensor_parts import PARTS, SUPPLY_V

GRADES_T: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"N35": (1.17, 1.22), "N38": (1.22, 1.26), "N42": (1.28, 1.32), "N45": (1.32, 1.37), "N52": (1.42, 1.48)}
)
"""Least and largest remanence of sintered neodymium by grade, in tesla, of the manufacturers' tables."""
REMANENCE_T: Mapping[str, float] = MappingProxyType({"N35": 1.19, "N38": 1.24, "N42": 1.30, "N45": 1.35, "N52": 1.45})
"""Its middle, by grade."""
STRENGTH = 0.05
"""Share by which a magnet of its grade may be stronger or weaker: 0.1 mm of its size (3 % at 3 mm), 0.12 % per kelvin
between 10 and 35 °C (2 %)."""
STONE_MM = 6.0
"""Usual height of a stone."""
STEPS = 128
"""Level steps from no field (128) to either end of the range (0, 255)."""


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

    def field(self, aside_mm: float, gap_mm: float) -> tuple[float, float]:
        """Return the field below its face, mT: away from the axis, and along it (positive below the disc itself)."""
        return self.field_away(aside_mm, gap_mm), self.field_along(aside_mm, gap_mm)

    def field_away(self, aside_mm: float, gap_mm: float) -> float:
        """Return the first of the two alone: each takes half of the time."""
        radius = self.mm / 2
        near, far = (_end_away(radius, aside_mm, gap_mm + part) for part in (0.0, self.height_mm))
        return 1000 * REMANENCE_T[self.grade] / math.pi * (near - far)

    def field_along(self, aside_mm: float, gap_mm: float) -> float:
        """Return the second of the two alone."""
        radius = self.mm / 2
        near, far = (_end_along(radius, aside_mm, gap_mm + part) for part in (0.0, self.height_mm))
        return 1000 * REMANENCE_T[self.grade] / math.pi * (far - near)

    @property
    def span(self) -> tuple[float, float]:
        """Return the factors of its weakest and of its strongest sample."""
        weak, strong = GRADES_T[self.grade]
        return weak / REMANENCE_T[self.grade] * (1 - STRENGTH), strong / REMANENCE_T[self.grade] * (1 + STRENGTH)


def _end_away(radius: float, aside: float, depth: float) -> float:
    """Return one end's term of Derby and Olbert's equation 4, away from the axis, without B0."""
    outer = math.hypot(depth, aside + radius)
    return radius / outer * _elliptic(math.hypot(depth, radius - aside) / outer, 1.0, 1.0, -1.0)


def _end_along(radius: float, aside: float, depth: float) -> float:
    """Return one end's term of their equation 5, along the axis, without B0."""
    outer = math.hypot(depth, aside + radius)
    modulus, ratio = math.hypot(depth, radius - aside) / outer, (radius - aside) / (radius + aside)
    # Under the rim itself the ratio is 0, and the integral jumps by the same for both ends: half of it is left.
    along = _elliptic(modulus, ratio * ratio, 1.0, ratio) if ratio else _elliptic(modulus, 1.0, 1.0, 1.0)
    return radius / (radius + aside) * depth / outer * along


def _elliptic(modulus: float, p: float, c: float, s: float) -> float:
    """Return ∫ (c cos²φ + s sin²φ) / ((cos²φ + p sin²φ) √(cos²φ + k² sin²φ)) dφ from 0 to π/2, for k and p above 0.

    Bulirsch's ``cel``: Landen's transformation, which doubles the number of right digits at each step.
    """
    mean, product, root = 1.0, modulus, math.sqrt(p)
    s /= root
    while True:
        c, s = c + s / root, 2 * (s + c * product / root)
        root += product / root
        arithmetic, mean = mean, mean + modulus
        if abs(arithmetic - modulus) <= 1e-8 * arithmetic:
            return math.pi / 2 * (s + c * mean) / (mean * (mean + root))
        modulus = 2 * math.sqrt(product)
        product = modulus * mean


def saturates(part: str, field_mt: float, volts: float = SUPPLY_V) -> bool:
    """Return whether a field drives a linear part to the end of its range; False for switches, which have none."""
    return 0 < PARTS[part].linear_at(volts)[1] < field_mt


def steps(part: str, field_mt: float, volts: float = SUPPLY_V) -> int:
    """Return the level steps (0 to 128) by which a field moves a reading; the converter measures 0 to its supply."""
    mv_per_mt, range_mt = PARTS[part].linear_at(volts)
    return round(min(field_mt, range_mt) * mv_per_mt / 1000 / (volts / 2) * STEPS)


def fitting(field_mt: float, volts: float = SUPPLY_V) -> str:
    """Return the most sensitive linear part that a field does not saturate; the least sensitive if it saturates all."""
    linear = [name for name, part in PARTS.items() if part.range_mt]
    return next((name for name in linear if not saturates(name, field_mt, volts)), linear[-1])
