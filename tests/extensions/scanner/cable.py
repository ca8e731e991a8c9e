"""A board behind a scanner with a bad, pulled or silent cable, on a simulated clock.

Both ends of the protocol are real; only the port between them is missing (test_serial_scanner.py has it).
"""

from __future__ import annotations

from random import Random

from firmware_host.extensions.scanner.bank import SteppedBank
from firmware_host.extensions.scanner.link import Terms
from firmware_host.extensions.scanner.simulated import ScannerEnd, reading_of
from lodestone.boards import Clock
from simulator.stones import World

CABLE_FAULTS = ("bad-cable", "unplugged", "reboot", "half-frames", "silent")
BAD_BYTES = 0.01


class Cable(SteppedBank):
    """A cable with faults."""

    def __init__(self, world: World, clock: Clock, random: Random, *, changes: bool) -> None:
        channels, kind = len(world.nodes), world.kind
        self.end: ScannerEnd = ScannerEnd(channels, kind, reading_of(world), clock)
        super().__init__(self.end, Terms(channels, kind, 10, changes), clock)
        self._fault, self._random = "", random

    @property
    def fault(self) -> str:
        return self._fault

    @fault.setter
    def fault(self, fault: str) -> None:
        self._fault, self.is_plugged = fault, fault != "unplugged"

    def across(self, data: bytes) -> bytes:
        if self.fault == "silent":
            return b""
        if self.fault == "half-frames":
            return data[: self._random.randrange(len(data) + 1)]
        if self.fault != "bad-cable":
            return data
        line = bytearray()
        for byte in data:
            what = self._random.choice("ldf") if self._random.random() < BAD_BYTES else ""
            bad = {"": [byte], "l": [], "d": [byte, byte], "f": [byte ^ self._random.randrange(1, 256)]}[what]
            line += bytes(bad)
        return bytes(line)
