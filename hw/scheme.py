"""The base classes of sensor schemes and of their drivers of switches (docs/adding-a-sensor.md).

One object describes one way to wire sensors.

Inputs are numbered in channel order. With kind ``polarity``, channel c of a scheme of switches has the inputs 2c
(closes for north up) and 2c + 1 (south up); else channel c is input c.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import CHAIN_IN, GROUND, OPEN, V33, Block, Circuit, Pin, input_nets, switch
from hw.pins import Options, OptionValue, Pins, bus_pins, pin_list
from hw.ports import BoardDescription, Message, SensorBank
from hw.sensor_parts import LINEAR as LINEAR_PARTS
from hw.sensor_parts import PARTS, SWITCHES_FOR, UNFIT

SWITCHES = ("presence", "polarity")
LINEAR = ("level", "polarity", "presence")
PIN_MA = 300.0
"""What the Pi's 3.3 V pin is asked for at most, mA: the Pico's figure for its 3V3(OUT), conservative for a Pi."""


@dataclass(frozen=True)
class PinList:
    """A list of pins: its minimum and maximum length, and whether it must be given."""

    least: int
    most: int
    needed: bool = True


@dataclass(frozen=True)
class Option:
    """A setting of a scheme: its default and, for a number, its bounds and its format in a board file."""

    default: OptionValue
    low: int = 0
    high: int = 0
    form: str = ""
    """Python format: ``#x`` for 0x48, ``_`` for 1_000_000."""
    choices: tuple[str, ...] = ()
    """All possible texts; empty where any text may stand."""


@dataclass(frozen=True)
class Chip:
    """A chip that reads consecutive inputs: input i belongs to chip i // inputs."""

    name: str
    """Part number."""
    inputs: int
    called: Message
    """The words for one chip: ``chip {number} of {count}``."""
    chained: bool = False
    """Whether the bits of later chips pass through earlier ones."""
    ma: float = 0.0
    """Maximum supply current of one, mA."""


@dataclass(frozen=True)
class PowerSupply:
    """What feeds the chips and sensors of a scheme, as long as it suffices."""

    words: str
    """``the Pi's 3.3 V pin``."""
    volts: float = 3.3
    most_ma: float = PIN_MA
    """Its maximum load, mA."""


@dataclass(frozen=True)
class OwnPins:
    """The pins of the hardware that scans by itself."""

    title: str
    rows: Sequence[tuple[str, str, str]]
    """Number of a leg (empty where legs have none), name, and where it goes."""


SPI = {"spi_bus": Option(0, 0, 1), "spi_device": Option(0, 0, 1)}
SPI_ON = "SPI must be on: `sudo raspi-config nonint do_spi 0`."
POLES = '"polarity": two switches a node, inputs 2c (north) and 2c + 1 (south) for channel c'
"""Comment of a board file on the kind of a scheme of switches."""


def clock_notes(reader: str = "the Pi") -> str:
    """Return the words on the clock line from ``reader`` to the chips."""
    return f"The clock goes through 47 Ω (33 to 100 Ω do, too) close to {reader}, and a ground wire runs beside it."


# -- drivers of switches -----------------------------------------------------------------------------------------------


class SwitchBank(ABC):
    """The sensors of a board that are switches. ``kind`` is ``presence`` or ``polarity``.

    With ``polarity`` channel c has two inputs: 2c closes for north up, 2c + 1 for south up.
    """

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open nothing yet: each driver opens and sets up the pins and buses that it needs."""
        self.channels, self.kind, self._inputs = board.channels, board.channel_kind, board.switches
        self._computer = computer

    @abstractmethod
    def read_switches(self) -> Sequence[int]:
        """Return 1 (closed) or 0 for each input. Raise HardwareError when the board does not answer."""

    @abstractmethod
    def close(self) -> None:
        """Release pins and buses."""

    def scan(self) -> Sequence[int]:
        """Return one reading per channel. Raise HardwareError when the board does not answer."""
        closed = self.read_switches()
        if self.kind == "presence":
            return closed
        return [north + 2 * south for north, south in zip(closed[::2], closed[1::2], strict=True)]


class PinBank(SwitchBank):
    """Switches read through pins of the Pi."""

    def __init__(self, board: BoardDescription, computer: Computer) -> None:
        """Open the pins of the board, without setting them up."""
        super().__init__(board, computer)
        self._gpio = computer.gpio()
        self._pins = [pin for name in board.pins for pin in pin_list(board.pins, name)]

    def close(self) -> None:
        """Release the pins."""
        self._gpio.cleanup(self._pins)


# -- schemes -----------------------------------------------------------------------------------------------------------


class Scheme(ABC):
    """One way to wire sensors. An instance has no state; importing its module must not open any device."""

    name: str
    """Name in board files and of the entry point."""
    about: str
    """Description of the wiring for the first line of a board file."""
    notes: str
    """Wiring of its chips, in Markdown."""
    bank: type[SwitchBank] = SwitchBank  # type: ignore[type-abstract]
    """Driver of a scheme of switches; other schemes override :meth:`open`."""
    kinds: tuple[str, ...] = SWITCHES
    """Supported kinds of channels (:data:`hw.ports.KINDS`), the usual kind first."""
    pins: tuple[str, ...] = ()
    """Names of required single pins."""
    spare_pins: tuple[str, ...] = ()
    """Names of optional single pins."""
    lists: ClassVar[Mapping[str, PinList]] = MappingProxyType({})
    options: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    comments: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Key of a line in a board file's section [sensors] → the comment on that line."""
    chip: Chip | None = None
    """The chip that reads its inputs, if all chips are alike; the usual circuit follows from it."""
    refuses: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Kind or sensor part → why the scheme can't use it, for those that people may expect to work."""
    setup: str = ""
    """Settings that the Pi needs first, in Markdown."""
    feeder: str = "the Pi's 3.3 V pin"
    """Supply of its chips and of the sensors."""
    shared = Message("the data line")
    """The connection that carries all readings, if it is no bus of the Pi."""
    measures_levels = False
    """Whether it measures levels with every kind, so that it can be calibrated."""
    scans_itself = False
    """Whether other hardware scans the sensors at its own rate, so that a scan here returns its latest report."""

    def shape_error(self) -> str | None:
        """Return which declaration is of another type than expected; None when all are as they should be."""
        for member in ("kinds", "pins", "spare_pins"):
            found = getattr(self, member)
            if isinstance(found, str):  # ("load") is no tuple.
                return f"{member}: expected a tuple of names, got {found!r:.60}"
        for member, made_of in (("lists", PinList), ("options", Option)):
            found = getattr(self, member)
            if not isinstance(found, Mapping) or not all(isinstance(one, made_of) for one in found.values()):
                return f"{member}: expected a mapping of names to {made_of.__name__}, got {found!r:.60}"
        return None

    @abstractmethod
    def label(self, board: BoardDescription, index: int) -> str:
        """Return the place where an input is soldered: ``chip 1, D5 (pin 4)``."""

    @abstractmethod
    def example(self, inputs: int) -> Pins | None:
        """Return pins (BCM) for this number of inputs; None where a Pi has too few."""

    def open(self, board: BoardDescription, computer: Computer) -> SensorBank:
        """Open the sensors of a board without wiring errors. Raise HardwareError when a part can't be opened."""
        return self.bank(board, computer)

    def inputs(self, channels: int, kind: str) -> int:
        """Return the number of inputs of these channels: two each where two switches read polarity, else one."""
        return channels * (2 if kind == "polarity" and "level" not in self.kinds else 1)

    def inputs_of(self, board: BoardDescription) -> int:
        """Return the number of inputs that a board uses."""
        return self.inputs(board.channels, board.channel_kind)

    def bus_pins(self, options: Options) -> dict[str, int]:
        """Return signal → pin (BCM) of the buses that the scheme uses: ``SPI 0's clock`` → 11."""
        return bus_pins(options)

    def supply(self, options: Options) -> PowerSupply:  # noqa: ARG002 - most schemes have one supply
        """Return what feeds its chips and sensors."""
        return PowerSupply(self.feeder)

    def notes_of(self, board: BoardDescription) -> str:  # noqa: ARG002
        """Return the wiring of a board's chips, in Markdown."""
        return self.notes

    def own_pins(self, board: BoardDescription) -> OwnPins | None:  # noqa: ARG002
        """Return the pins of the hardware that scans a board by itself; None where the Pi does."""
        return None

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:  # noqa: ARG002 - one may be enough
        """Return why these pins can't carry the inputs: the key, the fault and what is expected; else None."""
        return None

    def most_scans(self, inputs: int) -> int | None:  # noqa: ARG002
        """Return the maximum scans per second that the parts allow; None when they set no limit."""
        return None

    def circuit(self, board: BoardDescription) -> Circuit:
        """Return the chips and all parts at their inputs; a pin of the Pi is a net with the pin's name.

        The list of parts, the schematic and the messages about broken parts follow from it. Capacitors beside chips and
        sensors are added where it has none.

        Unless a scheme says more, its pins lead to the first chip.
        """
        inputs, chip = self.inputs_of(board), self.chip
        nets, each = input_nets(board, inputs), chip.inputs if chip else max(1, inputs)
        part = chip.name if chip else self.name
        feed = (Pin("", "supply", V33, takes_ma=chip.ma), Pin("", "ground", GROUND)) if chip else ()
        first_chip = (
            tuple(Pin("", name, name) for name, pin in board.pins.items() if isinstance(pin, int)) if chip else ()
        )
        blocks = []
        for first in range(0, inputs, each):
            own = range(first, min(first + each, inputs))
            left = tuple(Pin("", self.label(board, at), nets[at]) for at in own)
            right = feed if first else (*feed, *first_chip)
            if chip and chip.chained:
                last = first + each >= inputs
                right += (Pin("", CHAIN_IN, GROUND if last else f"{part} {first // each + 2} to {first // each + 1}"),)
            if chip:
                goes = f"{part} {first // each + 1} to {first // each}" if chip.chained and first else OPEN
                right += (Pin("", "output", goes, out=True),)
            blocks.append(Block(f"{part} {first // each + 1}", part, left, right))
        return Circuit(tuple(blocks), tuple(switch(board, net) for net in nets))

    def sensor_parts(self, kind: str) -> Sequence[str]:
        """Return the sensor parts that can read a kind, the usual part first."""
        if self.measures_levels or kind == "level":
            return LINEAR_PARTS[::-1]
        return SWITCHES_FOR.get(kind, ())

    def part_error(self, part: str, kind: str) -> str | None:
        """Return why a sensor part can't read this kind here, and what is expected; None when it can."""
        fitting = self.sensor_parts(kind)
        if part in fitting:
            return None
        reason = self.refuses.get(part) or UNFIT.get((PARTS[part].response, kind))
        why = f" ({reason})" if reason else ""
        return f"part: {self.name} with kind {kind!r} takes {' or '.join(fitting)}, got {part!r}{why}"

    def wire(self, board: BoardDescription) -> Message:
        """Return the words for the connection that carries all readings, with its GPIO if it is a bus of the Pi."""
        for what, pin in self.bus_pins(board.options).items():
            if what.endswith(("MISO", "SDA")):
                return Message("the data line ({what}, GPIO{pin})", what=what, pin=pin)
        return self.shared


def count(inputs: int, each: int) -> int:
    """Return the number of chips with ``each`` inputs for this number of inputs."""
    return -(-inputs // each)
