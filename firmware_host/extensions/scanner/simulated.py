"""A simulated scanner: on a pseudo terminal with a device name that can appear and vanish, or on a TCP port.

Its end of the protocol is written from scanner-protocol.md. It answers as a microcontroller would; attributes and
methods simulate faults (another version, a reboot).
"""

from __future__ import annotations

import binascii
import contextlib
import os
import select
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cobs import cobs

from firmware_host.extensions.scanner.device.channel import NONCE_BYTES, Channel, Forgery
from firmware_host.extensions.scanner.wireless import code_bytes, is_wireless
from hw.ports import BoardDescription, HardwareError, SensorBank
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.stones import World

Damage = Callable[[bytes], bytes]


class DevicePort:
    """A pseudo terminal with a device name: a symbolic link in a folder that replaces ``/dev``."""

    def __init__(self, folder: Path, name: str) -> None:
        """Create the device at once. Raise HardwareError where the system has no pseudo terminals."""
        try:
            from tty import setraw  # noqa: PLC0415, TID251 - Windows has none
        except ImportError as error:
            raise HardwareError(
                "a scanner on a simulated cable needs pseudo terminals, which this system does not have; simulate one "
                "in the Wi-Fi, or another way to wire sensors"
            ) from error
        self.master, slave = os.openpty()  # noqa: TID251
        setraw(slave)
        os.set_blocking(self.master, False)
        self._link = folder / name
        self._link.symlink_to(os.ttyname(slave))
        self._slave = slave

    def descriptors(self) -> list[int]:
        """Return the file descriptors that become readable when something comes."""
        return [self.master]

    def read(self) -> bytes:
        """Return the bytes received from the host; empty if there are none."""
        try:
            return os.read(self.master, 4096)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Send bytes to the host; bytes that it does not read in time are lost, as on a wire."""
        with contextlib.suppress(OSError):
            os.write(self.master, data)

    def close(self) -> None:
        """Remove the device; reads and writes of a program that has it open fail."""
        self._link.unlink(missing_ok=True)
        os.close(self.master)
        os.close(self._slave)


class RadioPort:
    """A TCP port of this computer that a host with the pairing code may use; the last one that proves it is served."""

    def __init__(self, code: bytes, tcp_port: int = 0) -> None:
        """Listen at once, on a free port if ``tcp_port`` is 0."""
        self._code = code
        self._door = socket.create_server(("127.0.0.1", tcp_port))
        self._door.setblocking(False)
        self.tcp_port: int = self._door.getsockname()[1]
        self._guests: dict[socket.socket, Channel] = {}
        self._host: socket.socket | None = None

    def descriptors(self) -> list[int]:
        """Return the file descriptors that become readable when something comes."""
        return [self._door.fileno(), *(guest.fileno() for guest in self._guests)]

    def read(self) -> bytes:
        """Answer the door; return the bytes received from the host, empty if there are none."""
        with contextlib.suppress(OSError):
            guest, _ = self._door.accept()
            guest.setblocking(False)
            self._guests[guest] = Channel(self._code, os.urandom(NONCE_BYTES), is_scanner=True)
            guest.send(self._guests[guest].greeting())
        found = b""
        for guest in list(self._guests):
            found += self._hear(guest)
        return found

    def _hear(self, guest: socket.socket) -> bytes:
        channel = self._guests[guest]
        known = channel.ready
        try:
            data = guest.recv(4096)
            payload, answer = channel.receive(data)
            if answer:
                guest.send(answer)
        except BlockingIOError:
            return b""
        except (OSError, Forgery):
            data = b""
        if not data:
            self._send_away(guest)
            return b""
        if channel.ready and not known:
            if self._host is not None:
                self._send_away(self._host)
            self._host = guest
        return payload

    def write(self, data: bytes) -> None:
        """Send bytes to the host; one that does not take them in time is sent away."""
        if self._host is None:
            return
        sealed = self._guests[self._host].seal(data)
        try:
            sent = self._host.send(sealed)
        except OSError:
            sent = 0
        if sent < len(sealed):
            self._send_away(self._host)

    def close(self) -> None:
        """Switch the radio off: every connection ends, and no new one comes about."""
        for guest in list(self._guests):
            self._send_away(guest)
        self._door.close()

    def _send_away(self, guest: socket.socket) -> None:
        del self._guests[guest]
        guest.close()
        if guest is self._host:
            self._host = None


class SimulatedScanner:
    """A microcontroller with sensors, on its own thread. Every method is safe to call from any thread."""

    def __init__(
        self,
        channels: int,
        kind: str,
        read: Read,
        *,
        name: str = "ttyACM0",
        code: bytes | None = None,
        digest: str = "",
    ) -> None:
        """Plug in a scanner whose sensors ``read`` scans; see :class:`ScannerEnd`. With ``code`` it is in the Wi-Fi."""
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-dev-"))
        """The folder that replaces ``/dev``."""
        self.to_host: Damage | None = None
        """Function that damages bytes on their way to the host; None for a good line."""
        self.to_scanner: Damage | None = None
        self.end = ScannerEnd(channels, kind, read, time.monotonic)
        self.end.digest = digest
        self._lock = threading.RLock()
        self._code, self._tcp_port = code, 0
        self._port: DevicePort | RadioPort | None = self._new_port(name)
        self._wake, self._waker = socket.socketpair()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="simulated scanner", daemon=True)
        self._thread.start()

    @property
    def pattern(self) -> str:
        """Its address, or the pattern of its device's path with any number: ``device`` in a board file."""
        return f"{self.folder}/ttyACM*" if self._code is None else f"tcp://127.0.0.1:{self._tcp_port}"

    def _new_port(self, name: str) -> DevicePort | RadioPort:
        if self._code is None:
            return DevicePort(self.folder, name)
        port = RadioPort(self._code, self._tcp_port)
        self._tcp_port = port.tcp_port
        return port

    def unplug(self) -> None:
        """Pull the cable: the device vanishes and the scanner has no power."""
        with self._lock:
            if self._port is not None:
                self._port.close()
                self._port = None
        self._wake_thread()

    def plug(self, name: str = "ttyACM0") -> None:
        """Plug it in again with this device name; it reboots."""
        with self._lock:
            self.unplug()
            self.end.reboot()
            self._port = self._new_port(name)
        self._wake_thread()

    def reboot(self) -> None:
        """Reboot the scanner without a change of its port, as on a UART."""
        with self._lock:
            self.end.reboot()
        self._wake_thread()

    def say(self, data: bytes) -> None:
        """Send raw bytes to the host, for example bytes that no scanner would send."""
        with self._lock:
            if self._port is not None:
                self._port.write(data)

    def close(self) -> None:
        """Unplug it for good."""
        if self._closed:
            return
        self._closed = True
        self._wake_thread()
        self._thread.join(timeout=2)
        self.unplug()
        self._wake.close()
        self._waker.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wake_thread(self) -> None:
        self._waker.send(b"!")

    def _run(self) -> None:
        while not self._closed:
            with self._lock:
                port, wait = self._port, 0.05 if self._port is None else self.end.wait_s()
                watched = [self._wake.fileno(), *(port.descriptors() if port is not None else ())]
            # Closing a port wakes this thread by the pipe, before the port's number can be used again.
            with contextlib.suppress(OSError, ValueError):
                if self._wake.fileno() in select.select(watched, [], [], wait)[0]:
                    self._wake.recv(64)
            with self._lock:
                if self._port is not None:
                    self._serve(self._port)

    def _serve(self, port: DevicePort | RadioPort) -> None:
        data = port.read()
        heard = data if self.to_scanner is None else self.to_scanner(data)
        answer = self.end.take(heard) + self.end.due()
        if answer:
            port.write(answer if self.to_host is None else self.to_host(answer))


def reading_of(world: World) -> Read:
    """Return the function by which a scanner reads a world, in readings of the world's kind."""

    def read() -> Sequence[int]:
        if world.kind == "level":
            return world.levels()
        closed = [1 - level for level in world.contacts()]
        if world.kind != "polarity":
            return closed
        return [north + 2 * south for north, south in zip(closed[::2], closed[1::2], strict=True)]

    return read


# -- the protocol ------------------------------------------------------------------------------------------------------


KINDS = ("presence", "polarity", "level")
BITS = {"presence": 1, "polarity": 2, "level": 8}
SNAPSHOT_EVERY_MS = 1000
"""Period of snapshots while only changes are reported."""
DEADBAND = {"presence": 1, "polarity": 1, "level": 3}
"""Kind → least change of a reading since its last report that is reported."""
MAX_CHANGES = 81
"""Maximum number of changes that fit into a payload; a snapshot is shorter than more of them."""
FIRMWARE = "lodestone-scanner 2.1 simulated"

Read = Callable[[], Sequence[int]]


def pack(readings: Sequence[int], kind: str) -> bytes:
    """Return the readings as packed bytes of a snapshot, the lowest bits of a byte first."""
    bits = BITS[kind]
    packed = bytearray(-(-len(readings) * bits // 8))
    for channel, reading in enumerate(readings):
        packed[channel * bits // 8] |= reading << channel * bits % 8
    return bytes(packed)


class ScannerEnd:
    """The protocol of one scanner. ``read`` scans its sensors: one reading per channel, as in :mod:`hw.ports`."""

    def __init__(self, channels: int, kind: str, read: Read, clock: Callable[[], float]) -> None:
        """Start now by ``clock`` (seconds); report nothing before the host configures the scanner."""
        self.versions: tuple[int, ...] = (1, 2)
        """Supported versions of the protocol."""
        self.firmware = FIRMWARE
        self.digest = ""
        """Digest of its configuration, which an old firmware does not say."""
        self.dropped = 0
        """Number of malformed or unexpected frames from the host."""
        self._channels, self._kind, self._read, self._clock = channels, kind, read, clock
        self.reboot()

    def reboot(self) -> None:
        """Reset sequence number, time, configuration and any partly received frame; send a hello next."""
        self._started = self._clock()
        self._seq = 0
        self.version = max(self.versions)
        """Protocol version in use."""
        self._pending = bytearray()
        self._period_s: float | None = None
        self._only_changes = False
        self._due = self._snapshot_due = 0.0
        self._sent: list[int] = []
        self._greeting = True

    def take(self, data: bytes) -> bytes:
        """Receive bytes from the host; return the bytes of the answers."""
        answers = b""
        for byte in data:
            if byte:
                self._pending.append(byte)
                continue
            frame, self._pending = bytes(self._pending), bytearray()
            if frame:
                answers += self._receive_frame(frame)
        return answers

    def due(self) -> bytes:
        """Return the bytes of a due hello or report."""
        now = self._clock()
        if self._greeting:
            self._greeting = False
            return b"\0" + self._hello()  # The zero byte separates it from a boot loader's output.
        if self._period_s is None or now < self._due:
            return b""
        self._due = max(self._due + self._period_s, now)
        if not self._only_changes or now >= self._snapshot_due:
            return self._snapshot()
        return self._changes()

    def wait_s(self) -> float:
        """Return the seconds until something may be due."""
        if self._greeting:
            return 0.0
        return 0.05 if self._period_s is None else max(0.0, self._due - self._clock())

    def _receive_frame(self, frame: bytes) -> bytes:
        try:
            content: bytes = cobs.decode(frame)
        except cobs.DecodeError:
            self.dropped += 1
            return b""
        for version, first, tail in ((2, 1, 4), (1, 0, 2)):
            payload = content[first:-tail]
            if (
                len(payload) >= 2
                and content == _add_checksum(payload, version)
                and self._is_version_in_use(version, payload)
            ):
                return self._answer(payload[:1], payload[2:])
        self.dropped += 1
        return b""

    def _is_version_in_use(self, version: int, payload: bytes) -> bool:
        """Return whether a frame has the version in use; a host's hello is always in version 1."""
        return version == (1 if payload[:1] == b"H" else min(2, self.version))

    def _answer(self, what: bytes, body: bytes) -> bytes:
        if (what, len(body)) == (b"H", 1):
            self.version = max((one for one in self.versions if one <= body[0]), default=min(self.versions))
            return self._hello()
        if (what, len(body)) == (b"C", 3):
            return self._configure(*struct.unpack(">HB", body))
        if (what, len(body)) == (b"R", 0):
            return self._snapshot()
        if (what, len(body)) == (b"P", 0):
            return self._frame(b"p")
        self.dropped += 1
        return b""

    def _configure(self, period_ms: int, mode: int) -> bytes:
        if not period_ms or mode > 1:
            return self._frame(b"e", b"\x01configure: expected a period of 1 ms or more and mode 0 or 1")
        self._period_s, self._only_changes = period_ms / 1000, bool(mode)
        self._due = self._clock() + self._period_s
        return self._snapshot()

    def _hello(self) -> bytes:
        head = struct.pack(">BHB", self.version, self._channels, KINDS.index(self._kind))
        about = f"{self.firmware} #{self.digest}" if self.digest else self.firmware
        return self._frame(b"h", head + about.encode())

    def _snapshot(self) -> bytes:
        try:
            self._sent = list(self._read())
        except HardwareError:  # A lost board includes its scanner.
            return b""
        self._snapshot_due = self._clock() + SNAPSHOT_EVERY_MS / 1000
        return self._frame(b"s", self._time() + pack(self._sent, self._kind))

    def _changes(self) -> bytes:
        try:
            readings = list(self._read())
        except HardwareError:
            return b""
        apart = DEADBAND[self._kind]
        pairs = zip(self._sent, readings, strict=True)
        changed = [channel for channel, (old, new) in enumerate(pairs) if abs(new - old) >= apart]
        if len(changed) > MAX_CHANGES:
            return self._snapshot()
        if not changed:
            return b""
        for channel in changed:
            self._sent[channel] = readings[channel]
        return self._frame(b"d", self._time() + b"".join(struct.pack(">HB", one, readings[one]) for one in changed))

    def _time(self) -> bytes:
        return (round((self._clock() - self._started) * 1000) & 0xFFFFFFFF).to_bytes(4, "big")

    def _frame(self, what: bytes, body: bytes = b"") -> bytes:
        payload = what + bytes([self._seq]) + body
        self._seq = (self._seq + 1) & 0xFF
        encoded: bytes = cobs.encode(_add_checksum(payload, self.version))
        return encoded + b"\0"


def _add_checksum(payload: bytes, version: int) -> bytes:
    """Return a payload with length and CRC, before COBS."""
    if version == 1:
        return payload + binascii.crc_hqx(payload, 0xFFFF).to_bytes(2, "big")
    measured = bytes([len(payload)]) + payload
    return measured + binascii.crc32(measured).to_bytes(4, "big")


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Let the scanner be plugged in, or switched on, when its port is opened."""
    # Imported here, as below: the simulated scanner itself knows nothing of the host's end.
    from firmware_host.extensions.scanner.configuration import digest_of  # noqa: PLC0415

    code = code_bytes(str(board.options["code"])) if is_wireless(board.options.get("device")) else None
    digest = digest_of(board)
    breadboard.on_serial = lambda: SimulatedScanner(
        world.channels, world.channel_kind, reading_of(world), code=code, digest=digest
    )


def in_step(
    board: BoardDescription, soldered: BoardDescription, world: World, clock: Callable[[], float]
) -> SensorBank:
    """Return the sensors of a board whose scanner runs on a clock that tests move, configured as it is soldered."""
    from firmware_host.extensions.scanner.bank import SteppedBank  # noqa: PLC0415
    from firmware_host.extensions.scanner.configuration import digest_of  # noqa: PLC0415
    from firmware_host.extensions.scanner.link import terms_of  # noqa: PLC0415

    terms = terms_of(board)
    end = ScannerEnd(terms.channels, terms.kind, reading_of(world), clock)
    end.digest = digest_of(soldered)
    return SteppedBank(end, terms, clock)


PARTS = SimulatedParts("serial", connect, in_step)
