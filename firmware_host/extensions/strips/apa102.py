"""``apa102``: APA102 and SK9822, whose data comes with a clock, on an SPI bus that nothing else uses.

A frame is 32 zeros, 32 bits a pixel (three ones, five bits of brightness, three bytes of colour), and an end. Each
pixel passes the data on half a clock late, so that the last of n needs n / 2 further clocks; a SK9822 shows its colour
only after 32 further zeros. Ones at the end, as in the data sheet, would light a pixel beyond the last one (cpldcpu,
"Understanding the APA102 Superled" and "SK9822 - a clone of the APA102?"). The five bits stay at 31: fewer make pixels
flicker slowly, and :mod:`hw.lights` dims by the colours.

spidev suffices here; Adafruit's library for these strips takes pins that it drives by hand where they are no bus.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from hw.buses import Computer, Spi
from hw.lights import ORDERS, SPI, Pixel, PixelStrip, StripScheme
from hw.ports import HardwareError, Message, StripWiring

HERTZ = 4_000_000
"""Conservative: the parts bear more, a metre of loose wire does not."""
START, LATCH = bytes(4), bytes(4)
FULL = 0xFF
"""Three ones, and the greatest brightness."""


def frame_bytes(pixels: Sequence[Pixel], order: str) -> bytes:
    """Return the bytes of one frame."""
    places = tuple("RGB".index(letter) for letter in order)
    data = b"".join(bytes((FULL, *(pixel[place] for place in places))) for pixel in pixels)
    return START + data + LATCH + bytes(-(-len(pixels) // 16))


class ClockedStrip:
    """An open strip of APA102."""

    def __init__(self, spi: Spi, strip: StripWiring) -> None:
        """Take over a bus and turn all pixels off. Raise HardwareError."""
        self.length = strip.length
        self._spi, self._strip = spi, strip
        self._dark: list[Pixel] = [(0, 0, 0)] * strip.length
        self.show(self._dark)

    def show(self, pixels: Sequence[Pixel]) -> None:
        """Send one frame. Raise HardwareError when the bus does not take it."""
        try:
            self._spi.xfer2(list(frame_bytes(pixels, self._strip.order)))
        except OSError as error:
            why = Message(
                "the strip on {strip} does not take its frame: {error}", strip=self._strip.pin, error=str(error)
            )
            raise HardwareError(why) from error

    def close(self) -> None:
        """Turn all pixels off and release the bus."""
        with contextlib.suppress(HardwareError):
            self.show(self._dark)
        self._spi.close()


class Apa102(StripScheme):
    """Strips with data and clock."""

    name = "apa102"
    part = "APA102"
    orders = ORDERS[::-1]
    over = (SPI,)
    spi_pins: ClassVar[Mapping[int, int]] = MappingProxyType({10: 0, 20: 1})
    inputs: ClassVar[Mapping[str, str]] = MappingProxyType({"data": "DI", "clock": "CI"})
    outputs: ClassVar[Mapping[str, str]] = MappingProxyType({"data": "DO", "clock": "CO"})

    def frame_us(self, strip: StripWiring) -> float:
        return 8e6 * len(frame_bytes([(0, 0, 0)] * strip.length, strip.order)) / HERTZ

    def open(self, strip: StripWiring, computer: Computer) -> PixelStrip:
        return ClockedStrip(computer.spi(self.spi_pins[int(strip.pin[1:])], 0, HERTZ), strip)


SCHEME = Apa102()
