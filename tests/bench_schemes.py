"""Every way to wire sensors side by side: GPIO calls beside the fewest there can be, scan times, and latency.

Times through the simulated chips tell what this computer does. What a Pi takes is reckoned from the cost of a GPIO call
that others measured on a Zero 2 W (5 µs with RPi.GPIO, 80 µs with rpi-lgpio in its slower half) and from the bits that
a bus carries; nobody has timed these drivers on a Pi.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from hw.schemes import ADS1115_RATE, SCHEMES, inputs_of
from simulator.board import SimulatedBoard
from tests.schemes import ON_PINS, described
from tests.session.test_runtime import seal, sit
from tests.tables import RunningTable

COUNTS = (45, 81, 127, 189)
ROUNDS = 50
SAMPLES = 100
CALL_MS = {"RPi.GPIO": 0.005, "rpi-lgpio": 0.08}
SPI_MS = 0.05
"""What a transfer costs before its first bit, by and large."""
MOST_PINS = 27
MAY_GO = (0, 255, 255)
"""Where the lifted stone may go lights up cyan."""
BOARDS = {
    "74hc165": "spokes-45",
    **{scheme: f"spokes-45-{scheme}" for scheme in ("74hc165-spi", "4067", "matrix", "mcp3008", "ads1115")},
}


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    found: list[tuple[str, float, str]] = []
    for count in COUNTS:
        for scheme in ON_PINS:
            if scheme != "direct":
                found += _scan(scheme, count)
    for scheme, board in BOARDS.items():
        found.append((f"45 nodes, {scheme}: readable change to pixel bytes, p99 (bound: 20)", _latency(board), "ms"))
    return found


def _scan(scheme: str, count: int) -> list[tuple[str, float, str]]:
    kind = "level" if "level" in SCHEMES[scheme].kinds else "presence"
    parts = SimulatedBoard(described(scheme, kind, count))
    sensors = parts.sensors()
    sensors.scan()
    before, began = parts.gpio.calls, time.perf_counter()
    for _ in range(ROUNDS):
        sensors.scan()
    took = (time.perf_counter() - began) / ROUNDS * 1000
    calls = (parts.gpio.calls - before) // ROUNDS
    columns = parts.description.pins.get("columns", ())
    assert isinstance(columns, tuple)
    inputs = inputs_of(scheme, kind, count)
    fewest = _fewest(scheme, inputs, len(columns))
    rates = " or ".join(f"{_on_a_pi(scheme, inputs, calls, each):,.1f}" for each in CALL_MS.values())
    pins = sum(len(pin) if isinstance(pin, tuple) else 1 for pin in parts.description.pins.values())
    note = f"; {pins} pins, a Pi has {MOST_PINS}" if pins > MOST_PINS else ""
    told = f"{calls} GPIO calls, fewest {fewest}; on a Pi {rates} ms{note}"
    return [(f"{count} nodes, {scheme}: a scan here ({told})", took, "ms")]


def _fewest(scheme: str, inputs: int, columns: int) -> int:
    """Return the fewest calls that a scan can take when a call reads one pin or writes any number of them.

    A shift register: two to latch, a read for each input, two for each clock between them. A multiplexer: a read for
    each input, a write for each of its channels. A matrix: a read for each input, a write for each row.
    """
    channels = min(16, inputs)
    return {
        "74hc165": 2 + inputs + 2 * (inputs - 1),
        "74hc165-spi": 2,
        "4067": inputs + channels,
        "matrix": inputs + (-(-inputs // columns) if columns else 0),
        "mcp3008": channels,
        "ads1115": channels,
    }[scheme]


def _on_a_pi(scheme: str, inputs: int, calls: int, call_ms: float) -> float:
    """Return what a scan should take on a Pi, milliseconds."""
    bus = {
        "74hc165-spi": SPI_MS + inputs / 1000,
        "mcp3008": inputs * (SPI_MS + 24 / 1000),
        "ads1115": inputs * 1000 / ADS1115_RATE,
    }
    settling = 16 * 0.01 if scheme in {"4067", "mcp3008", "ads1115"} else 0.0
    return calls * call_ms + bus.get(scheme, 0.0) + settling


def _latency(board: str) -> float:
    """Return how long the loop takes at the 99th percentile from reading a change that has lasted to its pixel bytes.

    That is the round in which debouncing accepts a change: scan, table, journal, frame.
    """
    with tempfile.TemporaryDirectory() as folder:
        table = RunningTable(Path(folder), board=board)
        sit(table)
        seal(table, {1: "wD12", 2: "wD13"})
        for node in ("D12", "D13"):
            table.hand.put(node, "w")
        table.wait(1.0)
        assert table.view["phase"] == "resolving", "a lifted stone is answered at once"
        left: list[float] = []
        table.parts.wire.on_frame = lambda: left.append(time.perf_counter())
        waits = []
        for _ in range(SAMPLES):
            table.hand.lift("D13")
            while table.pixel("D14") != MAY_GO:
                left.clear()
                table.clock.now += 1 / table.description.scan_hz
                began = time.perf_counter()
                table.runtime.step()
            waits.append((left[-1] - began) * 1000)
            table.hand.put("D13")
            table.wait(0.5)
        table.close()
    return sorted(waits)[int(len(waits) * 0.99)]
