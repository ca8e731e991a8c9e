"""A simulated scanner on a serial port: one end of a pseudo terminal, with a device name that can appear and vanish."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path

from hw.ports import HardwareError
from simulator.scanner_end import Read, ScannerEnd
from simulator.stones import World

Damage = Callable[[bytes], bytes]


class DevicePort:
    """A pseudo terminal with a device name: a symbolic link in a folder that replaces ``/dev``."""

    def __init__(self, folder: Path, name: str) -> None:
        """Create the device at once."""
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self._link = folder / name
        self._link.symlink_to(os.ttyname(slave))
        self._slave = slave

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


class SimulatedScanner:
    """A microcontroller with sensors, on its own thread. Every method is safe to call from any thread."""

    def __init__(self, channels: int, kind: str, read: Read, *, name: str = "ttyACM0") -> None:
        """Plug in a scanner whose sensors ``read`` scans; see :class:`simulator.scanner_end.ScannerEnd`."""
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-dev-"))
        """The folder that replaces ``/dev``."""
        self.to_host: Damage | None = None
        """Function that damages bytes on their way to the host; None for a good line."""
        self.to_scanner: Damage | None = None
        self.end = ScannerEnd(channels, kind, read, time.monotonic)
        self._lock = threading.RLock()
        self._port: DevicePort | None = DevicePort(self.folder, name)
        self._wake, self._waker = os.pipe()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="simulated scanner", daemon=True)
        self._thread.start()

    @property
    def pattern(self) -> str:
        """Pattern of its device's path with any number, for ``device`` in a board file."""
        return f"{self.folder}/ttyACM*"

    def unplug(self) -> None:
        """Pull the cable: the device vanishes and the scanner has no power."""
        with self._lock:
            if self._port is not None:
                self._port.close()
                self._port = None
        self._nudge()

    def plug(self, name: str = "ttyACM0") -> None:
        """Plug it in again with this device name; it reboots."""
        with self._lock:
            self.unplug()
            self.end.reboot()
            self._port = DevicePort(self.folder, name)
        self._nudge()

    def reboot(self) -> None:
        """Reboot the scanner without a change of its port, as on a UART."""
        with self._lock:
            self.end.reboot()
        self._nudge()

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
        self._nudge()
        self._thread.join(timeout=2)
        self.unplug()
        os.close(self._wake)
        os.close(self._waker)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _nudge(self) -> None:
        os.write(self._waker, b"!")

    def _run(self) -> None:
        while not self._closed:
            with self._lock:
                port, wait = self._port, 0.05 if self._port is None else self.end.wait_s()
                watched = [self._wake] if port is None else [self._wake, port.master]
            # Closing a port wakes this thread by the pipe, before the port's number can be used again.
            with contextlib.suppress(OSError, ValueError):
                if self._wake in select.select(watched, [], [], wait)[0]:
                    os.read(self._wake, 64)
            with self._lock:
                if self._port is not None:
                    self._serve(self._port)

    def _serve(self, port: DevicePort) -> None:
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


def scanner_of(world: World) -> SimulatedScanner:
    """Return a scanner for all sensors of a world. Raise HardwareError for a world without nodes."""
    if not world.nodes:
        raise HardwareError("a scanner without sensors makes no sense")
    return SimulatedScanner(world.channels, world.channel_kind, reading_of(world))
