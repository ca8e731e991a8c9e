"""``mcp23017`` and ``pcf8575``: switches behind port expanders on a Pi's I2C bus, eight chips at most.

Both have two ports of eight pins and pull their inputs up themselves. Cost of a scan: one I2C message of two bytes a
chip, 47 bits on the bus with its address and, for the MCP23017, 18 more for the register; no GPIO calls.

- MCP23017 (Microchip DS20001952): registers; GPA7 and GPB7 are outputs only since revision D of its data sheet, as a
  level that changes while such a pin is read may upset the bus. So a chip has 14 inputs.
- PCF8575 (TI SCPS121): no registers. A pin that is written 1 is an input with a weak current source to the supply; a
  read begins with port 0. The driver writes all ones before each read of a chip that has not answered.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from firmware_host.extensions.chips.i2c import SETUP, length_words
from hw.buses import Computer
from hw.circuit import GROUND, OPEN, V33, Block, Circuit, Pin, input_nets, switch
from hw.pins import Options, Pins, number
from hw.ports import BoardDescription, HardwareError, Message
from hw.scheme import POLES, Chip, Option, Scheme, SwitchBank, count

_log = logging.getLogger(__name__)

ADDRESSES = range(0x20, 0x28)
CALLED = Message("chip {number} of {count}")
IODIRA, GPPUA, GPIOA = 0x00, 0x0C, 0x12
VERIFIED_S = 1.0
"""Time within which each chip's settings are read back, one chip after the other."""
RESTARTS, RESTARTS_S = 3, 600
"""So often within this time a chip must have restarted by itself before people are told."""
INPUTS = 0x7F
"""The inputs of a port of the MCP23017."""


class ExpanderBank(SwitchBank):
    """The chips at one address after the other."""

    port_inputs: int
    """Inputs of each of a chip's two ports, from bit 0 on."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open the bus and set all chips up. Raise HardwareError when one does not answer."""
        super().__init__(board, computer)
        first = number(board.options, "address")
        self._addresses = range(first, first + count(self._inputs, 2 * self.port_inputs))
        self._bus = computer.i2c(number(board.options, "i2c_bus"))
        self._ready = False
        self._scans, self._scan_hz = 0, board.scan_hz
        self._restarts: deque[tuple[int, int]] = deque()
        """Scan and address of each restart of late."""
        self.read_switches()

    @abstractmethod
    def set_up(self, address: int) -> None:
        """Make all pins of a chip inputs: one that has lost its power has lost its settings. Raise OSError."""

    def has_settings(self, address: int) -> bool:
        """Return whether a chip still has its settings: one that has restarted answers without them. Raise OSError.

        A static discharge or a dip of its supply does that.
        """
        return True

    @property
    def complaint(self) -> Message | None:
        """Which chip has often restarted by itself."""
        while self._restarts and self._restarts[0][0] < self._scans - RESTARTS_S * self._scan_hz:
            self._restarts.popleft()
        often = Counter(address for _, address in self._restarts).most_common(1)
        if not often or often[0][1] < RESTARTS:
            return None
        return Message(
            "chip {address} has restarted by itself {count} times in {minutes} minutes: check its supply, its ground "
            "and the 100 nF beside it",
            address=f"{often[0][0]:#x}", count=often[0][1], minutes=RESTARTS_S // 60,
        )  # fmt: skip

    def _verify(self, address: int) -> None:
        """Set a chip up again if its turn has come and it has restarted. Raise OSError."""
        turns, at = max(1, round(VERIFIED_S * self._scan_hz)), self._addresses.index(address)
        if self._scans % turns == at * turns // len(self._addresses) and not self.has_settings(address):
            _log.warning("chip %#x has restarted by itself: it is set up again", address)
            self._restarts.append((self._scans, address))
            self.set_up(address)

    @abstractmethod
    def ports(self, address: int) -> Sequence[int]:
        """Return the levels of both ports of a chip, a byte each. Raise OSError."""

    def read_switches(self) -> Sequence[int]:
        """Read both ports of every chip in one message each."""
        found: list[int] = []
        self._scans += 1
        for address in self._addresses:
            try:
                if not self._ready:
                    self.set_up(address)
                else:
                    self._verify(address)
                ports = self.ports(address)
            except OSError as error:
                self._ready = False
                why = Message("chip {address} does not answer: {error}", address=f"{address:#x}", error=str(error))
                raise HardwareError(why) from error
            found += [1 - (port >> bit & 1) for port in ports for bit in range(self.port_inputs)]
        self._ready = True
        return found[: self._inputs]

    def close(self) -> None:
        """Let go of the bus."""
        self._bus.close()


class Mcp23017Bank(ExpanderBank):
    """Inputs 0 to 6 of a chip are GPA0 to GPA6, 7 to 13 are GPB0 to GPB6."""

    port_inputs = 7

    def set_up(self, address: int) -> None:
        """Make seven pins of each port inputs, and pull them up."""
        self._bus.write_i2c_block_data(address, IODIRA, [INPUTS, INPUTS])
        self._bus.write_i2c_block_data(address, GPPUA, [INPUTS, INPUTS])

    def has_settings(self, address: int) -> bool:
        """Read back both settings; after a restart all pins float."""
        wanted = [INPUTS, INPUTS]
        return all(list(self._bus.read_i2c_block_data(address, one, 2)) == wanted for one in (IODIRA, GPPUA))

    def ports(self, address: int) -> Sequence[int]:
        """Read both ports."""
        return self._bus.read_i2c_block_data(address, GPIOA, 2)


class Pcf8575Bank(ExpanderBank):
    """Inputs 0 to 7 of a chip are P00 to P07, 8 to 15 are P10 to P17."""

    port_inputs = 8

    def set_up(self, address: int) -> None:
        """Write ones to both ports: the first byte of a message goes to port 0."""
        self._bus.write_i2c_block_data(address, 0xFF, [0xFF])

    def ports(self, address: int) -> Sequence[int]:
        """Read both ports; the register of the message is a byte for port 0, which has to stay an input."""
        return self._bus.read_i2c_block_data(address, 0xFF, 2)


class Expanders(Scheme):
    """Expanders at one address after the other."""

    options: ClassVar = {"i2c_bus": Option(1, 0, 1), "address": Option(ADDRESSES[0], ADDRESSES[0], ADDRESSES[-1], "#x")}
    comments: ClassVar = {
        "kind": POLES,
        "i2c_bus": "SDA to GPIO 2, SCL to GPIO 3",
        "address": "of the first chip: A2, A1, A0 to ground",
    }
    setup = SETUP
    chip: Chip
    port_letters: tuple[str, str]
    """What stands before the bit in the name of a pin, for either port."""
    port_pins: tuple[int, int]
    """The legs of bit 0 of either port; the others follow."""
    legs: ClassVar[Sequence[tuple[str, str]]]
    """Leg and name of supply, ground, SCL, SDA, A0, A1, A2."""
    other_legs: Sequence[Pin] = ()

    @property
    def _port_inputs(self) -> int:
        return self.chip.inputs // 2

    def _pin(self, own: int) -> tuple[str, str]:
        """Return leg and name of a chip's input."""
        port, bit = divmod(own, self._port_inputs)
        return str(self.port_pins[port] + bit), f"{self.port_letters[port]}{bit}"

    def notes_of(self, board: BoardDescription) -> str:
        """Return how to wire the chips, and which address pins of each one are high."""
        first, high = number(board.options, "address"), []
        for at in range(count(self.inputs_of(board), self.chip.inputs)):
            pins = [f"{name} (pin {leg})" for bit, (leg, name) in enumerate(self.legs[4:]) if first + at >> bit & 1]
            high.append(f"chip {at + 1} ({first + at:#x}): {' and '.join(pins) or 'none'}")
        strapped = f"Address pins at 3.3 V, all others at ground: {'; '.join(high)}."
        return f"{self.notes}\n\n{strapped}\n\n{length_words(len(high))}"

    def label(self, board: BoardDescription, index: int) -> str:
        """Return chip, address and pin."""
        at, own = divmod(index, self.chip.inputs)
        leg, name = self._pin(own)
        return f"chip {at + 1} ({number(board.options, 'address') + at:#x}), {name} (pin {leg})"

    def example(self, inputs: int) -> Pins | None:
        """None of the Pi's pins but those of the bus."""
        return {} if count(inputs, self.chip.inputs) <= len(ADDRESSES) else None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        """Refuse more chips than there are addresses left."""
        most = self.chip.inputs * (ADDRESSES[-1] + 1 - number(options, "address"))
        return None if inputs <= most else f"address: expected at most {most} inputs from this address on, got {inputs}"

    def circuit(self, board: BoardDescription) -> Circuit:
        """Return the chips with their addresses, and all switches."""
        inputs, each = self.inputs_of(board), self.chip.inputs
        nets, bus = input_nets(board, inputs), f"I2C {number(board.options, 'i2c_bus')}'s"
        blocks = []
        for at in range(count(inputs, each)):
            own = nets[at * each : (at + 1) * each]
            # Unused inputs are pulled up by the chip and stay free.
            left = tuple(Pin(*self._pin(bit), net) for bit, net in enumerate([*own, *[OPEN] * (each - len(own))]))
            address = number(board.options, "address") + at
            strapped = [V33 if address >> bit & 1 else GROUND for bit in range(3)]
            to = (V33, GROUND, f"{bus} SCL", f"{bus} SDA", *strapped)
            right = [Pin(leg, name, net) for (leg, name), net in zip(self.legs, to, strict=True)]
            right[0] = Pin(*self.legs[0], V33, takes_ma=self.chip.ma)
            right[3] = replace(right[3], out=True)
            blocks.append(Block(f"{self.chip.name} {at + 1}", self.chip.name, left, (*right, *self.other_legs)))
        return Circuit(tuple(blocks), tuple(switch(board, net) for net in nets))


class Mcp23017(Expanders):
    """MCP23017, in a case of 28 pins."""

    name = "mcp23017"
    bank = Mcp23017Bank
    about = "reed or hall switches behind MCP23017 port expanders on a Pi's I2C bus"
    notes = (
        "Each MCP23017: pins 9 and 18 (VDD, RESET) to 3.3 V with 100 nF to pin 10, pin 10 to ground, pins 12 and 13 "
        "(SCL, SDA) to the bus, pins 15 to 17 (A0 to A2) as its address wants. Switches close to ground; "
        "pins 28 and 8 (GPA7, GPB7) stay free."
    )
    chip = Chip("MCP23017", 14, CALLED, ma=1.0 + 14 * 0.115)  # Microchip: 1 mA, and 115 µA for each pull-up at ground.
    port_letters, port_pins = ("GPA", "GPB"), (21, 1)
    legs = (("9", "VDD"), ("10", "VSS"), ("12", "SCL"), ("13", "SDA"), ("15", "A0"), ("16", "A1"), ("17", "A2"))
    other_legs = (
        Pin("18", "RESET", V33),
        Pin("19", "INTB", OPEN),
        Pin("20", "INTA", OPEN),
        Pin("28", "GPA7", OPEN),
        Pin("8", "GPB7", OPEN),
        Pin("11", "NC", OPEN),
        Pin("14", "NC", OPEN),
    )


class Pcf8575(Expanders):
    """PCF8575, in a case of 24 pins."""

    name = "pcf8575"
    bank = Pcf8575Bank
    about = "reed or hall switches behind PCF8575 port expanders on a Pi's I2C bus"
    notes = (
        "Each PCF8575: pin 24 (VCC) to 3.3 V with 100 nF to pin 12, pin 12 to ground, pins 22 and 23 (SCL, SDA) to the "
        "bus, pins 21, 2 and 3 (A0 to A2) as its address wants. Switches close to ground. Ready-made "
        "boards have all of this but the address: their jumpers or solder joints A0 to A2 set it. Feed them with 3.3 V."
    )
    chip = Chip("PCF8575", 16, CALLED, ma=0.2 + 16 * 0.3)  # 0.2 mA, and 300 µA from each pin at ground.
    port_letters, port_pins = ("P0", "P1"), (4, 13)
    legs = (("24", "VCC"), ("12", "GND"), ("22", "SCL"), ("23", "SDA"), ("21", "A0"), ("2", "A1"), ("3", "A2"))
    other_legs = (Pin("1", "INT", OPEN),)


MCP23017, PCF8575 = Mcp23017(), Pcf8575()
