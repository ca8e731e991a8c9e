"""How well the levels of a sensor can be told apart, and whether they can at all."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.sensing.levels import HYSTERESIS, strengths
from hw.ports import NodeLevels

NAMES = ("nothing", "opposite stack", "stone", "like stack")
"""What lies there, from the weakest to the strongest."""


@dataclass(frozen=True)
class Margin:
    """Two neighbouring levels of one pole, and what lies between the threshold and what noise makes of either."""

    pole: str
    weaker: str
    stronger: str
    steps: float
    """Level steps to spare; below 0 one may be taken for the other."""


def margins(levels: NodeLevels, spread: int) -> list[Margin]:
    """Return all margins of a sensor whose readings stay within ``spread`` steps of their level.

    A threshold lies half way between two levels, and a reading must pass it by the hysteresis.
    """
    found = []
    for pole, strength in strengths(levels).items():
        for index, step in enumerate(strength.steps()):
            found.append(Margin(pole, NAMES[index], NAMES[index + 1], step / 2 - HYSTERESIS - spread))
    return found


def overlaps(levels: NodeLevels, spread: int) -> list[str]:
    """Return which levels of a sensor can't be told apart, in words."""
    poles = {"N": "north", "S": "south"}
    return [
        f"{one.weaker} and {one.stronger} ({poles[one.pole]}, {-one.steps:.0f} steps too close)"
        for one in margins(levels, spread)
        if one.steps < 0
    ]
