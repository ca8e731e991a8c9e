"""The section ``[calibration]`` of a board file: the measured levels of each linear sensor."""

from __future__ import annotations

from collections.abc import Collection

from firmware_host.boardfile.checks import Checks
from hw.ports import NodeLevels

SECTION = "calibration"
LEVELS = ("rest", "north", "south", "stack")


def read_calibration(checks: Checks, nodes: Collection[str]) -> dict[str, NodeLevels]:
    """Return node → measured levels; record mistakes in ``checks``."""
    found: dict[str, NodeLevels] = {}
    for name, entry in checks.section(SECTION, needed=False).items():
        if name not in nodes:
            checks.wrong(SECTION, name, f"{SECTION}: {name!r:.60} is not among the nodes")
        elif not isinstance(entry, dict):
            checks.wrong(SECTION, name, f"{name}: expected {{ {', '.join(LEVELS)} }}, got {entry!r:.60}")
        else:
            checks.known(SECTION, entry, (*LEVELS, "stacks"), name)
            before = len(checks.mistakes)
            rest, north, south, stack = (checks.whole(SECTION, entry, key, 0, 255, line=name) for key in LEVELS)
            stacks = entry.get("stacks", True)
            if not isinstance(stacks, bool):
                checks.expected(SECTION, entry, "stacks", "true or false", name)
            if len(checks.mistakes) == before:
                levels = NodeLevels(rest, north, south, stack, stacks)
                _check_order(checks, name, levels)
                found[name] = levels
    return found


def _check_order(checks: Checks, name: str, levels: NodeLevels) -> None:
    """Check that opposite poles move the level in opposite directions, and a stack no further than a stone."""
    low, high = sorted((levels.south, levels.north))
    if not low < levels.rest < high:
        checks.wrong(
            SECTION,
            name,
            f"{name}: expected rest between south and north, got {levels.south}, {levels.rest}, {levels.north}",
        )
    elif not min(levels.rest, levels.north) <= levels.stack <= max(levels.rest, levels.north):
        checks.wrong(
            SECTION,
            name,
            f"{name}: expected stack between rest and north, got {levels.rest}, {levels.stack}, {levels.north}",
        )
