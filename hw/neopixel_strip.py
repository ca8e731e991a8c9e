"""NeoPixels through Adafruit's library: whole frames, one ``show()`` each."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from typing import Any

from hw.ports import Colour, HardwareError


class NeoPixelStrip:
    """A strip driven by ``neopixel.NeoPixel``. Brightness stays 1: the host limits the current itself."""

    def __init__(self, pin: Any, length: int, order: str = "GRB") -> None:
        """``pin`` is one of Blinka's ``board`` pins; ``order`` the byte order of the parts. Begin dark."""
        neopixel = importlib.import_module("neopixel")
        self.length = length
        self._pixels = neopixel.NeoPixel(pin, length, auto_write=False, brightness=1.0, pixel_order=order)
        self.show([(0, 0, 0)] * length)

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame."""
        if len(colours) != self.length:
            raise ValueError(f"a frame of {len(colours)} colours for a strip of {self.length} pixels")
        try:
            self._pixels[:] = list(colours)
            self._pixels.show()
        except (RuntimeError, OSError) as error:
            raise HardwareError(f"the strip does not take its frame: {error}") from error

    def close(self) -> None:
        """Turn everything off and let go of the pin."""
        with contextlib.suppress(RuntimeError, OSError):  # A strip that is lost already can't be darkened.
            self._pixels.deinit()


def open_strip(pin_name: str, length: int, order: str) -> NeoPixelStrip:
    """Open the strip on a Pi's pin such as ``D18``. Raise HardwareError saying what is missing."""
    try:
        board = importlib.import_module("board")
        return NeoPixelStrip(getattr(board, pin_name), length, order)
    except AttributeError as error:
        raise HardwareError(f"strip pin: this computer has no pin {pin_name!r}") from error
    except (ImportError, NotImplementedError, RuntimeError, OSError) as error:
        raise HardwareError(
            f"the strip can't be driven ({error}): on a Pi install 'lodestone[pi]' (or '[pi5]') and run as root; "
            "without a Pi use --board sim"
        ) from error
