"""``direct``: switches on pins of their own, from each pin to ground; the pins are pulled up.

GPIO calls a scan, for n inputs: n reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.gpio import Gpio
from hw.pins import EXAMPLES, HEADER, Options, Pins, listed
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, PinList, Scheme
from hw.switches import readings


class DirectBank:
    """The sensors of a small board. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(self, gpio: Gpio, pins: Sequence[int], channels: int, kind: str) -> None:
        """Set the pins up, one for each input."""
        self.channels = channels
        self.kind = kind
        self._gpio, self._pins = gpio, list(pins)
        for pin in self._pins:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)

    def scan(self) -> Sequence[int]:
        """Read every pin."""
        read = self._gpio.input
        return readings([1 - read(pin) for pin in self._pins], self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup(self._pins)


class Direct(Scheme):
    """A pin for each switch."""

    name = "direct"
    about = "reed or hall switches on a pin of the Pi each"
    lists: ClassVar = {"inputs": PinList(1, 27)}
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers, in channel order"}
    notes = "Each switch lies between its pin and ground; the Pi pulls the pin up."

    def open(self, board: BoardDescription, computer: Computer) -> DirectBank:
        """Set the pins up."""
        return DirectBank(computer.gpio(), listed(board.pins, "inputs"), board.channels, board.feels)

    def label(self, board: BoardDescription, index: int) -> str:
        """Return the pin."""
        gpio = listed(board.pins, "inputs")[index]
        return f"GPIO {gpio} (pin {HEADER[gpio]})"

    def example(self, inputs: int) -> Pins | None:
        """A pin each, while there are any."""
        return {"inputs": EXAMPLES[:inputs]} if inputs <= len(EXAMPLES) else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:  # noqa: ARG002
        """Refuse another number of pins than of inputs."""
        found = len(listed(pins, "inputs"))
        return None if found == inputs else f"inputs: expected {inputs} pins, one for each input, got {found}"

    def wire(self, board: BoardDescription) -> Message:  # noqa: ARG002
        """All they share."""
        return Message("the sensors' common ground")

    def gpio_calls(self, board: BoardDescription) -> int:
        """A read each."""
        return self.inputs_of(board)


SCHEME = Direct()
