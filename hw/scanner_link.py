"""The host's end of the scanner protocol as a state machine: bytes and times in, bytes and readings out. No I/O.

A link says hello, configures the scanner, takes its reports and detects its loss. After a reboot of the scanner (its
clock jumps back, or it says hello unasked) the link starts again. The host's hello is sent in version 1, which every
scanner understands, and names the wanted version; both ends then use the version of the answer.

========== ==================================================== ==================================================
state      sends                                                ends by
========== ==================================================== ==================================================
hello      ``H`` once a second                                  a matching hello → running; another → refused
running    ``C`` until a snapshot comes; ``C`` and ``R`` after  a reboot → hello
           a gap and when nothing comes; ``P`` every period
           when only changes are reported
========== ==================================================== ==================================================
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hw.ports import Message
from hw.scanner_frames import (
    VERSION,
    VERSIONS,
    FrameError,
    FrameReader,
    Hello,
    ScannerFrame,
    encode,
    majority,
    parse_changes,
    parse_hello,
    parse_snapshot,
)

HELLO_EVERY_S = 1.0
HELLO_PATIENCE_S = 4.5
"""Maximum time to an answer; a port without one has no scanner. Many boards restart when their port is opened: an
Arduino's boot loader waits up to two seconds, an ESP32 loads for one."""
ASK_AGAIN_S = 0.04
"""Pause before an unanswered configuration or request for a snapshot is repeated, seconds."""
POKE_S = 0.1
"""Silence after which a snapshot is requested, seconds: the scanner may have forgotten its configuration."""
LEAST_SILENCE_S = 0.5
SILENT_PERIODS = 3
LATE_FRAMES = 16
"""A frame whose number is at most this far behind the expected one is a duplicate, not a frame after a long gap."""
_HALF_OF_TIME = 1 << 31


@dataclass
class Counters:
    """Counts of good and bad events since the start."""

    frames: int = 0
    dropped: int = 0
    """Frames with a wrong CRC, length or type."""
    doubled: int = 0
    """Frames received twice."""
    gaps: int = 0
    missed: int = 0
    """Frames never received: the sum of all gaps."""
    resends: int = 0
    """Requests for a snapshot after a gap or a silence."""
    reboots: int = 0
    troubles: int = 0
    """Errors reported by the scanner itself."""
    losses: int = 0
    """Losses of the scanner, by silence or by unplugging."""


@dataclass(frozen=True)
class Terms:
    """The host's expectations of a scanner, and its settings for it."""

    channels: int
    kind: str
    period_ms: int = 10
    changes: bool = False
    """Request changes with a snapshot once a second, instead of a snapshot every period."""
    least_silence_s: float = LEAST_SILENCE_S

    @property
    def silence_s(self) -> float:
        """Time without a report after which the scanner is lost, seconds."""
        return max(self.least_silence_s, SILENT_PERIODS * self.period_ms / 1000)


class ScannerLink:
    """The conversation with a scanner, across reboots and reopened ports. Not locked: one thread owns it."""

    def __init__(self, terms: Terms) -> None:
        """Send nothing before :meth:`open`."""
        self.terms = terms
        self.counters = Counters()
        self.firmware: Hello | None = None
        """The last accepted hello."""
        self.readings: tuple[int, ...] = ()
        self.reported_at = 0.0
        """Time of the last report, on the caller's clock, seconds."""
        self.ready = False
        """Whether ``readings`` is valid: at least two reports came since :meth:`open`."""
        self.trouble = ""
        """The last error reported by the scanner itself; empty after its next report."""
        self._reader = FrameReader()
        self._state = "closed"
        self._refusal: str | None = None
        self._seq = 0
        self._version = VERSION
        self._expected = 0
        self._opened_at = 0.0
        self._greet_at = 0.0
        self._unanswered = 0
        self._ask_at = 0.0
        self._heard = 0
        self._configured = False
        self._stale = False
        self._report: tuple[int, ...] | None = None
        self._scanner_ms: int | None = None

    def open(self, now: float) -> bytes:
        """Start on a port that was just opened; return the bytes to send."""
        self._reader = FrameReader()
        self._refusal, self.trouble = None, ""
        self._opened_at = now
        self._heard = 0
        self.ready = False
        self._report = None
        self._unanswered = 0
        return b"\0" + self._greet(now)  # The zero byte ends any partly received frame.

    def receive(self, data: bytes, now: float) -> bytes:
        """Process bytes from the port; return the bytes to send."""
        self._heard += len(data)
        dropped = self._reader.dropped
        answers = []
        for frame in self._reader.feed(data):
            try:
                answers.append(self._take(frame, now))
                self.counters.frames += 1
            except FrameError:
                self.counters.dropped += 1
                self._stale = self._stale or self.terms.changes  # Its number counts, but its changes are lost.
        self.counters.dropped += self._reader.dropped - dropped
        return b"".join(answers)

    def tick(self, now: float) -> bytes:
        """Return the bytes that are due to be sent; call it at least once per period."""
        if self._state == "hello":
            return self._greet(now) if now >= self._greet_at else b""
        if self._state != "running" or now < self._ask_at:
            return b""
        if not self._configured:
            return self._configure(now)
        if self._stale or now - self.reported_at > max(POKE_S, 2 * self.terms.period_ms / 1000):
            return self._ask_resend(now)
        if self.terms.changes:
            self._ask_at = now + self.terms.period_ms / 1000
            return self._send("P")
        return b""

    def loss(self, now: float) -> str | None:
        """Return why the conversation can't continue; None while it works."""
        if self._refusal is not None:
            return self._refusal
        if self._state == "hello" and not self.ready:
            return self._unmet(now)
        if self._state == "closed" or now - self.reported_at <= self.terms.silence_s:
            return None
        reason = Message("has been silent for {seconds} s", seconds=f"{now - self.reported_at:.1f}")
        return Message("{reason}; it said: {trouble}", reason=reason, trouble=self.trouble) if self.trouble else reason

    def _unmet(self, now: float) -> str | None:
        """Return why no hello has come; None while it may still come."""
        if self.trouble:
            return Message("can't scan: {trouble}", trouble=self.trouble)
        if now - self._opened_at <= HELLO_PATIENCE_S:
            return None
        if self._heard:
            return Message(
                "sends {count} bytes, but no answer to hello: another kind of device, or another baud rate",
                count=self._heard,
            )
        return Message("does not answer: does it run the scanner firmware (hw/scanner)?")

    # -- frames ----------------------------------------------------------------------------------------------------

    def _take(self, frame: ScannerFrame, now: float) -> bytes:
        if frame.type == "h":
            return self._meet(frame, parse_hello(frame.body), now)
        if frame.type == "e":
            self.counters.troubles += 1
            self.trouble = frame.body[1:].decode("utf-8", "replace") or f"error {frame.body[:1].hex()}"
        if self._state != "running":
            return b""  # Reports to a previous host.
        if frame.version != self._version:
            raise FrameError(f"version: expected {self._version}, got {frame.version}")
        beyond = (frame.seq - self._expected) & 0xFF
        if beyond > 0xFF - LATE_FRAMES:
            self.counters.doubled += 1
            return b""
        self._expected = (frame.seq + 1) & 0xFF
        if beyond:
            self.counters.gaps += 1
            self.counters.missed += beyond
        if frame.type == "s":
            return self._take_snapshot(frame, now)
        # Changes were missed: later ones are used only after the next snapshot.
        self._stale = self._stale or (beyond > 0 and self.terms.changes)
        if frame.type == "d":
            return self._take_changes(frame, now)
        if frame.type == "p" and frame.body:
            raise FrameError("pong: expected nothing in it")
        if frame.type == "p" and self.terms.changes and not self._stale and self._report is not None:
            self._accept_report(self._report, now)  # No frame was lost, so nothing has changed.
        return self._ask_resend(now) if self._stale and now >= self._ask_at else b""

    def _meet(self, frame: ScannerFrame, hello: Hello, now: float) -> bytes:
        if frame.version != hello.version and hello.version in VERSIONS:
            raise FrameError(f"hello: version {hello.version} in a frame of version {frame.version}")
        if self._state == "running" and not self._unanswered:
            if frame.seq == (self._expected - 1) & 0xFF:
                self.counters.doubled += 1
                return b""
            if self._configured:  # The hello is unasked: the scanner has just started.
                self.counters.reboots += 1
        self._unanswered = max(0, self._unanswered - 1)
        self._refusal = self._misfit(hello)
        if self._refusal is not None:
            return b""
        if self._state != "running":
            self.reported_at = now
        self.firmware = hello
        self._version = hello.version
        self._state = "running"
        self._expected = (frame.seq + 1) & 0xFF
        self._scanner_ms = None
        self._stale = False
        return self._configure(now)

    def _misfit(self, hello: Hello) -> str | None:
        terms = self.terms
        if hello.version not in VERSIONS:
            return Message(
                "speaks protocol version {version}, expected {known}: put the firmware of this release "
                "(hw/scanner) on it; it runs {firmware}",
                version=hello.version,
                known=VERSION,
                firmware=f"{hello.firmware!r:.60}",
            )
        if (hello.channels, hello.kind) != (terms.channels, terms.kind):
            return Message(
                "scans {channels} nodes of kind {kind}, expected {known} of kind {known_kind}: "
                "the board file and the scanner's configuration must agree",
                channels=hello.channels,
                kind=hello.kind,
                known=terms.channels,
                known_kind=terms.kind,
            )
        if self.firmware is not None and hello.name != self.firmware.name:
            before = f"{self.firmware.name!r:.60}"
            return Message(
                "runs {name}, expected {before}, which was here before", name=f"{hello.name!r:.60}", before=before
            )
        return None

    def _take_snapshot(self, frame: ScannerFrame, now: float) -> bytes:
        time, readings = parse_snapshot(frame.body, self.terms.channels, self.terms.kind)
        if self._notice_reboot(time):
            return self._greet(now)
        self._configured, self._stale = True, False
        self._ask_at = now
        self._accept_report(readings, now)
        return b""

    def _take_changes(self, frame: ScannerFrame, now: float) -> bytes:
        time, changes = parse_changes(frame.body, self.terms.channels, self.terms.kind)
        if self._notice_reboot(time):
            return self._greet(now)
        if self._stale or self._report is None:
            self._stale = True
            return self._ask_resend(now) if now >= self._ask_at else b""
        readings = list(self._report)
        for channel, value in changes:
            readings[channel] = value
        self._accept_report(tuple(readings), now)
        return b""

    def _notice_reboot(self, scanner_ms: int) -> bool:
        before, self._scanner_ms = self._scanner_ms, scanner_ms
        if before is None or (scanner_ms - before) & 0xFFFFFFFF < _HALF_OF_TIME:
            return False
        self.counters.reboots += 1
        return True

    def _accept_report(self, report: tuple[int, ...], now: float) -> None:
        last, self._report = self._report, report
        self.reported_at = now
        self.trouble = ""
        if last is None:
            return
        if not self.readings:
            self.readings = report
        elif not report == last == self.readings:
            self.readings = majority(self.terms.kind, self.readings, last, report)
        self.ready = True

    # -- sending -----------------------------------------------------------------------------------------------------

    def _send(self, kind: str, body: bytes = b"") -> bytes:
        frame = encode(kind, self._seq, body, 1 if kind == "H" else self._version)
        self._seq = (self._seq + 1) & 0xFF
        return frame

    def _greet(self, now: float) -> bytes:
        self._state = "hello"
        self._greet_at = now + HELLO_EVERY_S
        self._unanswered += 1
        return self._send("H", bytes([VERSION]))

    def _configure(self, now: float) -> bytes:
        self._configured = False
        self._ask_at = now + ASK_AGAIN_S
        return self._send("C", self._wish())

    def _ask_resend(self, now: float) -> bytes:
        # The scanner may have restarted meanwhile: send the settings again.
        self.counters.resends += 1
        self._ask_at = now + ASK_AGAIN_S
        return self._send("C", self._wish()) + self._send("R")

    def _wish(self) -> bytes:
        return struct.pack(">HB", self.terms.period_ms, int(self.terms.changes))
