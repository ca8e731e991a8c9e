"""A Pi's I2C bus with the interface of ``smbus2.SMBus``, and the interface of a simulated chip on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

MOST_BYTES = 32
"""Maximum number of bytes in a block (the kernel's I2C_SMBUS_BLOCK_MAX)."""
BYTE_US = 20.0
"""Time of a byte with its acknowledgement on a bus of 400 kHz, slightly too short."""


class I2cChip(Protocol):
    """A chip on the bus. It raises ChipViolation when its driver is wrong."""

    def write(self, data: Sequence[int]) -> None:
        """Receive a message: the register's address, then the bytes to write from there on (or none)."""
        ...

    def read(self, length: int) -> Sequence[int]:
        """Return ``length`` bytes from the register that was addressed last."""
        ...


class SimulatedI2c:
    """One bus. Every message takes simulated time."""

    def __init__(self, chips: Mapping[int, I2cChip], wait_us: Callable[[float], None]) -> None:
        """``chips`` maps address to chip; ``wait_us`` lets simulated time pass, microseconds."""
        self._chips, self._wait_us = dict(chips), wait_us
        self.messages = 0
        """Number of messages so far: the cost of a driver."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: Sequence[int]) -> None:
        """Write bytes from a register on. Raise OSError when no chip has the address."""
        self._chip(i2c_addr, 2 + len(data)).write([register, *data])

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> Sequence[int]:
        """Write a register's address, then read bytes from it. Raise OSError when no chip has the address."""
        chip = self._chip(i2c_addr, 3 + length)
        chip.write([register])
        return list(chip.read(length))

    def close(self) -> None:
        """Close the bus."""

    def _chip(self, address: int, size: int) -> I2cChip:
        if size > MOST_BYTES + 3:
            raise ValueError(f"expected at most {MOST_BYTES} bytes in a block")
        self.messages += 1
        self._wait_us(BYTE_US * size)
        if address not in self._chips:
            raise OSError(121, "Remote I/O error")
        return self._chips[address]
