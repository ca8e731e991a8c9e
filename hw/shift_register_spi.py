"""A chain of 74HC165 shift registers read by a Pi's SPI bus: the way to go on a Pi 5, where single pins are slow.

QH of the first chip goes to MISO, CLK to SCLK, SH/LD to a pin of its own, CLK INH to ground; MOSI and the chip select
stay free. In mode 0 the bus looks at MISO as the clock rises, and the chips shift a few nanoseconds after that edge, so
that the first bit is the one that stands at QH before any clock. Inputs are numbered as with
:mod:`hw.shift_register`.

GPIO calls a scan: 2 to latch (load low, load high) whatever the number of inputs, and one SPI transfer of n bits
rounded up to bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hw.buses import Spi
from hw.gpio import Gpio
from hw.ports import HardwareError, Said
from hw.switches import check_kind, inputs_of, readings


class SpiShiftRegisterBank:
    """The sensors of a board behind 74HC165 chips. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(self, gpio: Gpio, spi: Spi, load: int, channels: int, kind: str) -> None:
        """Set ``load`` (SH/LD) up; ``spi`` is opened already, in mode 0."""
        check_kind("74hc165-spi", kind)
        self.channels = channels
        self.kind = kind
        self._gpio, self._spi, self._load = gpio, spi, load
        self._inputs = inputs_of(channels, kind)
        self._bytes = -(-self._inputs // 8)
        gpio.setup(load, gpio.OUT, initial=gpio.HIGH)

    def scan(self) -> Sequence[int]:
        """Latch all inputs at one instant and take them in at one go. Raise HardwareError when the bus fails."""
        self._gpio.output(self._load, self._gpio.LOW)
        self._gpio.output(self._load, self._gpio.HIGH)
        try:
            answer = self._spi.xfer2([0] * self._bytes)
        except OSError as error:
            raise HardwareError(Said("the SPI bus of the shift registers fails: {error}", error=str(error))) from error
        closed = [1 - (byte >> bit & 1) for byte in answer for bit in range(7, -1, -1)]
        return readings(closed[: self._inputs], self.kind)

    def close(self) -> None:
        """Let go of the bus and the pin."""
        self._spi.close()
        self._gpio.cleanup([self._load])
