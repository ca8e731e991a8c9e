"""``lodestone hardware bench``: the speed of scans, and the time from a change to the lights."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import asdict, dataclass

from firmware_host.hardware.opening import Opened
from firmware_host.sensing.debounce import DEBOUNCE_SCANS, Debouncer
from firmware_host.sensing.levels import scale
from firmware_host.table.lights import CYAN, OFF
from hw.ports import BoardDescription, Colour
from hw.registry import scheme_of

ROUNDS = 200


@dataclass(frozen=True)
class Figure:
    """One measured figure."""

    name: str
    value: float
    unit: str


def measure(board: Opened, calls: int | None, rounds: int = ROUNDS) -> list[Figure]:
    """Measure scans, and the time from a scan to the lights. ``calls`` are the GPIO calls per scan, None if unknown."""
    description, sensors = board.description, board.parts.sensors
    scans = []
    for _ in range(rounds):
        began = time.perf_counter()
        sensors.scan()
        scans.append(time.perf_counter() - began)
    ways = _ways(board, rounds)
    period_ms = 1000 / description.scan_hz
    figures = [
        Figure("channels", description.channels, ""),
        Figure("scans a second, as fast as can be", 1 / statistics.fmean(scans), "Hz"),
        Figure("scans a second in play", description.scan_hz, "Hz"),
        Figure("a scan, mean", 1000 * statistics.fmean(scans), "ms"),
        Figure("a scan, 99th percentile", 1000 * _high(scans), "ms"),
        Figure("scan to lights, mean", 1000 * statistics.fmean(ways), "ms"),
        Figure("scan to lights, 99th percentile", 1000 * _high(ways), "ms"),
        Figure("the same with debouncing in play", 1000 * _high(ways) + (DEBOUNCE_SCANS - 1) * period_ms, "ms"),
    ]
    if calls is not None:
        figures.insert(1, Figure("GPIO calls a scan", calls, ""))
    return figures


def _ways(board: Opened, rounds: int) -> list[float]:
    """Return the times in seconds from the start of a scan until its change is on the strip.

    The change is simulated in the readings, so no stone has to move; the waits of debouncing are not included.
    """
    description, strip = board.description, board.parts.strip
    eyes = Debouncer(description)
    quiet = list(board.parts.sensors.scan())
    for _ in range(DEBOUNCE_SCANS):
        list(eyes.feed(quiet, 0.0))
    wirings = list(description.nodes.values())
    ways = []
    for number in range(rounds):
        wiring = wirings[number % len(wirings)]
        flipped = list(quiet)
        calibration = scale(description.calibration.get(wiring.name), description.bands)
        touched = calibration.rest + 75 if description.kind == "level" else 1
        flipped[wiring.channel] = touched if quiet[wiring.channel] != touched else 0
        for _ in range(DEBOUNCE_SCANS - 1):
            list(eyes.feed(list(flipped), 0.0))
        began = time.perf_counter()
        board.parts.sensors.scan()
        changed = list(eyes.feed(list(flipped), 0.0))
        frame: list[Colour] = [OFF] * strip.length
        for node, _ in changed:
            frame[description.nodes[node].pixel] = CYAN
        strip.show(frame)
        ways.append(time.perf_counter() - began)
        for _ in range(DEBOUNCE_SCANS):
            list(eyes.feed(list(quiet), 0.0))
    strip.show([OFF] * strip.length)
    return ways


def _high(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def tell(board: BoardDescription, figures: list[Figure], *, as_json: bool) -> None:
    """Print the figures, as a table or as one JSON object."""
    name = board.name
    if as_json:
        print(json.dumps({"board": name, "figures": [asdict(figure) for figure in figures]}))
        return
    print(name)
    for figure in figures:
        number = (
            f"{figure.value:,.0f}"
            if figure.value >= 100 or figure.value == int(figure.value)
            else f"{figure.value:.3g}"
        )
        print(f"  {figure.name:<40} {number:>9} {figure.unit}")
    if scheme_of(board).scans_itself:
        print("  A scan only looks at what the scanner has sent last: its own period and the transfer come on top.")
