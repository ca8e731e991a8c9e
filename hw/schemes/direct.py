"""``direct``: one pin per switch, which closes to ground; the pins are pulled up.

GPIO calls per scan of n inputs: n reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import Circuit, input_nets, pin_net, switch
from hw.pins import EXAMPLES, HEADER, Options, Pins, pin_list
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, PinBank, PinList, Scheme


class DirectBank(PinBank):
    """One pin per input."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Set the pins up."""
        super().__init__(board, computer)
        for pin in self._pins:
            self._gpio.setup(pin, self._gpio.IN, pull_up_down=self._gpio.PUD_UP)

    def read_switches(self) -> Sequence[int]:
        """Read every pin."""
        read = self._gpio.input
        return [1 - read(pin) for pin in self._pins]


class Direct(Scheme):
    """One pin per switch."""

    name = "direct"
    bank = DirectBank
    about = "reed or hall switches on a pin of the Pi each"
    lists: ClassVar = {"inputs": PinList(1, 27)}
    comments: ClassVar = {"kind": POLES, "pins": "BCM numbers, in channel order"}
    notes = "Each switch lies between its pin and ground; the Pi pulls the pin up."
    shared = Message("the sensors' common ground")

    def label(self, board: BoardDescription, index: int) -> str:
        gpio = pin_list(board.pins, "inputs")[index]
        return f"GPIO {gpio} (pin {HEADER[gpio]})"

    def circuit(self, board: BoardDescription) -> Circuit:
        nets = input_nets(board, self.inputs_of(board))
        return Circuit((), tuple(switch(board, pin_net("inputs", at), net) for at, net in enumerate(nets)))

    def example(self, inputs: int) -> Pins | None:
        return {"inputs": EXAMPLES[:inputs]} if inputs <= len(EXAMPLES) else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        found = len(pin_list(pins, "inputs"))
        return None if found == inputs else f"inputs: expected {inputs} pins, one for each input, got {found}"


SCHEME = Direct()
