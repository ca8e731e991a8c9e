"""The lessons of Spokes, and the conditions that they ask for; the source is spokes.md."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from firmware_host.games.lessons import Condition
from firmware_host.games.spokes.rules import HOMES, TEAMS, Position, stones_on

LESSONS = files(__package__ or "")


def _at_rest_with(number: int) -> Condition:
    """Return the condition that nothing moves any more and so many stones lie on a seat's homes."""

    def holds(position: Position, seat: int) -> bool:
        team = next(team for team in TEAMS[position.mode] if seat in team)
        return position.phase != "resolve" and stones_on(position.cells, HOMES[position.mode][team]) >= number

    return holds


CONDITIONS: Mapping[str, Condition] = {
    f"at rest with {number} on your homes": _at_rest_with(number) for number in range(1, 9)
}
