"""Positions of Phalanx that are set up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from firmware_host.games.game import BadPosition, Occupancy
from firmware_host.games.phalanx import notation, rules
from firmware_host.games.phalanx.board import BIT, GOAL, HOPLITES, NODE, SIDES, members
from firmware_host.games.phalanx.rules import Options, Position
from firmware_host.games.plain import PlainWithOptions
from firmware_host.link.set_up import SetUpChoice, who_acts
from firmware_host.text.words import say

HIGHEST = 1
FIRST = {"b": 3, "w": 4}
"""The number of the turn with which a side begins: none of the first two, which may have fewer actions or more."""


def choices(mode: str) -> Sequence[SetUpChoice]:  # noqa: ARG001 - there is one mode
    """Return the sides."""
    return [who_acts({"1": say("Black"), "2": say("White")})]


def position(
    game: PlainWithOptions[Position, Options],
    mode: str,  # noqa: ARG001 - there is one mode
    lying: Occupancy,
    chosen: Mapping[str, str],
    rng: Random,  # noqa: ARG001 - nothing is hidden
) -> Position:
    """Return the position in which these pieces lie. Raise BadPosition."""
    side = SIDES[int(chosen["seat"]) - 1]
    points = {one: sum(BIT[node] for node, stack in lying.items() if stack == (one,)) for one in SIDES}
    for found in points.values():
        _check(found)
    if not all(points.values()):
        raise BadPosition(say("each side has one hoplite beside another at least"))
    turn = FIRST[side]
    start = Position((points["b"], points["w"]), side, game.chosen.allowance(turn), turn)
    return notation.parse(notation.text(start), game.chosen)


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
