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

**Frames and messages.** scanner-protocol.md describes them. A payload is a type (one ASCII character), a sequence
number and a body. A frame of version 2 is COBS(length of the payload, payload, CRC-32) and one zero byte; a frame of
version 1 is COBS(payload, CRC-16) and one zero byte. Anything else is dropped and counted, so readings come from whole
frames only. The CRC of version 1 does not notice an additional zero at the end, so the length of each body is checked,
too.
"""

from __future__ import annotations

import binascii
import logging
import re
import struct
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cobs import cobs

from firmware_host.extensions.scanner.configuration import digest_of
from firmware_host.extensions.scanner.device.digest import KINDS
from firmware_host.extensions.scanner.wireless import PERIOD_MS, SILENCE_S, is_wireless
from hw.pins import number
from hw.ports import BoardDescription, ConfigurationCheck, HardwareError, Message

_log = logging.getLogger(__name__)
VERSION = 2
"""Newest supported version of the protocol."""
VERSIONS = (2, 1)
"""All supported versions."""
MAX_PAYLOAD = 250
MAX_FRAME = 1 + MAX_PAYLOAD + 4 + 2
"""Bytes of the longest frame: payload, length, CRC and two bytes of COBS, without the zero byte."""
READINGS_PER_BYTE = {"presence": 8, "polarity": 4, "level": 1}
FROM_SCANNER = frozenset("hsdpe")
_DIGEST = re.compile(" #([0-9a-f]{8})$")
_HEAD = 2
_TIME = 4
_CHANGE = 3


class FrameError(ValueError):
    """A malformed frame; the message says why."""


@dataclass(frozen=True)
class ScannerFrame:
    """One whole frame: its type, the sender's sequence number (0 to 255), its body."""

    type: str
    seq: int
    body: bytes
    version: int = VERSION
    """Protocol version of the frame's format."""


@dataclass(frozen=True)
class Hello:
    """A scanner's description of itself. ``firmware`` is its name and version: ``lodestone-scanner 2.1``."""

    version: int
    channels: int
    kind: str
    firmware: str
    digest: str = ""
    """Digest of its configuration; empty from a firmware that says none."""

    @property
    def name(self) -> str:
        """The firmware's name without its version."""
        return self.firmware.partition(" ")[0]


def encode(kind: str, seq: int, body: bytes = b"", version: int = VERSION) -> bytes:
    """Return the bytes of one frame, zero byte included. Raise FrameError when it is too long."""
    payload = kind.encode("ascii") + bytes([seq & 0xFF]) + body
    if len(payload) > MAX_PAYLOAD:
        raise FrameError(f"payload: expected at most {MAX_PAYLOAD} bytes, got {len(payload)}")
    if version == 1:
        content = payload + _crc16(payload)
    else:
        content = bytes([len(payload)]) + payload
        content += _crc32(content)
    encoded: bytes = cobs.encode(content)
    return encoded + b"\0"


def decode(encoded: bytes) -> ScannerFrame:
    """Return the frame of these bytes (without the zero byte). Raise FrameError when it is malformed."""
    if len(encoded) > MAX_FRAME:
        raise FrameError("too long")
    try:
        content: bytes = cobs.decode(encoded)
    except cobs.DecodeError as error:
        raise FrameError(f"no COBS: {error}") from error
    if len(content) >= 1 + _HEAD + 4 and content[0] == len(content) - 5 and _crc32(content[:-4]) == content[-4:]:
        return _frame(content[1:-4], 2)
    if len(content) < _HEAD + 2:
        raise FrameError("too short")
    if _crc16(content[:-2]) != content[-2:]:
        raise FrameError("wrong length or CRC")
    return _frame(content[:-2], 1)


def _frame(payload: bytes, version: int) -> ScannerFrame:
    if len(payload) > MAX_PAYLOAD:
        raise FrameError("too long")
    return ScannerFrame(chr(payload[0]), payload[1], payload[_HEAD:], version)


def _crc16(data: bytes) -> bytes:
    return binascii.crc_hqx(data, 0xFFFF).to_bytes(2, "big")


def _crc32(data: bytes) -> bytes:
    return binascii.crc32(data).to_bytes(4, "big")


class FrameReader:
    """Splits a stream of bytes into frames; resynchronises at the next zero byte after any garbage."""

    def __init__(self, types: frozenset[str] = FROM_SCANNER) -> None:
        """Accept frames of these types only."""
        self.dropped = 0
        """Number of frames dropped because of their CRC, length or type."""
        self._types = types
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[ScannerFrame]:
        """Yield the whole frames that end within these bytes; keep the rest for the next call."""
        *ended, rest = data.split(b"\0")
        for part in ended:
            encoded = bytes(self._pending) + part
            self._pending.clear()
            if encoded:  # Two zero bytes in a row enclose no frame: a sender may begin with a zero byte.
                yield from self._read_frame(encoded)
        # One byte more than the longest frame is enough to recognise a frame that is too long.
        self._pending += rest[: MAX_FRAME + 1 - len(self._pending)]

    def _read_frame(self, encoded: bytes) -> Iterator[ScannerFrame]:
        try:
            frame = decode(encoded)
            if frame.type not in self._types:
                raise FrameError(f"unknown type {frame.type!r}")
        except FrameError:
            self.dropped += 1
            return
        yield frame


# -- bodies --------------------------------------------------------------------------------------------------------


def parse_hello(body: bytes) -> Hello:
    """Return the contents of a hello. Raise FrameError when it is malformed."""
    if len(body) < 4:
        raise FrameError(f"hello: expected 4 bytes or more, got {len(body)}")
    version, channels, kind = struct.unpack_from(">BHB", body)
    if kind >= len(KINDS):
        raise FrameError(f"hello: kind: expected 0 to {len(KINDS) - 1}, got {kind}")
    about = body[4:].decode("utf-8", "replace")
    digest = _DIGEST.search(about)
    return Hello(version, channels, KINDS[kind], about[: digest and digest.start()], digest[1] if digest else "")


def parse_snapshot(body: bytes, channels: int, kind: str) -> tuple[int, tuple[int, ...]]:
    """Return (scanner's time in ms, one reading per channel). Raise FrameError for a wrong length or spare bit."""
    each = READINGS_PER_BYTE[kind]
    expected = _TIME + -(-channels // each)
    if len(body) != expected:
        raise FrameError(f"snapshot: expected {expected} bytes, got {len(body)}")
    time, packed = int.from_bytes(body[:_TIME], "big"), body[_TIME:]
    if kind == "level":
        return time, tuple(packed)
    bits = 8 // each
    readings = [byte >> shift & (1 << bits) - 1 for byte in packed for shift in range(0, 8, bits)]
    if any(readings[channels:]):
        raise FrameError("snapshot: something is set beyond the last node")
    return time, tuple(readings[:channels])


def parse_changes(body: bytes, channels: int, kind: str) -> tuple[int, list[tuple[int, int]]]:
    """Return (scanner's time in ms, [(channel, reading)]). Raise FrameError when it is malformed."""
    if len(body) < _TIME or (len(body) - _TIME) % _CHANGE:
        raise FrameError(f"changes: expected {_TIME} bytes and {_CHANGE} for each change, got {len(body)}")
    most = {"presence": 1, "polarity": 3, "level": 255}[kind]
    changes = [(channel, value) for channel, value in struct.iter_unpack(">HB", body[_TIME:])]
    for channel, value in changes:
        if channel >= channels or value > most:
            raise FrameError(f"changes: there is no channel {channel} with reading {value}")
    return int.from_bytes(body[:_TIME], "big"), changes


def snapshot_bytes(channels: int, kind: str) -> int:
    """Return the bytes of a snapshot in version 2, as sent. Raise FrameError for more channels than fit."""
    payload = _HEAD + _TIME + -(-channels // READINGS_PER_BYTE[kind])
    if payload > MAX_PAYLOAD:
        most = (MAX_PAYLOAD - _HEAD - _TIME) * READINGS_PER_BYTE[kind]
        raise FrameError(f"expected at most {most} nodes of kind {kind} on one scanner, got {channels}")
    return len(encode("s", 1, b"\1" * (payload - _HEAD)))


def majority(kind: str, shown: Sequence[int], last: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """Return the readings to show after two successive reports, so that a single report changes nothing.

    Each is the majority of the shown reading and both reports, bit by bit; for levels it is the median.
    """
    triples = zip(shown, last, new, strict=True)
    if kind == "level":
        return tuple(sorted(three)[1] for three in triples)
    return tuple(a & b | b & c | a & c for a, b, c in triples)


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
RESTARTS, RESTARTS_S = 3, 600
"""So often within this time a scanner must have restarted by itself before people are told."""
LOG_EVERY_S = 1.0
"""Least time between two lines of the log about restarts: a scanner in a loop restarts many times a second."""


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
    digest: str = ""
    """Digest of the configuration that the board file means; empty where it means none."""

    @property
    def silence_s(self) -> float:
        """Time without a report after which the scanner is lost, seconds."""
        return max(self.least_silence_s, SILENT_PERIODS * self.period_ms / 1000)


BUSY_LINE = 0.7
"""Maximum share of the line's capacity for snapshots; above it only changes are requested."""


def terms_of(board: BoardDescription) -> Terms:
    """Return what a board expects of its scanner. Raise HardwareError where its snapshots do not fit into a frame."""
    baud, channels, kind = number(board.options, "baud"), board.channels, board.channel_kind
    # Two reports per scan: confirmation by a second report then costs little time.
    period_ms = max(2, 500 // board.scan_hz)
    try:
        line_ms = snapshot_bytes(channels, kind) * 10_000 / baud
    except FrameError as error:
        raise HardwareError(f"{board.name}: {error}") from error
    if is_wireless(board.options["device"]):
        return Terms(channels, kind, max(PERIOD_MS, period_ms), least_silence_s=SILENCE_S, digest=digest_of(board))
    return Terms(channels, kind, period_ms, changes=line_ms > BUSY_LINE * period_ms, digest=digest_of(board))


class ScannerLink:
    """The conversation with a scanner, across reboots and reopened ports. Not locked: one thread owns it."""

    def __init__(self, terms: Terms) -> None:
        """Send nothing before :meth:`open`."""
        self.terms = terms
        self.counters = Counters()
        self.firmware: Hello | None = None
        """The last accepted hello."""
        self._digest = ""
        """The last digest that an accepted hello has said."""
        self.readings: tuple[int, ...] = ()
        self.reported_at = 0.0
        """Time of the last report, on the caller's clock, seconds."""
        self.ready = False
        """Whether ``readings`` is valid: at least two reports came since :meth:`open`."""
        self.trouble = ""
        """The last error reported by the scanner itself; empty after its next report."""
        self.is_choosing = False
        """Whether a scanner with another configuration than the board file means is passed over: others come yet."""
        self.is_passed_over = False
        """Whether the scanner at the open port was passed over so."""
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
        self._hellos: deque[tuple[ScannerFrame, float]] = deque(maxlen=LATE_FRAMES)
        """The last hellos, and when they came."""
        self._restarts: deque[float] = deque(maxlen=1000)
        """When the scanner has restarted by itself of late."""
        self._now = self._logged_at = 0.0

    @property
    def complaint(self) -> Message | None:
        """That the scanner has often restarted by itself: it works in between, so nothing else tells."""
        since = self._now - RESTARTS_S
        count = sum(at >= since for at in tuple(self._restarts))  # A copy: the port's thread adds to it.
        if count < RESTARTS:
            return None
        return Message(
            "the scanner has restarted by itself {count} times in {minutes} minutes: check its supply, its ground and "
            "its cable",
            count=count, minutes=RESTARTS_S // 60,
        )  # fmt: skip

    @property
    def fruitless(self) -> int:
        """How often the scanner has restarted since its last report."""
        return sum(at > self.reported_at for at in self._restarts)

    @property
    def configuration(self) -> ConfigurationCheck | None:
        """Whether the scanner has the configuration that the board file means; None before its first hello."""
        if self.firmware is None:
            return None
        said, wanted = self.firmware.digest, self.terms.digest
        if not said:
            return ConfigurationCheck(None, Message(
                "the scanner runs {firmware}, which does not say how it is configured: put the firmware of this "
                "release on it to have that compared", firmware=f"{self.firmware.firmware!r:.60}",
            ))  # fmt: skip
        if not wanted:
            return ConfigurationCheck(None, Message(
                "the scanner's configuration is {said}; the board file has no pins to compare it with", said=said
            ))  # fmt: skip
        if said == wanted:
            return ConfigurationCheck(
                True, Message("the scanner has the board file's configuration, {said}", said=said)
            )
        return ConfigurationCheck(False, Message(
            "the scanner reads other pins or chips than the board file means (its configuration is {said}, expected "
            "{wanted}): write it anew with lodestone board sketch and put it on the scanner. If the pins in it are "
            "your own, write {line} into [sensors] of the board file",
            said=said, wanted=wanted, line=f'configuration = "{said}"',
        ))  # fmt: skip

    def open(self, now: float) -> bytes:
        """Start on a port that was just opened; return the bytes to send."""
        self._reader = FrameReader()
        self._refusal, self.trouble, self.is_passed_over = None, "", False
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
        self._now = now
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
        if self.fruitless > 1:
            return Message(
                "restarts again and again ({count} times since its last report): check its supply, its ground and its "
                "cable",
                count=self.fruitless,
            )
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
        return Message("does not answer: does it run the scanner firmware (microcontrollers.md)?")

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
            if any(frame == one and now - at <= self.terms.period_ms / 1000 for one, at in self._hellos):
                self.counters.doubled += 1
                return b""
            beyond = (frame.seq - self._expected) & 0xFF
            # The hello is unasked, or its number has begun anew: the scanner has just started.
            if self._configured or beyond > 0xFF - LATE_FRAMES:
                self._note_restart(now)
        self._unanswered = max(0, self._unanswered - 1)
        self._hellos.append((frame, now))
        self._refusal = self._misfit(hello)
        if self._refusal is not None:
            return b""
        if self._state != "running":
            self.reported_at = now
        self.firmware = hello
        self._digest = hello.digest or self._digest
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
                "(microcontrollers.md) on it; it runs {firmware}",
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
        if self.is_choosing and hello.digest != terms.digest and terms.digest:
            self.is_passed_over = True
            return Message(
                "has another configuration ({said}) than the board file means ({wanted})",
                said=hello.digest or "?", wanted=terms.digest,
            )  # fmt: skip
        if self.firmware is not None and hello.name != self.firmware.name:
            before = f"{self.firmware.name!r:.60}"
            return Message(
                "runs {name}, expected {before}, which was here before", name=f"{hello.name!r:.60}", before=before
            )
        if self._digest and hello.digest not in {"", self._digest, terms.digest}:
            return Message(
                "has come back with another configuration ({said}, before {before}): write it anew with "
                "lodestone board sketch, and put it on the scanner. If the change is meant, write {line} into "
                "[sensors] of the board file, and start the table again",
                said=hello.digest,
                before=self._digest,
                line=f'configuration = "{hello.digest}"',
            )
        return None

    def _take_snapshot(self, frame: ScannerFrame, now: float) -> bytes:
        time, readings = parse_snapshot(frame.body, self.terms.channels, self.terms.kind)
        if self._notice_reboot(time, now):
            return self._greet(now)
        self._configured, self._stale = True, False
        self._ask_at = now
        self._accept_report(readings, now)
        return b""

    def _take_changes(self, frame: ScannerFrame, now: float) -> bytes:
        time, changes = parse_changes(frame.body, self.terms.channels, self.terms.kind)
        if self._notice_reboot(time, now):
            return self._greet(now)
        if self._stale or self._report is None:
            self._stale = True
            return self._ask_resend(now) if now >= self._ask_at else b""
        readings = list(self._report)
        for channel, value in changes:
            readings[channel] = value
        self._accept_report(tuple(readings), now)
        return b""

    def _notice_reboot(self, scanner_ms: int, now: float) -> bool:
        before, self._scanner_ms = self._scanner_ms, scanner_ms
        if before is None or (scanner_ms - before) & 0xFFFFFFFF < _HALF_OF_TIME:
            return False
        self._note_restart(now)
        return True

    def _note_restart(self, now: float) -> None:
        self.counters.reboots += 1
        self._restarts.append(now)
        if now - self._logged_at >= LOG_EVERY_S or len(self._restarts) == 1:
            self._logged_at = now
            _log.warning(
                "the scanner has restarted by itself (%d times so far): it is set up again", self.counters.reboots
            )

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
