"""The sensors that can be soldered under a node, with the figures of their data sheets.

Currents are maxima, never typical values: a supply has to bear all sensors at once. Of a switch's operate and release
points the whole span over parts and temperatures counts: a stone that was put down must exceed the highest operate
point, what is left when it has been lifted must be under the lowest release point.

Sources, all Texas Instruments: DRV5032 data sheet SLVSDC7H, 6.5 and 6.6; DRV5033 SLIS152G and DRV5023 SLIS151G, 6.5
and 6.7; DRV5055 SBAS640B, 6.5 and 6.6. Revision C of the last one (2026) halves the current for a new silicon, but
parts of both are sold under the same name. Reeds: 20 to 25 AT as Littelfuse sorts its MDSR-7 (12.7 mm) and MDSR-10
(10.2 mm); a drop-out of 4 AT or more is that of PIC's reeds of 15 to 30 AT (MS-108-5). Littelfuse's note "Ampere-turn
versus mT and Gauss" has 0.1 mT for each AT, right within a factor of 2, so that all fields of a reed are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

REED = "reed"
SUPPLY_V = 3.3

AXIAL, OMNIPOLAR, UNIPOLAR, LINEAR_OUTPUT = "axial", "omnipolar", "unipolar", "linear"
"""What a part responds to: the field along its glass, of either direction (reed); the field through its face, of either
pole; only that of a south pole over its marked face; a measured field of either sign."""


@dataclass(frozen=True)
class SensorPart:
    """Data of one part."""

    about: str
    """Description for a list of parts."""
    ma: float
    """Largest supply current of one at 3.3 V, mA."""
    slot_mm: tuple[float, float]
    """Length and width of its slot: a row of drilled holes whose diameter is the width."""
    response: str
    """One of :data:`AXIAL`, :data:`OMNIPOLAR`, :data:`UNIPOLAR`, :data:`LINEAR_OUTPUT`."""
    supply_v: tuple[float, float] = (0.0, 0.0)
    """Least and largest supply voltage; zeros for a part without a supply."""
    operate_mt: tuple[float, float] = (0.0, 0.0)
    """Least and largest field at which a switch closes, mT; zeros for linear parts."""
    release_mt: tuple[float, float] = (0.0, 0.0)
    """Least and largest field at which it opens again, mT."""
    peak_ma: float = 0.0
    """Current while it measures, mA, where it sleeps in between: for 100 µs at most, from its 100 nF and the supply's
    capacitors. When the supply comes on all such parts measure at once, later each in its own time."""
    period_ms: float = 0.0
    """Longest time between two measurements of a part that sleeps in between; 0 for parts that measure all the time."""
    least_period_ms: float = 0.0
    """The shortest time of such a part."""
    mv_per_mt: float = 0.0
    """Sensitivity of a linear part at 3.3 V, mV per mT; 0 for switches."""
    range_mt: float = 0.0
    """Strongest field of either pole that does not saturate the output; 0 for switches."""
    at_5v: tuple[float, float] = (0.0, 0.0)
    """The same two figures at 5 V."""

    @property
    def legs(self) -> int:
        """Number of legs: two of a reed, three of a part with a supply."""
        return 2 if self.response == AXIAL else 3

    def linear_at(self, volts: float) -> tuple[float, float]:
        """Return sensitivity (mV per mT) and range (mT) at a supply of 3.3 or 5 V."""
        return (self.mv_per_mt, self.range_mt) if volts <= SUPPLY_V else self.at_5v


TO_92 = (5.5, 4.0)
"""Slot of a TO-92 hall sensor (face 4.1 x 3 mm): two holes of 4 mm with centres 1.5 mm apart."""
_REED_SLOT = (20.0, 3.0)
"""Slot of a reed's glass, 10 to 14 mm long and 1.8 to 2.3 mm thick, and of 3 mm of its legs at each end: nearer to the
glass they must not be bent."""

Span = tuple[float, float]


def _drv5032(variant: str, operate: Span, release: Span) -> SensorPart:
    """Return a DRV5032: 20 Hz (13.3 to 37 Hz), 3.5 µA at most at 3 V, of which 2.7 mA for 100 µs; 10 µA bounds that at
    any supply (2.7 mA · 100 µs / 27 ms)."""
    about = f"hall switch DRV5032{variant} (TO-92: LPG), omnipolar, open drain"
    return SensorPart(
        about, 0.01, TO_92, OMNIPOLAR, (1.65, 5.5), operate, release, peak_ma=2.7, period_ms=75.0, least_period_ms=27.0
    )


def _drv50x3(name: str, response: str, operate: Span, release: Span) -> SensorPart:
    """Return a DRV5033 or DRV5023: 2.7 mA typical, 3.5 mA at most."""
    about = f"hall switch {name} (TO-92: LPG), {response}, open drain"
    return SensorPart(about, 3.5, TO_92, response, (2.5, 38.0), operate, release)


def _drv5055(variant: int, mv_per_mt: float, range_mt: float, at_5v: Span) -> SensorPart:
    about = f"linear hall sensor DRV5055A{variant} (TO-92: LPG; ±{range_mt:g} mT at 3.3 V, ±{at_5v[1]:g} mT at 5 V)"
    return SensorPart(
        about, 10.0, TO_92, LINEAR_OUTPUT, (3.0, 5.5), mv_per_mt=mv_per_mt, range_mt=range_mt, at_5v=at_5v
    )


PARTS: Mapping[str, SensorPart] = MappingProxyType(
    {
        REED: SensorPart(
            "reed switch of 20 to 25 AT, glass of 10 to 14 mm",
            SUPPLY_V / 10,
            _REED_SLOT,
            AXIAL,
            operate_mt=(2.0, 2.5),
            release_mt=(0.4, 2.2),
        ),
        "DRV5032AJ": _drv5032("AJ", (5.0, 9.5), (3.0, 7.5)),
        "DRV5032FC": _drv5032("FC", (1.5, 4.8), (0.5, 3.0)),
        "DRV5032ZE": _drv5032("ZE", (33.0, 63.0), (30.0, 58.0)),
        "DRV5033AJ": _drv50x3("DRV5033AJ", OMNIPOLAR, (3.0, 12.0), (1.0, 5.0)),
        "DRV5033FA": _drv50x3("DRV5033FA", OMNIPOLAR, (1.8, 6.8), (0.5, 4.2)),
        "DRV5023BI": _drv50x3("DRV5023BI", UNIPOLAR, (6.0, 24.0), (3.0, 9.0)),
        "DRV5023AJ": _drv50x3("DRV5023AJ", UNIPOLAR, (3.0, 12.0), (1.0, 5.0)),
        "DRV5023FA": _drv50x3("DRV5023FA", UNIPOLAR, (1.8, 6.8), (0.5, 4.2)),
        "DRV5055A1": _drv5055(1, 60.0, 22.0, (100.0, 21.0)),
        "DRV5055A2": _drv5055(2, 30.0, 44.0, (50.0, 42.0)),
        "DRV5055A3": _drv5055(3, 15.0, 88.0, (25.0, 85.0)),
        "DRV5055A4": _drv5055(4, 7.5, 176.0, (12.5, 169.0)),
    }
)
"""Name in board files → part. A closed reed's current flows through its 10 kΩ pull-up."""
UNNAMED = "hall"
"""What board files called any hall switch before they named parts: read as no part."""
_BY_RESPONSE = {
    response: tuple(name for name, part in PARTS.items() if part.response == response)
    for response in (AXIAL, OMNIPOLAR, UNIPOLAR, LINEAR_OUTPUT)
}
LINEAR = _BY_RESPONSE[LINEAR_OUTPUT]
HALL_SWITCHES = _BY_RESPONSE[OMNIPOLAR] + _BY_RESPONSE[UNIPOLAR]
SWITCHES_FOR: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"presence": (*_BY_RESPONSE[OMNIPOLAR], REED), "polarity": _BY_RESPONSE[UNIPOLAR]}
)
"""Kind → the switches that can read it, the usual one first. Stones lie either way up, so that presence takes either
pole; polarity needs two switches that each take one: no reed and no omnipolar switch."""
UNFIT: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (AXIAL, "polarity"): "a reed feels no pole",
        (OMNIPOLAR, "polarity"): "it is omnipolar: it closes for either pole",
        (UNIPOLAR, "presence"): "it closes for one pole only, and stones lie either way up",
    }
)
"""Response and kind → why such a part can't read that kind."""
