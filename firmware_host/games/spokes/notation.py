"""The texts of actions (formats.md, Spokes): placements read, and every action in words."""

from __future__ import annotations

import re

from firmware_host.games import naming
from firmware_host.games.game import BadAction
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import INDEX
from firmware_host.text.words import say

COLOURS = {"w": naming.WHITE, "b": naming.BLACK}
_PLACEMENT = re.compile(r"([wb])([A-D]?[0-9]{1,2})", re.ASCII)


def placement(action: str) -> tuple[str, str]:
    """Return the colour and the node of a placement. Raise BadAction for any other text."""
    match = _PLACEMENT.fullmatch(action)
    if match is None or match[2] not in INDEX:
        raise BadAction(
            say(
                "placement: expected a colour and a node such as {example}, got {given}",
                example="wD12",
                given=repr(action[:20]),
            )
        )
    return match[1], match[2]


def words(action: str) -> str:
    """Return a placement or a step in words."""
    if "+" in action:
        puller, pulled = action.split("+")
        return rules.pull_words(puller, pulled)
    if "/" in action:
        source, target = action.split("/")
        return say("excess of {source} moves to {target}", source=source, target=target)
    if "-" in action:
        pusher, pushed, target = action.split("-")
        return rules.push_words(pusher, pushed, target)
    colour, node = placement(action)
    return naming.put_on(COLOURS[colour], node)
