"""Drivers over simulated parts: GPIO calls of a scan, time of a scan by each kind of sensing, time of a frame."""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import Colour
from simulator.board import SimulatedBoard

ROUNDS = 400
CHANNELS = 45


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    found: list[tuple[str, float, str]] = []
    for kind, inputs in (("presence", 1), ("polarity", 2)):
        parts = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim", kind=kind))
        sensors = parts.sensors()
        before = parts.gpio.calls
        sensors.scan()
        bound = 3 * CHANNELS * inputs + 4
        found.append((f"GPIO calls a scan, {kind} (at most: 3n + 4 = {bound})", parts.gpio.calls - before, "calls"))
        found.append((f"a scan through the simulated chips, {kind}", _ms(sensors.scan), "ms"))
    level = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim", kind="level"))
    found.append(("a scan of simulated levels", _ms(level.sensors().scan), "ms"))
    strip = level.strip()
    frames: list[list[Colour]] = [[(n % 256, 255 - n % 256, n % 7)] * CHANNELS for n in range(ROUNDS)]
    found.append((f"a frame of {CHANNELS} pixels to its bytes", _ms(lambda: strip.show(frames.pop())), "ms"))
    return found


def _ms(deed: Callable[[], object]) -> float:
    """Return how long a deed takes, the mean of many, milliseconds."""
    began = time.perf_counter()
    for _ in range(ROUNDS):
        deed()
    return (time.perf_counter() - began) / ROUNDS * 1000
