"""Every way to wire sensors side by side: GPIO calls, scan times, and latency.

Times through the simulated chips tell what this computer does. What a Pi takes is reckoned from the cost of a GPIO call
that others measured on a Zero 2 W (5 µs with RPi.GPIO, 80 µs with rpi-lgpio in its slower half) and from what buses and
settling lines take on the simulated bench; nobody has timed these drivers on a Pi.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from firmware_host.boardfile.load import load_board, shipped_boards
from lodestone.tables import SimulatedTable
from simulator.board import SimulatedBoard
from tests.schemes import FOUND, ON_PINS, carries, described
from tests.session.test_runtime import seal, sit

COUNTS = (45, 81, 127, 189)
ROUNDS = 50
SAMPLES = 100
CALL_MS = {"RPi.GPIO": 0.005, "rpi-lgpio": 0.08}
MAY_GO = (0, 255, 255)
"""Where the lifted stone may go lights up cyan."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    found: list[tuple[str, float, str]] = []
    for count in COUNTS:
        found += [_scan(name, count) for name in ON_PINS if carries(FOUND[name], FOUND[name].kinds[0], count)]
    for scheme, board in boards().items():
        found.append((f"45 nodes, {scheme}: readable change to pixel bytes, p99 (at most: 20)", _latency(board), "ms"))
    return found


def boards() -> dict[str, str]:
    """Return the shipped boards for 45 nodes, by their schemes."""
    shipped = [load_board(path) for path in shipped_boards() if path.stem.startswith("spokes-45")]
    return {board.scheme: board.name for board in shipped if board.scheme in ON_PINS}


def _scan(name: str, count: int) -> tuple[str, float, str]:
    parts = SimulatedBoard(described(name, FOUND[name].kinds[0], count))
    sensors = parts.sensors()
    sensors.scan()
    before, began, waited = parts.gpio.calls, time.perf_counter(), parts.breadboard.now_us
    for _ in range(ROUNDS):
        sensors.scan()
    took = (time.perf_counter() - began) / ROUNDS * 1000
    calls, waits_ms = (parts.gpio.calls - before) // ROUNDS, (parts.breadboard.now_us - waited) / ROUNDS / 1000
    rates = " or ".join(f"{calls * each + waits_ms:,.1f}" for each in CALL_MS.values())
    return f"{count} nodes, {name}: a scan here ({calls} GPIO calls; on a Pi {rates} ms)", took, "ms"


def _latency(board: str) -> float:
    """Return how long the loop takes at the 99th percentile from reading a change that has lasted to its pixel bytes.

    That is the round in which debouncing accepts a change: scan, table, journal, frame.
    """
    with tempfile.TemporaryDirectory() as folder:
        table = SimulatedTable(Path(folder), board=board)
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
