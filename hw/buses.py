"""What drivers need from a computer: pins, buses, ports and short waits. Libraries are imported on opening.

Drivers never import a library: they get objects shaped like RPi.GPIO (or rpi-lgpio, which provides a module of the same
name), spidev and smbus2. The simulator passes its own.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import socket
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from hw import pi
from hw.ports import HardwareError


class Gpio(Protocol):
    """The part of RPi.GPIO that drivers use. Pins are BCM numbers; ``output`` also takes lists."""

    BCM: int
    IN: int
    OUT: int
    HIGH: int
    LOW: int
    PUD_UP: int

    def setmode(self, mode: int) -> None:
        """Choose how pins are numbered."""
        ...

    def setwarnings(self, flag: bool) -> None:
        """Switch the library's warnings on or off."""
        ...

    def setup(self, channel: Any, direction: int, pull_up_down: int = ..., initial: int = ...) -> None:
        """Make pins inputs or outputs."""
        ...

    def input(self, channel: int) -> int:
        """Return the level of a pin."""
        ...

    def output(self, channel: Any, value: Any) -> None:
        """Set the level of one pin or of a list of pins."""
        ...

    def cleanup(self, channel: Any = ...) -> None:
        """Release pins: make them inputs again."""
        ...


WITHOUT_PI = "without a Pi use --board sim or --sim"
SLEEP_FROM_US = 500.0
"""Shortest wait (µs) that uses the system's sleep, which overshoots by about 60 µs; shorter waits poll the clock."""

I2C_HZ = 400_000
"""Clock of an I2C bus that the drivers of its chips reckon with; a Pi has 100 kHz unless it is told."""

SPI_CHUNK = 4096
"""Bytes that Linux sends over SPI without a gap by default."""
SPI_BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")

WaitUs = Callable[[float], None]
"""Waits for at least this number of microseconds."""


class Spi(Protocol):
    """The part of ``spidev.SpiDev`` that drivers use."""

    def xfer2(self, values: list[int]) -> Sequence[int]:
        """Send bytes with chip select held; return the bytes received, as many."""
        ...

    def close(self) -> None:
        """Close the device."""
        ...


class I2c(Protocol):
    """The part of ``smbus2.SMBus`` that drivers use."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: Sequence[int]) -> None:
        """Write bytes to a register of the chip at an address."""
        ...

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> Sequence[int]:
        """Read bytes from a register."""
        ...

    def close(self) -> None:
        """Close the bus."""
        ...


class NetworkDevice(Protocol):
    """A device in the network that takes datagrams and answers requests."""

    def send(self, port: int, data: bytes) -> None:
        """Send a datagram (UDP); nobody says whether it arrives. Raise OSError when it can't leave."""
        ...

    def get(self, path: str) -> bytes:
        """Return the answer to a request (HTTP). Raise OSError without one within some seconds."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Computer(Protocol):
    """The pins, buses and ports that drivers reach: a Pi's own, or the simulator's. Each driver opens what it needs."""

    def gpio(self) -> Gpio:
        """Return the pins. Raise HardwareError saying what to install or do."""
        ...

    def spi(self, bus: int, device: int, hertz: int) -> Spi:
        """Open bus 0 or 1 with chip select 0 or 1 at a clock (Hz), mode 0. Raise HardwareError when it can't be."""
        ...

    def i2c(self, bus: int) -> I2c:
        """Open bus 0 or 1. Raise HardwareError when it can't be opened."""
        ...

    def serial(self, device: str) -> str:
        """Return the device to open for a board file's ``device``: a path, or a pattern of paths."""
        ...

    def pixel_pin(self, name: str) -> Any:
        """Return Blinka's pin of a name, such as ``D18``, for Adafruit's libraries.

        Raise HardwareError where the computer has none, and what Blinka raises on a computer that it does not know.
        """
        ...

    def pixel_bus(self, frame: int) -> Any:
        """Open SPI bus 0 as Blinka does, for frames of so many bytes without a gap. Raise as :meth:`pixel_pin` does."""
        ...

    def network(self, address: str) -> NetworkDevice:
        """Return a device in the network by its name or address; nothing is sent yet."""
        ...

    def wait_us(self, microseconds: float) -> None:
        """Wait for at least this time."""
        ...


ANSWER_S = 3.0
"""How long a device in the network may take for an answer, seconds."""
LARGEST_ANSWER = 64 << 10
"""Maximum length of an answer, bytes; the rest is not read."""


class LanDevice:
    """A device in the local network."""

    def __init__(self, address: str) -> None:
        """Look up its name with each request: it may get another address."""
        self._address = address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, port: int, data: bytes) -> None:
        """Send a datagram."""
        self._socket.sendto(data, (self._address, port))

    def get(self, path: str) -> bytes:
        """Return the answer to a request."""
        with urllib.request.urlopen(f"http://{self._address}{path}", timeout=ANSWER_S) as answer:
            found: bytes = answer.read(LARGEST_ANSWER)
            return found

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def _give_lgpio_a_folder() -> None:
    """Give lgpio a folder of this program alone: it makes a pipe (``.lgd-nfy0``) where a program runs, or in LG_WD.

    That may be a folder in which the account can't write; and in a shared one another account's pipe is in the way.
    """
    if "LG_WD" not in os.environ:
        folder = os.environ["LG_WD"] = tempfile.mkdtemp(prefix="lodestone-pins-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def open_gpio() -> Gpio:
    """Return RPi.GPIO (or its drop-in), numbered by BCM. Raise HardwareError saying what to install or do."""
    found = pi.gpio_packages()
    wrong = pi.misfit(found, pi.choose())
    if wrong is not None and found:
        raise HardwareError(f"{wrong}; {WITHOUT_PI}")
    _give_lgpio_a_folder()
    try:
        gpio: Gpio = importlib.import_module("RPi.GPIO")
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
    except ImportError as error:
        raise HardwareError(f"{wrong or error}; {WITHOUT_PI}") from error
    except FileNotFoundError as error:
        where = os.environ.get("LG_WD") or str(Path.cwd())
        raise HardwareError(
            f"lgpio can't make its file in {where} ({error}): set LG_WD to a folder in which this account may write"
        ) from error
    except Exception as error:  # rpi-lgpio lets lgpio.error through, which is a bare Exception.
        library = " and ".join(f"{name} {version}" for name, version in found.items()) or "none"
        raise HardwareError(
            f"the pins can't be opened ({library}: {error}): run on a Pi, or use --board sim or --sim"
        ) from error
    return gpio


def _bus_library(name: str, bus: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise HardwareError(
            f"no {bus} library is installed: on a Pi run make setup, or pip install {name}; {WITHOUT_PI}"
        ) from error


def _blinka(name: str, what: str) -> Any:
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")  # Else Blinka asks whether to install packages.
    found = getattr(importlib.import_module("board"), name, None)
    if found is None:
        raise HardwareError(f"strip pin: this computer has no {what}; {WITHOUT_PI}")
    return found


def allow_frame(frame: int) -> None:
    """Allow a frame of so many bytes over SPI without a gap. Raise HardwareError where the kernel forbids it."""
    if frame <= SPI_CHUNK:
        return
    try:
        allowed = int(SPI_BUFSIZ.read_text())
    except (OSError, ValueError):
        allowed = SPI_CHUNK
    if allowed < frame:
        raise HardwareError(
            f"the strip takes {frame} bytes a frame over SPI, and this kernel sends {allowed} without a gap: add "
            "spidev.bufsiz=32768 to /boot/firmware/cmdline.txt (or run install.sh --spi yes) and restart"
        )
    os.environ["SPI_BUFSIZE"] = str(allowed)  # Adafruit_PureIO reads its own limit from here.


class ThisComputer:
    """The computer that the program runs on. What can't be opened is said with what to install or to switch on."""

    def gpio(self) -> Gpio:
        """Return the computer's pins."""
        return open_gpio()

    def spi(self, bus: int, device: int, hertz: int) -> Spi:
        """Open its SPI bus."""
        library = _bus_library("spidev", "SPI")
        try:
            spi = library.SpiDev()
            spi.open(bus, device)
            spi.max_speed_hz = hertz
            spi.mode = 0
        except OSError as error:
            overlay = "dtparam=spi=on" if bus == 0 else "dtoverlay=spi1-2cs"
            raise HardwareError(
                f"/dev/spidev{bus}.{device} can't be opened ({error}): write {overlay} into /boot/firmware/config.txt "
                f"and restart; {WITHOUT_PI}"
            ) from error
        opened: Spi = spi
        return opened

    def i2c(self, bus: int) -> I2c:
        """Open its I2C bus."""
        library = _bus_library("smbus2", "I2C")
        try:
            opened: I2c = library.SMBus(bus)
        except OSError as error:
            raise HardwareError(
                f"/dev/i2c-{bus} can't be opened ({error}): write dtparam=i2c_arm=on,i2c_arm_baudrate={I2C_HZ} into "
                f"/boot/firmware/config.txt and restart; {WITHOUT_PI}"
            ) from error
        return opened

    def serial(self, device: str) -> str:
        """Return ``device`` unchanged."""
        return device

    def pixel_pin(self, name: str) -> Any:
        """Return one of its pins."""
        return _blinka(name, f"pin {name!r}")

    def pixel_bus(self, frame: int) -> Any:
        """Open its SPI bus 0."""
        allow_frame(frame)
        return _blinka("SPI", "SPI bus")()

    def network(self, address: str) -> LanDevice:
        """Return a device in its network."""
        return LanDevice(address)

    def wait_us(self, microseconds: float) -> None:
        """Wait for at least this time on the real clock."""
        if microseconds >= SLEEP_FROM_US:
            time.sleep(microseconds / 1e6)
            return
        until = time.perf_counter_ns() + microseconds * 1000
        while time.perf_counter_ns() < until:
            pass
