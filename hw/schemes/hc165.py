"""``74hc165``: a chain of 74HC165 shift registers, bit-banged through the RPi.GPIO interface.

Inputs are pulled up and switches pull them to ground: a stone reads low. Parallel inputs D7 to D0 of the first chip are
inputs 0 to 7 (a chip shifts D7 out first), the next chip in the chain has inputs 8 to 15, and so on.

GPIO calls per scan of n inputs: 2 to latch (load low, load high), n reads, and n - 1 clock pulses of two calls each: 3n
in all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import GROUND, OPEN, RESISTOR, V33, Block, Circuit, Pin, Pole, decoupling, input_nets, pulled_up, switch
from hw.pins import EXAMPLES, Pins, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, Chip, PinBank, Scheme, clock_notes, count

CHIP = Chip("74HC165", 8, Message("chip {number} of {count}"), chained=True, ma=0.5)
"""80 µA at rest (TI SN74HC165, -40 to 85 °C), and 75 pF x 5 V x 1 MHz while it shifts."""
INPUT_PINS = (11, 12, 13, 14, 3, 4, 5, 6)
"""Pins of the parallel inputs D0 to D7 (DIP or SO, 16 pins)."""


def chain_notes(supply: str = "3.3 V", reader: str = "the Pi") -> str:
    """Return the words on everything in a chain but its first wires."""
    return (
        "pin 9 (QH) of chip 1; pin 10 (SER) of each chip goes to pin 9 of the next one, that of the last chip to "
        f"ground. Each input, the unused ones too, has 10 kΩ to {supply}; its switch closes to ground. "
        f"{clock_notes(reader)}"
    )


def chip_notes(supply: str = "3.3 V", reader: str = "the Pi", inhibit: str = "ground") -> str:
    """Return the words on a chain on any pins; ``inhibit``: what CLK INH is soldered to."""
    return (
        f"Each 74HC165: pin 16 to {supply} with 100 nF to pin 8, pin 8 to ground, `load` to pin 1, `clock` to pin 2, "
        f"pin 15 (CLK INH) to {inhibit}. `data` comes from {chain_notes(supply, reader)}"
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

    def read_switches(self) -> Sequence[int]:
        """Latch all inputs at one instant and shift them out."""
        gpio, data, clock = self._gpio, self._data, self._clock
        read, write, high, low = gpio.input, gpio.output, gpio.HIGH, gpio.LOW
        write(self._load, low)
        write(self._load, high)
        closed = [1 - read(data)]  # The first bit is at the output before the first clock.
        for _ in range(self._inputs - 1):
            write(clock, high)
            write(clock, low)
            closed.append(1 - read(data))
        return closed


class Chain(Scheme):
    """Base class of the schemes that read a chain of 74HC165."""

    chip = CHIP

    def label(self, board: BoardDescription, index: int) -> str:
        at, bit = index // CHIP.inputs, CHIP.inputs - 1 - index % CHIP.inputs
        return f"chip {at + 1}, D{bit} (pin {INPUT_PINS[bit]})"


def chain_circuit(board: BoardDescription, inputs: int, wires: Mapping[str, str]) -> Circuit:
    """Return a chain; ``wires`` maps load, clock, data and inhibit to their nets."""
    nets, chips = input_nets(board, inputs), count(inputs, CHIP.inputs)
    # Unused inputs are pulled up, too.
    nets += [f"free {at}" for at in range(inputs, chips * CHIP.inputs)]
    blocks = []
    for at in range(chips):
        own = nets[at * CHIP.inputs : (at + 1) * CHIP.inputs]
        left = tuple(Pin(str(INPUT_PINS[7 - bit]), f"D{7 - bit}", net) for bit, net in enumerate(own))
        right = (
            Pin("16", "VCC", V33, takes_ma=CHIP.ma),
            Pin("8", "GND", GROUND),
            Pin("1", "SH/LD", wires["load"]),
            Pin("2", "CLK", "CLK"),
            Pin("15", "CLK INH", wires["inhibit"]),
            Pin("10", "SER", GROUND if at == chips - 1 else f"chip {at + 2} to {at + 1}"),
            Pin("9", "QH", wires["data"] if at == 0 else f"chip {at + 1} to {at}", out=True),
            Pin("7", "/QH", OPEN),
        )
        blocks.append(Block(f"chip {at + 1} of {chips}", CHIP.name, left, right))
    poles = [*pulled_up(nets), *(switch(board, net) for net in nets[:inputs])]
    poles += [Pole(RESISTOR, "47R", "CLK", wires["clock"]), *(decoupling(one.name) for one in blocks)]
    return Circuit(tuple(blocks), tuple(poles))


class ShiftRegister(Chain):
    """A chain on any pins."""

    name = "74hc165"
    bank = ShiftRegisterBank
    about = "reed or hall switches behind a chain of 74HC165"
    pins = ("load", "clock", "data")
    spare_pins = ("inhibit",)
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers"}
    notes = chip_notes()

    def notes_of(self, board: BoardDescription) -> str:
        return chip_notes(inhibit="`inhibit`") if "inhibit" in board.pins else self.notes

    def circuit(self, board: BoardDescription) -> Circuit:
        wires = {name: name for name in (*self.pins, *self.spare_pins)}
        inhibit = {} if "inhibit" in board.pins else {"inhibit": GROUND}
        return chain_circuit(board, self.inputs_of(board), wires | inhibit)

    def example(self, inputs: int) -> Pins:
        return dict(zip((*self.pins, *self.spare_pins), EXAMPLES, strict=False))

    def wire(self, board: BoardDescription) -> Message:
        return Message("the chain's data line (GPIO{pin})", pin=single(board.pins, "data"))


SCHEME = ShiftRegister()
