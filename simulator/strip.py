"""The strip as the pixels see it: the bytes that the real neopixel library clocks out, decoded by the strip's order."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable
from typing import Any

from hw.ports import Colour


class StripError(RuntimeError):
    """The bytes on the wire are not a frame for this strip."""


class CapturedWire:
    """A data pin whose bytes are kept. Use :meth:`pin` as the pin of a ``NeoPixel``."""

    def __init__(self, length: int, order: str = "GRB") -> None:
        """Expect frames of ``length`` pixels whose bytes come in ``order``."""
        self.length = length
        self.order = order
        self.frames = 0
        """Frames that have passed."""
        self.data = bytes(3 * length)
        """The last frame's bytes."""
        self.on_frame: Callable[[], None] | None = None
        self.broken_from: int | None = None
        """The first pixel that hears nothing: the one before it swallows what is meant for the rest."""
        self.dead = False
        """Whether the hardware refuses to clock anything out, as the library says when its driver fails."""
        self._red, self._green, self._blue = (order.index(letter) for letter in "RGB")

    def pixels(self) -> list[Colour]:
        """Return the colours that the pixels show, decoded from the bytes."""
        data = self.data
        if self.broken_from is not None:
            data = data[: 3 * self.broken_from] + bytes(len(data) - 3 * self.broken_from)
        return [(data[at + self._red], data[at + self._green], data[at + self._blue]) for at in range(0, len(data), 3)]

    def receive(self, data: bytes) -> None:
        """Take what one ``show()`` has clocked out."""
        if self.dead:
            raise RuntimeError("NeoPixel write failed: the hardware does not answer")
        if len(data) != 3 * self.length:
            raise StripError(f"{len(data)} bytes for {self.length} pixels: expected {3 * self.length}")
        self.data = data
        self.frames += 1
        if self.on_frame is not None:
            self.on_frame()

    def pin(self) -> Any:
        """Return a pin for ``NeoPixel``; what is written to it comes here."""
        prepare_library()
        name = f"wire {next(_numbers)}"
        _wires[name] = self
        return importlib.import_module("adafruit_blinka.microcontroller.generic_agnostic_board.pin").Pin(name)


_wires: dict[str, CapturedWire] = {}
_numbers = itertools.count(1)


def prepare_library() -> Any:
    """Return the real neopixel library, importable off a Pi, its byte writer led to the captured wires."""
    os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")
    neopixel: Any = importlib.import_module("neopixel")
    neopixel.neopixel_write = _write
    return neopixel


def _write(pin: Any, data: bytes) -> None:
    """Stand where the library hands its bytes to the hardware; ``pin`` is its digitalio object."""
    _wires[pin._pin.id].receive(bytes(data))
