"""Lines over tiles as phones find them in the drawing alone, against those of the rules."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_host.games.drawing import layout_view
from firmware_host.games.octiles.octiles import Octiles
from tests.javascript.node import call

GAME = Octiles()

FIND = """({ Ways }, [layout, cases]) => {
  const ways = new Ways(layout);
  return cases.map(({ board, piece, seat }) => layout.wells.flatMap((well) => [...Array(8).keys()].flatMap((turn) =>
    ways.over(well, `${piece}r${turn}`, seat, board).map((line) => [`${well}r${turn}`, line.nodes]))));
}"""


def positions(mode: str) -> list[Any]:
    """Some positions from the start to nearly full boards, all of whose legal turns have been told."""
    rng, position = Random(int(mode)), GAME.start_with(mode, {"seed": int(mode)})
    found = []
    for turn in range(61):
        if GAME.status(position).over:
            break
        if turn % 6 == 0:
            found.append(position)
        seat = position.seat
        position = GAME.apply(position, {seat: GAME.random_action(position, seat, rng)}).position
    return found


def case(position: Any) -> dict[str, Any]:
    seat = position.seat
    return {
        "board": {node: list(stack) for node, stack in GAME.occupancy(position).items()},
        "piece": GAME.supply(position).piece,
        "seat": {"seat": seat, "plays": GAME.plays(position)[seat], "homes": list(GAME.homes(position.mode, seat))},
    }


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["2", "3", "4"])
def test_phones_find_every_line_that_the_rules_allow_and_no_other(mode: str) -> None:
    told = positions(mode)
    assert len(told) > 5
    found = call("shared/lines.js", FIND, [layout_view(GAME), [case(position) for position in told]])
    free = 0
    for position, lines in zip(told, found, strict=True):
        seen = {(laid, nodes[0], nodes[-1]) for laid, nodes in lines}
        legal = {(step.action.partition(":")[0], step.line[0], step.line[-1]) for step in GAME.steps(position)}
        ways = {(laid, *nodes) for laid, nodes in lines}
        assert {(step.action.partition(":")[0], *step.line) for step in GAME.steps(position)} <= ways
        if "takes a runner off" in GAME.prompt(position):
            assert legal <= seen, "who must leave his home side may not take every line"
        else:
            assert legal == seen
            free += 1
    assert free > 4
