"""A Pi's SPI bus shaped like ``spidev.SpiDev``, clocking its bits one by one into a simulated chip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

MOST_BYTES = 4096
"""The kernel's buffer (``/sys/module/spidev/parameters/bufsiz``)."""
TRANSFER_US = 50.0
"""What a transfer costs before its first bit, about."""
_DOWN = (7, 6, 5, 4, 3, 2, 1, 0)
"""The bits of a byte, the highest first."""


class SpiChip(Protocol):
    """A chip on the bus, by its pins."""

    def set_select(self, level: int, hertz: int) -> None:
        """Move CS; ``hertz`` is how fast the clock is about to run."""
        ...

    def set_clock(self, level: int) -> None:
        """Move SCLK."""
        ...

    def set_data(self, level: int) -> None:
        """Move MOSI."""
        ...

    def data(self) -> int | None:
        """Return the level at MISO, None while the chip leaves it floating."""
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
        """The clock rests at the level that the mode says."""
        self._wait_us = wait_us
        self._chip = chip
        self._wires = (chip.set_clock, chip.set_data, chip.data)
        self.mode, self.max_speed_hz = mode, max_speed_hz
        self.transfers = 0
        """Transfers so far: what a driver costs."""
        self.closed = False

    def xfer2(self, values: list[int]) -> Sequence[int]:
        """Clock bytes out and in, highest bit first, chip select held low from the first to the last."""
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
        """Let go of the device."""
        self.closed = True

    def _byte(self, value: int) -> int:
        set_clock, set_data, data = self._wires
        rest, late = self.mode >> 1 & 1, self.mode & 1
        found = 0
        for bit in _DOWN:
            if late:  # CPHA: both ends put their bit out at the first edge and look at the second.
                set_clock(1 - rest)
            set_data(value >> bit & 1)
            seen = data()  # An edge finds what stood there before it.
            found = found << 1 | (1 if seen is None else seen)
            if not late:
                set_clock(1 - rest)
            set_clock(rest)
        return found
