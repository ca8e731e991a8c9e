"""The parts of a board's wiring that can fail as one, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass

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
        found.append(Group(f"{name} {part + 1} of {count}", _channels(board, part * size, part * size + size)))
        if board.scheme in _CHAIN and part < count - 2:
            rest = _channels(board, part * size, inputs)
            found.append(Group(f"{name} {part + 1} of {count}, through which those behind it pass,", rest))
    return [group for group in found if 1 < len(group.channels) < board.channels]


def wire_words(board: BoardDescription) -> str:
    """Return what carries all readings, with its pin where it is a Pi's."""
    if board.scheme == "74hc165":
        return f"the chain's data line (GPIO{schemes.single(board.pins, 'data')})"
    buses = schemes.bus_pins(board.scheme, board.options)
    for what, pin in buses.items():
        if what.endswith(("MISO", "SDA")):
            return f"the data line ({what}, GPIO{pin})"
    return {
        "4067": "the common line of the multiplexers, or a select line,",
        "matrix": "the matrix's supply or ground",
        "direct": "the sensors' common ground",
        "serial": "the scanner's own data line",
    }.get(board.scheme, "the data line")


def _part(board: BoardDescription) -> tuple[int, str]:
    if board.scheme in _CHAIN:
        return CHIP_INPUTS, "chip"
    if board.scheme == "4067" or (board.scheme in _ADC and schemes.listed(board.pins, "select")):
        return schemes.CHANNELS_4067, "multiplexer"
    if board.scheme == "matrix":
        return len(schemes.listed(board.pins, "columns")), "row"
    return 0, ""


def _channels(board: BoardDescription, first: int, end: int) -> tuple[int, ...]:
    """Return the channels that have an input from ``first`` to below ``end``."""
    each = 2 if switch_inputs(board) else 1
    return tuple(range(first // each, min(-(-end // each), board.channels)))
