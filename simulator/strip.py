"""A strip as its pixels receive it: the bytes that the real neopixel library sends, decoded by the strip's order."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from hw.ports import Colour


class StripError(RuntimeError):
    """The bytes on the wire are no frame for this strip."""


class CapturedWire:
    """A data pin whose bytes are captured. Use :meth:`pin` as the pin of a ``NeoPixel``."""

    def __init__(self, length: int, order: str = "GRB") -> None:
        """Expect frames of ``length`` pixels with colour bytes in ``order``."""
        self.length = length
        self.order = order
        self.frames = 0
        """Number of received frames."""
        self.data = bytes(3 * length)
        """Bytes of the last frame."""
        self.on_frame: Callable[[], None] | None = None
        self.broken_from: int | None = None
        """The first pixel that receives no data, because the pixel before it does not pass any on."""
        self.dead = False
        """Whether every write fails, as when the library's driver fails."""
        self._red, self._green, self._blue = (order.index(letter) for letter in "RGB")

    def pixels(self) -> list[Colour]:
        """Return the colours of the pixels, decoded from the bytes."""
        data = self.data
        if self.broken_from is not None:
            data = data[: 3 * self.broken_from] + bytes(len(data) - 3 * self.broken_from)
        return [(data[at + self._red], data[at + self._green], data[at + self._blue]) for at in range(0, len(data), 3)]

    def receive(self, data: bytes) -> None:
        """Receive the bytes of one ``show()``. Raise StripError for a wrong length, RuntimeError when ``dead``."""
        if self.dead:
            raise RuntimeError("NeoPixel write failed: the hardware does not answer")
        if len(data) != 3 * self.length:
            raise StripError(f"{len(data)} bytes for {self.length} pixels: expected {3 * self.length}")
        self.data = data
        self.frames += 1
        if self.on_frame is not None:
            self.on_frame()

    def pin(self) -> Any:
        """Return a pin for ``NeoPixel`` whose writes come to :meth:`receive`."""
        prepare_library()
        # The wire itself is the pin's id: nothing else keeps it, so it goes with the strip and its board.
        return importlib.import_module("adafruit_blinka.microcontroller.generic_agnostic_board.pin").Pin(self)


def prepare_library() -> Any:
    """Return the real neopixel library, usable without a Pi, with its writer redirected to the captured wires."""
    os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")
    neopixel: Any = importlib.import_module("neopixel")
    neopixel.neopixel_write = _write
    return neopixel


def _write(pin: Any, data: bytes) -> None:
    """Replace the library's function that writes bytes to the hardware; ``pin`` is its digitalio object."""
    pin._pin.id.receive(bytes(data))
