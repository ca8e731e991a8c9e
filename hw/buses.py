"""What drivers need from a computer besides its pins: SPI, I2C and short waits. Libraries are imported on opening."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from hw.gpio import Gpio, open_gpio
from hw.ports import HardwareError

SLEEP_FROM_US = 500.0
"""Shortest wait (µs) that uses the system's sleep, which overshoots by about 60 µs; shorter waits poll the clock."""

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

    def wait_us(self, microseconds: float) -> None:
        """Wait for at least this time."""
        ...


def wait_us(microseconds: float) -> None:
    """Wait for at least this time on the real clock."""
    if microseconds >= SLEEP_FROM_US:
        time.sleep(microseconds / 1e6)
        return
    until = time.perf_counter_ns() + microseconds * 1000
    while time.perf_counter_ns() < until:
        pass


def open_spi(bus: int, device: int, hertz: int) -> Spi:
    """Open a Pi's SPI bus. Raise HardwareError saying what to install or to switch on."""
    try:
        spidev = importlib.import_module("spidev")
    except ImportError as error:
        raise HardwareError(
            "no SPI library is installed: on a Pi run make setup, or pip install spidev; "
            "without a Pi use --board sim or --sim"
        ) from error
    try:
        spi = spidev.SpiDev()
        spi.open(bus, device)
        spi.max_speed_hz = hertz
        spi.mode = 0
    except OSError as error:
        overlay = "dtparam=spi=on" if bus == 0 else "dtoverlay=spi1-2cs"
        raise HardwareError(
            f"/dev/spidev{bus}.{device} can't be opened ({error}): write {overlay} into /boot/firmware/config.txt and "
            "restart; without a Pi use --board sim or --sim"
        ) from error
    opened: Spi = spi
    return opened


def open_i2c(bus: int) -> I2c:
    """Open a Pi's I2C bus. Raise HardwareError saying what to install or to switch on."""
    try:
        smbus2 = importlib.import_module("smbus2")
    except ImportError as error:
        raise HardwareError(
            "no I2C library is installed: on a Pi run make setup, or pip install smbus2; "
            "without a Pi use --board sim or --sim"
        ) from error
    try:
        opened: I2c = smbus2.SMBus(bus)
    except OSError as error:
        raise HardwareError(
            f"/dev/i2c-{bus} can't be opened ({error}): write dtparam=i2c_arm=on,i2c_arm_baudrate=400000 into "
            "/boot/firmware/config.txt and restart; without a Pi use --board sim or --sim"
        ) from error
    return opened


class ThisComputer:
    """The computer that the program runs on."""

    def gpio(self) -> Gpio:
        """Return the computer's pins."""
        return open_gpio()

    def spi(self, bus: int, device: int, hertz: int) -> Spi:
        """Open its SPI bus."""
        return open_spi(bus, device, hertz)

    def i2c(self, bus: int) -> I2c:
        """Open its I2C bus."""
        return open_i2c(bus)

    def serial(self, device: str) -> str:
        """Return ``device`` unchanged."""
        return device

    def wait_us(self, microseconds: float) -> None:
        """Wait on the real clock."""
        wait_us(microseconds)
