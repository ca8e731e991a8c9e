"""Octiles for hands, lights and the engine: steps, drawing, playouts, speed."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, Step
from firmware_host.games.octiles import board, notation, rules, ways
from firmware_host.games.octiles.playout import GAIN, Race, at_random, greedily
from firmware_host.games.octiles.position import Position
from firmware_host.services.engine import perft
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import GOOD, OCTILES, STACK, ask, positions, wandered
from tests.games.test_octiles_rules import NOBODY_MOVES, there_and_back

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
    assert OCTILES.pieces["12r5"] == "tile 12, turned 5/8"
    assert OCTILES.plays(OCTILES.parse(NOBODY_MOVES["4"])) == {1: "b", 2: "r", 3: "y", 4: "g"}
    lines = OCTILES.explain(OCTILES.parse(NOBODY_MOVES["3"]))
    assert [(line.seats, line.score) for line in lines] == [((1,), 4), ((2,), 3), ((3,), 4)]
    assert lines[1].counted == {"B1": 1, "C1": 1, "E1": 1}


# -- chance ----------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_playouts_go_on_as_the_game_does(now: Position, seed: int) -> None:
    rng = Random(seed)
    race = Race(now)
    for _ in range(60):
        offered = rules.offer(now)
        assert race.turns() == sorted(offered.turns)
        turn = (at_random if rng.random() < 0.5 else greedily)(race, rng)
        action = "pass" if turn is None else notation.text(ways.code(turn))
        done = OCTILES.apply(now, {now.seat: action})
        ended = race.play(turn)
        assert (ended is not None) == done.status.over
        if ended:
            assert (ended.reason, ended.winners) == (done.status.reason, done.status.winners)
            return
        now = done.position
        assert race.seat + 1 == now.seat


def test_playouts_know_the_past_of_the_position_that_they_begin_in() -> None:
    """R3: one turn before the third time, that turn ends them."""
    now, cycle = there_and_back()
    for action in (cycle * 2)[:7]:
        now = OCTILES.apply(now, {now.seat: action}).position
    for action in OCTILES.actions(now)[now.seat]:
        ended = Race(now).play(notation.parse(action))
        status = OCTILES.apply(now, {now.seat: action}).status
        assert (ended is not None) == status.over
        assert status.over == (action == cycle[3])


def test_playouts_see_draws() -> None:
    for text in NOBODY_MOVES.values():
        assert OCTILES.playout(OCTILES.parse(text), Random(1)).reason == "draw"
        assert OCTILES.greedy_playout(OCTILES.parse(text), Random(1)).reason == "draw"


@pytest.mark.parametrize("mode", "234")
def test_drawn_turns_are_all_equally_likely(mode: str) -> None:
    now = wandered(Random(8), mode, 40)
    turns = rules.offer(now).turns
    rng, race, each = Random(3), Race(now), 60
    drawn = Counter(ways.code(turn) for turn in (at_random(race, rng) for _ in range(each * len(turns))) if turn)
    assert set(drawn) == turns
    chi = sum((drawn[turn] - each) ** 2 / each for turn in turns)
    assert abs(chi - len(turns)) < 5 * (2 * len(turns)) ** 0.5


@pytest.mark.slow
def test_a_runner_with_two_lines_to_one_end_is_not_drawn_twice_as_often() -> None:
    """The table of lines from one node holds such pairs: without counting them once, they would stand out."""
    rng, checked = Random(21), 0
    while checked < 3:
        now = wandered(rng, "2", 60)
        doubled = _doubled(now)
        if not doubled:
            continue
        checked += 1
        turns, race, each = rules.offer(now).turns, Race(now), 100
        drawn = Counter(ways.code(turn) for turn in (at_random(race, rng) for _ in range(each * len(turns))) if turn)
        share = sum(drawn[turn] for turn in doubled) / len(doubled)
        assert abs(share - each) < 5 * (each / len(doubled)) ** 0.5


def _doubled(now: Position) -> list[int]:
    """Return the codes of legal turns that two lines give."""
    found = []
    for code in sorted(rules.offer(now).turns):
        well, eighths, source, target = ways.decode(code)
        faces = list(now.faces)
        faces[well] = now.stack[0] * 8 + eighths
        lines = [ways.line(ways.ways(faces), edge) for edge in board.MEETS[source]]
        ending = [line for line in lines if line[-1] == board.FIRST_NODE + target]
        if len([line for line in ending if any(edge // 8 == well for edge in line[:-1])]) > 1:
            found.append(code)
    return found


def test_greedy_turns_bring_a_runner_on_the_furthest() -> None:
    assert GAIN["blue"][board.NODE["A1"] * 36 + board.NODE["F2"]] == 5
    assert GAIN["green"][board.NODE["C2"] * 36 + board.NODE["C4"]] == 2
    assert GAIN["red"][board.NODE["B5"] * 36 + board.NODE["B2"]] == 3
    assert GAIN["yellow"][board.NODE["B2"] * 36 + board.NODE["C2"]] == -1
    now = wandered(Random(9), "4", 30)
    best = max(GAIN[now.side][turn % 36**2] for turn in rules.offer(now).turns)
    for seed in range(5):
        turn = notation.parse(OCTILES.greedy_action(now, now.seat, Random(seed)))
        assert turn is not None
        assert GAIN[now.side][ways.code(turn) % 36**2] == best
    with pytest.raises(BadAction):
        OCTILES.greedy_action(now, now.seat % 4 + 1, Random(0))


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
