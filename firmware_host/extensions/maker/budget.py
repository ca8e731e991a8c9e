"""The current of a board's 5 V supply, and the ratings of supply, fuse and wires, computed from its description.

The supply feeds the pixels, and the sensors' regulator where the reader's own 5 V does not suffice for it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from firmware_host.link.supplies import load_ma, sensors_circuit
from hw.circuit import V5
from hw.lights import STRIPS
from hw.ports import BoardDescription

SHIFTER_MA = 8.0
"""A 74AHCT125 (TI SN74AHCT125): 20 µA, and 1.5 mA for each input at 3.3 V, rounded up."""
RESERVE = 1.25
"""Factor for the supply, which should not run above 80 % of its rating for hours."""
SUPPLIES_A = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40)
SUPPLY_LIMITS = (1.1, 1.5)
"""Least and largest multiple of its rating at which a switch-mode supply switches off or lowers its voltage (from MEAN
WELL LRS-35)."""
WIRES = ((0.34, 4.0), (0.5, 6.0), (0.75, 9.0), (1.0, 12.0), (1.5, 16.0), (2.5, 24.0), (4.0, 32.0))
"""Copper cross-section (mm²) and safe current (A) of short wires in free air, conservative values."""
SIGNAL_MM2 = 0.14
"""Cross-section of the wire of data and sensors, mm²."""
OHM_MM2_PER_M = 0.0178
"""Resistivity of copper at 20 °C."""
LEAD_M = 1.0
"""Assumed length of the wire from the supply to the strip."""
DROP_V = 0.2
"""Maximum voltage drop; with more, far pixels look yellowish."""


@dataclass(frozen=True)
class Fuse:
    """A kind and size of fuse, with its standard's limits for currents above its rating."""

    amperes: float
    kind: str
    holds: float
    """Multiple of its rating that it bears for ``holds_for``."""
    holds_for: str
    opens: float
    """Multiple of its rating at which it opens within ``opens_in``."""
    opens_in: str

    @property
    def words(self) -> str:
        """Description for a list of parts."""
        return f"fuse of {self.amperes:g} A ({self.kind})"

    @property
    def holds_a(self) -> float:
        """Current that it bears for ``holds_for``, A."""
        return self.amperes * self.holds

    @property
    def opens_a(self) -> float:
        """Current at which it certainly opens, A."""
        return self.amperes * self.opens


FUSES = (
    *(Fuse(a, "5 x 20 mm, F", 1.5, "an hour", 2.1, "half an hour") for a in (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3)),
    *(Fuse(a, "blade, ATO", 1.1, "100 hours", 1.35, "ten minutes") for a in (7.5, 10, 15, 20, 25, 30, 35, 40)),
)
"""Fuses by IEC 60127-2, sheet 2, and ISO 8820-3."""


@dataclass(frozen=True)
class PowerBudget:
    """The currents of a board, and the parts that follow from them."""

    pixels: int
    idle_ma: float
    limit_ma: float
    unlimited_ma: float
    sensors_ma: float
    """What chips and sensors take of the same supply."""
    supply_a: float
    fuse: Fuse
    wire_mm2: float
    chain_m: float
    """Length of wire along all pixels of the longest strip."""
    feeds: int
    """Number of 5 V feeds of that strip, its beginning included, for a drop of at most ``DROP_V``."""
    frame_ms: float

    @property
    def lead_v(self) -> float:
        """Voltage drop in a metre of wire from the supply to the strip, there and back, V."""
        return lead_v(self.total_ma / 1000, self.wire_mm2)

    @property
    def lights_ma(self) -> float:
        """Largest current of the pixels with the software's limit, mA."""
        return self.idle_ma + min(self.limit_ma, self.unlimited_ma)

    @property
    def feeds_what(self) -> str:
        """What the 5 V supply feeds: ``the pixels and sensors``."""
        return "the " + " and ".join(
            what for what, fed in (("pixels", self.pixels), ("sensors", self.sensors_ma)) if fed
        )

    @property
    def total_ma(self) -> float:
        """Largest current of the 5 V supply, mA: the pixels', their level shifter's, and what sensors take of it."""
        return self.lights_ma + self.sensors_ma + (SHIFTER_MA if self.pixels else 0.0)


def budget(board: BoardDescription) -> PowerBudget:
    """Return the budget of a board. Raise HardwareError where its sensors can't be fed."""
    pixels = board.lights.length if board.lights.has_strips else 0
    schemes = [(strip, STRIPS.get(strip.scheme)) for strip in board.lights.strips if board.lights.has_strips]
    idle = sum(strip.length * scheme.idle_ma for strip, scheme in schemes)
    unlimited = sum(strip.length * len(strip.order) * scheme.channel_ma for strip, scheme in schemes)
    limit = float(board.lights.max_current_ma)
    sensors = load_ma(sensors_circuit(board), V5)
    lights_a = (idle + min(limit, unlimited)) / 1000
    total_a = lights_a + (sensors + (SHIFTER_MA if pixels else 0.0)) / 1000
    fuse = next((one for one in FUSES if one.amperes >= total_a * 1.1), FUSES[-1])
    fitting = (area for area, bears in WIRES if bears >= fuse.holds_a and lead_v(total_a, area) <= DROP_V)
    wire = next(fitting, WIRES[-1][0])
    chain = max(strip_lengths(board), default=0.0) / 1000
    return PowerBudget(
        pixels=pixels,
        idle_ma=idle,
        limit_ma=limit,
        unlimited_ma=unlimited,
        sensors_ma=sensors,
        supply_a=_first(SUPPLIES_A, total_a * RESERVE),
        fuse=fuse,
        wire_mm2=wire,
        chain_m=chain,
        feeds=_feeds(lights_a, chain, wire),
        frame_ms=max((scheme.frame_us(strip) / 1000 for strip, scheme in schemes), default=0.0),
    )


def lead_v(amperes: float, wire_mm2: float, metres: float = LEAD_M) -> float:
    """Return the voltage drop of a current in a wire of this length, there and back, V."""
    return amperes * 2 * metres * OHM_MM2_PER_M / wire_mm2


def rail_mm2(load_ma: float) -> float:
    """Return the wire from the sensors' regulator to chips and sensors, mm²: an ADC measures what a wire loses."""
    return next((area for area, _ in WIRES if lead_v(load_ma / 1000, area) <= DROP_V / 2), WIRES[-1][0])


def overload_words(found: PowerBudget) -> str:
    """Return what happens if the software's limit fails and all pixels are white."""
    all_white, fuse = (found.unlimited_ma + found.sensors_ma) / 1000, found.fuse
    least, most = (found.supply_a * share for share in SUPPLY_LIMITS)
    limit = f"the supply switches off at {least:.1f} to {most:.1f} A"
    if all_white <= least:
        return "supply, fuse and wire bear it"
    if all_white <= fuse.holds_a:
        return f"the fuse holds {fuse.holds_a:.1f} A for {fuse.holds_for}; if anything gives way, {limit}"
    if all_white >= fuse.opens_a and most >= fuse.opens_a:
        return f"{limit}; what a larger one gives opens the fuse within {fuse.opens_in}"
    return f"{limit}, before the fuse, which opens for sure at {fuse.opens_a:.1f} A"


def _first(sizes: tuple[float, ...], least: float) -> float:
    return next((size for size in sizes if size >= least), math.ceil(least))


def strip_lengths(board: BoardDescription) -> list[float]:
    """Return the length of each strip, mm, along the pixels that belong to nodes."""
    by_pixel = {node.pixel: (node.x, node.y) for node in board.nodes.values()}
    lengths = []
    begin = 0
    for strip in board.lights.strips:
        places = [by_pixel[pixel] for pixel in range(begin, begin + strip.length) if pixel in by_pixel]
        lengths.append(sum(math.dist(one, other) for one, other in itertools.pairwise(places)))
        begin += strip.length
    return lengths


def _feeds(amperes: float, chain_m: float, wire_mm2: float) -> int:
    """Return the number of feeds that keeps the drop within DROP_V, for an evenly spread current, there and back."""
    for feeds in range(1, 100):
        drop = amperes / feeds * OHM_MM2_PER_M * 2 * (chain_m / feeds) / wire_mm2 / 2
        if drop <= DROP_V:
            return feeds
    return 100
