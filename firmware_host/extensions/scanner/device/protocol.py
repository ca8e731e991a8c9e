"""The scanner's end of the scanner protocol: answers to the host, and reports when they are due.

It uses version 2 until a host's hello asks for version 1. A host's hello is always a frame of version 1.
"""

import struct
from time import ticks_diff, ticks_ms

import frames
from digest import KINDS

FIRMWARE = "lodestone-scanner 2.1"
SNAPSHOT_EVERY_MS = 1000  # while only changes are reported
DEADBAND = 3  # least change of a level since its last report that is reported
MAX_CHANGES = 81  # maximum that fits into one frame
# mpremote starts with this Ctrl-C, Thonny after some time with three. No frame of a host starts like that.
CR_CTRL_C = b"\r\x03"
CTRL_C_THRICE = b"\x03\x03\x03"
NOT_UNDERSTOOD, NO_SENSORS, BAD_CONFIG = 1, 2, 3


class Ended(Exception):
    """The other end asks for MicroPython's prompt."""


class Scanner:
    """Reads the sensors and reports to the host. Call :meth:`step` in an endless loop."""

    def __init__(self, port: object, chip: object, nodes: int, kind: str, digest: str) -> None:
        """Send a hello at once, which tells the host of a reboot. Without a chip send no hello and no readings.

        ``digest`` is that of the configuration.
        """
        self._port, self._chip, self._nodes, self._kind = port, chip, nodes, kind
        self._about = (FIRMWARE + " #" + digest).encode()
        self._apart = DEADBAND if kind == "level" else 1
        self._reader = frames.Reader()
        self._version = frames.NEWEST
        self._seq = 0
        self._ticks = ticks_ms()
        self._ms = 0
        self._period = 0
        self._changes = False
        self._due = self._snapshot_due = 0
        self._sent = bytearray(nodes)
        port.write(b"\0")  # It separates the first frame from a boot loader's output.
        if chip:
            self._hello()

    @property
    def has_host(self) -> bool:
        """Whether a host wants reports."""
        return self._period > 0

    def step(self) -> bool:
        """Do everything that is due; return whether there was anything."""
        # The ticks wrap after twelve days, the protocol's time after fifty.
        ticks = ticks_ms()
        self._ms += ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        data = self._port.read()
        if data:
            for version, payload in self._reader.feed(data):
                self._answer(version, payload[:1], payload[2:])
            beginning = self._reader.pending[:3]
            if beginning[:2] == CR_CTRL_C or beginning == CTRL_C_THRICE:
                raise Ended()
        if not self._period or self._ms < self._due:
            return bool(data)
        self._due = max(self._due + self._period, self._ms)
        if self._changes and self._ms < self._snapshot_due:
            self._report_changes()
        else:
            self._report_all()
        return True

    def complain(self, code: int, text: str) -> None:
        """Send an error: a code and a text, cut to 200 bytes."""
        self._send(b"e", bytes((code,)) + text.encode()[:200])

    def _answer(self, version: int, what: bytes, body: bytes) -> None:
        if version != (1 if what == b"H" else self._version):
            self._reader.dropped += 1
        elif what == b"H" and len(body) == 1 and body[0]:
            self._version = min(body[0], frames.NEWEST)
            if self._chip:
                self._hello()
        elif what == b"P" and not body:
            self._send(b"p", b"")
        elif what == b"R" and not body and self._chip:
            self._report_all()
        elif what == b"C" and len(body) == 3 and self._chip:
            period, mode = struct.unpack(">HB", body)
            if period and mode < 2:
                self._period, self._changes = period, bool(mode)
                self._due = self._ms + period
                self._report_all()
            else:
                self.complain(NOT_UNDERSTOOD, "configure: expected a period of 1 ms or more and mode 0 or 1")
        else:
            self._reader.dropped += 1

    def _hello(self) -> None:
        self._send(b"h", struct.pack(">BHB", self._version, self._nodes, KINDS.index(self._kind)) + self._about)

    def _report_all(self) -> None:
        readings = self._readings()
        self._sent[:] = readings
        self._snapshot_due = self._ms + SNAPSHOT_EVERY_MS
        self._send(b"s", self._time() + self._pack(readings))

    def _report_changes(self) -> None:
        readings, sent, apart = self._readings(), self._sent, self._apart
        changed = [index for index in range(len(sent)) if abs(readings[index] - sent[index]) >= apart]
        if len(changed) > MAX_CHANGES:
            self._report_all()
        elif changed:
            body = self._time()
            for index in changed:
                sent[index] = readings[index]
                body += struct.pack(">HB", index, readings[index])
            self._send(b"d", body)

    def _readings(self) -> bytearray:
        found = self._chip.scan()
        if self._kind != "polarity":
            return found
        return bytearray([found[index] | found[index + 1] << 1 for index in range(0, 2 * self._nodes, 2)])

    def _pack(self, readings: bytearray) -> bytes:
        if self._kind == "level":
            return bytes(readings)
        bits = 1 if self._kind == "presence" else 2
        packed = bytearray((len(readings) * bits + 7) // 8)
        at = 0
        for reading in readings:
            packed[at >> 3] |= reading << (at & 7)
            at += bits
        return bytes(packed)

    def _time(self) -> bytes:
        return struct.pack(">I", self._ms & 0xFFFFFFFF)

    def _send(self, what: bytes, body: bytes) -> None:
        self._port.write(frames.encode(what + bytes((self._seq,)) + body, self._version))
        self._seq = self._seq + 1 & 0xFF
