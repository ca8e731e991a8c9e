"""Frames of the scanner protocol (scanner-protocol.md) for a microcontroller.

Version 2: COBS(length, payload, CRC-32) and a zero byte. Version 1: COBS(payload, CRC-16) and a zero byte.
A microcontroller has no package index, so this module has its own COBS and CRC-16; the host uses libraries.
"""

from binascii import crc32

NEWEST = 2
MAX_PAYLOAD = 250
_MAX_FRAME = 1 + MAX_PAYLOAD + 4 + 2
# CRC-16/CCITT-FALSE of each half byte.
_CRC = (
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
    0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
)  # fmt: skip


def crc16(data: bytes) -> int:
    """Return CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF)."""
    crc, table = 0xFFFF, _CRC
    for byte in data:
        crc = crc << 4 & 0xFFFF ^ table[crc >> 12 ^ byte >> 4]
        crc = crc << 4 & 0xFFFF ^ table[crc >> 12 ^ byte & 15]
    return crc


def encode(payload: bytes, version: int) -> bytes:
    """Return the frame of a payload, its zero byte included."""
    if version == 1:
        content = payload + crc16(payload).to_bytes(2, "big")
    else:
        content = bytes((len(payload),)) + payload
        content += crc32(content).to_bytes(4, "big")
    frame = bytearray(1)
    code_at = 0
    for byte in content:
        if byte:
            frame.append(byte)
        if not byte or len(frame) - code_at == 0xFF:
            frame[code_at] = len(frame) - code_at
            code_at = len(frame)
            frame.append(0)
    frame[code_at] = len(frame) - code_at
    frame.append(0)
    return bytes(frame)


def decode(frame: bytes) -> "tuple[int, bytes] | None":
    """Return version and payload of a frame without its zero byte; None for a malformed frame."""
    content = bytearray()
    at = 0
    while at < len(frame):
        code = frame[at]
        end = at + code
        if not code or end > len(frame):
            return None
        content += frame[at + 1 : end]
        if code < 0xFF and end < len(frame):
            content.append(0)
        at = end
    count = len(content)
    if count >= 7 and content[0] == count - 5 and crc32(content[:-4]) == int.from_bytes(content[-4:], "big"):
        return 2, bytes(content[1:-4])
    if 4 <= count <= MAX_PAYLOAD + 2 and crc16(content[:-2]) == int.from_bytes(content[-2:], "big"):
        return 1, bytes(content[:-2])
    return None


class Reader:
    """Splits a stream of bytes into frames; malformed frames are dropped and counted."""

    def __init__(self) -> None:
        """Start with nothing received."""
        self.dropped = 0
        self.pending = bytearray()
        """Bytes of the frame that has not ended yet."""

    def feed(self, data: bytes) -> "list[tuple[int, bytes]]":
        """Return version and payload of the frames that end within these bytes."""
        whole = []
        for byte in data:
            if byte:
                if len(self.pending) <= _MAX_FRAME:  # One byte too many marks a frame as too long.
                    self.pending.append(byte)
                continue
            if self.pending:
                frame = decode(bytes(self.pending))
                if frame is None:
                    self.dropped += 1
                else:
                    whole.append(frame)
            self.pending = bytearray()
        return whole
