"""A board's circuit as a netlist: blocks with pins, parts with two poles, and named nets that connect them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hw.ports import BoardDescription
from hw.sensor_parts import PARTS, SWITCHES_FOR

GROUND, V33, V5 = "ground", "3.3 V", "5 V"
"""Ground; the Pi's 3.3 V, at which every scheme draws its chips and sensors; the 5 V supply of the pixels."""
V33_OWN = "sensors' 3.3 V"
"""The supply of chips and sensors behind a regulator of their own."""
V33_SCANNER, V5_SCANNER, V5_PI = "scanner's 3.3 V", "scanner's 5 V", "the Pi's 5 V"
"""The supplies that a microcontroller gives, and the 5 V of the Pi's header: never joined to each other or to V5."""
VOLTS = {GROUND: 0.0, V33: 3.3, V33_OWN: 3.3, V33_SCANNER: 3.3, V5: 5.0, V5_SCANNER: 5.0, V5_PI: 5.0}
SUPPLIES = tuple(VOLTS)
DECOUPLING = "100n"
CHAIN_IN = "SER"
"""Name of the pin by which a chip takes in the bits of the chips behind it."""
OPEN = ""
"""The net of an unconnected pin."""
RESISTOR, CAPACITOR, DIODE, SWITCH, HALL, FUSE = "resistor", "capacitor", "diode", "switch", "hall", "fuse"


@dataclass(frozen=True)
class Pin:
    """A pin of a block: its number on the part, its name in the data sheet, and its net."""

    number: str
    name: str
    net: str
    takes_ma: float = 0.0
    """Maximum current that it takes from its net, a supply, mA."""
    gives_ma: float = 0.0
    """Maximum current that it gives to its net, mA; 0 if it does not feed the net."""
    out: bool = False
    """Whether what its part reads leaves by it."""


@dataclass(frozen=True)
class Block:
    """A part with many pins."""

    name: str
    """For example ``chip 1 of 6``."""
    part: str
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]
    group: str = ""
    """What it is one of many of, drawn as one: ``strip 1: 45 pixels``; empty for a part that stands alone."""

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, left side first."""
        return self.left + self.right

    @property
    def outputs(self) -> tuple[Pin, ...]:
        """The pins by which its readings leave it."""
        return tuple(pin for pin in self.pins if pin.out)


@dataclass(frozen=True)
class Pole:
    """A part with two poles between two nets; a diode's cathode is at ``other``. A hall sensor has also a supply."""

    kind: str
    value: str
    one: str
    other: str
    supply: str = ""
    at: str = ""
    """What a capacitor belongs to: the name of a block, a group or a sensor; else empty."""
    part: str = ""
    """Name of a sensor's part (:data:`hw.sensor_parts.PARTS`)."""
    name: str = ""
    """Which of the sensors it is: ``D12``, ``D12 white``; else empty."""
    takes_ma: float = 0.0
    """Maximum current that it takes from its supply, mA."""
    gives_ma: float = 0.0
    """Maximum current of a fuse or diode through which ``one`` feeds ``other``, mA."""

    @property
    def place(self) -> str:
        """Which of its kind it is: what it belongs to, or the nets that it lies between."""
        return self.at or self.name or f"{self.one} to {self.other}"


Part = Block | Pole


@dataclass(frozen=True)
class Circuit:
    """A whole circuit, or a part of one."""

    blocks: tuple[Block, ...] = ()
    poles: tuple[Pole, ...] = ()

    def __add__(self, other: Circuit) -> Circuit:
        """Return both circuits as one."""
        return Circuit(self.blocks + other.blocks, self.poles + other.poles)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts: blocks, then parts with poles."""
        return (*self.blocks, *self.poles)

    @property
    def nets(self) -> frozenset[str]:
        """The names of all nets."""
        ends = {end for pole in self.poles for end in (pole.one, pole.other, pole.supply)}
        return frozenset(ends | {pin.net for block in self.blocks for pin in block.pins})


def decoupling(block: str, supply: str = V33) -> Pole:
    """Return the decoupling capacitor of a chip."""
    return Pole(CAPACITOR, DECOUPLING, supply, GROUND, at=block)


def input_nets(board: BoardDescription, inputs: int) -> list[str]:
    """Return each input's net, named after its sensor; a node with two inputs has ``D12 white`` and ``D12 black``."""
    names = [board.sensor_words(channel).replace(" sensor", "") for channel in sorted(board.sensors())]
    if inputs == board.channels:
        return names
    return [f"{name} {pole}" for name in names for pole in ("white", "black")]


def switch(board: BoardDescription, net: str, name: str = "", other: str = GROUND) -> Pole:
    """Return the switch at an input: the board file's part, or the usual one for its kind. The net names it too."""
    part = board.part or SWITCHES_FOR[board.channel_kind][0]
    if PARTS[part].legs == 2:
        return Pole(SWITCH, part, net, other, part=part, name=name or net)
    return Pole(HALL, part, net, other, V33, part=part, takes_ma=PARTS[part].ma, name=name or net)


def pulled_up(nets: Sequence[str], value: str = "10k") -> tuple[Pole, ...]:
    """Return one resistor from each net to 3.3 V."""
    return tuple(Pole(RESISTOR, value, net, V33) for net in nets)


def pin_net(name: str, index: int | None = None) -> str:
    """Return the net of a pin that reads or drives, named as in the board file: ``load``, ``select[2]``."""
    return name if index is None else f"{name}[{index}]"
