"""The sensors that can be soldered under a node, with data from their data sheets; all run at 3.3 V or 5 V."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

REED, HALL = "reed", "hall"
SUPPLY_V = 3.3


@dataclass(frozen=True)
class SensorPart:
    """Data of one part."""

    about: str
    """Description for a list of parts."""
    ma: float
    """Supply current of one at 3.3 V, mA."""
    slot_mm: tuple[float, float]
    """Length and width of its slot: a row of drilled holes whose diameter is the width."""
    legs: int = 3
    mv_per_mt: float = 0.0
    """Sensitivity of a linear part at 3.3 V, mV per mT; 0 for switches."""
    range_mt: float = 0.0
    """Strongest field of either pole that does not saturate the output; 0 for switches."""
    at_5v: tuple[float, float] = (0.0, 0.0)
    """The same two figures at 5 V."""

    def linear_at(self, volts: float) -> tuple[float, float]:
        """Return sensitivity (mV per mT) and range (mT) at a supply of 3.3 or 5 V."""
        return (self.mv_per_mt, self.range_mt) if volts <= SUPPLY_V else self.at_5v

    def ma_at(self, volts: float) -> float:
        """Return the supply current of one, mA; a closed reed's current flows through its 10 kΩ pull-up."""
        return self.ma if self.legs > 2 else self.ma * volts / SUPPLY_V


TO_92 = (5.5, 4.0)
"""Slot of a TO-92 hall sensor (face 4.1 x 3 mm): two holes of 4 mm with centres 1.5 mm apart."""
_REED_SLOT = (16.0, 3.0)
"""Slot of a reed's glass, 10 to 14 mm long and 1.8 to 2.3 mm thick."""
_LINEAR_MA = 6.0
"""DRV5055: 6 mA, typical."""


def _drv5055(variant: int, mv_per_mt: float, range_mt: float, at_5v: tuple[float, float]) -> SensorPart:
    about = f"linear hall sensor DRV5055A{variant} (±{range_mt:g} mT at 3.3 V, ±{at_5v[1]:g} mT at 5 V)"
    return SensorPart(about, _LINEAR_MA, TO_92, 3, mv_per_mt, range_mt, at_5v)


PARTS: Mapping[str, SensorPart] = MappingProxyType(
    {
        REED: SensorPart("reed switch, glass of 10 to 14 mm", SUPPLY_V / 10, _REED_SLOT, 2),
        HALL: SensorPart("hall switch with open drain, for 3.3 V (DRV5033, DRV5032FC)", 4.4, TO_92),
        "DRV5055A1": _drv5055(1, 60.0, 22.0, (100.0, 21.0)),
        "DRV5055A2": _drv5055(2, 30.0, 44.0, (50.0, 42.0)),
        "DRV5055A3": _drv5055(3, 15.0, 88.0, (25.0, 85.0)),
        "DRV5055A4": _drv5055(4, 7.5, 176.0, (12.5, 169.0)),
    }
)
"""Name in board files → part. A closed reed's current flows through its 10 kΩ pull-up."""
SWITCHES = (REED, HALL)
LINEAR = tuple(name for name, part in PARTS.items() if part.mv_per_mt)
TOLD_BY_SWITCHES: Mapping[str, tuple[str, ...]] = MappingProxyType({"presence": SWITCHES, "polarity": (HALL,)})
"""Kind → the switches that can read it: a reed does not distinguish poles."""
