"""Coil by its rules, against a second telling of them, and as the table and the engine need it."""

from __future__ import annotations

import itertools
import json
import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.coil.board import SIZES, board
from firmware_host.games.coil.rules import Position, coil, ending, has_coil
from firmware_host.games.game import BadAction, BadPosition, GameError, GameOver
from firmware_host.games.registry import game
from firmware_host.services.engine import answer_line
from tests.games import coil_reference as slow
from tests.sampling import cases, few, together

COIL: Any = game("coil")
FLOWER = (
    "......./......../........./........../....bb...../....b.b...../.....bb....../............/"
    ".........../........../........./......../......."
)
sizes = st.sampled_from(list(SIZES))


def ask(**request: Any) -> Any:
    return json.loads(answer_line(json.dumps({"game": "coil", **request})))


def bits(size: int, cells: set[slow.Cell]) -> int:
    return sum(1 << board(size).numbers[slow.name(cell)] for cell in cells)


def position(*rows: str, rest: str = "main 2 1") -> Position:
    parsed: Position = COIL.parse(f"{'/'.join(rows)} {rest}")
    return parsed


# -- coils -----------------------------------------------------------------------------------------------------------


@together("size", SIZES)
def test_the_board_is_the_reference_s(size: int) -> None:
    cells = board(size)
    assert len(cells.cells) == 3 * size * (size - 1) + 1
    for cell in slow.cells(size):
        circle = [cells.names.get(other) for other in cells.circles[cells.numbers[slow.name(cell)]]]
        expected = [other and slow.name(other) for other in slow.circle(size, cell)]
        assert circle == expected


@pytest.mark.slow
@pytest.mark.parametrize("size", few(SIZES, 4))
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_stone_by_stone_a_coil_is_found_when_the_flood_finds_one(size: int, seed: int) -> None:
    order = list(slow.cells(size))
    Random(seed).shuffle(order)
    laid: set[slow.Cell] = set()
    for cell in order:
        laid.add(cell)
        found = has_coil(board(size), bits(size, laid))
        assert found == slow.flooded(size, laid)
        if found:
            return
    pytest.fail("a board full of black holds a coil")


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_on_small_boards_all_definitions_agree(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([3, 4]))
    black = data.draw(st.sets(st.sampled_from(slow.cells(size))))
    expected = slow.has_coil(size, black)
    assert slow.flooded(size, black) == expected
    assert has_coil(board(size), bits(size, black)) == expected


@settings(deadline=None)
@given(sizes, st.floats(0.3, 0.8), st.integers(0, 2**32))
def test_the_coil_shown_is_a_shortest_ring_round_something(size: int, share: float, seed: int) -> None:
    rng = Random(seed)
    cells = board(size)
    black = sum(bit for bit in cells.bits if rng.random() < share)
    ring = coil(cells, black)
    assert bool(ring) == has_coil(cells, black)
    if ring:
        assert len(set(ring)) == len(ring) >= 6
        for one, other in itertools.pairwise((*ring, ring[0])):
            assert cells.near[one] >> other & 1
        stones = sum(1 << cell for cell in ring)
        assert stones & ~black == 0
        assert has_coil(cells, stones)
        assert not any(has_coil(cells, stones ^ 1 << cell) for cell in ring)


def test_what_is_a_coil_and_what_is_none() -> None:
    empty = position("...", "....", ".....", "....", "...")
    assert empty.ending is None
    assert position("bb.", "b...", ".....", "....", "...").ending is None, "three that touch"
    assert position(".bb", ".b.b", "..bb.", "....", "...").ending == "coil", "round an empty cell"
    assert position(".bb", ".bwb", "..bb.", "....", "...").ending == "coil", "round a white stone"
    assert position(".bb", ".bbb", "..bb.", "....", "...").ending == "coil", "round a black stone"
    assert position(".ww", ".w.w", "..ww.", "....", "...").ending is None, "white loops mean nothing"
    assert position("b.b", "bbbb", ".....", "....", "...").ending is None, "a rim cell is never cut off"


# -- the game --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(sizes, st.integers(0, 2**32), st.integers(0, 40))
def test_random_games_follow_the_rules_to_the_end(size: int, seed: int, longest_contract: int) -> None:
    rng = Random(seed)
    now = COIL.start_with("2", {"size": size})
    for turn in itertools.count(1):
        assert COIL.parse(COIL.text(now)) == now
        assert hash(COIL.parse(COIL.text(now))) == hash(now)
        assert COIL.turn(now) == turn
        assert COIL.actor(now) == now.seat
        seat, phase, colour, taken = now.seat, now.phase, now.colour, COIL.occupancy(now)
        offered = COIL.actions(now)[seat]
        assert list(offered) == sorted({*board(size).numbers, *(["pass"] if phase == "contract" else [])} - set(taken))
        action = "pass" if phase == "contract" and turn > longest_contract else rng.choice(offered)
        done = COIL.apply(now, {seat: action})
        now = done.position
        assert done.status == COIL.status(now)
        assert done.placed == COIL.occupancy(now) == (taken if action == "pass" else {**taken, action: (colour,)})
        assert now.ending == ending(board(size), now.black, now.white)
        if now.ending:
            assert now.seat == seat, "who ended it keeps the turn"
            break
        assert now.seat == 3 - seat
    holder = now.holder
    expected = {"contract": 3 - seat, "main": holder if now.ending == "coil" else 3 - holder}[phase]
    assert done.status.winners == (expected,)
    assert COIL.parse(COIL.text(now)) == now
    assert COIL.turn(now) == turn
    assert COIL.actor(now) is None
    assert COIL.actions(now) == {}
    assert COIL.decision(now) is None
    with pytest.raises(GameOver):
        COIL.apply(now, {seat: "a1"})


def test_the_first_pass_makes_black_and_white_begins() -> None:
    start = COIL.start("2")
    at_once = COIL.apply(start, {1: "pass"}).position
    assert (at_once.seat, at_once.holder, at_once.phase) == (2, 1, "main")
    later = COIL.apply(COIL.apply(start, {1: "g7"}).position, {2: "pass"}).position
    assert (later.seat, later.holder) == (1, 2)
    assert COIL.occupancy(COIL.apply(later, {1: "g8"}).position) == {"g7": ("b",), "g8": ("w",)}


def test_a_coil_in_phase_one_loses_for_who_closes_it() -> None:
    open_flower = COIL.parse(f"{FLOWER.replace('bb....../', 'b......./', 1)} contract 2 -")
    closed = COIL.apply(open_flower, {2: "g7"})
    assert (closed.status.reason, closed.status.winners) == ("coil", (1,))
    assert set(COIL.coil(closed.position)) == {"e5", "e6", "f5", "f7", "g6", "g7"}
    assert [(line.seats, line.score, set(line.counted)) for line in COIL.explain(closed.position)] == [
        ((1,), 1, set(COIL.coil(closed.position))),
        ((2,), 0, set()),
    ]


def test_resigning_ends_the_game_at_once() -> None:
    for seat in (1, 2):
        done = COIL.resign(COIL.start("2"), seat)
        assert (done.status.over, done.status.reason, done.status.winners) == (True, "resigned", (3 - seat,))
        assert COIL.status(done.position) == done.status
        assert COIL.actor(done.position) is None
        with pytest.raises(GameOver):
            COIL.resign(done.position, 3 - seat)
    with pytest.raises(BadAction, match="seat"):
        COIL.resign(COIL.start("2"), 3)


@pytest.mark.parametrize(
    ("seat", "action", "words"),
    [
        (1, "g7", "turn of seat 2"),
        (2, "a1", "not empty"),
        (2, "a8", "cell"),
        (2, "pass", "while both put black stones"),
        (2, "", "cell"),
    ],
)
def test_refused_actions_say_why(seat: int, action: str, words: str) -> None:
    now = position("b..", "....", ".....", "....", "...")
    with pytest.raises(BadAction, match=words):
        COIL.check(now, seat, action)
    with pytest.raises(BadAction):
        COIL.apply(now, {seat: action})


@together(
    ("text", "words"),
    [
        ("", "4 fields"),
        (".../..../...../..../... main 2", "4 fields"),
        (".../..../...../..../...  main 2 1", "4 fields"),
        ("../.../.. main 2 1", "rows: expected 3 to 10"),
        (".../..../...../.... main 2 1", "rows: expected 5 rows"),
        (".../..../..../..../... main 2 1", "rows: row 3"),
        ("..x/..../...../..../... main 2 1", "rows: row 1"),
        (".../..../...../..../... play 2 1", "phase"),
        (".../..../...../..../... main 3 1", "seat"),
        (".../..../...../..../... main 2 -", "black: expected 1 or 2"),
        (".../..../...../..../... contract 2 1", "black: expected '-'"),
        ("..w/..../...../..../... contract 2 -", "no white stone"),
    ],
)
def test_positions_that_do_not_parse_name_the_field(text: str, words: str) -> None:
    with pytest.raises(BadPosition, match=words):
        COIL.parse(text)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_white_can_t_lose_any_more_exactly_when_black_can_t_close_anything(seed: int) -> None:
    rng = Random(seed)
    now = COIL.apply(COIL.start_with("2", {"size": 3}), {1: "pass"}).position
    while not now.ending:
        empty = {cell for cell in slow.cells(3) if slow.name(cell) not in COIL.occupancy(now)}
        black = {cell for cell in slow.cells(3) if COIL.occupancy(now).get(slow.name(cell)) == ("b",)}
        decision = COIL.decision(now)
        assert (decision.winner if decision else None) == (None if slow.has_coil(3, black | empty) else 2)
        now = COIL.apply(now, {now.seat: COIL.random_action(now, now.seat, rng)}).position


# -- for the table ---------------------------------------------------------------------------------------------------


def test_layout_is_a_hexagon_of_cells_one_unit_apart() -> None:
    layout = COIL.layout()
    assert list(layout.nodes)[:8] == ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1"]
    assert len(layout.nodes) == 127
    assert len(layout.lines) == 342
    assert layout.nodes["g7"] == (0.0, 0.0)
    assert layout.nodes["a1"] == pytest.approx((-3, 3 * math.sqrt(3)))
    assert layout.placeable == set(layout.nodes)
    for one, other in layout.lines:
        assert math.dist(layout.nodes[one], layout.nodes[other]) == pytest.approx(1)


def test_steps_are_one_stone_each_and_the_pass_is_none() -> None:
    start = COIL.start("2")
    steps = {step.action: step for step in COIL.steps(start)}
    assert list(steps) == COIL.actions(start)[1]
    assert steps["pass"].moves == ()
    assert steps["pass"].after == {}
    assert steps["g7"].after == {"g7": ("b",)}
    assert steps["g7"].words == "black on g7"
    assert [(move.pieces, move.source, move.target) for move in steps["g7"].moves] == [(("b",), None, "g7")]
    main = COIL.apply(start, {1: "pass"}).position
    for step in COIL.steps(main):
        assert step.after == COIL.occupancy(COIL.apply(main, {2: step.action}).position)
        assert step.touches == {step.action}
    assert COIL.steps(COIL.resign(main, 1).position) == []


# -- chance and the engine -------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    cases(
        [
            ".../..../...../..../... contract 1 -",
            ".../.bb./.b.../..../... contract 2 -",
            ".../..../...../..../... main 2 1",
            "b../.bb./.b.w./...w/... main 1 1",
        ],
        ".../.bb./.b.../..../... contract 2 -",
    ),
)
def test_playouts_end_as_often_in_each_way_as_games_stone_by_stone(text: str) -> None:
    rng, count = Random(5), 4000
    start = COIL.parse(text)
    fast: dict[object, int] = {}
    plain: dict[object, int] = {}
    for _ in range(count):
        status = COIL.playout(start, rng)
        fast[status] = fast.get(status, 0) + 1
        now = start
        while not now.ending:
            now = COIL.apply(now, {now.seat: rng.choice(COIL.actions(now)[now.seat])}).position
        status = COIL.status(now)
        plain[status] = plain.get(status, 0) + 1
    for status in fast.keys() | plain.keys():
        share = (fast.get(status, 0) + plain.get(status, 0)) / (2 * count)
        spread = math.sqrt(2 * share * (1 - share) / count)
        assert abs(fast.get(status, 0) - plain.get(status, 0)) / count < 4.5 * spread + 1e-9, status


@pytest.mark.thorough
def test_playouts_end_as_often_as_those_of_flat_lists() -> None:
    rng, count = Random(6), 3000
    main = COIL.apply(COIL.start("2"), {1: "pass"}).position
    lists, every = slow.FlatLists(7), list(range(127))
    fast = sum(COIL.playout(main, rng).winners == (1,) for _ in range(count))
    flat = sum(lists.playout([], every, rng, contract=False, blacks_turn=False) for _ in range(count))
    assert abs(fast - flat) / count < 0.05
    ended = [lists.playout([], every, rng, contract=True, blacks_turn=False) for _ in range(count)]
    assert abs(ended.count(2) - ended.count(3)) / count < 0.1


def test_a_playout_of_a_game_that_is_over_is_its_result() -> None:
    for now in (COIL.parse(f"{FLOWER} contract 2 -"), COIL.parse(f"{FLOWER} main 2 1")):
        assert COIL.playout(now, Random(1)) == COIL.status(now)
    resigned = COIL.resign(COIL.start("2"), 1)
    assert COIL.playout(resigned.position, Random(1)) == resigned.status


@together("size", SIZES)
def test_the_engine_starts_and_plays_every_size(size: int) -> None:
    start = ask(do="start", size=size)["position"]
    assert len(start.split("/")[0]) == size
    cells = 3 * size * (size - 1) + 1
    assert ask(do="perft", position=start, depth=2)["count"] == cells * cells + cells
    answer = ask(do="playouts", position=start, count=30, seed=1)
    assert sum(answer["wins"].values()) == 30
    assert answer["wins"] == ask(do="playouts", position=start, count=30, seed=1)["wins"]


@pytest.mark.parametrize("size", [2, 11, "7", None, True, 7.0, [7]])
def test_the_engine_refuses_other_sizes(size: object) -> None:
    error = ask(do="start", size=size)["error"]
    assert error["code"] == "bad_request"
    assert "size: expected a whole number from 3 to 10" in error["message"]


def test_only_games_that_know_a_size_take_one() -> None:
    error = ask(do="start", game="spokes", size=7)["error"]
    assert error == {"code": "bad_request", "message": "size: Spokes does not know this field"}


def test_modes() -> None:
    assert COIL.seats("2") == (1, 2)
    assert COIL.teams("2") == ((1,), (2,))
    with pytest.raises(GameError, match="mode"):
        COIL.start("4")
