"""Phalanx for hands, lights and the engine: steps, layout, words, options, counts."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, Step
from firmware_host.games.phalanx import board
from firmware_host.games.phalanx.board import GOAL
from firmware_host.games.phalanx.rules import Position
from firmware_host.services.engine import answer_line, perft
from tests.games import phalanx_reference as slow
from tests.games.phalanx_positions import PHALANX, START, positions

thorough = settings(max_examples=150, deadline=None)


@thorough
@given(positions())
def test_steps_are_the_actions_and_hands_that_do_them_leave_what_they_say(now: Position) -> None:
    steps: list[Step] = PHALANX.steps(now)
    assert [step.action for step in steps] == PHALANX.actions(now)[now.seat]
    for step in steps:
        lying = dict(PHALANX.occupancy(now))
        for move in step.moves:
            if move.source is not None:
                assert lying.pop(move.source) == move.pieces
            if move.target is not None:
                assert move.target not in lying
                lying[move.target] = move.pieces
        assert lying == step.after
        assert step.touches == {n for move in step.moves for n in (move.source, move.target) if n is not None}
        assert step.words == PHALANX.words(step.action)
        transition = PHALANX.apply(now, {now.seat: step.action})
        on_goal = set(step.after) & set(
            GOAL.values()
        )  # R2: pushed there, it is dead, and may lie there until it is off.
        assert on_goal <= step.removed
        assert transition.placed == {node: stack for node, stack in step.after.items() if node not in on_goal}
        left = {node: stack for node, stack in transition.placed.items() if node not in transition.removed}
        assert left == PHALANX.occupancy(transition.position)
        assert set(transition.removed) <= set(step.after)


@thorough
@given(positions())
def test_a_push_moves_the_line_by_one_and_only_then(now: Position) -> None:
    here = PHALANX.occupancy(now)
    for step in PHALANX.steps(now):
        if ">" not in step.action:
            assert len(step.moves) <= 1, "only a push moves more than one hoplite"
            assert all(here.get(n) == step.after.get(n) for n in here if n not in step.touches)
            continue
        rear, way = step.action.split(">")
        line, point = [], rear
        while point in here:
            line.append(point)
            point = slow.go(point, way) or "off"
        colours = [here[point][0] for point in line]
        own, opposing = colours.count(now.side), colours.count(board.OTHER[now.side])
        assert 0 < opposing < own
        assert colours == [now.side] * own + [board.OTHER[now.side]] * opposing
        landing = slow.go(line[-1], way)
        expected = {node: stack for node, stack in here.items() if node not in line}
        for node, colour in zip([*line[1:], landing], colours, strict=True):
            if node is not None and node not in board.GOAL.values():
                expected[node] = (colour,)
        assert step.after == expected
        assert [move.source for move in step.moves] == line[::-1], "from the front one on, so that a point is free"


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_playouts_end_as_their_seed_says(seed: int) -> None:
    one, other = (PHALANX.playout(PHALANX.start("2"), Random(seed)) for _ in range(2))
    assert one == other
    assert one.over


def test_layout_is_a_grid_whose_goals_nobody_places_on() -> None:
    layout = PHALANX.layout()
    assert list(layout.nodes) == slow.on_board()
    assert (layout.nodes["A9"], layout.nodes["E5"], layout.nodes["J1"]) == ((-4, 4), (0, 0), (4, -4))
    assert len(set(map(frozenset, layout.lines))) == 144
    assert all(other in slow.around(one) for one, other in layout.lines)
    assert set(layout.nodes) - layout.placeable == {"A9", "J1"}


def test_explain_homes_and_words() -> None:
    start = PHALANX.start("2")
    assert [(line.seats, line.score, set(line.counted)) for line in PHALANX.explain(start)] == [
        ((1,), 4, {"G3", "H3", "G2", "H2"}),
        ((2,), 4, {"B8", "C8", "B7", "C7"}),
    ]
    assert (PHALANX.homes("2", 1), PHALANX.homes("2", 2)) == (("A9",), ("J1",))
    told = ["a hoplite on D8", "B8 to D8", "the line from B7 pushes towards C7", "end the turn"]
    assert [PHALANX.words(action) for action in ("+D8", "B8-D8", "B7>e", "end")] == told
    with pytest.raises(BadAction):
        PHALANX.words("E9>q")


def test_the_engine_takes_the_option_and_refuses_others() -> None:
    def ask(**request: Any) -> Any:
        return json.loads(answer_line(json.dumps({"game": "phalanx", "position": START, **request})))

    bonus = {"second_player_bonus": True}
    assert ask(do="apply", action="end", rules=bonus)["position"].endswith(" w 4 2")
    assert ask(do="apply", action="end", rules={"second_player_bonus": False})["position"].endswith(" w 3 2")
    fourth = f"{START.split(maxsplit=1)[0]} w 4 2"
    assert ask(do="actions", position=fourth)["error"]["code"] == "bad_position"
    assert len(ask(do="actions", position=fourth, rules=bonus)["seats"]["2"]) == 33
    assert "it has second_player_bonus" in ask(do="actions", rules={"magic": True})["error"]["message"]
    assert ask(do="playouts", count=3, rules=bonus)["ok"]


@pytest.mark.slow
def test_perft_is_the_references() -> None:
    def leaves(text: str, depth: int) -> int:
        now = slow.after(text)
        return len(now) if depth == 1 else sum(1 if won else leaves(rest, depth - 1) for rest, won in now.values())

    near_the_end = "9/3w5/1bbw5/1bb6/9/6b2/6bb1/7b1/9 b 1 11"
    for text in (START, near_the_end):
        assert perft(PHALANX, PHALANX.parse(text), 2) == leaves(text, 2)


@pytest.mark.thorough
def test_perft_of_three_actions_is_the_references() -> None:
    assert perft(PHALANX, PHALANX.parse(START), 3) == 41339
