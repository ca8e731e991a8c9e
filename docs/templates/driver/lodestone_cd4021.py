"""``cd4021``: a chain of CD4021 shift registers on any pins. Switches pull their inputs to ground.

The first chip's PI-8 is input 0, its PI-7 input 1, and so on; the next chip in the chain has inputs 8 to 15.
"""

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.pins import EXAMPLES, Pins, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, Chip, PinBank, Scheme

CHIP = Chip("CD4021B", 8, Message("chip {number} of {count}"), chained=True, ma=0.5)
INPUT_PINS = (7, 6, 5, 4, 13, 14, 15, 1)
"""Pins of PI-1 to PI-8 (DIP or SO, 16 pins)."""


class Cd4021Bank(PinBank):
    """``load`` is P/S CONTROL, ``clock`` CLOCK, ``data`` Q8."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Set the pins up."""
        super().__init__(board, computer)
        gpio = self._gpio
        self._load, self._clock, self._data = (single(board.pins, name) for name in ("load", "clock", "data"))
        gpio.setup(self._load, gpio.OUT, initial=gpio.LOW)
        gpio.setup(self._clock, gpio.OUT, initial=gpio.LOW)
        gpio.setup(self._data, gpio.IN)

    def read_switches(self) -> Sequence[int]:
        """Load all inputs at one instant and shift them out."""
        gpio = self._gpio
        gpio.output(self._load, gpio.HIGH)
        gpio.output(self._load, gpio.LOW)
        closed = [1 - gpio.input(self._data)]  # The first bit is at the output before the first clock.
        for _ in range(self._inputs - 1):
            gpio.output(self._clock, gpio.HIGH)
            gpio.output(self._clock, gpio.LOW)
            closed.append(1 - gpio.input(self._data))
        return closed


class Cd4021(Scheme):
    """The scheme."""

    name = "cd4021"
    bank = Cd4021Bank
    chip = CHIP
    about = "reed or hall switches behind a chain of CD4021"
    pins = ("load", "clock", "data")
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers"}
    notes = (
        "Each CD4021B: pin 16 to 3.3 V with 100 nF to pin 8, pin 8 to ground, `load` to pin 9, `clock` to pin 10. "
        "`data` comes from pin 3 (Q8) of chip 1; pin 11 (SERIAL IN) of each chip goes to pin 3 of the next one, that "
        "of the last chip to ground. Each input has 10 kΩ to 3.3 V; its switch closes to ground."
    )

    def label(self, board: BoardDescription, index: int) -> str:
        """Return chip, input and pin."""
        at, bit = index // CHIP.inputs, CHIP.inputs - 1 - index % CHIP.inputs
        return f"chip {at + 1}, PI-{bit + 1} (pin {INPUT_PINS[bit]})"

    def example(self, inputs: int) -> Pins:
        """Return three pins of a Pi: a chain has any length."""
        return dict(zip(self.pins, EXAMPLES, strict=False))


SCHEME = Cd4021()
