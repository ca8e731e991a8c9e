"""A board's circuit as a netlist: blocks with pins, parts of two poles, and the nets that join them by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hw.ports import BoardDescription
from hw.sensor_parts import REED

GROUND, V33, V5 = "ground", "3.3 V", "5 V"
SUPPLIES = (GROUND, V33, V5)
OPEN = ""
"""The net of a pin that goes nowhere."""
RESISTOR, CAPACITOR, DIODE, SWITCH, HALL, FUSE = "resistor", "capacitor", "diode", "switch", "hall", "fuse"


@dataclass(frozen=True)
class Pin:
    """A pin of a block: its number on the part, its name in the data sheet, and the net that it is on."""

    number: str
    name: str
    net: str


@dataclass(frozen=True)
class Block:
    """A part with many pins."""

    name: str
    """Which one it is: ``chip 1 of 6``."""
    part: str
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All of them."""
        return self.left + self.right


@dataclass(frozen=True)
class Pole:
    """A part with two poles between two nets (a diode's ring is at ``other``); a hall sensor has a supply besides."""

    kind: str
    value: str
    one: str
    other: str
    supply: str = ""
    at: str = ""
    """The block that it sits close to, where it joins only supplies."""


@dataclass(frozen=True)
class Circuit:
    """All of it."""

    blocks: tuple[Block, ...] = ()
    poles: tuple[Pole, ...] = ()

    def __add__(self, other: Circuit) -> Circuit:
        """Return both together."""
        return Circuit(self.blocks + other.blocks, self.poles + other.poles)


def decoupling(block: str, supply: str = V33) -> Pole:
    """Return the 100 nF beside a chip."""
    return Pole(CAPACITOR, "100n", supply, GROUND, at=block)


def input_nets(board: BoardDescription, inputs: int) -> list[str]:
    """Return the net of each input, named after its sensor; of a node with two ``D12 white`` and ``D12 black``."""
    names = [board.sensor_words(channel).replace(" sensor", "") for channel in sorted(board.sensors())]
    if inputs == board.channels:
        return names
    return [f"{name} {pole}" for name in names for pole in ("white", "black")]


def switch(board: BoardDescription, net: str, value: str = "", other: str = GROUND) -> Pole:
    """Return the switch at an input: a reed where the board file says so or nothing, else a hall switch."""
    if board.channel_kind != "polarity" and board.part in {"", REED}:
        return Pole(SWITCH, value or "reed", net, other)
    return Pole(HALL, value or "hall", net, other, V33)


def linear(net: str) -> Pole:
    """Return the linear hall sensor at an input."""
    return Pole(HALL, "linear", net, GROUND, V33)


def pulled_up(nets: Sequence[str], value: str = "10k") -> tuple[Pole, ...]:
    """Return a resistor from each net to 3.3 V."""
    return tuple(Pole(RESISTOR, value, net, V33) for net in nets)


def pin_net(name: str, index: int | None = None) -> str:
    """Return the net of a Pi's pin by its name in the board file."""
    return name if index is None else f"{name}[{index}]"
