"""APA102: each rising clock takes a bit, whatever the chip selects of the bus say.

At least 32 zeros begin a frame; the first 1 after them is the first bit of a pixel's 32 (three ones, five bits of
brightness, three bytes of colour). A pixel passes later bits on half a clock late: the last of n is lit only with n / 2
clocks after its data. Written for the later SK9822, too, which shows a colour only with the next 32 zeros.
"""

from __future__ import annotations

from hw.pins import SPI_PINS
from hw.ports import StripWiring
from simulator.breadboard import Breadboard
from simulator.lights import CapturedWire, SimulatedStrip, StripError

MAX_HERTZ = 20_000_000


class Pixels:
    """The strip at the end of clock and data of an SPI bus (:class:`simulator.buses.SpiChip`); nothing comes back."""

    def __init__(self, wire: CapturedWire) -> None:
        """Pass the bytes of whole frames to ``wire``."""
        self._wire = wire
        self._bits: list[str] = []
        self._level = self._clock = 0

    def set_select(self, level: int, hertz: int) -> None:
        """Judge what has come when a transfer ends: a strip has no chip select, but each frame is one transfer."""
        if hertz > MAX_HERTZ:
            raise StripError(f"a clock of {hertz} Hz: expected at most {MAX_HERTZ}")
        if self._wire.dead:
            raise OSError(5, "Input/output error")
        if level:
            bits, self._bits = "".join(self._bits), []
            self._wire.receive(self._channels(bits))

    def set_clock(self, level: int) -> None:
        """Take the data's level at a rising edge."""
        if level and not self._clock:
            self._bits.append("01"[self._level])
        self._clock = level

    def set_data(self, level: int) -> None:
        """Set the data's level."""
        self._level = level

    def data(self) -> None:
        """Drive nothing at MISO."""

    def _channels(self, bits: str) -> bytes:
        """Return the bytes of all colours. Raise StripError for what is no frame."""
        begin, length = bits.find("1"), self._wire.length
        end = begin + 32 * length
        if begin < 32:
            raise StripError(f"a frame begins with {begin} zeros: expected 32 or more")
        if len(bits) < end:
            raise StripError(f"{len(bits) - begin} bits for {length} pixels: expected {32 * length} and an end")
        if "1" in bits[end:]:
            raise StripError(f"ones after the {32 * length} bits of {length} pixels")
        if len(bits) - end < 32 + length / 2:
            raise StripError(f"an end of {len(bits) - end} bits: expected 32 and half of {length} or more")
        found = bytearray()
        for at in range(begin, end, 32):
            if bits[at : at + 3] != "111":
                raise StripError(f"pixel {(at - begin) // 32} begins with {bits[at : at + 3]}: expected 111")
            brightness = int(bits[at + 3 : at + 8], 2)
            found += bytes(int(bits[place : place + 8], 2) * brightness // 31 for place in range(at + 8, at + 32, 8))
        return bytes(found)


def connect(strip: StripWiring, breadboard: Breadboard) -> CapturedWire:
    """Connect data to the output of a bus, clock to its clock."""
    (bus,) = (bus for bus, pins in SPI_PINS.items() if f"D{pins['MOSI']}" == strip.pin)
    wire = CapturedWire(strip.length, strip.order)
    breadboard.on_spi[bus, 0] = Pixels(wire)
    return wire


PARTS = SimulatedStrip("apa102", connect)
