"""The margins between the levels of a sensor, and the levels that can't be distinguished."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.sensing.levels import HYSTERESIS, strengths
from hw.ports import NodeLevels

NAMES = ("nothing", "opposite stack", "stone", "like stack")
"""Names of the levels, from the weakest to the strongest."""


@dataclass(frozen=True)
class Margin:
    """Two neighbouring levels of one pole, and the margin between their noise and the threshold."""

    pole: str
    weaker: str
    stronger: str
    steps: float
    """Margin in level steps; below 0 one level may be taken for the other."""


def margins(levels: NodeLevels, spread: int) -> list[Margin]:
    """Return all margins of a sensor whose readings stay within ``spread`` steps of their level.

    A threshold is halfway between two levels, and a reading must exceed it by the hysteresis.
    """
    found = []
    for pole, strength in strengths(levels).items():
        for index, step in enumerate(strength.steps()):
            found.append(Margin(pole, NAMES[index], NAMES[index + 1], step / 2 - HYSTERESIS - spread))
    return found


def overlaps(levels: NodeLevels, spread: int) -> list[str]:
    """Return, in words, the pairs of levels that can't be distinguished."""
    poles = {"N": "north", "S": "south"}
    return [
        f"{one.weaker} and {one.stronger} ({poles[one.pole]}, {-one.steps:.0f} steps too close)"
        for one in margins(levels, spread)
        if one.steps < 0
    ]
