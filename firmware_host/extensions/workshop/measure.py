"""``lodestone hardware monitor`` and ``bench``: live readings, and how fast scans and lights are."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from firmware_host.extensions.workshop.terminal import Opened, describe, open_for
from firmware_host.sensing.debounce import DEBOUNCE_SCANS, Debouncer, scale
from firmware_host.table.lights import CYAN, OFF
from firmware_host.text.plain_text import clear_screen
from hw.buses import Gpio, ThisComputer
from hw.ports import BoardDescription, Colour, NodeWiring
from hw.registry import scheme_of
from hw.sensor_parts import PARTS
from hw.tile_codes import UNREADABLE, TileCodes

REFRESH_S = 0.2
"""Period of redrawing a terminal."""
COLUMNS = 5
SIGNS: Mapping[str, Sequence[str]] = {"presence": ("·", "●"), "polarity": ("·", "N", "S", "both!")}
FELT: Colour = (0, 120, 0)
NOISE = 4
"""Largest change in level steps that is not printed."""


def words(kind: str, reading: int) -> str:
    """Return a reading as text for people."""
    signs = SIGNS.get(kind)
    return f"{reading:3} {reading - 128:+4}" if signs is None else signs[reading]


def screen(board: BoardDescription, readings: Sequence[int], rate: float) -> str:
    """Return all nodes in columns, in the board file's order; a well shows its tile, or its nine readings."""
    codes = TileCodes({name: tile.ring for name, tile in board.tiles.items() if tile.ring})
    cells = [f"{node:>4} {_reading_text(board, codes, wiring, readings):<9}" for node, wiring in board.nodes.items()]
    rows = [" ".join(cells[at : at + COLUMNS]).rstrip() for at in range(0, len(cells), COLUMNS)]
    return "\n".join(
        [f"{board.name}: {board.kind} through {board.scheme}, {rate:.0f} scans a second; Ctrl-C ends", *rows]
    )


def _reading_text(board: BoardDescription, codes: TileCodes, node: NodeWiring, readings: Sequence[int]) -> str:
    if not node.ring:
        return words(board.channel_kind, readings[node.channel])
    bits = [readings[channel] for channel in node.ring]
    sensed = codes.decode(bits)
    return (
        "".join(words(board.channel_kind, bit) for bit in bits)
        if sensed == UNREADABLE
        else sensed or words(board.channel_kind, 0)
    )


def changes(board: BoardDescription, before: Sequence[int], after: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (channel, reading before, reading now) of the changes to print, in the nodes' order."""
    least = NOISE + 1 if board.kind == "level" else 1
    found = []
    for channel in board.sensor_names().values():
        one, other = before[channel], after[channel]
        if abs(one - other) >= least:
            found.append((channel, one, other))
    return found


def monitor(board: Opened, *, seconds: float | None, as_json: bool) -> int:
    """Show readings until interrupted or for ``seconds``, and light occupied nodes; return 0. Raise HardwareError."""
    shown: list[int] | None = None
    drawn, count, began = 0.0, 0, time.monotonic()
    live = sys.stdout.isatty() and not as_json
    try:
        while seconds is None or time.monotonic() - began < seconds:
            readings = board.parts.sensors.scan()
            count += 1
            now = time.monotonic() - began
            if live and now - drawn >= REFRESH_S:
                drawn = now
                clear_screen()
                print(screen(board.description, readings, count / now), flush=True)
            if shown is None:
                shown = list(readings)
                _light(board, readings)
            moved = changes(board.description, shown, readings)
            for channel, one, other in moved:
                shown[channel] = other
                if not live:
                    _tell(board.description, now, (channel, one, other), as_json=as_json)
            if moved:
                _light(board, readings)
            time.sleep(1.0 / board.description.scan_hz)
    except KeyboardInterrupt:
        pass
    return 0


def _tell(board: BoardDescription, at: float, change: tuple[int, int, int], *, as_json: bool) -> None:
    channel, one, other = change
    if as_json:
        node, place = board.sensors()[channel]
        line = {"at": round(at, 3), "node": node, "channel": channel, "before": one, "reading": other}
        print(json.dumps(line if place is None else {**line, "place": place}), flush=True)
    else:
        name, kind = board.sensor_words(channel), board.channel_kind
        print(f"{at:8.2f} s  {name:>4} (channel {channel}) {words(kind, one)} → {words(kind, other)}", flush=True)


def _light(board: Opened, readings: Sequence[int]) -> None:
    frame: list[Colour] = [OFF] * board.parts.strip.length
    calibrated, level = board.description.calibration, board.description.kind == "level"
    for wiring in board.description.nodes.values():
        felt = [readings[channel] for channel in wiring.channels]
        rest = calibrated[wiring.name].rest if wiring.name in calibrated else 128
        if any(abs(one - rest) > 2 * NOISE if level else one for one in felt):
            frame[wiring.pixel] = FELT
    board.parts.strip.show(frame)


ROUNDS = 200


@dataclass(frozen=True)
class Figure:
    """One measured figure."""

    name: str
    value: float
    unit: str


def figures(board: Opened, calls: int | None, rounds: int = ROUNDS) -> list[Figure]:
    """Measure scans, and the time from a scan to the lights. ``calls`` are the GPIO calls per scan, None if unknown."""
    description, sensors = board.description, board.parts.sensors
    scans = []
    for _ in range(rounds):
        began = time.perf_counter()
        sensors.scan()
        scans.append(time.perf_counter() - began)
    ways = _ways(board, rounds)
    period_ms = 1000 / description.scan_hz
    found = [
        Figure("channels", description.channels, ""),
        Figure("scans a second, as fast as can be", 1 / statistics.fmean(scans), "Hz"),
        Figure("scans a second in play", description.scan_hz, "Hz"),
        Figure("a scan, mean", 1000 * statistics.fmean(scans), "ms"),
        Figure("a scan, 99th percentile", 1000 * _high(scans), "ms"),
        Figure("scan to lights, mean", 1000 * statistics.fmean(ways), "ms"),
        Figure("scan to lights, 99th percentile", 1000 * _high(ways), "ms"),
        Figure("the same with debouncing in play", 1000 * _high(ways) + (DEBOUNCE_SCANS - 1) * period_ms, "ms"),
    ]
    sleeps = PARTS[description.part].period_ms if description.part in PARTS else 0.0
    if sleeps:
        found.append(Figure(f"{description.part}: between two of its measurements, at most", sleeps, "ms"))
    # A stone is put down just after a measurement and just after a scan.
    worst = 1000 * _high(ways) + DEBOUNCE_SCANS * period_ms + sleeps
    found.append(Figure("a stone to lights, at worst", worst, "ms"))
    if calls is not None:
        found.insert(1, Figure("GPIO calls a scan", calls, ""))
    return found


def _ways(board: Opened, rounds: int) -> list[float]:
    """Return the times in seconds from the start of a scan until its change is on the strip.

    The change is simulated in the readings, so no stone has to move; the waits of debouncing are not included.
    """
    description, strip = board.description, board.parts.strip
    debouncer = Debouncer(description)
    quiet = list(board.parts.sensors.scan())
    for _ in range(DEBOUNCE_SCANS):
        list(debouncer.feed(quiet, 0.0))
    wirings = list(description.nodes.values())
    ways = []
    for number in range(rounds):
        wiring = wirings[number % len(wirings)]
        flipped = list(quiet)
        calibration = scale(description.calibration.get(wiring.name), description.bands)
        touched = calibration.rest + 75 if description.kind == "level" else 1
        flipped[wiring.channel] = touched if quiet[wiring.channel] != touched else 0
        for _ in range(DEBOUNCE_SCANS - 1):
            list(debouncer.feed(list(flipped), 0.0))
        began = time.perf_counter()
        board.parts.sensors.scan()
        changed = list(debouncer.feed(list(flipped), 0.0))
        frame: list[Colour] = [OFF] * strip.length
        for node, _ in changed:
            frame[description.nodes[node].pixel] = CYAN
        strip.show(frame)
        ways.append(time.perf_counter() - began)
        for _ in range(DEBOUNCE_SCANS):
            list(debouncer.feed(list(quiet), 0.0))
    strip.show([OFF] * strip.length)
    return ways


def _high(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def print_figures(board: BoardDescription, figures: list[Figure], *, as_json: bool) -> None:
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


# -- the cost of a driver: pins that pass every call on, and count reads and writes ------------------------------------


class CountingGpio:
    """A wrapper of any RPi.GPIO-shaped object that counts its ``input`` and ``output`` calls."""

    def __init__(self, gpio: Gpio) -> None:
        """Wrap ``gpio``."""
        self._gpio = gpio
        self.calls = 0

    def input(self, channel: int) -> int:
        """Read a pin."""
        self.calls += 1
        return self._gpio.input(channel)

    def output(self, channel: Any, value: Any) -> None:
        """Write a pin, or several in one call."""
        self.calls += 1
        self._gpio.output(channel, value)

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the library."""
        return getattr(self._gpio, name)


class CountingComputer(ThisComputer):
    """This computer, with a count of all reads and writes of its pins."""

    def __init__(self) -> None:
        """Start with no opened pins."""
        self.counted: list[CountingGpio] = []

    def gpio(self) -> Gpio:
        """Return the pins, wrapped in a counter."""
        self.counted.append(CountingGpio(super().gpio()))
        return self.counted[-1]

    def calls(self) -> int:
        """Return the number of reads and writes so far."""
        return sum(gpio.calls for gpio in self.counted)


def calls_of_a_scan(arguments: argparse.Namespace) -> int | None:
    """Return how often a scan reads or writes pins; None where the board's back end opens none. Raise Refused.

    Counting slows scans, so that it has an opening of its own.
    """
    counting, real = CountingComputer(), describe(arguments)[1].backend == "gpio"
    options: dict[str, Any] = {"computer": counting} if real else {}
    with open_for(arguments, **options) as board:
        parts = board.parts.simulated
        if not real and parts is None:
            return None

        def calls() -> int:
            return counting.calls() if real else int(parts.gpio.calls)

        before = calls()
        board.parts.sensors.scan()
        return calls() - before
