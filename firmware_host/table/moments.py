"""The players at a table, and the moments of a game."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from firmware_host.games.game import Occupancy, Status


@dataclass(frozen=True)
class Sitting:
    """The player of a seat. ``claim`` is the word in the phone's signed cookie; a computer has none.

    ``level`` is a computer's level, 0 if none was chosen (older journals have none).
    """

    name: str
    claim: str
    computer: bool = False
    level: int = 0


@dataclass(frozen=True)
class Mask:
    """Why a sensor is ignored: for programs (``player``, ``host``, or the fault that was found), and in words.

    Journals of earlier versions have words alone: what people decided is known by its sentence, and a fault's words
    stand for its code.
    """

    reason: str
    words: str


@dataclass(frozen=True)
class Moment:
    """The game after an event that moved it on: a correction can go back to it."""

    position: Hashable
    status: Status
    placed: Occupancy
    removed: tuple[str, ...]
    kind: str
    """``start``, ``reveal``, ``action``, ``loop``, ``decided`` or ``resign``."""
    seat: int | None = None
    actions: Mapping[int, str] = field(default_factory=dict)
