"""``4067``: CD74HC4067 analogue multiplexers used for switches: any number of them, sharing their four select lines.

A switch pulls its channel to ground; the pin at each common is pulled up, so that a channel with an open switch, which
floats, reads high.

GPIO calls a scan, for n inputs: a walk of 16 writes (see :mod:`hw.multiplexer`) and n reads: n + 16 in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer, WaitUs
from hw.gpio import Gpio
from hw.multiplexer import CALLED, CHANNELS, SELECT, SelectLines, multiplexer_label, multiplexers, walk_calls
from hw.pins import EXAMPLES, Options, Pins, listed, number, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, SETTLE, Group, Part, PinList, Scheme, count
from hw.switches import inputs_of, readings


class MultiplexerBank:
    """The sensors of a board behind multiplexers. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(
        self,
        gpio: Gpio,
        select: Sequence[int],
        common: Sequence[int],
        channels: int,
        kind: str,
        *,
        wait_us: WaitUs,
        settle_us: float = 10,
        enable: int | None = None,
    ) -> None:
        """Set the pins up: ``select`` S0 to S3, ``common`` one SIG pin a multiplexer, ``enable`` (low) where wired."""
        self.channels = channels
        self.kind = kind
        self._gpio = gpio
        self._pins = [*select, *common]
        self._inputs = inputs_of(channels, kind)
        lanes = [list(range(first, self._inputs, CHANNELS)) for first in range(CHANNELS)]
        self._reads = [[(index, common[index // CHANNELS]) for index in lane] for lane in lanes]
        """For each channel number: the inputs behind it, each with the pin that shows it."""
        self._lines = SelectLines(gpio, select, self._inputs, wait_us, settle_us)
        for pin in common:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
        if enable is not None:
            self._pins.append(enable)
            gpio.setup(enable, gpio.OUT, initial=gpio.LOW)

    def scan(self) -> Sequence[int]:
        """Walk over the channels and read every multiplexer at each."""
        read, closed = self._gpio.input, [0] * self._inputs
        for channel in self._lines.walk():
            for index, pin in self._reads[channel]:
                closed[index] = 1 - read(pin)
        return readings(closed, self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup(self._pins)


class Multiplexers(Scheme):
    """Multiplexers on any pins."""

    name = "4067"
    about = "reed or hall switches behind CD74HC4067 multiplexers, which share their select lines"
    spare_pins = ("enable",)
    lists: ClassVar = {"select": SELECT, "common": PinList(1, 20)}
    options: ClassVar = {"settle_us": SETTLE}
    comments: ClassVar = {
        "scheme": "channel c is channel c % 16 of multiplexer c // 16; switches close to ground",
        "kind": POLES,
        "settle_us": "between choosing a channel and reading it; longer for long wires",
        "pins": "S0 to S3; each SIG; E to ground",
    }
    notes = (
        "Each CD74HC4067: pin 24 to 3.3 V with 100 nF to pin 12, pin 12 to ground, `select` to pins 10, 11, 14, 13 "
        "(S0 to S3) of all of them, pin 15 (E) to `enable` or ground, pin 1 (common) to its own GPIO, which is pulled "
        "up. Switches close to ground."
    )

    def open(self, board: BoardDescription, computer: Computer) -> MultiplexerBank:
        """Set the pins up."""
        return MultiplexerBank(
            computer.gpio(),
            listed(board.pins, "select"),
            listed(board.pins, "common"),
            board.channels,
            board.feels,
            wait_us=computer.wait_us,
            settle_us=number(board.options, "settle_us"),
            enable=single(board.pins, "enable") if "enable" in board.pins else None,
        )

    def label(self, board: BoardDescription, index: int) -> str:  # noqa: ARG002
        """Return the multiplexer and its channel."""
        return multiplexer_label(index)

    def example(self, inputs: int) -> Pins | None:
        """Four select lines, and a pin for each multiplexer."""
        chips, spare = count(inputs, CHANNELS), EXAMPLES[6:]
        return {"select": EXAMPLES[:4], "common": spare[:chips]} if chips <= self.lists["common"].most else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:  # noqa: ARG002
        """Refuse commons that are not one for each sixteen inputs."""
        chips, found = count(inputs, CHANNELS), len(listed(pins, "common"))
        if chips == found:
            return None
        return f"common: {inputs} inputs take {chips} multiplexers of 16, expected {chips} pins here, got {found}"

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        """Multiplexers."""
        return (multiplexers(self.inputs_of(board)),)

    def groups(self, board: BoardDescription) -> Sequence[Group]:
        """Each multiplexer."""
        return self.grouped(board, CHANNELS, CALLED)

    def wire(self, board: BoardDescription) -> Message:  # noqa: ARG002
        """All multiplexers fail by what they share."""
        return Message("the common line of the multiplexers, or a select line,")

    def gpio_calls(self, board: BoardDescription) -> int:
        """A read for each input, and a walk."""
        inputs = self.inputs_of(board)
        return inputs + walk_calls(inputs)

    def wait_ms(self, board: BoardDescription) -> float:
        """A wait at each channel."""
        return min(CHANNELS, self.inputs_of(board)) * number(board.options, "settle_us") / 1000


SCHEME = Multiplexers()
