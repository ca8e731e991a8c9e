"""What a board draws and what its 5 V supply, fuse and wires must bear, computed from the board file."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from hw.lights import CHANNEL_MA, IDLE_MA
from hw.ports import BoardDescription
from hw.registry import inputs_of

WHITE_MA = 3 * CHANNEL_MA
"""A WS2812B at full white."""
RESERVE = 1.25
"""A supply should not run at more than 80 % for hours."""
SUPPLIES_A = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40)
FUSES_A = (1, 2, 3, 4, 5, 7.5, 10, 15, 20, 25, 30)
WIRES = ((0.34, 4.0), (0.5, 6.0), (0.75, 9.0), (1.0, 12.0), (1.5, 16.0), (2.5, 24.0), (4.0, 32.0))
"""Copper cross-section (mm²) and the current (A) that short wires in free air bear without warming (careful values)."""
OHM_MM2_PER_M = 0.0178
"""Copper at 20 °C."""
SENSOR_MA = {"presence": 0.33, "polarity": 2.0, "level": 6.0}
"""One sensor: a closed reed with its 10 kΩ at 3.3 V; a hall switch; a linear hall sensor (DRV5055: 6 mA)."""
PI_3V3_MA = 300.0
"""What the Pi's 3.3 V pin should be asked for at most."""
DROP_V = 0.2
"""More than this lost on the way makes far pixels look yellowish."""
BIT_US = 1.25
RESET_US = 280.0


@dataclass(frozen=True)
class Budget:
    """The currents and what follows from them."""

    pixels: int
    idle_ma: float
    limit_ma: float
    unlimited_ma: float
    sensors_ma: float
    supply_a: float
    fuse_a: float
    wire_mm2: float
    chain_m: float
    """Wire along all pixels of the longest strip, in the order of their numbers."""
    feeds: int
    """Where 5 V must be fed into that strip, its beginning included, to lose less than ``DROP_V``."""
    frame_ms: float

    @property
    def lights_ma(self) -> float:
        """What the pixels draw at the most, with the limit at work."""
        return self.idle_ma + min(self.limit_ma, self.unlimited_ma)


def budget(board: BoardDescription) -> Budget:
    """Return the budget of a board."""
    pixels = board.lights.length
    idle = pixels * IDLE_MA
    limit, unlimited = float(board.lights.max_current_ma), pixels * WHITE_MA
    lights_a = (idle + min(limit, unlimited)) / 1000
    fuse = _first(FUSES_A, lights_a * 1.1)
    wire = next((area for area, bears in WIRES if bears >= fuse), WIRES[-1][0])
    chain = max(_lengths(board), default=0.0) / 1000
    return Budget(
        pixels=pixels,
        idle_ma=idle,
        limit_ma=limit,
        unlimited_ma=unlimited,
        sensors_ma=inputs_of(board) * SENSOR_MA[sensor_kind(board)],
        supply_a=_first(SUPPLIES_A, lights_a * RESERVE),
        fuse_a=fuse,
        wire_mm2=wire,
        chain_m=chain,
        feeds=_feeds(lights_a, chain, wire),
        frame_ms=max((24 * strip.length * BIT_US + RESET_US) / 1000 for strip in board.lights.strips),
    )


def sensor_kind(board: BoardDescription) -> str:
    """Return what kind of sensor is soldered: a converter tells poles from linear ones."""
    return "level" if board.channel_kind == "polarity" and inputs_of(board) == board.channels else board.channel_kind


def power_text(board: BoardDescription) -> str:
    """Return the budget as a table in Markdown."""
    found = budget(board)
    rows = (
        ("pixels dark", f"{found.idle_ma:.0f} mA", f"{found.pixels} x {IDLE_MA:g} mA"),
        (
            "pixels at the limit",
            f"{found.lights_ma:.0f} mA",
            f"max_current_ma = {found.limit_ma:g}, and the above",
        ),
        (
            "all pixels white, were there no limit",
            f"{found.unlimited_ma:.0f} mA",
            f"{found.pixels} x {WHITE_MA:g} mA",
        ),
        (
            "sensors at 3.3 V, at the most",
            f"{found.sensors_ma:.0f} mA",
            f"kind {board.kind}; {_sensors_from(found)}",
        ),
        ("5 V supply for the pixels", f"{found.supply_a:g} A or more", "a quarter in reserve"),
        ("fuse in its 5 V line", f"{found.fuse_a:g} A", "blows when the limit fails"),
        ("wire from supply to strip", f"{found.wire_mm2:g} mm² or more", "bears the fuse's current"),
        ("wire along the longest strip", f"{found.chain_m:.1f} m", f"feed 5 V in at {_places(found.feeds)}"),
        ("one frame of light", f"{found.frame_ms:.1f} ms", "the longest strip"),
    )
    return "\n".join(["| what | how much | why |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def _sensors_from(found: Budget) -> str:
    enough = found.sensors_ma <= PI_3V3_MA
    return "from the Pi's 3.3 V pin" if enough else "too much for the Pi's pin: a 3.3 V regulator of their own"


def _places(feeds: int) -> str:
    return "its beginning" if feeds == 1 else f"{feeds} places, evenly spread from its beginning"


def _first(sizes: tuple[float, ...], least: float) -> float:
    return next((size for size in sizes if size >= least), math.ceil(least))


def _lengths(board: BoardDescription) -> list[float]:
    """Return the length of each strip, mm: from each pixel of a node to the next one on the strip."""
    by_pixel = {node.pixel: (node.x, node.y) for node in board.nodes.values()}
    lengths = []
    begin = 0
    for strip in board.lights.strips:
        places = [by_pixel[pixel] for pixel in range(begin, begin + strip.length) if pixel in by_pixel]
        lengths.append(sum(math.dist(one, other) for one, other in itertools.pairwise(places)))
        begin += strip.length
    return lengths


def _feeds(amperes: float, chain_m: float, wire_mm2: float) -> int:
    """Return how many feeds keep the loss under DROP_V: current evenly drawn along a stretch, there and back."""
    for feeds in range(1, 100):
        drop = amperes / feeds * OHM_MM2_PER_M * 2 * (chain_m / feeds) / wire_mm2 / 2
        if drop <= DROP_V:
            return feeds
    return 100
