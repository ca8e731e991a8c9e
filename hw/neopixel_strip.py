"""NeoPixels through Adafruit's libraries, on a data pin or over SPI: one ``show()`` per whole frame."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hw import pi
from hw.lights import BoardLights
from hw.ports import ABSENT, Colour, HardwareError, LightsWiring, Message, Strip, StripWiring

RESET_S = 300e-6
"""Silence that ends a frame over SPI. Current WS2812B need 280 µs; the library's 80 µs suit older parts only."""
SPI_HZ = 6_400_000
SPI_CHUNK = 4096
"""Bytes that Linux sends over SPI without a gap by default; a gap would end the frame early."""
SPI_BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")
PWM_PINS = ("D12", "D13", "D18", "D19")
"""Pins of a Pi 1 to 4 whose PWM the analogue sound uses, too (rpi_ws281x, README, "Limitations")."""
PI_PINS = (*PWM_PINS, "D21", "D10")
"""Pins that can drive pixels (PWM, PCM or SPI) on a Pi 1 to 4."""


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

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame, one colour per pixel. Raise RefusedFrame when the hardware does not accept it."""
        if len(colours) != self.length:
            raise ValueError(f"a frame of {len(colours)} colours for a strip of {self.length} pixels")
        try:
            self._pixels[:] = list(colours)
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


class NeoPixelStrip(LibraryStrip):
    """A strip on a data pin, driven by ``neopixel.NeoPixel``: PWM or PCM on a Pi 1 to 4, PIO on a Pi 5."""

    def __init__(self, pin: Any, length: int, order: str = "GRB", name: str = "its pin") -> None:
        """``pin`` is one of Blinka's ``board`` pins; ``order`` is the order of a pixel's colour bytes."""
        neopixel = importlib.import_module("neopixel")
        pixels = neopixel.NeoPixel(pin, length, auto_write=False, brightness=1.0, pixel_order=order)
        super().__init__(pixels, length, name)


class SpiStrip(LibraryStrip):
    """A strip on the data line of an SPI bus, driven by ``neopixel_spi.NeoPixel_SPI``: no root needed."""

    def __init__(self, bus: Any, length: int, order: str = "GRB", name: str = "SPI") -> None:
        """``bus`` is a ``busio.SPI`` or shaped like one."""
        library = importlib.import_module("neopixel_spi")
        pixels = library.NeoPixel_SPI(
            bus,
            length,
            auto_write=False,
            brightness=1.0,
            pixel_order=order,
            frequency=SPI_HZ,
            reset_time=RESET_S,
        )
        super().__init__(pixels, length, name)


class AbsentStrip:
    """The strip of a board without lights: it accepts frames and shows nothing."""

    def __init__(self, length: int) -> None:
        """``length`` is the number of colours in a frame."""
        self.length = length

    def show(self, colours: Sequence[Colour]) -> None:
        """Ignore a frame."""

    def close(self) -> None:
        """Do nothing."""


def spi_bytes(length: int) -> int:
    """Return the number of bytes of a frame over SPI: eight per colour byte, and silence before and after."""
    return 24 * length + 2 * round(SPI_HZ * RESET_S / 8)


def assemble(lights: LightsWiring, open_one: Callable[[StripWiring], Strip]) -> BoardLights:
    """Open every strip by ``open_one``. If one raises HardwareError, close the others and raise it again."""
    opened: list[Strip] = []
    try:
        for wiring in lights.strips:
            opened.append(AbsentStrip(wiring.length) if wiring.over == ABSENT else open_one(wiring))
    except HardwareError:
        for strip in opened:
            strip.close()
        raise
    return BoardLights(lights, opened)


def open_lights(lights: LightsWiring) -> BoardLights:
    """Open the strips of a board on a Pi. Raise HardwareError saying which strip fails and what to do."""
    _fit(lights, pi.model())
    return assemble(lights, open_strip)


def open_strip(wiring: StripWiring) -> Strip:
    """Open one strip on a Pi. Raise HardwareError saying what is missing."""
    os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")  # Else Blinka asks whether to install packages.
    try:
        if wiring.over == "spi":
            _prepare_spi(wiring)
        board = importlib.import_module("board")
        opener = getattr(board, "SPI" if wiring.over == "spi" else wiring.pin, None)
        if opener is None:
            missing = "SPI bus" if wiring.over == "spi" else f"pin {wiring.pin!r}"
            raise HardwareError(f"strip pin: this computer has no {missing}; without a Pi use --board sim or --sim")
        if wiring.over == "spi":
            return SpiStrip(opener(), wiring.length, wiring.order, f"{wiring.pin} (SPI)")
        return NeoPixelStrip(opener, wiring.length, wiring.order, wiring.pin)
    except RefusedFrame as error:
        raise HardwareError(f"{error}: {_remedy(wiring, error)}") from error
    except (ImportError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, HardwareError):
            raise
        raise HardwareError(f"the strip on {wiring.pin} can't be driven ({error}): {_remedy(wiring, error)}") from error


def _fit(lights: LightsWiring, model: str) -> None:
    """Raise HardwareError for strips that this Pi can't drive; a Pi 5 and unknown models are not checked."""
    if not model or pi.is_pi5(model):
        return
    over_gpio = [strip for strip in lights.strips if strip.over == "gpio"]
    if len(over_gpio) > 1:
        raise HardwareError(
            f"strips on {over_gpio[0].pin} and {over_gpio[1].pin}: on a {model} only one strip can be on a pin of its "
            'own; put the other on D10 with over = "spi" (a Pi 5 drives both)'
        )
    for strip in over_gpio:
        if strip.pin not in PI_PINS:
            raise HardwareError(
                f"strip pin {strip.pin}: a {model} can drive pixels on {', '.join(PI_PINS)} only (a Pi 5 on any)"
            )


def _prepare_spi(wiring: StripWiring) -> None:
    """Allow a long frame over SPI without a gap. Raise HardwareError naming the setting where the kernel forbids it."""
    needed = spi_bytes(wiring.length)
    if needed <= SPI_CHUNK:
        return
    try:
        allowed = int(SPI_BUFSIZ.read_text())
    except (OSError, ValueError):
        allowed = SPI_CHUNK
    if allowed < needed:
        raise HardwareError(
            f"the strip on {wiring.pin}: {wiring.length} pixels take {needed} bytes a frame over SPI, and this kernel "
            f"sends {allowed} without a gap: add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart"
        )
    os.environ["SPI_BUFSIZE"] = str(allowed)  # Adafruit_PureIO reads its own limit from here.


def _remedy(wiring: StripWiring, error: Exception) -> str:
    return f"{_cure(wiring, error)}; without a Pi use --board sim or --sim"


def _cure(wiring: StripWiring, error: Exception) -> str:
    if wiring.over == "spi":
        return "switch SPI on (sudo raspi-config nonint do_spi 0), join the group spi"
    if isinstance(error, ImportError):
        return pi.install_hint()
    if pi.is_pi5(pi.model()):
        return "see that /dev/pio0 is there and belongs to the group gpio (docs/build.md)"
    if "revision is not supported" in str(error).lower():  # rpi_ws281x has a list of all that it knows: rpihw.c.
        return (
            f"the library rpi_ws281x does not know this {pi.model()} (revision {pi.revision()}) and can drive none of "
            'its pins by PWM or PCM; connect the strip to D10, with over = "spi"'
        )
    return 'run as root, or use D10 with over = "spi"'
