"""Frames and messages of the scanner protocol: bytes in, checked messages out. No port, no clock.

docs/scanner-protocol.md is the page of it. A payload is a type (one ASCII character), a sequence number and a body. A
frame of version 2 is COBS(length of the payload, payload, CRC-32) and one zero byte, of version 1 COBS(payload, CRC-16)
and one zero byte. Anything else is dropped and counted: a reading is taken from whole frames only. In version 1 a zero
more at the end passes the CRC, so a body must be as long as its type says, too.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cobs import cobs

VERSION = 2
"""Of the protocol: the newest that is spoken here."""
VERSIONS = (2, 1)
"""All that are understood."""
LONGEST_PAYLOAD = 250
LONGEST_FRAME = 1 + LONGEST_PAYLOAD + 4 + 2
"""With length, CRC and COBS's own two bytes, without the zero byte."""
KINDS = ("presence", "polarity", "level")
"""In the order of their numbers in a hello."""
READINGS_PER_BYTE = {"presence": 8, "polarity": 4, "level": 1}
FROM_SCANNER = frozenset("hsdpe")
_HEAD = 2
_TIME = 4
_CHANGE = 3


class FrameError(ValueError):
    """A frame that can't be what it says it is; the message says why."""


@dataclass(frozen=True)
class Frame:
    """One whole frame: its type, its sender's sequence number (0 to 255), its body."""

    type: str
    seq: int
    body: bytes
    version: int = VERSION
    """Of the protocol, as the frame is built."""


@dataclass(frozen=True)
class Hello:
    """What a scanner says of itself. ``firmware`` is its name and version as it gives them."""

    version: int
    channels: int
    kind: str
    firmware: str

    @property
    def name(self) -> str:
        """The firmware's name without its version."""
        return self.firmware.partition(" ")[0]


def encode(kind: str, seq: int, body: bytes = b"", version: int = VERSION) -> bytes:
    """Return the bytes of one frame of a protocol version. Raise FrameError when it gets too long."""
    payload = kind.encode("ascii") + bytes([seq & 0xFF]) + body
    if len(payload) > LONGEST_PAYLOAD:
        raise FrameError(f"payload: expected at most {LONGEST_PAYLOAD} bytes, got {len(payload)}")
    if version == 1:
        content = payload + _crc16(payload)
    else:
        content = bytes([len(payload)]) + payload
        content += _crc32(content)
    encoded: bytes = cobs.encode(content)
    return encoded + b"\0"


def decode(encoded: bytes) -> Frame:
    """Return the frame that these bytes (without the zero byte) are. Raise FrameError."""
    if len(encoded) > LONGEST_FRAME:
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


def _frame(payload: bytes, version: int) -> Frame:
    if len(payload) > LONGEST_PAYLOAD:
        raise FrameError("too long")
    return Frame(chr(payload[0]), payload[1], payload[_HEAD:], version)


def _crc16(data: bytes) -> bytes:
    return binascii.crc_hqx(data, 0xFFFF).to_bytes(2, "big")


def _crc32(data: bytes) -> bytes:
    return binascii.crc32(data).to_bytes(4, "big")


class FrameReader:
    """Cuts a stream of bytes into frames; finds its way back after anything."""

    def __init__(self, types: frozenset[str] = FROM_SCANNER) -> None:
        """Take frames of these types only."""
        self.dropped = 0
        """Frames that were dropped, because of CRC, length or type."""
        self._types = types
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the whole frames that end within these bytes; keep the rest for the next call."""
        *ended, rest = data.split(b"\0")
        for part in ended:
            encoded = bytes(self._pending) + part
            self._pending.clear()
            if encoded:  # Two zero bytes in a row are no frame: a sender may begin with one to be sure.
                yield from self._taken(encoded)
        # Of what is too long already only that matters.
        self._pending += rest[: LONGEST_FRAME + 1 - len(self._pending)]

    def _taken(self, encoded: bytes) -> Iterator[Frame]:
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
    """Return what a hello says. Raise FrameError."""
    if len(body) < 4:
        raise FrameError(f"hello: expected 4 bytes or more, got {len(body)}")
    version, channels, kind = struct.unpack_from(">BHB", body)
    if kind >= len(KINDS):
        raise FrameError(f"hello: kind: expected 0 to {len(KINDS) - 1}, got {kind}")
    return Hello(version, channels, KINDS[kind], body[4:].decode("utf-8", "replace"))


def parse_snapshot(body: bytes, channels: int, kind: str) -> tuple[int, tuple[int, ...]]:
    """Return (scanner's time in ms, readings). Raise FrameError when the length or a spare bit is wrong."""
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
    """Return (scanner's time in ms, [(channel, reading)]). Raise FrameError."""
    if len(body) < _TIME or (len(body) - _TIME) % _CHANGE:
        raise FrameError(f"changes: expected {_TIME} bytes and {_CHANGE} for each change, got {len(body)}")
    most = {"presence": 1, "polarity": 3, "level": 255}[kind]
    changes = [(channel, value) for channel, value in struct.iter_unpack(">HB", body[_TIME:])]
    for channel, value in changes:
        if channel >= channels or value > most:
            raise FrameError(f"changes: there is no channel {channel} with reading {value}")
    return int.from_bytes(body[:_TIME], "big"), changes


def snapshot_bytes(channels: int, kind: str) -> int:
    """Return how many bytes a snapshot of version 2 takes on the line. Raise FrameError for more nodes than fit."""
    payload = _HEAD + _TIME + -(-channels // READINGS_PER_BYTE[kind])
    if payload > LONGEST_PAYLOAD:
        most = (LONGEST_PAYLOAD - _HEAD - _TIME) * READINGS_PER_BYTE[kind]
        raise FrameError(f"expected at most {most} nodes of kind {kind} on one scanner, got {channels}")
    return len(encode("s", 1, b"\1" * (payload - _HEAD)))


def settled(kind: str, shown: Sequence[int], last: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """Return what to show after two reports in a row: no single report changes a reading.

    Of what is shown and the two reports the majority counts, bit by bit; of levels the middle one.
    """
    triples = zip(shown, last, new, strict=True)
    if kind == "level":
        return tuple(sorted(three)[1] for three in triples)
    return tuple(a & b | b & c | a & c for a, b, c in triples)
