"""The MCP23017 and the PCF8575, written from their data sheets: two ports of eight pins on I2C.

**MCP23017**

- Registers stand in pairs, port A at even addresses (IOCON.BANK = 0). After power-up IODIR is 0xFF, all others are 0.
- The first byte of a message sets the address pointer. It goes on after each byte, from 0x15 to 0x00; with IOCON.SEQOP
  set it only goes to and fro between the two of a pair. IOCON is one register at two addresses; its bit 0 reads 0.
- After a restart by itself (:meth:`Mcp23017Chip.restart`) it has the settings of a power-up: its pins float until it is
  set up again, which is no fault of the driver.
- GPIO shows the pins: of an input its level, inverted where IPOL is set; of an output what OLAT says. Writing GPIO
  writes OLAT. A bit of GPPU pulls an input up (100 kΩ).

It raises where the driver is wrong: an input is read that floats, GPA7 or GPB7 is an input (it is an output only), a
register does not exist or can't be written. Interrupts and IOCON.BANK = 1 are not wired for: they raise, too.

**PCF8575**

- No registers. Of a message's bytes the first, third … go to port 0, the others to port 1. A 1 makes a pin an input
  with a weak current source to the supply, a 0 pulls it to ground. After power-up all pins are 1.
- A read returns the levels of port 0, port 1, port 0 …

It raises where a pin that is wired to a switch is pulled to ground: the switch would tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hw.pins import number
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts, switch
from simulator.buses import ChipViolation
from simulator.stones import World

NAMES = ("IODIR", "IPOL", "GPINTEN", "DEFVAL", "INTCON", "IOCON", "GPPU", "INTF", "INTCAP", "GPIO", "OLAT")
REGISTERS = 2 * len(NAMES)
BANK, SEQOP = 0x80, 0x20
WIRED = 7
FIRST_ADDRESS, ADDRESSES = 0x20, 8
PINS = 8

Level = float | None
"""0 for a pin that is grounded, None for one that floats."""


class Mcp23017Chip:
    """One chip. ``inputs`` tells what drives the pins 0 to 6 of a port (0 is A)."""

    def __init__(self, inputs: Callable[[int], Sequence[Level]]) -> None:
        """Power up."""
        self._inputs = inputs
        self._was_set_up = False
        self.restart()

    def restart(self) -> None:
        """Lose all settings, as by a dip of the supply; the chip answers as before."""
        self._values = {(name, port): 0xFF if name == "IODIR" else 0 for name in NAMES for port in (0, 1)}
        self._pointer = 0

    def write(self, data: Sequence[int]) -> None:
        """Set the pointer, then registers from there on."""
        self._pointer, *values = data
        for value in values:
            self._set(*self._register(), value)
            self._go_on()

    def read(self, length: int) -> Sequence[int]:
        """Read registers from the pointer on."""
        found = []
        for _ in range(length):
            found.append(self._get(*self._register()))
            self._go_on()
        return found

    def _register(self) -> tuple[str, int]:
        if self._pointer >= REGISTERS:
            raise ChipViolation(f"MCP23017: there is no register {self._pointer:#04x}")
        return NAMES[self._pointer // 2], self._pointer % 2

    def _go_on(self) -> None:
        byte_mode = self._values["IOCON", 0] & SEQOP
        self._pointer = self._pointer ^ 1 if byte_mode else (self._pointer + 1) % REGISTERS

    def _set(self, name: str, port: int, value: int) -> None:
        if name in {"INTF", "INTCAP"}:
            raise ChipViolation(f"MCP23017: {name} can't be written")
        if (name == "GPINTEN" and value) or (name == "IOCON" and value & BANK):
            raise ChipViolation(f"MCP23017: {name} is set to {value:#04x}: nothing is wired for that")
        if name == "IOCON":
            self._values[name, 0] = self._values[name, 1] = value & 0xFE
        else:
            self._values["OLAT" if name == "GPIO" else name, port] = value
            self._was_set_up = self._was_set_up or name == "GPPU"

    def _get(self, name: str, port: int) -> int:
        return self._pins(port) if name == "GPIO" else self._values[name, port]

    def _pins(self, port: int) -> int:
        directions, pulls, inverted, latch = (self._values[name, port] for name in ("IODIR", "GPPU", "IPOL", "OLAT"))
        if self._was_set_up and directions == 0xFF and not pulls:
            return 0xFF  # It has restarted by itself, which no driver can know before: its pins float, high say.
        if directions >> WIRED:
            raise ChipViolation(f"MCP23017: GP{'AB'[port]}7 is read as an input: it is an output only")
        found = 0
        for bit, driven in enumerate(self._inputs(port)):
            if directions >> bit & 1:
                if driven is None and not pulls >> bit & 1:
                    raise ChipViolation(f"MCP23017: GP{'AB'[port]}{bit} is read, but it floats")
                found |= (1 if driven is None else int(driven)) << bit
        return (found ^ inverted) & directions | latch & ~directions & 0xFF


class Pcf8575Chip:
    """One chip. ``inputs`` tells what drives the pins of a port (0 is P0x)."""

    def __init__(self, inputs: Callable[[int], Sequence[Level]]) -> None:
        """Power up."""
        self._inputs = inputs
        self._latch = [0xFF, 0xFF]

    def write(self, data: Sequence[int]) -> None:
        """Write the ports in turn."""
        for at, value in enumerate(data):
            self._latch[at % 2] = value

    def read(self, length: int) -> Sequence[int]:
        """Return the levels of the ports in turn."""
        return [self._levels(at % 2) for at in range(length)]

    def _levels(self, port: int) -> int:
        found = self._latch[port]
        for bit, driven in enumerate(self._inputs(port)):
            if not self._latch[port] >> bit & 1:
                raise ChipViolation(f"PCF8575: P{port}{bit} is read as an input, but pulled to ground")
            if driven is not None and not driven:
                found &= ~(1 << bit)
        return found


Chip = Mcp23017Chip | Pcf8575Chip


def simulated_parts(name: str, make: Callable[[Callable[[int], Sequence[Level]]], Chip], wired: int) -> SimulatedParts:
    """Return the parts of a scheme with ``wired`` inputs on each port of a chip: those of port 0 first."""

    def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
        first = number(board.options, "address")
        chips = breadboard.on_i2c.setdefault(number(board.options, "i2c_bus"), {})

        def ports(begin: int) -> Callable[[int], Sequence[Level]]:
            def levels(port: int) -> Sequence[Level]:
                own = world.contacts()[begin + wired * port :][:wired]
                return [*map(switch, own), *[None] * (wired - len(own))]

            return levels

        for at, begin in enumerate(range(0, board.switches, 2 * wired)):
            if not FIRST_ADDRESS <= first + at < FIRST_ADDRESS + ADDRESSES:
                raise ChipViolation(f"{name}: no chip can have the address {first + at:#x}")
            chips[first + at] = make(ports(begin))

    return SimulatedParts(name, connect)


MCP23017 = simulated_parts("mcp23017", Mcp23017Chip, WIRED)
PCF8575 = simulated_parts("pcf8575", Pcf8575Chip, PINS)
