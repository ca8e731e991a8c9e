"""Octiles: properties, differential tests against the slow reference, and each ruling by name."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.octiles import board
from firmware_host.games.octiles.rules import Position
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import OCTILES, greedy_action, positions, scattered, wandered

thorough = settings(max_examples=150, deadline=None)

NOBODY_MOVES = {
    "2": "- blue:A1,B2,B3,C4,C5;yellow:A2,A3,A4,B4,E2 18,6,13,10,3,9,5,8,1,11,15,14,17,7,4,2,16,12 2 1",
    "3": "b5:9r6,d1:12r7,d3:15r3 blue:A1,F2,F3,F4,F5;red:A6,B1,C1,D6,E1;yellow:A2,A3,A4,A5,F6 "
    "5,6,14,8,11,3,13,2,17,1,4,7,16,18,10 3 1",
    "4": "c3:5r5,e4:13r1 blue:A3,B4,B5,F2;red:A6,B2,C1,D1;yellow:E3,E5,F3,F4;green:B1,C4,E4,E6 "
    "18,11,4,9,3,14,12,6,7,2,16,10,15,17,1,8 4 1",
}


def at(text: str) -> Position:
    position: Position = OCTILES.parse(text)
    return position


def play(now: Position, *actions: str) -> Any:
    """Return the transition of the last of some actions."""
    transition = None
    for action in actions:
        transition = OCTILES.apply(now, {now.seat: action})
        now = transition.position
    return transition


def slowly(now: Position) -> slow.State:
    return slow.read(OCTILES.text(now))


# -- turns -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@thorough
@given(positions())
def test_legal_turns_are_those_of_the_reference(now: Position) -> None:
    expected = sorted(slow.turns(slowly(now))) or ["pass"]
    assert dict(OCTILES.actions(now)) == {now.seat: expected}


@pytest.mark.slow
@thorough
@given(positions(), st.integers(0, 2**32))
def test_every_turn_offered_can_be_played_and_no_other(now: Position, seed: int) -> None:
    rng = Random(seed)
    offered = OCTILES.actions(now)[now.seat]
    for action in rng.sample(offered, min(12, len(offered))):
        OCTILES.check(now, now.seat, action)
        done = OCTILES.apply(now, {now.seat: action})
        expected = slow.play(slowly(now), action)
        won = slow.won(slow.State(**{**vars(expected), "seat": now.seat}))
        if done.status.reason == "draw":
            expected.seat = now.seat
            again = [key for key in now.past if key[:3] == done.position.key[:3]]
            assert len(now.passed) == len(now.runners) - 1 or len(again) >= 2
        assert OCTILES.text(done.position) == slow.write(expected)
        assert done.status == OCTILES.status(done.position)
        assert done.status.over == (won or done.status.reason == "draw")
        assert done.placed == OCTILES.occupancy(done.position)
        assert not done.removed
    for _ in range(60):
        well, turn = rng.choice(board.WELLS), rng.randrange(8)
        runner = board.NODES[rng.choice([*now.runners[now.seat - 1], rng.randrange(36)])]
        action = f"{well}r{turn}:{runner}-{rng.choice(board.NODES)}"
        if action not in offered:
            with pytest.raises(BadAction, match=r"^action: (?!None)"):
                OCTILES.check(now, now.seat, action)
    if "pass" not in offered:
        with pytest.raises(BadAction, match="R1"):
            OCTILES.apply(now, {now.seat: "pass"})


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.sampled_from("234"), st.integers(0, 2**32))
def test_random_games_follow_the_reference_to_the_end(mode: str, seed: int) -> None:
    rng = Random(seed)
    now = OCTILES.start_with(mode, {"seed": seed})
    state = slowly(now)
    for number in itertools.count(1):
        assert len(now.stack) >= 1, "the stack never empties"
        assert sorted([*now.stack, *(face // 8 for face in now.faces if face)]) == list(range(1, 19))
        assert OCTILES.turn(now) == number
        offered = OCTILES.actions(now)[now.seat]
        if number % 10 == 0:
            assert list(offered) == (sorted(slow.turns(state)) or ["pass"])
        action = greedy_action(now, now.seat, rng) if rng.random() < 0.5 else rng.choice(offered)
        assert action in offered
        done = play(now, action)
        state = slow.play(state, action)
        if done.status.reason == "draw":
            state.seat = now.seat
        assert OCTILES.text(done.position) == slow.write(state)
        if done.status.over:
            assert done.status.winners == (() if done.status.reason == "draw" else (now.seat,))
            assert slow.won(state) == (done.status.reason == "goal")
            assert OCTILES.actor(done.position) is None
            assert OCTILES.actions(done.position) == {}
            with pytest.raises(GameOver):
                OCTILES.apply(done.position, {now.seat: action})
            break
        now = done.position


def test_two_lines_of_one_runner_to_one_end_are_one_action() -> None:
    """All eight turnings of the tile that looks the same are actions of their own, lines are not."""
    now = at("- blue:A1,A2,A3,A4,A5;yellow:F2,F3,F4,F5,F6 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18 2 1")
    offered = OCTILES.actions(now)[1]
    assert len(offered) == len(set(offered))
    assert {action[:4] for action in offered if action.startswith("a3")} == {f"a3r{turn}" for turn in range(8)}


def test_vacate_rule() -> None:
    """With all home pads occupied, by anybody, a runner must leave one of them, if one can."""
    bound = at("- blue:A1,A2,A3,B4,C4;yellow:A4,A5,E4,F2,F3 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18 2 1")
    loose = at("- blue:A1,A2,A3,B4,C4;yellow:A4,E4,E5,F2,F3 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18 2 1")
    offered = OCTILES.actions(bound)[1]
    assert offered
    assert {action.split(":")[1][:2] for action in offered} <= {"A1", "A2", "A3"}
    assert "all pads" in OCTILES.prompt(bound)
    freely = OCTILES.actions(loose)[1]
    assert set(offered) < set(freely)
    assert "all pads" not in OCTILES.prompt(loose)
    barred = next(action for action in freely if ":B4-" in action)
    with pytest.raises(BadAction, match="home pads of blue are taken"):
        OCTILES.check(bound, 1, barred)


@pytest.mark.thorough
def test_vacate_rule_binds_nobody_who_cannot_follow_it() -> None:
    rng, bound, free = Random(5), 0, 0
    for _ in range(150):
        state = scattered(rng, "2", rng.randint(4, 17))
        side, other = state.side, slow.SIDES["2"][2 - state.seat]
        own, *theirs = rng.sample(slow.HOME[side], 5)
        stops = rng.sample(slow.STOPS, 5)
        state.runners = {side: sorted([own, *stops[:4]]), other: sorted([*theirs, stops[4]])}
        offered = OCTILES.actions(at(slow.write(state)))[state.seat]
        assert offered == (sorted(slow.turns(state)) or ["pass"])
        leaving = [action for action in offered if f":{own}-" in action]
        assert leaving in ([], offered)
        bound += bool(leaving)
        free += not leaving and offered != ["pass"]
    assert bound > 20
    assert free > 20


@pytest.mark.parametrize("mode", "234")
def test_r1_r2_when_all_in_a_row_had_to_pass_the_game_is_a_draw(mode: str) -> None:
    now = at(NOBODY_MOVES[mode])
    top = now.stack
    for seat in range(1, int(mode)):
        assert now.seat == seat
        assert OCTILES.actions(now) == {seat: ["pass"]}
        assert OCTILES.prompt(now).endswith(": pass")
        done = play(now, "pass")
        assert not done.status.over
        now = done.position
        assert now.stack == top, "the tile stays on top for the next player"
    done = play(now, "pass")
    assert (done.status.over, done.status.reason, done.status.winners) == (True, "draw", ())
    assert done.position.seat == now.seat, "who ended it keeps the turn"
    assert OCTILES.actions(done.position) == {}


def test_r2_counts_passes_in_a_row_only() -> None:
    now = at(NOBODY_MOVES["2"])
    passed = play(now, "pass").position
    assert passed.passed == (1,)
    rng = Random(2)
    while True:  # Somebody who must pass before somebody who must not.
        state = scattered(rng, "2", rng.randint(0, 4))
        if not slow.turns(state) and slow.turns(slow.play(state, "pass")):
            break
    between = play(at(slow.write(state)), "pass").position
    after = play(between, OCTILES.actions(between)[between.seat][0])
    assert after.status.over or after.position.passed == ()


def test_r3_the_same_position_for_the_third_time_is_a_draw() -> None:
    now, cycle = there_and_back()
    begun = OCTILES.text(now)
    for number, action in enumerate(cycle * 2, 1):
        done = play(now, action)
        assert done.status.over == (number == 8)
        now = done.position
        if number == 4:
            assert OCTILES.text(now) == begun
    assert (done.status.reason, done.status.winners) == ("draw", ())
    assert now.seat == 2, "who ended it keeps the turn"
    assert OCTILES.actions(now) == {}
    assert OCTILES.text(now).replace("2 2", "2 1") == begun


def there_and_back() -> tuple[Position, list[str]]:
    """Return a position and four turns that lead back to it: two tiles change places, two runners go and return."""
    rng = Random(11)
    while True:
        state = scattered(rng, "2", 17)
        state.seat = 1
        now = at(slow.write(state))
        for action in OCTILES.actions(now)[1]:
            laid, ran = action.split(":")
            source, end = ran.split("-")
            if source == end or not {source, end} <= set(slow.STOPS):
                continue
            well = laid.split("r")[0]
            old = state.wells[well][1]
            second = play(now, action).position
            for answer in OCTILES.actions(second)[2]:
                there, back = answer.split(":")[1].split("-")
                if not answer.startswith(f"{well}r{old}:") or there == back or not {there, back} <= set(slow.STOPS):
                    continue
                cycle = [action, answer, f"{laid}:{end}-{source}", f"{well}r{old}:{back}-{there}"]
                third = play(second, answer).position
                if cycle[2] in OCTILES.actions(third)[1]:
                    fourth = play(third, cycle[2]).position
                    if cycle[3] in OCTILES.actions(fourth)[2]:
                        return now, cycle


def test_what_cannot_be_undone_begins_the_past_anew() -> None:
    now, cycle = there_and_back()
    for action in cycle:
        now = play(now, action).position
    assert len(now.past) == 4
    for action in OCTILES.actions(now)[1]:
        done = play(now, action)
        if done.status.over:
            continue
        source, end = action.split(":")[1].split("-")
        assert (done.position.past == ()) == ({source, end} & set(slow.PADS) != set())


def test_a_covered_tile_goes_to_the_bottom_of_the_stack_after_the_move() -> None:
    now = wandered(Random(4), "2", 30)
    for action in OCTILES.actions(now)[now.seat]:
        well = board.WELL[action[:2]]
        after = play(now, action).position
        covered = now.faces[well] // 8
        assert after.stack == now.stack[1:] + ((covered,) if covered else ())


def test_goal_is_checked_for_the_mover_and_ranks_the_others() -> None:
    before = (
        "a2:14r4,a3:6r2,b2:11r4,b3:4r6,b4:12r6,c3:16r6,c4:10r6,d2:18r1,d3:13r5,d4:15r0,e3:3r4,e4:7r4 "
        "blue:E3,F2,F4,F5,F6;yellow:A1,A2,A3,A4,B3 1,17,5,8,2,9 2 2"
    )
    done = play(at(before), "a3r4:B3-A5")
    assert (done.status.over, done.status.reason, done.status.winners) == (True, "goal", (2,))
    assert done.status.scores == (4, 5)
    again = at(OCTILES.text(done.position))
    assert OCTILES.status(again) == done.status, "the text tells it, too"
    assert OCTILES.homes("2", 2) == board.HOMES["blue"]


def test_who_resigns_is_passed_over_and_the_last_one_left_wins() -> None:
    now = OCTILES.start("4")
    now = OCTILES.resign(now, 2).position
    assert now.seat == 1
    now = play(now, OCTILES.actions(now)[1][0]).position
    assert now.seat == 3
    now = OCTILES.resign(now, 3).position
    assert now.seat == 4, "whose turn it was gives it to the next"
    with pytest.raises(BadAction, match="already"):
        OCTILES.resign(now, 2)
    done = OCTILES.resign(now, 1)
    assert (done.status.over, done.status.reason, done.status.winners) == (True, "resigned", (4,))
    with pytest.raises(GameOver):
        OCTILES.resign(done.position, 4)


def test_r2_asks_only_those_who_still_play() -> None:
    now = OCTILES.resign(at(NOBODY_MOVES["4"]), 3).position
    for seat in (1, 2):
        assert now.seat == seat
        now = play(now, "pass").position
    assert play(now, "pass").status.reason == "draw"
    passed = play(at(NOBODY_MOVES["3"]), "pass").position
    passed = OCTILES.resign(passed, 1).position
    assert not play(passed, "pass").status.over, "that the one who resigned has passed counts for nobody"
