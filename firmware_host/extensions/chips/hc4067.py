"""``4067``: switches behind any number of CD74HC4067 analogue multiplexers with common select lines.

A switch pulls its channel to ground. The pin at each common is pulled up, so that a channel with an open switch, which
floats, reads high.

GPIO calls per scan of n inputs: a walk of 16 writes (see :mod:`firmware_host.link.multiplexer`) and n reads, so n + 16
in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from firmware_host.link.multiplexer import (
    CHIP,
    SETTLE,
    SelectLines,
    multiplexer_blocks,
    multiplexer_label,
    switch_notes,
)
from hw.buses import Computer
from hw.circuit import GROUND, Circuit, input_nets, pin_net, pulled_up, switch
from hw.pins import EXAMPLES, Options, Pins, number, pin_list, single
from hw.ports import BoardDescription, Message
from hw.scheme import POLES, PinBank, PinList, Scheme, count


class MultiplexerBank(PinBank):
    """``select`` are S0 to S3, ``common`` one SIG pin per multiplexer, ``enable`` is E (active low), if wired."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Set the pins up."""
        super().__init__(board, computer)
        gpio, common = self._gpio, pin_list(board.pins, "common")
        lanes = [range(first, self._inputs, CHIP.inputs) for first in range(CHIP.inputs)]
        self._reads = [[(index, common[index // CHIP.inputs]) for index in lane] for lane in lanes]
        """For each channel number: its inputs, each with the pin that reads it."""
        settle_us = number(board.options, "settle_us")
        self._lines = SelectLines(gpio, pin_list(board.pins, "select"), self._inputs, computer.wait_us, settle_us)
        for pin in common:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
        if "enable" in board.pins:
            gpio.setup(single(board.pins, "enable"), gpio.OUT, initial=gpio.LOW)

    def read_switches(self) -> Sequence[int]:
        """Walk over the channels; read every multiplexer on each channel."""
        read, closed = self._gpio.input, [0] * self._inputs
        for channel in self._lines.walk():
            for index, pin in self._reads[channel]:
                closed[index] = 1 - read(pin)
        return closed


class MultiplexerScheme(Scheme):
    """Multiplexers on any pins."""

    name = "4067"
    bank = MultiplexerBank
    about = "reed or hall switches behind CD74HC4067 multiplexers, which share their select lines"
    spare_pins = ("enable",)
    lists: ClassVar = {"select": PinList(4, 4), "common": PinList(1, 20)}
    options: ClassVar = {"settle_us": SETTLE}
    comments: ClassVar = {
        "scheme": "channel c is channel c % 16 of multiplexer c // 16; switches close to ground",
        "kind": POLES,
        "settle_us": "between choosing a channel and reading it; longer for long wires",
        "pins": "S0 to S3; each SIG; E to ground",
    }
    notes = f"{switch_notes()} Without the 10 kΩ the Pi's own pull-up (50 to 65 kΩ) must do: then settle_us = 30."
    chip = CHIP
    shared = Message("the common line of the multiplexers or a select line")

    def label(self, board: BoardDescription, index: int) -> str:
        return multiplexer_label(index)

    def circuit(self, board: BoardDescription) -> Circuit:
        nets = input_nets(board, self.inputs_of(board))
        commons = [pin_net("common", at) for at in range(count(len(nets), CHIP.inputs))]
        chips = multiplexer_blocks(nets, commons, "enable" if "enable" in board.pins else GROUND)
        return chips + Circuit((), (*pulled_up(commons), *(switch(board, net) for net in nets)))

    def example(self, inputs: int) -> Pins | None:
        chips = count(inputs, CHIP.inputs)
        return {"select": EXAMPLES[:4], "common": EXAMPLES[6:][:chips]} if chips <= self.lists["common"].most else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        chips, found = count(inputs, CHIP.inputs), len(pin_list(pins, "common"))
        if chips == found:
            return None
        return f"common: {inputs} inputs take {chips} multiplexers of 16, expected {chips} pins here, got {found}"


SCHEME = MultiplexerScheme()
