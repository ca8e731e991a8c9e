"""The parts of a board's wiring on which many channels depend, from its scheme, with translatable names."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.text.words import hardware_words
from hw.ports import BoardDescription
from hw.registry import inputs_of, scheme_of


@dataclass(frozen=True)
class Group:
    """Channels that one part reads; ``name`` begins a sentence about that part."""

    name: str
    channels: tuple[int, ...]


def switch_inputs(board: BoardDescription) -> bool:
    """Return whether every channel has two inputs, one per pole."""
    return inputs_of(board) == 2 * board.channels


def groups(board: BoardDescription) -> list[Group]:
    """Return the groups of a board's scheme that have more than one channel, but not all."""
    found = scheme_of(board).groups(board)
    return [
        Group(hardware_words(group.name), group.channels) for group in found if 1 < len(group.channels) < board.channels
    ]


def wire_words(board: BoardDescription) -> str:
    """Return the words for the connection that carries all readings, with its GPIO if it is a bus of the Pi."""
    return hardware_words(scheme_of(board).wire(board))
