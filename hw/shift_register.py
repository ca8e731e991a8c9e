"""A chain of 74HC165 shift registers, bit-banged through the RPi.GPIO interface.

Switches pull their input to ground, inputs are pulled up: a stone reads low. Parallel inputs D7..D0 of the first chip
are inputs 0..7 (D7 leaves a chip first), the next chip in the chain has inputs 8..15, and so on.

GPIO calls a scan, for n inputs: 2 to latch (load low, load high), n reads, and n - 1 clock pulses of two calls each:
3n in all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hw.gpio import Gpio
from hw.switches import check_kind, inputs_of, readings


class ShiftRegisterBank:
    """The sensors of a board behind 74HC165 chips. ``kind`` is ``presence`` or ``polarity``.

    With ``polarity`` channel c has two inputs: 2c closes for north up, 2c + 1 for south up.
    """

    def __init__(self, gpio: Gpio, pins: Mapping[str, int], channels: int, kind: str) -> None:
        """Set the pins up: ``load`` (SH/LD), ``clock`` (CLK), ``data`` (QH) and, where wired, ``inhibit`` (CLK INH)."""
        check_kind("74hc165", kind)
        self.channels = channels
        self.kind = kind
        self._gpio = gpio
        self._load, self._clock, self._data = pins["load"], pins["clock"], pins["data"]
        self._inputs = inputs_of(channels, kind)
        self._pins = [self._load, self._clock, self._data]
        gpio.setup(self._load, gpio.OUT, initial=gpio.HIGH)
        gpio.setup(self._clock, gpio.OUT, initial=gpio.LOW)
        gpio.setup(self._data, gpio.IN)
        if "inhibit" in pins:
            self._pins.append(pins["inhibit"])
            gpio.setup(pins["inhibit"], gpio.OUT, initial=gpio.LOW)

    def scan(self) -> Sequence[int]:
        """Latch all inputs at one instant and shift them out."""
        gpio, data, clock = self._gpio, self._data, self._clock
        read, write, high, low = gpio.input, gpio.output, gpio.HIGH, gpio.LOW
        write(self._load, low)
        write(self._load, high)
        closed = [1 - read(data)]  # The first bit stands at the output before the first clock.
        for _ in range(self._inputs - 1):
            write(clock, high)
            write(clock, low)
            closed.append(1 - read(data))
        return readings(closed, self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup(self._pins)
