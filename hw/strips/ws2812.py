"""``ws2812``: WS2812B and whatever is driven like one, through Adafruit's libraries: one ``show()`` per whole frame.

The data goes out on a pin (PWM or PCM on a Pi 1 to 4, PIO on a Pi 5), or over SPI, with eight bits for each bit.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from hw import pi
from hw.buses import Computer
from hw.lights import SPI, Pixel, PixelStrip, StripScheme
from hw.ports import HardwareError, Message, StripWiring

RESET_S = 300e-6
"""Silence that ends a frame over SPI. Current WS2812B need 280 µs; the library's 80 µs suit older parts only."""
SPI_HZ = 6_400_000
BIT_US = 1.25


class RefusedFrame(HardwareError):
    """The hardware did not accept a frame."""


class LibraryStrip:
    """A strip behind one of Adafruit's pixel buffers. Its brightness stays 1: :mod:`hw.lights` scales brightness."""

    def __init__(self, pixels: Any, length: int, name: str) -> None:
        """Take over ``pixels`` and turn them off; ``name`` is for messages. Raise RefusedFrame."""
        self.length = length
        self.name = name
        self._pixels = pixels
        self.show([(0, 0, 0)] * length)

    def show(self, pixels: Sequence[Pixel]) -> None:
        """Send one frame. Raise RefusedFrame when the hardware does not accept it."""
        if len(pixels) != self.length:
            raise ValueError(f"a frame of {len(pixels)} colours for a strip of {self.length} pixels")
        try:
            self._pixels[:] = list(pixels)
            self._pixels.show()
        except (RuntimeError, OSError) as error:
            why = str(error).rstrip(".! ")
            raise RefusedFrame(
                Message("the strip on {strip} does not take its frame: {error}", strip=self.name, error=why)
            ) from error

    def close(self) -> None:
        """Turn all pixels off and release the pin."""
        with contextlib.suppress(RuntimeError, OSError):  # A strip that no longer responds can't be turned off.
            self._pixels.deinit()


class NeoPixels(StripScheme):
    """Strips whose bits are pulses of two lengths on one wire."""

    name = "ws2812"
    part = "WS2812B"
    legs: ClassVar[Mapping[str, str]] = MappingProxyType({"VDD": "1", "DOUT": "2", "GND": "3", "DIN": "4"})
    corner = "GND"

    def frame_us(self, strip: StripWiring) -> float:
        return 8 * len(strip.order) * strip.length * BIT_US + 1e6 * RESET_S

    def spi_bytes(self, strip: StripWiring) -> int:
        """Return the bytes of a frame: eight per channel, and silence before and after."""
        return 8 * len(strip.order) * strip.length + 2 * round(SPI_HZ * RESET_S / 8)

    def open(self, strip: StripWiring, computer: Computer) -> PixelStrip:
        over_spi = strip.over == SPI
        settings = {"auto_write": False, "brightness": 1.0, "pixel_order": strip.order}
        try:
            if over_spi:
                bus = computer.pixel_bus(self.spi_bytes(strip))
                library = importlib.import_module("neopixel_spi")
                pixels = library.NeoPixel_SPI(bus, strip.length, frequency=SPI_HZ, reset_time=RESET_S, **settings)
            else:
                pin = computer.pixel_pin(strip.pin)
                pixels = importlib.import_module("neopixel").NeoPixel(pin, strip.length, **settings)
            return LibraryStrip(pixels, strip.length, f"{strip.pin} (SPI)" if over_spi else strip.pin)
        except RefusedFrame as error:
            raise HardwareError(f"{error}: {_remedy(strip, error)}") from error
        except (ImportError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
            if isinstance(error, HardwareError):
                raise
            why = f"the strip on {strip.pin} can't be driven ({error})"
            raise HardwareError(f"{why}: {_remedy(strip, error)}") from error


def _remedy(strip: StripWiring, error: Exception) -> str:
    return f"{_cure(strip, error)}; without a Pi use --board sim or --sim"


def _cure(strip: StripWiring, error: Exception) -> str:
    if strip.over == SPI:
        return "switch SPI on (sudo raspi-config nonint do_spi 0), join the group spi"
    if isinstance(error, ImportError):
        return pi.install_hint()
    if pi.is_pi5(pi.model()):
        return "see that /dev/pio0 is there and belongs to the group gpio (build.md)"
    if "revision is not supported" in str(error).lower():  # rpi_ws281x has a list of all that it knows: rpihw.c.
        return (
            f"the library rpi_ws281x does not know this {pi.model()} (revision {pi.revision()}) and can drive none of "
            'its pins by PWM or PCM; connect the strip to D10, with over = "spi"'
        )
    return 'run as root, or use D10 with over = "spi"'


SCHEME = NeoPixels()
