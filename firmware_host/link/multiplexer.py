"""The select lines and channels of CD74HC4067 multiplexers, for every scheme that uses them.

Input i is channel i % 16 of multiplexer i // 16. A walk over all channels in Gray-code order changes one select line
per step and ends where it began: 16 writes (2, 4 or 8 where no multiplexer uses more channels than that).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hw.buses import Gpio, WaitUs
from hw.circuit import GROUND, OPEN, V33, Block, Circuit, Pin, decoupling, pin_net
from hw.ports import Message
from hw.scheme import Chip, Option

CHIP = Chip("CD74HC4067", 16, Message("multiplexer {number} of {count}"), ma=0.1)
"""80 µA (TI CD74HC4067, -40 to 85 °C), and what its select lines' edges take."""
SETTLE = Option(10, 5, 1000)
"""Settling time, µs. A line of 150 pF rises to 2.0 V through the Pi's own pull-up (65 kΩ at most) in 9 µs (0.93 x 65 kΩ
x 150 pF), with an additional 10 kΩ in 1.3 µs; a line of 500 pF (some metres) in 30 µs and 4.2 µs."""
SELECT_PINS = (10, 11, 14, 13)
SELECT_NOTES = "`select` to pins 10, 11, 14, 13 (S0 to S3) of all of them"
MODULE_NOTES = "Instead of pin numbers a module prints SIG, EN, C0 to C15 for the common, E, I0 to I15."


def switch_notes(supply: str = "3.3 V", each: str = "its own GPIO") -> str:
    """Return the words on multiplexers for switches, whoever reads them; ``each`` is where a common goes."""
    return (
        f"Each CD74HC4067: pin 24 to {supply} with 100 nF to pin 12, pin 12 to ground, {SELECT_NOTES}, pin 15 (E) to "
        f"`enable` or ground, pin 1 (common) to {each} and through 10 kΩ to {supply}. Switches close to ground. "
        f"{MODULE_NOTES}"
    )


def multiplexer_blocks(nets: Sequence[str], commons: Sequence[str], enable: str = GROUND) -> Circuit:
    """Return multiplexers for the nets of all inputs; ``commons`` are the nets of their common pins, one per chip."""
    blocks = []
    for at, common in enumerate(commons):
        own = nets[at * CHIP.inputs : (at + 1) * CHIP.inputs]
        channels = [*own, *[OPEN] * (CHIP.inputs - len(own))]
        left = tuple(Pin(str(channel_pin(index)), f"I{index} / C{index}", net) for index, net in enumerate(channels))
        right = (
            Pin("24", "VCC", V33, takes_ma=CHIP.ma),
            Pin("12", "GND", GROUND),
            Pin("1", "common / SIG", common, out=True),
            *(Pin(str(pin), f"S{bit}", pin_net("select", bit)) for bit, pin in enumerate(SELECT_PINS)),
            Pin("15", "E / EN", enable),
        )
        blocks.append(Block(f"multiplexer {at + 1} of {len(commons)}", CHIP.name, left, right))
    return Circuit(tuple(blocks), tuple(decoupling(block.name) for block in blocks))


class SelectLines:
    """The select lines of multiplexers, which walk over all channels in use."""

    def __init__(self, gpio: Gpio, pins: Sequence[int], inputs: int, wait_us: WaitUs, settle_us: float) -> None:
        """Set up the pins S0 to S3, all low; ``settle_us`` is the pause between a write and the reads after it."""
        self._gpio, self._pins = gpio, list(pins)
        self._wait_us, self._settle_us = wait_us, settle_us
        bits = (min(inputs, CHIP.inputs) - 1).bit_length()
        codes = [step ^ step >> 1 for step in range(1 << bits)]
        self._walk = [
            (self._pins[(before ^ after).bit_length() - 1], int(after > before), after)
            for before, after in zip(codes, [*codes[1:], codes[0]], strict=True)
            if before != after
        ]
        self._at_start = True
        gpio.setup(self._pins, gpio.OUT, initial=gpio.LOW)

    def walk(self) -> Iterator[int]:
        """Select one channel after another; yield each channel's number once the multiplexers have settled."""
        write = self._gpio.output
        if not self._at_start:  # An error broke off the last walk, so the lines' state is unknown.
            write(self._pins, self._gpio.LOW)
        self._at_start = False
        for pin, level, channel in self._walk:
            write(pin, level)
            self._wait_us(self._settle_us)
            yield channel
        if not self._walk:  # Each multiplexer has one input: channel 0 stays selected.
            self._wait_us(self._settle_us)
            yield 0
        self._at_start = True


def multiplexer_label(index: int) -> str:
    """Return an input's multiplexer, channel, pin (CD74HC4067, 24 pins), and name on a ready-made module."""
    at, channel = divmod(index, CHIP.inputs)
    return f"multiplexer {at + 1}, I{channel} (pin {channel_pin(channel)}), C{channel} of a module"


def channel_pin(channel: int) -> int:
    """Return the pin of a channel of a CD74HC4067."""
    return (9 if channel < 8 else 31) - channel
