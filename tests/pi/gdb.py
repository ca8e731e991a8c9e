"""QEMU's debugger stub: the emulated Pi stands still at every write to its pins until the test has answered it.

QEMU stops a processor before a watched write. A single step would carry it out, but makes QEMU translate all its code
anew (0.3 s for each write); so the write is read from the registers, done from outside, and skipped.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

CONTROLS = 0x34
"""Size of the pins' registers for directions and for setting and clearing levels, bytes."""
_PC = 32
"""Number of the program counter among the registers: x0 to x30, sp, pc."""


class Store(NamedTuple):
    """A write of 32 bits that a processor is about to do."""

    address: int
    value: int


def store_of(instruction: int, registers: Sequence[int]) -> Store:
    """Return what an A64 instruction stores; ``registers`` are x0 to x30 and sp. Raise ValueError for any other."""
    base, data = registers[instruction >> 5 & 31], instruction & 31
    if instruction & 0xFFC00000 == 0xB9000000:  # str wt, [xn, #unsigned]
        offset = (instruction >> 10 & 0xFFF) * 4
    elif instruction & 0xFFE00C00 == 0xB8000000:  # stur wt, [xn, #signed]
        offset = _signed(instruction >> 12 & 0x1FF, 9)
    elif instruction & 0xFFE00C00 == 0xB8200800:  # str wt, [xn, rm, extended and shifted]
        extension, index = instruction >> 13 & 7, instruction >> 16 & 31
        offset = 0 if index == 31 else registers[index]
        if not extension & 1:
            offset = _signed(offset & 0xFFFFFFFF, 32) if extension & 4 else offset & 0xFFFFFFFF
        offset <<= 2 * (instruction >> 12 & 1)
    else:
        raise ValueError(f"the processor stopped at {instruction:#010x}, which is no known store of 32 bits")
    return Store((base + offset) & 0xFFFFFFFFFFFFFFFF, 0 if data == 31 else registers[data] & 0xFFFFFFFF)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


class Debugger:
    """The connection to the stub; there can be one at a time."""

    def __init__(self, path: Path) -> None:
        """Connect; the Pi goes on."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(120)
        self._socket.connect(str(path))
        self._buffer = b""
        self._receive()  # QEMU stops the Pi, and says so.
        self._ask(b"qXfer:features:read:target.xml:0,40")  # Else it does not let single registers be written.
        self._send(b"vCont;c")
        self.stops = 0
        """Number of writes since the watch began."""
        self.error: Exception | None = None
        self._watched: Sequence[int] = ()
        self._on_write: Callable[[int, int], None] = lambda _offset, _value: None
        self._ending, self._end = socket.socketpair()
        self._thread: threading.Thread | None = None

    def watch(self, addresses: Sequence[int], on_write: Callable[[int, int], None]) -> None:
        """Begin to stop at writes to the pins' registers, which are mapped at these virtual addresses.

        ``on_write`` gets a register's offset and the value; it has to do the write.
        """
        self._watched, self._on_write, self.stops = addresses, on_write, 0
        self._point(b"Z")
        self._thread = threading.Thread(target=self._run, name="pins", daemon=True)
        self._thread.start()

    def release(self) -> None:
        """End the watch. Raise what ``on_write`` has raised."""
        if self._thread is not None:
            self._end.send(b"!")
            self._thread.join(timeout=120)
            self._thread = None
            self._ending.recv(1)
            self._point(b"z")
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def close(self) -> None:
        """Disconnect."""
        for one in (self._socket, self._ending, self._end):
            with contextlib.suppress(OSError):
                one.close()

    def _run(self) -> None:
        while True:
            if b"$" not in self._buffer:  # Acknowledgements are no packets.
                ready, _, _ = select.select([self._socket, self._ending], [], [])
                if self._ending in ready:
                    return
                self._buffer = (self._buffer + self._socket.recv(4096)).lstrip(b"+")
                continue
            try:
                self._answer(self._receive())
            except Exception as error:  # noqa: BLE001 - the test is told
                self.error = self.error or error
            self._send(b"vCont;c")

    def _answer(self, stopped: bytes) -> None:
        """Do the write before which a processor stands still, and let it skip it."""
        self.stops += 1
        self._ask(b"Hg" + stopped.partition(b"thread:")[2].partition(b";")[0], b"OK")
        registers = struct.unpack("<33Q", bytes.fromhex(self._ask(b"g").decode())[: 33 * 8])
        counter = registers[_PC]
        instruction = int.from_bytes(bytes.fromhex(self._ask(b"m%x,4" % counter).decode()), "little")
        store = store_of(instruction, registers)
        offset = next(store.address - one for one in self._watched if 0 <= store.address - one < CONTROLS)
        self._on_write(offset, store.value)
        self._ask(b"P%x=%s" % (_PC, struct.pack("<Q", counter + 4).hex().encode()), b"OK")

    def _point(self, what: bytes) -> None:
        """Set or remove (``Z``, ``z``) the watch points of a Pi that runs."""
        self._socket.sendall(b"\3")
        stopped = self._receive()
        own = b"watch:" in stopped
        if own:  # It had stopped by itself, and may go on to write for ever: what is next is not waited for.
            self._answer(stopped)
        for address in self._watched:
            self._ask(b"%s2,%x,%x" % (what, address, CONTROLS), b"OK")
        self._send(b"vCont;c")
        while own and b"#" in self._more():  # QEMU drops the request while the Pi stands still, or carries it out now.
            self._receive()
            self._send(b"vCont;c")

    def _more(self) -> bytes:
        """Return what comes from QEMU within a moment, acknowledgements aside."""
        if not self._buffer.strip(b"+") and select.select([self._socket], [], [], 1.0)[0]:
            self._buffer += self._socket.recv(4096)
        self._buffer = self._buffer.lstrip(b"+")
        return self._buffer

    # -- packets -----------------------------------------------------------------------------------------------------

    def _ask(self, request: bytes, expected: bytes | None = None) -> bytes:
        self._send(request)
        answer = self._receive()
        if expected is not None and answer != expected:
            raise OSError(f"gdb stub: {request!r}: expected {expected!r}, got {answer!r}")
        return answer

    def _send(self, packet: bytes) -> None:
        self._socket.sendall(b"$%s#%02x" % (packet, sum(packet) & 0xFF))

    def _receive(self) -> bytes:
        """Return the next packet, and acknowledge it."""
        while b"#" not in self._buffer or len(self._buffer) < self._buffer.index(b"#") + 3:
            data = self._socket.recv(4096)
            if not data:
                raise OSError("gdb stub: QEMU has ended")
            self._buffer += data
        packet, _, rest = self._buffer.partition(b"#")
        self._buffer = rest[2:]
        self._socket.sendall(b"+")
        return packet.rpartition(b"$")[2]
