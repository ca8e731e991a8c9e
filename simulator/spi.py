"""A Pi's SPI bus with the interface of ``spidev.SpiDev``, which clocks single bits into a simulated chip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

MOST_BYTES = 4096
"""Size of the kernel's buffer (``/sys/module/spidev/parameters/bufsiz``)."""
TRANSFER_US = 50.0
"""Approximate overhead of a transfer before its first bit."""
_DOWN = (7, 6, 5, 4, 3, 2, 1, 0)
"""Numbers of a byte's bits, the highest first."""


class SpiChip(Protocol):
    """The pins of a chip on the bus."""

    def set_select(self, level: int, hertz: int) -> None:
        """Set the level of CS; ``hertz`` is the clock of the transfer."""
        ...

    def set_clock(self, level: int) -> None:
        """Set the level of SCLK."""
        ...

    def set_data(self, level: int) -> None:
        """Set the level of MOSI."""
        ...

    def data(self) -> int | None:
        """Return the level at MISO; None while it floats."""
        ...


class SimulatedSpi:
    """One chip select of a bus."""

    def __init__(
        self,
        chip: SpiChip,
        mode: int = 0,
        max_speed_hz: int = 125_000_000,
        wait_us: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Connect a chip; ``wait_us`` lets simulated time pass, microseconds."""
        self._wait_us = wait_us
        self._chip = chip
        self._wires = (chip.set_clock, chip.set_data, chip.data)
        self.mode, self.max_speed_hz = mode, max_speed_hz
        self.transfers = 0
        """Number of transfers so far: the cost of a driver."""
        self.closed = False

    def xfer2(self, values: list[int]) -> Sequence[int]:
        """Send and receive bytes, highest bit first, with chip select low throughout. Raise OSError when closed."""
        if self.closed:
            raise OSError(9, "Bad file descriptor")
        if not 1 <= len(values) <= MOST_BYTES or not all(0 <= value <= 255 for value in values):
            raise ValueError(f"xfer2: expected 1 to {MOST_BYTES} bytes, got {len(values)} values")
        self.transfers += 1
        self._chip.set_select(0, self.max_speed_hz)
        answer = [self._byte(value) for value in values]
        self._chip.set_select(1, self.max_speed_hz)
        self._wait_us(TRANSFER_US + 8e6 * len(values) / self.max_speed_hz)
        return answer

    def close(self) -> None:
        """Close the device."""
        self.closed = True

    def _byte(self, value: int) -> int:
        set_clock, set_data, data = self._wires
        rest, late = self.mode >> 1 & 1, self.mode & 1
        found = 0
        for bit in _DOWN:
            if late:  # CPHA: both ends output their bit at the first edge and read at the second.
                set_clock(1 - rest)
            set_data(value >> bit & 1)
            seen = data()  # An edge samples the level before it.
            found = found << 1 | (1 if seen is None else seen)
            if not late:
                set_clock(1 - rest)
            set_clock(rest)
        return found
