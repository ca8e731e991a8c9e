"""The parts of a board's wiring that can fail as one, and what they are called: as its scheme says, translatable."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.text.hardware_words import hardware_words
from hw.ports import BoardDescription
from hw.registry import inputs_of, scheme_of


@dataclass(frozen=True)
class Group:
    """Channels that one part reads; ``name`` begins a sentence about it."""

    name: str
    channels: tuple[int, ...]


def switch_inputs(board: BoardDescription) -> bool:
    """Tell whether every channel has two inputs, one for each pole."""
    return inputs_of(board) == 2 * board.channels


def groups(board: BoardDescription) -> list[Group]:
    """Return the groups of a board's scheme; one that has every channel is left out: that is the whole board."""
    found = scheme_of(board).groups(board)
    return [
        Group(hardware_words(group.name), group.channels) for group in found if 1 < len(group.channels) < board.channels
    ]


def wire_words(board: BoardDescription) -> str:
    """Return what carries all readings, with its pin where it is a Pi's."""
    return hardware_words(scheme_of(board).wire(board))
