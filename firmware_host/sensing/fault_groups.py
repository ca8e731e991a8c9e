"""The parts of a board's wiring that can fail as one, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.text.words import fill, say
from hw import schemes
from hw.ports import BoardDescription

_CHAIN = {"74hc165", "74hc165-spi"}
_ADC = {"mcp3008", "ads1115"}
CHIP_INPUTS = 8


@dataclass(frozen=True)
class Group:
    """Channels that one part reads; ``name`` begins a sentence about it."""

    name: str
    channels: tuple[int, ...]


def switch_inputs(board: BoardDescription) -> bool:
    """Tell whether every channel has two inputs, one for each pole."""
    return board.inputs == 2 * board.channels


def groups(board: BoardDescription) -> list[Group]:
    """Return the chips, multiplexers or rows, and of a chain each chip with all behind it, whose bits pass through it.

    One that reads every channel is left out: that is the whole board.
    """
    size, name = _part(board)
    if not size:
        return []
    inputs = board.inputs
    count = -(-inputs // size)
    found = []
    for part in range(count):
        named = fill(name, number=part + 1, count=count)
        found.append(Group(named, _channels(board, part * size, part * size + size)))
        if board.scheme in _CHAIN and part < count - 2:
            rest = _channels(board, part * size, inputs)
            found.append(Group(say("{part}, through which those behind it pass,", part=named), rest))
    return [group for group in found if 1 < len(group.channels) < board.channels]


def wire_words(board: BoardDescription) -> str:
    """Return what carries all readings, with its pin where it is a Pi's."""
    if board.scheme == "74hc165":
        return say("the chain's data line (GPIO{pin})", pin=schemes.single(board.pins, "data"))
    buses = schemes.bus_pins(board.scheme, board.options)
    for what, pin in buses.items():
        if what.endswith(("MISO", "SDA")):
            return say("the data line ({what}, GPIO{pin})", what=what, pin=pin)
    return {
        "4067": say("the common line of the multiplexers, or a select line,"),
        "matrix": say("the matrix's supply or ground"),
        "direct": say("the sensors' common ground"),
        "serial": say("the scanner's own data line"),
    }.get(board.scheme, say("the data line"))


def _part(board: BoardDescription) -> tuple[int, str]:
    if board.scheme in _CHAIN:
        return CHIP_INPUTS, say("chip {number} of {count}")
    if board.scheme == "4067" or (board.scheme in _ADC and schemes.listed(board.pins, "select")):
        return schemes.CHANNELS_4067, say("multiplexer {number} of {count}")
    if board.scheme == "matrix":
        return len(schemes.listed(board.pins, "columns")), say("row {number} of {count}")
    return 0, ""


def _channels(board: BoardDescription, first: int, end: int) -> tuple[int, ...]:
    """Return the channels that have an input from ``first`` to below ``end``."""
    each = 2 if switch_inputs(board) else 1
    return tuple(range(first // each, min(-(-end // each), board.channels)))
