"""Positions of Phalanx that are set up by hand."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.game import BadPosition, Occupancy
from firmware_host.games.phalanx import notation, rules
from firmware_host.games.phalanx.board import BIT, GOAL, HOPLITES, NODE, SIDES, members
from firmware_host.games.phalanx.rules import Options, Position
from firmware_host.games.setting_up import SetUpChoice, who_acts
from firmware_host.text.words import say

FIRST = {"b": 3, "w": 4}
"""The number of the turn with which a side begins: none of the first two, which may have fewer actions or more."""


def choices() -> Sequence[SetUpChoice]:
    """Return the sides."""
    return [who_acts({"1": say("Black"), "2": say("White")})]


def position(lying: Occupancy, seat: int, options: Options) -> Position:
    """Return the position. Raise BadPosition."""
    side = SIDES[seat - 1]
    points = {one: sum(BIT[node] for node, stack in lying.items() if stack == (one,)) for one in SIDES}
    for found in points.values():
        _check(found)
    if not all(points.values()):
        raise BadPosition(say("each side has one hoplite beside another at least"))
    turn = FIRST[side]
    start = Position((points["b"], points["w"]), side, options.allowance(turn), turn)
    return notation.parse(notation.text(start), options)


def _check(points: int) -> None:
    if points.bit_count() > HOPLITES:
        raise BadPosition(
            say("there are {count} hoplites of a side, but only {most} in the box",
                count=points.bit_count(), most=HOPLITES)
        )  # fmt: skip
    for goal in GOAL.values():
        if points & BIT[goal]:
            raise BadPosition(say("{node} is a goal: whoever stands there has won already", node=goal))
    alone = next(iter(members(points & ~rules.survivors(points))), None)
    if alone is not None:
        raise BadPosition(say("the hoplite on {node} stands alone: it is dead", node=NODE[alone]))
