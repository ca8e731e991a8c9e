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
from types import MappingProxyType

from hw.magnets import REMANENCE_T, Magnet
from hw.sensor_parts import PARTS, SUPPLY_V

GRADES_T: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"N35": (1.17, 1.22), "N38": (1.22, 1.26), "N42": (1.28, 1.32), "N45": (1.32, 1.37), "N52": (1.42, 1.48)}
)
"""Least and largest remanence of sintered neodymium by grade, in tesla, of the manufacturers' tables."""
STRENGTH = 0.05
"""Share by which a magnet of its grade may be stronger or weaker: 0.1 mm of its size (3 % at 3 mm), 0.12 % per kelvin
between 10 and 35 °C (2 %)."""
STEPS = 128
"""Level steps from no field (128) to either end of the range (0, 255)."""


def field_away(magnet: Magnet, aside_mm: float, gap_mm: float) -> float:
    """Return the field below a magnet's face away from its axis, mT."""
    radius = magnet.mm / 2
    near, far = (_end_away(radius, aside_mm, gap_mm + part) for part in (0.0, magnet.height_mm))
    return 1000 * REMANENCE_T[magnet.grade] / math.pi * (near - far)


def field_along(magnet: Magnet, aside_mm: float, gap_mm: float) -> float:
    """Return the field below a magnet's face along its axis, mT, positive below the disc itself."""
    radius = magnet.mm / 2
    near, far = (_end_along(radius, aside_mm, gap_mm + part) for part in (0.0, magnet.height_mm))
    return 1000 * REMANENCE_T[magnet.grade] / math.pi * (far - near)


def span(magnet: Magnet) -> tuple[float, float]:
    """Return the factors of the weakest and of the strongest sample of a magnet."""
    weak, strong = GRADES_T[magnet.grade]
    middle = REMANENCE_T[magnet.grade]
    return weak / middle * (1 - STRENGTH), strong / middle * (1 + STRENGTH)


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


def steps(part: str, field_mt: float, volts: float = SUPPLY_V) -> int:
    """Return the level steps (0 to 128) by which a field moves a reading; the converter measures 0 to its supply."""
    mv_per_mt, range_mt = PARTS[part].linear_at(volts)
    return round(min(field_mt, range_mt) * mv_per_mt / 1000 / (volts / 2) * STEPS)
