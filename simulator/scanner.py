"""A simulated scanner on a serial port: one end of a pseudo terminal, under a device name that can come and go."""

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
    """A pseudo terminal under a device name: a symbolic link in a folder that stands for ``/dev``."""

    def __init__(self, folder: Path, name: str) -> None:
        """Plug in: the device is there at once."""
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self._link = folder / name
        self._link.symlink_to(os.ttyname(slave))
        self._slave = slave

    def read(self) -> bytes:
        """Return what has come from the host."""
        try:
            return os.read(self.master, 4096)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Send to the host; what nobody fetches in time is lost, as on a wire."""
        with contextlib.suppress(OSError):
            os.write(self.master, data)

    def close(self) -> None:
        """Unplug: the device is gone, and a program that has it open finds out."""
        self._link.unlink(missing_ok=True)
        os.close(self.master)
        os.close(self._slave)


class SimulatedScanner:
    """A microcontroller with sensors, on a thread of its own. Every method is safe to call from any thread."""

    def __init__(self, channels: int, kind: str, read: Read, *, name: str = "ttyACM0") -> None:
        """Plug in a scanner whose sensors ``read`` scans; see :class:`simulator.scanner_end.ScannerEnd`."""
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-dev-"))
        """Stands for ``/dev``."""
        self.to_host: Damage | None = None
        """What the line does to bytes on their way to the host; None: nothing."""
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
        """Where its device is, whatever its number: what a board file says as ``device``."""
        return f"{self.folder}/ttyACM*"

    def unplug(self) -> None:
        """Pull the cable: the device vanishes and the scanner is without power."""
        with self._lock:
            if self._port is not None:
                self._port.close()
                self._port = None
        self._nudge()

    def plug(self, name: str = "ttyACM0") -> None:
        """Plug it in again, under this device name: it starts anew."""
        with self._lock:
            self.unplug()
            self.end.reboot()
            self._port = DevicePort(self.folder, name)
        self._nudge()

    def reboot(self) -> None:
        """Let it start anew while its port stays (a UART)."""
        with self._lock:
            self.end.reboot()
        self._nudge()

    def say(self, data: bytes) -> None:
        """Put bytes on the line to the host that no scanner would send."""
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
            # A port that is closed meanwhile wakes this up by the pipe; its number is not used again before that.
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
    """Return how a scanner with the right chips reads a world, in the world's kind."""

    def read() -> Sequence[int]:
        if world.kind == "level":
            return world.levels()
        closed = [1 - level for level in world.contacts()]
        if world.kind != "polarity":
            return closed
        return [north + 2 * south for north, south in zip(closed[::2], closed[1::2], strict=True)]

    return read


def scanner_of(world: World) -> SimulatedScanner:
    """Return a scanner for all sensors of a world."""
    if not world.nodes:
        raise HardwareError("a scanner without sensors makes no sense")
    return SimulatedScanner(world.channels, world.channel_kind, reading_of(world))
