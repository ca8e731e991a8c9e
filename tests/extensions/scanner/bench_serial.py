"""The serial scanner: how often it reports, and how long a change takes from the sensor to the host's scan."""

from __future__ import annotations

import time

from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.link import Terms, snapshot_bytes
from firmware_host.extensions.scanner.simulated import SimulatedScanner

PERIOD_MS = 10
CHANGES = 60
BAUD = 115_200


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    found: list[tuple[str, float, str]] = []
    for kind, counts in (("presence", (45, 81, 127, 189)), ("level", (45, 189))):
        for channels in counts:
            found += _of(kind, channels)
    return found


def _of(kind: str, channels: int) -> list[tuple[str, float, str]]:
    readings = [0] * channels
    scanner = SimulatedScanner(channels, kind, lambda: list(readings))
    try:
        bank = SerialScannerBank(scanner.pattern, BAUD, Terms(channels, kind, PERIOD_MS))
        try:
            taken = sorted(_change(bank, readings, number) for number in range(CHANGES))
            before, began = bank.counters.frames, time.perf_counter()
            time.sleep(1)  # A second is measured.
            rate = (bank.counters.frames - before) / (time.perf_counter() - began)
        finally:
            bank.close()
    finally:
        scanner.close()
    wire = snapshot_bytes(channels, kind) * 10_000 / BAUD
    name = f"serial, {channels} nodes, {kind}"
    return [
        (f"{name}: reports a second (asked for: {1000 // PERIOD_MS})", rate, "Hz"),
        (f"{name}: sensor to scan, median (two reports agree)", taken[len(taken) // 2] * 1000, "ms"),
        (f"{name}: sensor to scan, worst of {CHANGES}", taken[-1] * 1000, "ms"),
        (f"{name}: to add on a UART of {BAUD} baud, a report", wire, "ms"),
    ]


def _change(bank: SerialScannerBank, readings: list[int], number: int) -> float:
    """Change one sensor at some moment of a period; return how long it took to be scanned, seconds."""
    time.sleep(0.003 * (number % 7))  # Changes come at any moment of the round.
    channel = number % len(readings)
    readings[channel] = 1 - readings[channel]
    began = time.perf_counter()
    while bank.scan()[channel] != readings[channel]:
        time.sleep(0.0005)  # What is measured is when it is seen.
    return time.perf_counter() - began
