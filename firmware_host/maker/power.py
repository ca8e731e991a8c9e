"""The current of a board, and the ratings of its 5 V supply, fuse and wires, computed from its description."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hw.lights import CHANNEL_MA, IDLE_MA
from hw.ports import BoardDescription
from hw.registry import inputs_of, scheme_of
from hw.sensor_parts import PARTS

WHITE_MA = 3 * CHANNEL_MA
"""Current of a WS2812B at full white, without its idle current."""
RESERVE = 1.25
"""Factor for the supply, which should not run above 80 % of its rating for hours."""
SUPPLIES_A = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40)
SUPPLY_LIMITS = (1.1, 1.5)
"""Least and largest multiple of its rating at which a switch-mode supply switches off or lowers its voltage (from MEAN
WELL LRS-35)."""
WIRES = ((0.34, 4.0), (0.5, 6.0), (0.75, 9.0), (1.0, 12.0), (1.5, 16.0), (2.5, 24.0), (4.0, 32.0))
"""Copper cross-section (mm²) and safe current (A) of short wires in free air, conservative values."""
OHM_MM2_PER_M = 0.0178
"""Resistivity of copper at 20 °C."""
USB_MA = 500.0
"""What a USB port gives to one device (USB 2.0)."""
LEAD_M = 1.0
"""Assumed length of the wire from the supply to the strip."""
DROP_V = 0.2
"""Maximum voltage drop; with more, far pixels look yellowish."""
BIT_US = 1.25
RESET_US = 280.0


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
class Budget:
    """The currents of a board, and the parts that follow from them."""

    pixels: int
    idle_ma: float
    limit_ma: float
    unlimited_ma: float
    sensors: Mapping[str, float]
    """Sensor part → current of all sensors, mA: the board's part, else each possible part."""
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
        return lead_v(self.lights_ma / 1000, self.wire_mm2)

    @property
    def lights_ma(self) -> float:
        """Largest current of the pixels with the software's limit, mA."""
        return self.idle_ma + min(self.limit_ma, self.unlimited_ma)


def budget(board: BoardDescription) -> Budget:
    """Return the budget of a board."""
    pixels = board.lights.length
    idle = pixels * IDLE_MA
    limit, unlimited = float(board.lights.max_current_ma), pixels * WHITE_MA
    lights_a = (idle + min(limit, unlimited)) / 1000
    fuse = next((one for one in FUSES if one.amperes >= lights_a * 1.1), FUSES[-1])
    fitting = (area for area, bears in WIRES if bears >= fuse.holds_a and lead_v(lights_a, area) <= DROP_V)
    wire = next(fitting, WIRES[-1][0])
    chain = max(_lengths(board), default=0.0) / 1000
    return Budget(
        pixels=pixels,
        idle_ma=idle,
        limit_ma=limit,
        unlimited_ma=unlimited,
        sensors=_sensors_ma(board),
        supply_a=_first(SUPPLIES_A, lights_a * RESERVE),
        fuse=fuse,
        wire_mm2=wire,
        chain_m=chain,
        feeds=_feeds(lights_a, chain, wire),
        frame_ms=max((24 * strip.length * BIT_US + RESET_US) / 1000 for strip in board.lights.strips),
    )


def sensor_kind(board: BoardDescription) -> str:
    """Return the kind of the soldered sensors: ``level`` also where a converter reads polarity from linear sensors."""
    return "level" if board.channel_kind == "polarity" and inputs_of(board) == board.channels else board.channel_kind


def power_text(board: BoardDescription) -> str:
    """Return the budget as a Markdown table."""
    found = budget(board)
    rows = [*(_lights(found) if board.lights.wired else ()), *_sensors(board, found)]
    return "\n".join(["| what | how much | why |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def lead_v(amperes: float, wire_mm2: float, metres: float = LEAD_M) -> float:
    """Return the voltage drop of a current in a wire of this length, there and back, V."""
    return amperes * 2 * metres * OHM_MM2_PER_M / wire_mm2


def gives_way(found: Budget) -> str:
    """Return what happens if the software's limit fails and all pixels are white."""
    all_white, fuse = found.unlimited_ma / 1000, found.fuse
    least, most = (found.supply_a * share for share in SUPPLY_LIMITS)
    limit = f"the supply switches off at {least:.1f} to {most:.1f} A"
    if all_white <= least:
        return "supply, fuse and wire bear it"
    if all_white <= fuse.holds_a:
        return f"the fuse holds {fuse.holds_a:.1f} A for {fuse.holds_for}; if anything gives way, {limit}"
    if all_white >= fuse.opens_a and most >= fuse.opens_a:
        return f"{limit}; what a larger one gives opens the fuse within {fuse.opens_in}"
    return f"{limit}, before the fuse, which opens for sure at {fuse.opens_a:.1f} A"


def _lights(found: Budget) -> Iterator[tuple[str, str, str]]:
    fuse = found.fuse
    yield from (
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
        ("5 V supply for the pixels", f"{found.supply_a:g} A or more", "a quarter in reserve"),
        ("should the limit fail", f"{found.unlimited_ma / 1000:.1f} A", gives_way(found)),
        (
            "fuse in its 5 V line",
            f"{fuse.amperes:g} A ({fuse.kind})",
            f"against shorts: holds {fuse.holds_a:.1f} A for {fuse.holds_for}, opens within {fuse.opens_in} at "
            f"{fuse.opens_a:.1f} A",
        ),
        (
            "wire from supply to strip",
            f"{found.wire_mm2:g} mm² or more",
            f"bears what the fuse holds; a metre loses {found.lead_v:.2f} V, there and back",
        ),
        ("wire along the longest strip", f"{found.chain_m:.1f} m", f"feed 5 V in at {_places(found.feeds)}"),
        ("one frame of light", f"{found.frame_ms:.1f} ms", "the longest strip"),
    )


def _sensors(board: BoardDescription, found: Budget) -> Iterator[tuple[str, str, str]]:
    supply, inputs = scheme_of(board).supply(board.options), inputs_of(board)
    volts = f"{supply.volts:g} V"
    for part, ma in found.sensors.items():
        enough = f"from {supply.words}" + (f", {supply.most_ma:g} mA at most" if supply.own_ma else "")
        if ma > supply.most_ma:
            enough = (
                f"too much for {supply.words}: a {volts} {'regulator' if supply.volts < 5 else 'supply'} of their own"
            )
        each = f"{inputs} x {PARTS[part].ma_at(supply.volts):.2g} mA"
        yield f"sensors at {volts}: {part}", f"{ma:.0f} mA", f"{each}; {enough}"
    if supply.own_ma:
        fed = max(ma for ma in found.sensors.values())
        total = supply.own_ma + (fed if fed <= supply.most_ma else 0)
        source = "from the Pi's 5 V pin" if supply.header else f"from one USB port, which gives {USB_MA:g} mA"
        yield "microcontroller and what it feeds", f"{total:.0f} mA", source


def _sensors_ma(board: BoardDescription) -> Mapping[str, float]:
    possible = (board.part,) if board.part else scheme_of(board).sensor_parts(sensor_kind(board))
    likely = possible[:1] if PARTS[possible[0]].range_mt else possible  # All linear parts have the same current.
    volts = scheme_of(board).supply(board.options).volts
    return {part: inputs_of(board) * PARTS[part].ma_at(volts) for part in likely}


def _places(feeds: int) -> str:
    return "its beginning" if feeds == 1 else f"{feeds} places, evenly spread from its beginning"


def _first(sizes: tuple[float, ...], least: float) -> float:
    return next((size for size in sizes if size >= least), math.ceil(least))


def _lengths(board: BoardDescription) -> list[float]:
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
