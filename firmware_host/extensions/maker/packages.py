"""Parts on a printed circuit board: the copper of their pads in mm, x to the right and y downwards, as KiCad has it.

The pads are those of KiCad's own libraries for the same packages (IPC-7351, hand-solderable); a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hw.circuit import CAPACITOR, HALL, RESISTOR

LIBRARY = "lodestone"
HEADER = "header"
"""How the parts for cables begin in a circuit."""
PIN_MM, DRILL_MM, PITCH_MM = 1.7, 1.0, 2.54
"""A header's pad, its hole, and the distance of two."""
ROOM_MM = 0.25
"""Round a header's pads, up to its courtyard."""


@dataclass(frozen=True)
class Pad:
    """A pad, its middle at (x, y); with a hole through both sides of the board if ``drill`` is not 0."""

    number: str
    x: float
    y: float
    width: float
    height: float
    drill: float = 0.0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, upper, right and lower edge."""
        return self.x - self.width / 2, self.y - self.height / 2, self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Package:
    """The pads of a part round its middle, and half the width and height that it needs for itself."""

    name: str
    pads: tuple[Pad, ...]
    half: tuple[float, float]


def turn(x: float, y: float, degrees: int) -> tuple[float, float]:
    """Return a place turned anticlockwise by 0, 90, 180 or 270 degrees."""
    for _ in range(degrees // 90):
        x, y = y, -x
    return x, y


def pads_at(package: Package, x: float, y: float, degrees: int) -> Iterator[Pad]:
    """Yield the pads of a package that lies at (x, y), turned anticlockwise."""
    for pad in package.pads:
        right, down = turn(pad.x, pad.y, degrees)
        size = (pad.height, pad.width) if degrees % 180 else (pad.width, pad.height)
        yield Pad(pad.number, x + right, y + down, *size, pad.drill)


def header(rows: int, columns: int = 1) -> Package:
    """Return a header for cables: pins numbered row by row from the upper left, 2.54 mm apart."""
    pads = tuple(
        Pad(
            str(row * columns + column + 1),
            (column - (columns - 1) / 2) * PITCH_MM,
            (row - (rows - 1) / 2) * PITCH_MM,
            PIN_MM,
            PIN_MM,
            DRILL_MM,
        )
        for row in range(rows)
        for column in range(columns)
    )
    half = tuple((number * PITCH_MM + PIN_MM - PITCH_MM) / 2 + ROOM_MM for number in (columns, rows))
    return Package(f"PinHeader_{columns}x{rows:02}_P2.54mm_Vertical", pads, (half[0], half[1]))


def header_part(rows: int, columns: int = 1) -> str:
    """Return the name of a header in a circuit."""
    return f"{HEADER} {columns} x {rows}"


_SOT_23 = Package(
    "SOT-23",
    (Pad("1", -0.9375, -0.95, 1.475, 0.6), Pad("2", -0.9375, 0.95, 1.475, 0.6), Pad("3", 0.9375, 0, 1.475, 0.6)),
    (1.93, 1.7),
)
_SOIC_16 = Package(
    "SOIC-16_3.9x9.9mm_P1.27mm",
    tuple(
        Pad(str(at), -2.475 if at <= 8 else 2.475, round(1.27 * (at - 4.5 if at <= 8 else 12.5 - at), 3), 1.95, 0.6)
        for at in range(1, 17)
    ),
    (3.7, 5.2),
)
_PLCC_4 = Package(
    "LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm",
    tuple(
        Pad(str(at), x, y, 1.5, 0.9)
        for at, (x, y) in enumerate(((-2.45, -1.65), (-2.45, 1.65), (2.45, 1.65), (2.45, -1.65)), 1)
    ),
    (3.45, 2.75),
)
_R_0805, _C_0805 = (
    Package(name, (Pad("1", -middle, 0, width, height), Pad("2", middle, 0, width, height)), (room, tall))
    for name, middle, width, height, room, tall in (
        ("R_0805_2012Metric", 0.9125, 1.025, 1.4, 1.68, 0.95),
        ("C_0805_2012Metric", 0.95, 1.0, 1.45, 1.7, 0.98),
    )
)
PACKAGES: Mapping[str, Package] = MappingProxyType(
    {
        HALL: _SOT_23,
        RESISTOR: _R_0805,
        CAPACITOR: _C_0805,
        "74HC165": _SOIC_16,
        "WS2812B": _PLCC_4,
        **{header_part(rows, columns): header(rows, columns) for rows in range(1, 33) for columns in (1, 2)},
    }
)
"""Part, or kind of a part with poles → its package."""
FOOTPRINTS: Mapping[str, str] = MappingProxyType({part: f"{LIBRARY}:{one.name}" for part, one in PACKAGES.items()})
BY_NAME: Mapping[str, Package] = MappingProxyType({one.name: one for one in PACKAGES.values()})
LEGS = MappingProxyType({"VCC": "1", "OUT": "2", "GND": "3"})
"""Pins of a hall sensor in SOT-23 (DBZ; data sheets of DRV5023, DRV5032, DRV5033, DRV5055)."""
NUMBERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **{f"DRV5032{one}": ("Texas Instruments", f"DRV5032{one}DBZR") for one in ("AJ", "FC", "ZE")},
        **{f"DRV5033{one}": ("Texas Instruments", f"DRV5033{one}QDBZR") for one in ("AJ", "FA")},
        **{f"DRV5055A{one}": ("Texas Instruments", f"DRV5055A{one}QDBZR") for one in (1, 2, 3, 4)},
        "74HC165": ("Texas Instruments", "SN74HC165DR"),
        "WS2812B": ("Worldsemi", "WS2812B"),
        RESISTOR: ("Yageo", "RC0805FR-0710KL"),
        CAPACITOR: ("KEMET", "C0805C104K5RACTU"),
    }
)
"""Part → manufacturer and number of one that fits its package, from their catalogues."""
