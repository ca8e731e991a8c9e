"""``74hc165``: a chain of 74HC165 shift registers, bit-banged through the RPi.GPIO interface.

Switches pull their input to ground, inputs are pulled up: a stone reads low. Parallel inputs D7..D0 of the first chip
are inputs 0..7 (D7 leaves a chip first), the next chip in the chain has inputs 8..15, and so on.

GPIO calls a scan, for n inputs: 2 to latch (load low, load high), n reads, and n - 1 clock pulses of two calls each:
3n in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.pins import EXAMPLES, Pins, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, Chip, Scheme
from hw.switches import PinBank

CHIP = Chip("74HC165", 8, Message("chip {number} of {count}"), chained=True)
INPUT_PINS = (11, 12, 13, 14, 3, 4, 5, 6)
"""Pins of the parallel inputs D0 to D7 (DIP or SO, 16 pins)."""
CHAIN_NOTES = (
    "pin 9 (QH) of chip 1; pin 10 (SER) of each chip goes to pin 9 of the next one, that of the last chip to ground. "
    "Each input, the unused ones too, has 10 kΩ to 3.3 V; its switch closes to ground."
)


class ShiftRegisterBank(PinBank):
    """``load`` is SH/LD, ``clock`` CLK, ``data`` QH and, where wired, ``inhibit`` CLK INH."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Set the pins up."""
        super().__init__(board, computer)
        gpio = self._gpio
        self._load, self._clock, self._data = (single(board.pins, name) for name in ("load", "clock", "data"))
        gpio.setup(self._load, gpio.OUT, initial=gpio.HIGH)
        gpio.setup(self._clock, gpio.OUT, initial=gpio.LOW)
        gpio.setup(self._data, gpio.IN)
        if "inhibit" in board.pins:
            gpio.setup(single(board.pins, "inhibit"), gpio.OUT, initial=gpio.LOW)

    def closed(self) -> Sequence[int]:
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
        return closed


class Chain(Scheme):
    """What holds for a chain of 74HC165 however it is read."""

    chip = CHIP
    beside = ("resistor 10 kΩ", "pull-ups; networks of 8 save soldering")

    def label(self, board: BoardDescription, index: int) -> str:
        at, bit = index // CHIP.inputs, CHIP.inputs - 1 - index % CHIP.inputs
        return f"chip {at + 1}, D{bit} (pin {INPUT_PINS[bit]})"


class ShiftRegister(Chain):
    """The chain on any pins."""

    name = "74hc165"
    bank = ShiftRegisterBank
    about = "reed or hall switches behind a chain of 74HC165"
    pins = ("load", "clock", "data")
    spare_pins = ("inhibit",)
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers"}
    notes = (
        "Each 74HC165: pin 16 to 3.3 V with 100 nF to pin 8, pin 8 to ground, `load` to pin 1, `clock` to pin 2, "
        f"pin 15 (CLK INH) to `inhibit` or ground. `data` comes from {CHAIN_NOTES}"
    )

    def example(self, inputs: int) -> Pins:
        return dict(zip((*self.pins, *self.spare_pins), EXAMPLES, strict=False))

    def wire(self, board: BoardDescription) -> Message:
        return Message("the chain's data line (GPIO{pin})", pin=single(board.pins, "data"))


SCHEME = ShiftRegister()
