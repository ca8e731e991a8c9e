"""A board's circuit as a netlist: blocks with pins, parts with two poles, and named nets that connect them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hw.ports import BoardDescription
from hw.sensor_parts import REED

GROUND, V33, V5 = "ground", "3.3 V", "5 V"
"""Ground; the supply of chips and sensors; the supply of the pixels."""
V5_SCANNER, V5_PI = "scanner's 5 V", "the Pi's 5 V"
"""The 5 V of a microcontroller, and of the Pi's header: never joined to the supply of the pixels."""
SUPPLIES = (GROUND, V33, V5, V5_SCANNER, V5_PI)
USB = "USB"
DECOUPLING = "100n"
OPEN = ""
"""The net of an unconnected pin."""
RESISTOR, CAPACITOR, DIODE, SWITCH, HALL, FUSE = "resistor", "capacitor", "diode", "switch", "hall", "fuse"


@dataclass(frozen=True)
class Pin:
    """A pin of a block: its number on the part, its name in the data sheet, and its net."""

    number: str
    name: str
    net: str


@dataclass(frozen=True)
class Block:
    """A part with many pins."""

    name: str
    """For example ``chip 1 of 6``."""
    part: str
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, left side first."""
        return self.left + self.right


@dataclass(frozen=True)
class Pole:
    """A part with two poles between two nets; a diode's cathode is at ``other``. A hall sensor has also a supply."""

    kind: str
    value: str
    one: str
    other: str
    supply: str = ""
    at: str = ""
    """The block that a decoupling capacitor belongs to; else empty."""


@dataclass(frozen=True)
class Circuit:
    """A whole circuit, or a part of one."""

    blocks: tuple[Block, ...] = ()
    poles: tuple[Pole, ...] = ()

    def __add__(self, other: Circuit) -> Circuit:
        """Return both circuits as one."""
        return Circuit(self.blocks + other.blocks, self.poles + other.poles)

    @property
    def nets(self) -> frozenset[str]:
        """The names of all nets."""
        ends = {end for pole in self.poles for end in (pole.one, pole.other, pole.supply)}
        return frozenset(ends | {pin.net for block in self.blocks for pin in block.pins})

    def renamed(self, nets: Mapping[str, str]) -> Circuit:
        """Return the circuit with other names for some of its nets."""

        def pins(own: Sequence[Pin]) -> tuple[Pin, ...]:
            return tuple(replace(pin, net=nets.get(pin.net, pin.net)) for pin in own)

        def pole(one: Pole) -> Pole:
            ends = {end: nets.get(getattr(one, end), getattr(one, end)) for end in ("one", "other", "supply")}
            return replace(one, **ends)

        blocks = tuple(replace(block, left=pins(block.left), right=pins(block.right)) for block in self.blocks)
        return Circuit(blocks, tuple(map(pole, self.poles)))


def decoupling(block: str, supply: str = V33) -> Pole:
    """Return the 100 nF decoupling capacitor of a chip."""
    return Pole(CAPACITOR, DECOUPLING, supply, GROUND, at=block)


def input_nets(board: BoardDescription, inputs: int) -> list[str]:
    """Return each input's net, named after its sensor; a node with two inputs has ``D12 white`` and ``D12 black``."""
    names = [board.sensor_words(channel).replace(" sensor", "") for channel in sorted(board.sensors())]
    if inputs == board.channels:
        return names
    return [f"{name} {pole}" for name in names for pole in ("white", "black")]


def switch(board: BoardDescription, net: str, value: str = "", other: str = GROUND) -> Pole:
    """Return the switch at an input: a reed unless polarity is read or the board file names a hall switch."""
    if board.channel_kind != "polarity" and board.part in {"", REED}:
        return Pole(SWITCH, value or "reed", net, other)
    return Pole(HALL, value or "hall, 100n", net, other, V33)


def linear(net: str) -> Pole:
    """Return the linear hall sensor at an input."""
    return Pole(HALL, "linear, 100n", net, GROUND, V33)


def pulled_up(nets: Sequence[str], value: str = "10k") -> tuple[Pole, ...]:
    """Return one resistor from each net to 3.3 V."""
    return tuple(Pole(RESISTOR, value, net, V33) for net in nets)


def pin_net(name: str, index: int | None = None) -> str:
    """Return the net of a pin that reads or drives, named as in the board file: ``load``, ``select[2]``."""
    return name if index is None else f"{name}[{index}]"
