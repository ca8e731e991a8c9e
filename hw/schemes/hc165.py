"""``74hc165``: a chain of 74HC165 shift registers, bit-banged through the RPi.GPIO interface.

Switches pull their input to ground, inputs are pulled up: a stone reads low. Parallel inputs D7..D0 of the first chip
are inputs 0..7 (D7 leaves a chip first), the next chip in the chain has inputs 8..15, and so on.

GPIO calls a scan, for n inputs: 2 to latch (load low, load high), n reads, and n - 1 clock pulses of two calls each:
3n in all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.gpio import Gpio
from hw.pins import EXAMPLES, Pins, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, Group, Part, Scheme, count
from hw.switches import inputs_of, readings

CHIP_INPUTS = 8
INPUT_PIN = {0: 11, 1: 12, 2: 13, 3: 14, 4: 3, 5: 4, 6: 5, 7: 6}
"""Pin of the parallel input D0 to D7 (DIP or SO, 16 pins)."""
CHAIN_NOTES = (
    "pin 9 (QH) of chip 1; pin 10 (SER) of each chip goes to pin 9 of the next one, that of the last chip to ground. "
    "Each input, the unused ones too, has 10 kΩ to 3.3 V; its switch closes to ground."
)


class ShiftRegisterBank:
    """The sensors of a board behind 74HC165 chips. ``kind`` is ``presence`` or ``polarity``.

    With ``polarity`` channel c has two inputs: 2c closes for north up, 2c + 1 for south up.
    """

    def __init__(self, gpio: Gpio, pins: Mapping[str, int], channels: int, kind: str) -> None:
        """Set the pins up: ``load`` (SH/LD), ``clock`` (CLK), ``data`` (QH) and, where wired, ``inhibit`` (CLK INH)."""
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


class Chain(Scheme):
    """What holds for a chain of 74HC165 however it is read."""

    def label(self, board: BoardDescription, index: int) -> str:  # noqa: ARG002
        """D7 to D0 of the first chip are inputs 0 to 7, the next chip has inputs 8 to 15."""
        bit = CHIP_INPUTS - 1 - index % CHIP_INPUTS
        return f"chip {index // CHIP_INPUTS + 1}, D{bit} (pin {INPUT_PIN[bit]})"

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        """Chips and pull-ups."""
        inputs = self.inputs_of(board)
        return (
            Part(count(inputs, CHIP_INPUTS), "74HC165", "at 3.3 V, 100 nF beside each"),
            Part(inputs, "resistor 10 kΩ", "pull-ups; networks of 8 save soldering"),
        )

    def groups(self, board: BoardDescription) -> Sequence[Group]:
        """Each chip, and each chip with all behind it."""
        return self.grouped(board, CHIP_INPUTS, Message("chip {number} of {count}"), chained=True)


class ShiftRegister(Chain):
    """The chain on any pins."""

    name = "74hc165"
    about = "reed or hall switches behind a chain of 74HC165"
    pins = ("load", "clock", "data")
    spare_pins = ("inhibit",)
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers"}
    notes = (
        "Each 74HC165: pin 16 to 3.3 V with 100 nF to pin 8, pin 8 to ground, `load` to pin 1, `clock` to pin 2, "
        f"pin 15 (CLK INH) to `inhibit` or ground. `data` comes from {CHAIN_NOTES}"
    )

    def open(self, board: BoardDescription, computer: Computer) -> ShiftRegisterBank:
        """Set the pins up."""
        pins = {name: single(board.pins, name) for name in board.pins}
        return ShiftRegisterBank(computer.gpio(), pins, board.channels, board.feels)

    def example(self, inputs: int) -> Pins:  # noqa: ARG002
        """Four pins carry any number."""
        return dict(zip((*self.pins, *self.spare_pins), EXAMPLES, strict=False))

    def wire(self, board: BoardDescription) -> Message:
        """QH of the first chip."""
        return Message("the chain's data line (GPIO{pin})", pin=single(board.pins, "data"))

    def gpio_calls(self, board: BoardDescription) -> int:
        """Two to latch, a read for each input, two for each clock between them."""
        return 3 * self.inputs_of(board)


SCHEME = ShiftRegister()
