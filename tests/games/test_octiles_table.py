"""Octiles for hands, lights and the engine: steps, drawing, playouts, speed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from firmware_host.games.game import Step
from firmware_host.games.octiles import board
from firmware_host.games.octiles.board import ROWS_GAINED
from firmware_host.games.octiles.rules import Position
from firmware_host.services.engine import perft
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import GOOD, OCTILES, STACK, ask, positions
from tests.games.test_octiles_rules import NOBODY_MOVES

thorough = settings(max_examples=150, deadline=None)

# -- for hands and eyes ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@thorough
@given(positions())
def test_steps_are_the_actions_and_hands_that_do_them_leave_what_they_say(now: Position) -> None:
    steps: list[Step] = OCTILES.steps(now)
    assert [step.action for step in steps] == OCTILES.actions(now)[now.seat]
    for step in steps:
        assert step.words == OCTILES.words(step.action)
        transition = OCTILES.apply(now, {now.seat: step.action})
        assert dict(step.after) == dict(transition.placed) == dict(OCTILES.occupancy(transition.position))
        if step.action == "pass":
            assert step.moves == ()
            continue
        lying = dict(OCTILES.occupancy(now))
        for move in step.moves:
            if move.source is not None:
                assert lying.pop(move.source) == move.pieces
            if move.target is not None:
                assert move.target not in lying
                lying[move.target] = move.pieces
        assert lying == step.after
        _check_line(now, step)


def _check_line(now: Position, step: Step) -> None:
    """The light runs from the runner over wells that follow one another on the board, across the tile, to its end."""
    laid, ran = step.action.split(":")
    source, *wells, end = step.line
    assert f"{source}-{end}" == ran
    assert laid.split("r")[0] in wells
    state = slow.read(OCTILES.text(now))
    state.wells[laid.split("r")[0]] = (state.stack[0], int(laid.split("r")[1]))
    possible = [([well for well, _ in crossed], last) for crossed, last in slow.lines_from(state.wells, source)]
    assert (wells, end) in possible
    shorter = [crossed for crossed, last in possible if last == end and laid.split("r")[0] in crossed]
    assert len(wells) == min(map(len, shorter))


def test_the_drawing() -> None:
    layout = OCTILES.layout()
    assert len(layout.nodes) == 36 + 17
    assert layout.placeable == set(slow.EDGES)
    assert layout.nodes["c3"] == (0, 0)
    assert layout.nodes["B2"] == (-1.5, -1.5)
    assert layout.nodes["A4"] == (-2.8, 0)
    assert layout.nodes["F6"] == (2, 1.8)
    joined = {frozenset(line) for line in layout.lines}
    for well, edges in slow.EDGES.items():
        for beyond in edges:
            assert frozenset({well, beyond.split(".")[0]}) in joined
    assert len(joined) == len(layout.lines) == 52 + 20 + 24 + 4  # Four printed paths join wells that are neighbours.


def test_what_lies_where() -> None:
    lying = OCTILES.occupancy(OCTILES.parse(GOOD))
    assert (lying["b3"], lying["B3"], lying["E5"]) == (("12r5",), ("b",), ("y",))
    assert set(lying) == {"b3", "c1", "A1", "A2", "A3", "A4", "B3", "E5", "F2", "F3", "F4", "F5"}
    assert OCTILES.pieces["12r5"] == "tile 12, turned by 5 eighths"
    assert OCTILES.plays(OCTILES.parse(NOBODY_MOVES["4"])) == {1: "b", 2: "r", 3: "y", 4: "g"}
    lines = OCTILES.explain(OCTILES.parse(NOBODY_MOVES["3"]))
    assert [(line.seats, line.score) for line in lines] == [((1,), 4), ((2,), 3), ((3,), 4)]
    assert lines[1].counted == {"B1": 1, "C1": 1, "E1": 1}


# -- chance ----------------------------------------------------------------------------------------------------------


def test_rows_are_counted_towards_the_goal() -> None:
    assert ROWS_GAINED["blue"][board.NODE["A1"] * 36 + board.NODE["F2"]] == 5
    assert ROWS_GAINED["green"][board.NODE["C2"] * 36 + board.NODE["C4"]] == 2
    assert ROWS_GAINED["red"][board.NODE["B5"] * 36 + board.NODE["B2"]] == 3
    assert ROWS_GAINED["yellow"][board.NODE["B2"] * 36 + board.NODE["C2"]] == -1


# -- the engine ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_perft_and_playouts_by_the_engine() -> None:
    start = ask(do="start", mode="2", stack=STACK)["position"]
    first = slow.read(start)
    turns = slow.turns(first)
    assert ask(do="perft", position=start, depth=1)["count"] == len(turns)
    two = sum(len(slow.turns(slow.play(first, turn))) or 1 for turn in turns)
    assert ask(do="perft", position=start, depth=2)["count"] == two
    assert perft(OCTILES, OCTILES.parse(NOBODY_MOVES["2"]), 5) == 1, "two passes, and the game is over"
    wins = ask(do="playouts", position=start, count=40, seed=3)["wins"]
    assert set(wins) == {"1", "2"}
    assert wins == ask(do="playouts", position=start, count=40, seed=3)["wins"]
    assert sum(wins.values()) == 40


def test_the_engine_tells_the_end_and_refuses_after_it() -> None:
    over = GOOD.replace("A1,A2,A3,A4,B3;yellow:E5,F2,F3,F4,F5", "F2,F3,F4,F5,F6;yellow:B2,B3,B4,B5,E5")
    status = ask(do="status", position=over)
    assert (status["over"], status["reason"], status["winners"], status["scores"]) == (True, "goal", [1], [5, 0])
    assert ask(do="actions", position=over)["seats"] == {}
    assert ask(do="apply", position=over, action="pass")["error"]["code"] == "game_over"
    assert ask(do="outcomes", position=GOOD)["error"]["code"] == "bad_request"
    assert ask(do="apply", position=GOOD, action="b3r5:B3-E5")["error"]["code"] == "bad_action"
    assert ask(do="apply", position=GOOD, actions={"2": "pass"})["error"]["code"] == "bad_action"
