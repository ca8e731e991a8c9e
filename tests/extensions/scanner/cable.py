"""A board behind a scanner with a bad, pulled or silent cable, on a simulated clock.

Both ends of the protocol are real; only the port between them is missing (test_serial_scanner.py has it).
Every scan transfers bytes in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_host.extensions.scanner.link import ScannerLink, Terms
from firmware_host.extensions.scanner.simulated import ScannerEnd, reading_of
from hw.ports import HardwareError
from lodestone.boards import Clock
from simulator.stones import World

CABLE_FAULTS = ("bad-cable", "unplugged", "reboot", "half-frames", "silent")
BAD_BYTES = 0.01
LOOK_AGAIN_S = 0.25


class Cable:
    """A SensorBank: the host's end, the scanner's end, and the cable's faults between them."""

    def __init__(self, world: World, clock: Clock, random: Random, *, changes: bool) -> None:
        self.channels, self.kind = len(world.nodes), world.kind
        self.fault = ""
        self.end = ScannerEnd(self.channels, self.kind, reading_of(world), clock)
        self.link = ScannerLink(Terms(self.channels, self.kind, 10, changes))
        self._clock, self._random = clock, random
        self._outgoing: bytes | None = None
        self._look_at = 0.0

    def scan(self) -> Sequence[int]:
        now = self._clock()
        if self._outgoing is None:
            if now < self._look_at or self.fault == "unplugged":
                raise HardwareError("scanner: nothing is at /dev/ttyACM*: is it plugged in?")
            self._outgoing = self.link.open(now)
        for _ in range(2):  # Two reports a scan, as with a port.
            answer = self.end.take(self._across(self._outgoing)) + self.end.due()
            self._outgoing = self.link.receive(self._across(answer), now) + self.link.tick(now)
        reason = "unplugged" if self.fault == "unplugged" else self.link.loss(now)
        if reason is not None:
            self._outgoing, self._look_at = None, now + LOOK_AGAIN_S
            self.link.counters.losses += 1
        if reason is not None or not self.link.ready:
            raise HardwareError(f"scanner: {reason or 'not found yet'}")
        return self.link.readings

    def close(self) -> None:
        """Do nothing: there is no port."""

    def _across(self, data: bytes) -> bytes:
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
