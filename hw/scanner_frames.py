"""Frames and messages of the scanner protocol: bytes in, checked messages out. No port, no clock.

docs/scanner-protocol.md describes it. A payload is a type (one ASCII character), a sequence number and a body. A frame
of version 2 is COBS(length of the payload, payload, CRC-32) and one zero byte; a frame of version 1 is COBS(payload,
CRC-16) and one zero byte. Anything else is dropped and counted, so readings come from whole frames only. The CRC of
version 1 does not notice an additional zero at the end, so the length of each body is checked, too.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cobs import cobs

VERSION = 2
"""Newest supported version of the protocol."""
VERSIONS = (2, 1)
"""All supported versions."""
MAX_PAYLOAD = 250
MAX_FRAME = 1 + MAX_PAYLOAD + 4 + 2
"""Bytes of the longest frame: payload, length, CRC and two bytes of COBS, without the zero byte."""
KINDS = ("presence", "polarity", "level")
"""Kinds of readings, in the order of their numbers in a hello."""
READINGS_PER_BYTE = {"presence": 8, "polarity": 4, "level": 1}
FROM_SCANNER = frozenset("hsdpe")
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
    """A scanner's description of itself. ``firmware`` is its name and version: ``lodestone-scanner 2.0``."""

    version: int
    channels: int
    kind: str
    firmware: str

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
    return Hello(version, channels, KINDS[kind], body[4:].decode("utf-8", "replace"))


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
