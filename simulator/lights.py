"""The strips of a board as their pixels receive them: bytes on a data pin, or pulses on an SPI bus's data line."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from hw.ports import Colour, LightsWiring, StripWiring
from simulator.strip import CapturedWire, StripError, prepare_library

ZERO_NS = (200.0, 500.0)
"""Shortest and longest high pulse of a 0 (WS2812B datasheet: 220 to 380 ns, real parts accept a little more)."""
ONE_NS = (550.0, 1050.0)
"""Shortest and longest high pulse of a 1 (datasheet: 580 to 1000 ns)."""
MOST_LOW_NS = 5_000.0
"""Longest low part of a bit; after a longer one the line rests."""
RESET_NS = 280_000.0
"""Shortest rest that ends a frame."""


class SpiWire(CapturedWire):
    """A data line driven by an SPI bus, whose pulses are measured as by a WS2812B. Use :meth:`bus`."""

    def bus(self) -> Any:
        """Return a bus for ``NeoPixel_SPI`` with the interface of ``busio.SPI``."""
        prepare_library()
        return _Bus(self)

    def hear(self, data: bytes, frequency: int) -> None:
        """Receive the bytes of one transfer, highest bit first. Raise StripError when they are no valid frame."""
        bits = "".join(f"{byte:08b}" for byte in data)
        tick = 1e9 / frequency
        pulses = [(high == "1", sum(1 for _ in run) * tick) for high, run in itertools.groupby(bits)]
        if len(pulses) < 3 or pulses[0][0] or pulses[-1][0]:
            raise StripError("the line does not rest low before and after a frame")
        for _, rest in (pulses[0], pulses[-1]):
            if rest < RESET_NS:
                raise StripError(f"a rest of {rest / 1000:.0f} µs: expected {RESET_NS / 1000:.0f} µs or more")
        highs = [length for high, length in pulses if high]
        lows = [length for high, length in pulses[1:-1] if not high]
        if any(low > MOST_LOW_NS for low in lows):
            raise StripError("the line rests in the middle of a frame")
        values = "".join(map(_bit, highs))
        if len(values) != 24 * self.length:
            raise StripError(f"{len(values)} bits for {self.length} pixels: expected {24 * self.length}")
        self.receive(bytes(int(values[at : at + 8], 2) for at in range(0, len(values), 8)))


def _bit(high_ns: float) -> str:
    for value, (least, most) in (("0", ZERO_NS), ("1", ONE_NS)):
        if least <= high_ns <= most:
            return value
    raise StripError(f"a pulse of {high_ns:.0f} ns is neither a 0 nor a 1")


class _Bus:
    """The part of ``busio.SPI`` that a writing device uses."""

    def __init__(self, wire: SpiWire) -> None:
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
        self._wire.hear(bytes(data), self.frequency)


class JoinedWires:
    """Several strips as one, with pixels numbered continuously and the interface of CapturedWire."""

    def __init__(self, wires: Sequence[CapturedWire]) -> None:
        """Join wires in this order."""
        self.wires = tuple(wires)
        self.length = sum(wire.length for wire in wires)

    def pixels(self) -> list[Colour]:
        """Return the colours of all pixels."""
        return [colour for wire in self.wires for colour in wire.pixels()]

    @property
    def frames(self) -> int:
        """Number of frames that have passed on all wires."""
        return self.wires[-1].frames

    @property
    def data(self) -> bytes:
        """Bytes of the last frame on all wires."""
        return b"".join(wire.data for wire in self.wires)

    @property
    def on_frame(self) -> Callable[[], None] | None:
        """Function called after each frame, when the last wire has received its part."""
        return self.wires[-1].on_frame

    @on_frame.setter
    def on_frame(self, call: Callable[[], None] | None) -> None:
        self.wires[-1].on_frame = call


Wires = CapturedWire | JoinedWires


def capture(wiring: StripWiring) -> CapturedWire:
    """Return the wire of one strip."""
    return (SpiWire if wiring.over == "spi" else CapturedWire)(wiring.length, wiring.order)


def join(wires: Sequence[CapturedWire]) -> Wires:
    """Return the wires of a board as one."""
    return wires[0] if len(wires) == 1 else JoinedWires(wires)


def capture_all(lights: LightsWiring) -> list[CapturedWire]:
    """Return the wires of all strips of a board."""
    return [capture(wiring) for wiring in lights.strips]
