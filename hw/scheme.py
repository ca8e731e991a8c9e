"""What a sensor scheme is: one object that knows all about one way to wire sensors (docs/adding-a-sensor.md).

Inputs are numbered in channel order: with kind ``polarity`` channel c of a scheme of switches has the inputs 2c (closes
for north up) and 2c + 1 (south up), else channel c is input c.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import Block, Circuit, Pin, input_nets, switch
from hw.pins import Options, OptionValue, Pins, bus_pins
from hw.ports import BoardDescription, Message, SensorBank
from hw.sensor_parts import LINEAR as LINEAR_PARTS
from hw.sensor_parts import SWITCHES as SWITCH_PARTS
from hw.sensor_parts import TOLD_BY_SWITCHES
from hw.switches import SwitchBank

SWITCHES = ("presence", "polarity")
LINEAR = ("level", "polarity", "presence")


@dataclass(frozen=True)
class PinList:
    """A list of pins: its shortest and longest length."""

    least: int
    most: int
    needed: bool = True


@dataclass(frozen=True)
class Option:
    """A setting of a scheme: its default, and (numbers) its bounds and how a board file writes it."""

    default: OptionValue
    low: int = 0
    high: int = 0
    form: str = ""
    """A format: ``#x`` for 0x48, ``_`` for 1_000_000."""


@dataclass(frozen=True)
class Chip:
    """A chip that reads several inputs in a row: input i hangs on chip i // inputs."""

    name: str
    """What to buy."""
    inputs: int
    called: Message
    """How one is named: ``chip {number} of {count}``."""
    chained: bool = False
    """Whether the bits of all chips behind one pass through it."""


@dataclass(frozen=True)
class Part:
    """A line in the list of parts to buy."""

    number: int
    name: str
    note: str = "at 3.3 V, 100 nF beside each"


@dataclass(frozen=True)
class Group:
    """Channels that one part reads, so that they fail together; ``name`` begins a sentence about it."""

    name: Message
    channels: tuple[int, ...]


SPI = {"spi_bus": Option(0, 0, 1), "spi_device": Option(0, 0, 1)}
SETTLE = Option(10, 5, 1000)
"""Microseconds. A line of 150 pF rises to 2.0 V through the Pi's own 65 kΩ at most in 9 (0.93 x 65 kΩ x 150 pF), with
10 kΩ beside it in 1.3; one of 500 pF (some metres) in 30 and 4.2."""
SPI_ON = "SPI must be on: `sudo raspi-config nonint do_spi 0`."
CLOCK_NOTES = "The clock goes through 33 to 100 Ω close to the Pi, and a ground wire runs beside it."
PULL_UPS = ("resistor 10 kΩ", "pull-ups; networks of 8 save soldering")
CLOCK_RESISTOR = ("resistor 33 to 100 Ω", "in the clock line, close to the Pi")
POLES = '"polarity": two switches a node, inputs 2c (north) and 2c + 1 (south) for channel c'
"""What a board file says beside the kind of a scheme of switches."""


class Scheme(ABC):
    """One way to wire sensors. An instance has no state; importing its module must open nothing."""

    name: str
    """What a board file calls it, and its entry point."""
    about: str
    """What is wired, as it stands in the first line of a board file."""
    notes: str
    """How its chips are wired, in Markdown."""
    bank: type[SwitchBank] = SwitchBank  # type: ignore[type-abstract]
    """Its driver, where it reads switches; else override :meth:`open`."""
    kinds: tuple[str, ...] = SWITCHES
    """What its channels can tell (:data:`hw.ports.KINDS`), the usual kind first."""
    pins: tuple[str, ...] = ()
    """Single pins that must be given."""
    spare_pins: tuple[str, ...] = ()
    """Single pins that may be given."""
    lists: ClassVar[Mapping[str, PinList]] = MappingProxyType({})
    options: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    comments: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What a board file says beside a line of its section [sensors], by the line's key."""
    chip: Chip | None = None
    """The chips that its inputs hang on, where they are all alike: parts and groups follow from it."""
    beside: tuple[str, str] | None = None
    """A part beside each switch: what to buy, and a note."""
    refuses: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Why it can't read a kind, or have a sensor part, where people would think so."""
    setup: str = ""
    """What must be set on the Pi before it is used, in Markdown."""
    feeder: str = "the Pi's 3.3 V pin"
    """What feeds its chips and the sensors."""
    per_chip: tuple[str, str] | None = None
    """A part beside each chip: what to buy, and a note."""
    shared = Message("the data line")
    """What carries all readings, where that is no bus of the Pi."""
    measures_levels = False
    """Whether it measures levels whatever the kind, so that it can be calibrated."""
    scans_itself = False
    """Whether something else scans the sensors at its own pace, and a scan here hands out what came last."""

    @abstractmethod
    def label(self, board: BoardDescription, index: int) -> str:
        """Return where an input is soldered to: ``chip 1, D5 (pin 4)``."""

    @abstractmethod
    def example(self, inputs: int) -> Pins | None:
        """Return pins (BCM) that carry so many inputs; None where a Pi has too few."""

    def open(self, board: BoardDescription, computer: Computer) -> SensorBank:
        """Open the sensors of a board whose wiring fits. Raise HardwareError when a part can't be opened."""
        return self.bank(board, computer)

    def inputs(self, channels: int, kind: str) -> int:
        """Return how many inputs channels take: two each where a switch for each pole tells polarity."""
        return channels * (2 if kind == "polarity" and "level" not in self.kinds else 1)

    def inputs_of(self, board: BoardDescription) -> int:
        """Return how many inputs a board takes."""
        return self.inputs(board.channels, board.channel_kind)

    def bus_pins(self, options: Options) -> dict[str, int]:
        """Return the pins that a scheme takes by its bus, by what they are: ``SPI 0's clock`` → 11."""
        return bus_pins(options)

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:  # noqa: ARG002 - one may be enough
        """Return why these pins can't carry so many inputs, what was expected, and the key first; else None."""
        return None

    def most_scans(self, inputs: int) -> int | None:  # noqa: ARG002
        """Return how many scans a second the parts allow at most; None when they do not set the limit."""
        return None

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        """Return what must be bought beside the sensors themselves."""
        inputs = self.inputs_of(board)
        chips = count(inputs, self.chip.inputs) if self.chip else 0
        found = [Part(chips, self.chip.name)] if self.chip else []
        found += [Part(chips, *self.per_chip)] if self.per_chip else []
        return [*found, Part(inputs, *self.beside)] if self.beside else found

    def circuit(self, board: BoardDescription) -> Circuit:
        """Return its chips with all that is soldered to their inputs; pins of the Pi are nets named after them."""
        inputs = self.inputs_of(board)
        nets, each = input_nets(board, inputs), self.chip.inputs if self.chip else max(1, inputs)
        blocks = []
        for first in range(0, inputs, each):
            own = range(first, min(first + each, inputs))
            name = f"{self.chip.name if self.chip else self.name} {first // each + 1}"
            blocks.append(Block(name, self.name, tuple(Pin("", self.label(board, at), nets[at]) for at in own), ()))
        return Circuit(tuple(blocks), tuple(switch(board, net) for net in nets))

    def groups(self, board: BoardDescription) -> Sequence[Group]:
        """Return the channels that fail together, in the order in which they are looked at."""
        return self.grouped(board, self.chip) if self.chip else ()

    def sensor_parts(self, kind: str) -> Sequence[str]:
        """Return what may be soldered under a node to tell a kind, the usual part first."""
        if self.measures_levels or kind == "level":
            return LINEAR_PARTS[::-1]
        return TOLD_BY_SWITCHES.get(kind, SWITCH_PARTS)

    def part_error(self, part: str, kind: str) -> str | None:
        """Return why a sensor part can't be wired so, and what was expected; else None."""
        fitting = self.sensor_parts(kind)
        if part in fitting:
            return None
        why = f" ({self.refuses[part]})" if part in self.refuses else ""
        return f"part: {self.name} with kind {kind!r} takes {' or '.join(fitting)}, got {part!r}{why}"

    def wire(self, board: BoardDescription) -> Message:
        """Return what carries all readings, with its pin where it is a Pi's."""
        for what, pin in self.bus_pins(board.options).items():
            if what.endswith(("MISO", "SDA")):
                return Message("the data line ({what}, GPIO{pin})", what=what, pin=pin)
        return self.shared

    def grouped(self, board: BoardDescription, chip: Chip) -> list[Group]:
        """Return the channels behind each chip; of a chain each chip is followed by itself with all behind it."""
        inputs, each = self.inputs_of(board), chip.inputs
        share, chips = inputs // board.channels, count(inputs, each)

        def channels(first: int, end: int) -> tuple[int, ...]:
            return tuple(range(first // share, min(count(end, share), board.channels)))

        found = []
        for at in range(chips):
            name = Message(chip.called.form, number=at + 1, count=chips)
            found.append(Group(name, channels(at * each, at * each + each)))
            if chip.chained and at < chips - 2:
                rest = Message("{part}, through which those behind it pass,", part=name)
                found.append(Group(rest, channels(at * each, inputs)))
        return found


def count(inputs: int, each: int) -> int:
    """Return how many chips of so many inputs each are needed."""
    return -(-inputs // each)
