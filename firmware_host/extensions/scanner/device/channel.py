"""A scanner's connection over TCP: every byte comes with a proof that its sender knows the pairing code.

scanner-protocol.md, "Over Wi-Fi", describes it byte by byte. HMAC is that of RFC 2104 over SHA-256. Nothing is
secret here but the code: readings are what everybody at the table sees.

This module runs in the firmware, in the host and in the simulated scanner. It does no I/O.
"""

from hashlib import sha256

MAGIC = b"LS\x01"
NONCE_BYTES = 16
TAG_BYTES = 16
MAX_BYTES = 512  # of one record
_BLOCK = 64


class Forgery(Exception):
    """What came was not sent by a holder of the pairing code, or not now, or not in this order."""


class Hmac:
    """HMAC-SHA256 with one key of at most 64 bytes."""

    def __init__(self, key: bytes) -> None:
        """Prepare the key's two pads once: MicroPython is slow at single bytes."""
        key = key + bytes(_BLOCK - len(key))
        self._inner = bytes([byte ^ 0x36 for byte in key])
        self._outer = bytes([byte ^ 0x5C for byte in key])

    def digest(self, data: bytes) -> bytes:
        """Return the 32 bytes for ``data``."""
        return sha256(self._outer + sha256(self._inner + data).digest()).digest()


class Channel:
    """One end of one connection. ``nonce`` is 16 random bytes that are never used again."""

    def __init__(self, code: bytes, nonce: bytes, is_scanner: bool) -> None:
        """``code`` is the pairing code without its hyphens."""
        self.ready = False
        """Whether the other end has proved that it knows the code."""
        self._code, self._nonce, self._is_scanner = Hmac(code), nonce, is_scanner
        self._pending = b""
        self._nonces = b""
        self._sending = self._receiving = self._code
        self._sent = self._received = 0

    def greeting(self) -> bytes:
        """Return what is sent first, without having received anything."""
        return MAGIC + self._nonce if self._is_scanner else b""

    def receive(self, data: bytes) -> "tuple[bytes, bytes]":
        """Return the proved bytes among what came, and the bytes to send. Raise Forgery: close the connection then."""
        self._pending += data
        answer = b""
        while not self.ready:
            step = self._take_greeting() if not self._nonces else self._take_proof()
            if step is None:
                return b"", answer
            answer += step
        return self._open_records(), answer

    def seal(self, data: bytes) -> bytes:
        """Return the records that carry ``data``; only once the channel is ready."""
        records = b""
        for start in range(0, len(data), MAX_BYTES):
            part = data[start : start + MAX_BYTES]
            head = len(part).to_bytes(2, "big")
            records += head + part + self._tag(self._sending, self._sent, part)
            self._sent += 1
        return records

    def _take_greeting(self) -> "bytes | None":
        """Take the other end's nonce (and a host's proof); return the answer, None before all of it has come."""
        if self._is_scanner:
            whole = NONCE_BYTES + TAG_BYTES
            if len(self._pending) < whole:
                return None
            self._nonces = self._nonce + self._pending[:NONCE_BYTES]
            self._expect(b"host", self._pending[NONCE_BYTES:whole])
            self._pending = self._pending[whole:]
            self._begin(b"from scanner", b"from host")
            return self._proof(b"scanner")
        begin = self._pending[: len(MAGIC)]
        if begin != MAGIC[: len(begin)]:
            raise Forgery("no scanner")
        whole = len(MAGIC) + NONCE_BYTES
        if len(self._pending) < whole:
            return None
        self._nonces = self._pending[len(MAGIC) : whole] + self._nonce
        self._pending = self._pending[whole:]
        return self._nonce + self._proof(b"host")

    def _take_proof(self) -> "bytes | None":
        """Take the scanner's proof."""
        if len(self._pending) < TAG_BYTES:
            return None
        self._expect(b"scanner", self._pending[:TAG_BYTES])
        self._pending = self._pending[TAG_BYTES:]
        self._begin(b"from host", b"from scanner")
        return b""

    def _begin(self, sending: bytes, receiving: bytes) -> None:
        self._sending = Hmac(self._code.digest(sending + self._nonces))
        self._receiving = Hmac(self._code.digest(receiving + self._nonces))
        self.ready = True

    def _proof(self, who: bytes) -> bytes:
        return self._code.digest(who + self._nonces)[:TAG_BYTES]

    def _expect(self, who: bytes, proof: bytes) -> None:
        if not _same(self._proof(who), proof):
            raise Forgery("another pairing code")

    def _open_records(self) -> bytes:
        found = b""
        while len(self._pending) >= 2:
            count = int.from_bytes(self._pending[:2], "big")
            if not 0 < count <= MAX_BYTES:
                raise Forgery("record of %d bytes" % count)
            end = 2 + count + TAG_BYTES
            if len(self._pending) < end:
                break
            part = self._pending[2 : 2 + count]
            if not _same(self._tag(self._receiving, self._received, part), self._pending[2 + count : end]):
                raise Forgery("wrong tag")
            self._received += 1
            self._pending = self._pending[end:]
            found += part
        return found

    @staticmethod
    def _tag(key: Hmac, number: int, part: bytes) -> bytes:
        return key.digest(number.to_bytes(8, "big") + part)[:TAG_BYTES]


def _same(one: bytes, other: bytes) -> bool:
    """Compare without telling by the time at which byte they differ."""
    differing = len(one) ^ len(other)
    for a, b in zip(one, other):  # noqa: B905 - MicroPython's zip has no strict
        differing |= a ^ b
    return not differing
