"""Frames of the scanner protocol for a microcontroller: COBS(payload, CRC-16) and a zero byte.

A microcontroller has no package index, so these few lines stand here; the host uses libraries for the same.
"""

LONGEST_PAYLOAD = 250
_LONGEST_FRAME = LONGEST_PAYLOAD + 3
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


def encode(payload: bytes) -> bytes:
    """Return the frame of a payload, its zero byte included."""
    crc = crc16(payload)
    frame = bytearray(1)
    code_at = 0
    for part in (payload, bytes((crc >> 8, crc & 0xFF))):
        for byte in part:
            if byte:
                frame.append(byte)
            if not byte or len(frame) - code_at == 0xFF:
                frame[code_at] = len(frame) - code_at
                code_at = len(frame)
                frame.append(0)
    frame[code_at] = len(frame) - code_at
    frame.append(0)
    return bytes(frame)


def decode(frame: bytes) -> "bytes | None":
    """Return the payload of a frame without its zero byte, None when anything is wrong with it."""
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
    payload = bytes(content[:-2])
    if len(payload) < 2 or len(payload) > LONGEST_PAYLOAD:
        return None
    crc = crc16(payload)
    return payload if content[-2] == crc >> 8 and content[-1] == crc & 0xFF else None


class Reader:
    """Cuts a stream of bytes into payloads; what is wrong is dropped and counted."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self.dropped = 0
        self.pending = bytearray()
        """What has come of the frame that has not ended."""

    def feed(self, data: bytes) -> "list[bytes]":
        """Return the payloads that end within these bytes."""
        payloads = []
        for byte in data:
            if byte:
                if len(self.pending) <= _LONGEST_FRAME:  # Of what is too long already only that matters.
                    self.pending.append(byte)
                continue
            if self.pending:
                payload = decode(bytes(self.pending))
                if payload is None:
                    self.dropped += 1
                else:
                    payloads.append(payload)
            self.pending = bytearray()
        return payloads
