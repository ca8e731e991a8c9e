"""A Pi's I2C bus shaped like ``smbus2.SMBus``, and what a chip on it has to offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

MOST_BYTES = 32
"""Of a block (the kernel's I2C_SMBUS_BLOCK_MAX)."""
BYTE_US = 20.0
"""What a byte with its acknowledgement takes on a bus of 400 kHz, less a little."""


class I2cChip(Protocol):
    """A chip on the bus, by its messages. It raises ChipViolation where its driver is wrong."""

    def write(self, data: Sequence[int]) -> None:
        """Take the bytes of a message: the register's address, then what is written from there on (or nothing)."""
        ...

    def read(self, length: int) -> Sequence[int]:
        """Return so many bytes from the register that was addressed last."""
        ...


class SimulatedI2c:
    """One bus. Every message takes its time."""

    def __init__(self, chips: Mapping[int, I2cChip], wait_us: Callable[[float], None]) -> None:
        """``chips`` by their addresses."""
        self._chips, self._wait_us = dict(chips), wait_us
        self.messages = 0
        """Messages so far: what a driver costs."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: Sequence[int]) -> None:
        """Write bytes from a register on."""
        self._chip(i2c_addr, 2 + len(data)).write([register, *data])

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> Sequence[int]:
        """Read bytes from a register on: its address is written, then the bus starts again."""
        chip = self._chip(i2c_addr, 3 + length)
        chip.write([register])
        return list(chip.read(length))

    def close(self) -> None:
        """Let go of the bus."""

    def _chip(self, address: int, size: int) -> I2cChip:
        if size > MOST_BYTES + 3:
            raise ValueError(f"expected at most {MOST_BYTES} bytes in a block")
        self.messages += 1
        self._wait_us(BYTE_US * size)
        if address not in self._chips:
            raise OSError(121, "Remote I/O error")
        return self._chips[address]
