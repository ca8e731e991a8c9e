"""SK6812 RGBW: 32 bits a pixel, by pulses of other lengths than a WS2812B's."""

from __future__ import annotations

from simulator.lights import SimulatedStrip
from simulator.strips.ws2812 import NeoPixelWire, Timing, connect_wire

SK6812 = Timing((150.0, 450.0), (450.0, 750.0), 80_000.0)
"""Data sheet: T0H 300 ns and T1H 600 ns, each 150 ns more or less, and a rest of 80 µs."""

PARTS = SimulatedStrip(
    "sk6812-rgbw",
    lambda strip, breadboard: connect_wire(NeoPixelWire(strip.length, strip.order, SK6812), strip, breadboard),
)
