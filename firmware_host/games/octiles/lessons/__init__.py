"""The lessons of Octiles, and the conditions that they ask for; the source is octiles.md."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from firmware_host.games.lessons import Condition
from firmware_host.games.octiles.rules import Position

LESSONS = files(__package__ or "")


def _home(number: int) -> Condition:
    """Return the condition that so many runners of a seat stand on its goal."""

    def holds(position: Position, seat: int) -> bool:
        return len(position.in_goal(seat)) >= number

    return holds


CONDITIONS: Mapping[str, Condition] = {f"{number} on your goal": _home(number) for number in range(1, 6)}
