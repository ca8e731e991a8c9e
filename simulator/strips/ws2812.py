"""WS2812B, on a data pin or an SPI bus's data line: the bytes or pulses that the real Adafruit libraries send.

On a data pin the library's own writer makes the pulses, so its bytes are captured. Over SPI every pulse is measured.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from dataclasses import dataclass
from typing import Any

from hw.ports import StripWiring
from simulator.breadboard import Breadboard
from simulator.lights import CapturedWire, SimulatedStrip, StripError

ANY_COMPUTER = "BLINKA_OS_AGNOSTIC"
"""The environment variable by which Adafruit's libraries (Blinka) run on any computer."""
BLINKA = {
    *("adafruit_blinka", "adafruit_platformdetect", "board", "digitalio", "microcontroller"),
    *("neopixel", "neopixel_spi", "neopixel_write"),
}
"""Its packages, and those that ask it."""


@dataclass(frozen=True)
class Timing:
    """What pulses a kind of pixel takes, ns: shortest and longest high pulse of a 0 and of a 1, and its rests."""

    zero: tuple[float, float]
    one: tuple[float, float]
    reset: float
    """Shortest rest that ends a frame."""
    most_low: float = 5_000.0
    """Longest low part of a bit; after a longer one the line rests."""


WS2812B = Timing((200.0, 500.0), (550.0, 1050.0), 280_000.0)
"""Data sheet: 220 to 380 ns and 580 to 1000 ns; real parts accept a little more."""


class NeoPixelWire(CapturedWire):
    """A line to pixels of this timing. :meth:`pin` and :meth:`bus` are its ends for Adafruit's libraries."""

    def __init__(self, length: int, order: str = "GRB", timing: Timing = WS2812B) -> None:
        """Expect frames of ``length`` pixels."""
        super().__init__(length, order)
        self.timing = timing

    def pin(self) -> Any:
        """Return a pin for ``NeoPixel`` whose writes come to :meth:`receive`."""
        prepare_library()
        # The wire itself is the pin's id: nothing else keeps it, so it goes with the strip and its board.
        return importlib.import_module("adafruit_blinka.microcontroller.generic_agnostic_board.pin").Pin(self)

    def bus(self) -> Any:
        """Return a bus for ``NeoPixel_SPI`` with the interface of ``busio.SPI``."""
        prepare_library()
        return _Bus(self)

    def receive_pulses(self, data: bytes, frequency: int) -> None:
        """Receive the bytes of one transfer, highest bit first. Raise StripError when they are no valid frame."""
        bits = "".join(f"{byte:08b}" for byte in data)
        tick = 1e9 / frequency
        pulses = [(high == "1", sum(1 for _ in run) * tick) for high, run in itertools.groupby(bits)]
        if len(pulses) < 3 or pulses[0][0] or pulses[-1][0]:
            raise StripError("the line does not rest low before and after a frame")
        for _, rest in (pulses[0], pulses[-1]):
            if rest < self.timing.reset:
                raise StripError(f"a rest of {rest / 1000:.0f} µs: expected {self.timing.reset / 1000:.0f} µs or more")
        highs = [length for high, length in pulses if high]
        lows = [length for high, length in pulses[1:-1] if not high]
        if any(low > self.timing.most_low for low in lows):
            raise StripError("the line rests in the middle of a frame")
        values = "".join(map(self._bit, highs))
        if self.is_strict and len(values) != 8 * len(self.data):
            raise StripError(f"{len(values)} bits for {self.length} pixels: expected {8 * len(self.data)}")
        self.receive(bytes(int(values[at : at + 8], 2) for at in range(0, len(values), 8)))

    def _bit(self, high_ns: float) -> str:
        for value, (least, most) in (("0", self.timing.zero), ("1", self.timing.one)):
            if least <= high_ns <= most:
                return value
        raise StripError(f"a pulse of {high_ns:.0f} ns is neither a 0 nor a 1")


class _Bus:
    """The part of ``busio.SPI`` that a writing device uses."""

    def __init__(self, wire: NeoPixelWire) -> None:
        self.frequency = 100_000
        self._wire = wire
        self._locked = False

    def try_lock(self) -> bool:
        """Lock the bus; return False if it is locked already."""
        taken, self._locked = not self._locked, True
        return taken

    def unlock(self) -> None:
        """Unlock the bus."""
        self._locked = False

    def configure(self, baudrate: int = 100_000, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        """Set speed (Hz) and mode. Raise StripError for any mode but 0, the only one for pixels."""
        if (polarity, phase, bits) != (0, 0, 8):
            raise StripError(f"SPI mode {polarity}, {phase} with {bits} bits: expected 0, 0 with 8")
        self.frequency = baudrate

    def write(self, data: bytes) -> None:
        """Send bytes. Raise StripError on a bus that is not locked."""
        if not self._locked:
            raise StripError("written to a bus that is not locked")
        self._wire.receive_pulses(bytes(data), self.frequency)


def prepare_library() -> Any:
    """Return the real neopixel library, usable without a Pi, with its writer redirected to the captured wires."""
    if ANY_COMPUTER not in os.environ:
        os.environ[ANY_COMPUTER] = "1"
        for name in [one for one in sys.modules if one.partition(".")[0] in BLINKA]:
            del sys.modules[name]  # It looks once which computer it runs on: somebody may have asked it before.
    neopixel: Any = importlib.import_module("neopixel")
    neopixel.neopixel_write = _write
    return neopixel


def _write(pin: Any, data: bytes) -> None:
    """Replace the library's function that writes bytes to the hardware; ``pin`` is its digitalio object."""
    pin._pin.id.receive(bytes(data))


def connect_wire(wire: NeoPixelWire, strip: StripWiring, breadboard: Breadboard) -> CapturedWire:
    """Connect a line to the pin of a breadboard, or to its SPI bus 0."""
    if strip.over == "spi":
        breadboard.on_pixel_bus = wire.bus()
    else:
        breadboard.pixel_pins[strip.pin] = wire.pin()
    return wire


PARTS = SimulatedStrip(
    "ws2812",
    lambda strip, breadboard: connect_wire(NeoPixelWire(strip.length, strip.order, WS2812B), strip, breadboard),
)
