"""Phalanx: properties, differential tests against the slow reference, and each ruling by name."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, BadPosition, GameError, GameOver
from firmware_host.games.phalanx import board, rules
from firmware_host.games.phalanx.rules import Position
from firmware_host.games.registry import game
from tests.games import phalanx_reference as slow
from tests.games.phalanx_positions import PHALANX, START, positions, wandered
from tests.sampling import is_sample, together
from tests.sentences import is_in

BONUS: Any = game("phalanx", {"second_player_bonus": True})
EMPTY = "9/9/9/9/9/9/9/9/9"
thorough = settings(max_examples=150, deadline=None)


def at(text: str, rules: Any = PHALANX) -> Any:
    return rules.parse(text)


def actions(text: str) -> list[str]:
    return list(PHALANX.actions(at(text)).get(at(text).seat, []))


def after(text: str, *moves: str, rules: Any = PHALANX) -> Any:
    """Return the transition of the last of some actions."""
    now, transition = at(text, rules), None
    for move in moves:
        transition = rules.apply(now, {now.seat: move})
        now = transition.position
    return transition


def refused(text: str, action: str) -> str:
    now = at(text)
    with pytest.raises(BadAction) as caught:
        PHALANX.check(now, now.seat, action)
    with pytest.raises(BadAction):
        PHALANX.apply(now, {now.seat: action})
    return str(caught.value)


def counts(now: Position) -> tuple[int, int]:
    black, white = now.board
    return black.bit_count(), white.bit_count()


# -- properties --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=50 if is_sample() else 150, deadline=None)
@given(positions())
def test_actions_and_what_they_lead_to_are_the_references(now: Position) -> None:
    theirs = slow.after(PHALANX.text(now))
    assert PHALANX.actions(now) == {now.seat: sorted(theirs)}
    known = at(PHALANX.text(now))  # Without its past there is no draw.
    for action, (text, winner) in theirs.items():
        transition = PHALANX.apply(known, {now.seat: action})
        assert PHALANX.text(transition.position) == text
        assert transition.status == PHALANX.status(transition.position)
        assert transition.status.over == (winner is not None)
        assert transition.status.winners == (() if winner is None else ("bw".index(winner) + 1,))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(positions())
def test_whatever_is_not_offered_is_refused_with_a_reason(now: Position) -> None:
    nodes = board.NODES
    every = {f"+{node}" for node in nodes} | {f"{node}>{way}" for node in nodes for way in "nesw"}
    every |= {f"{source}-{target}" for source in nodes for target in nodes}
    for action in every - set(PHALANX.actions(now)[now.seat]):
        with pytest.raises(BadAction):
            PHALANX.check(now, now.seat, action)


@pytest.mark.thorough
@thorough
@given(st.integers(0, 2**32))
def test_counts_never_exceed_nine_goals_stay_empty_and_the_dead_do_not_remain(seed: int) -> None:
    rng, now = Random(seed), PHALANX.start("2")
    goals = sum(board.BIT[goal] for goal in board.GOAL.values())
    for _ in range(120):
        if PHALANX.status(now).over:
            return
        now = PHALANX.apply(now, {now.seat: PHALANX.random_action(now, now.seat, rng)}).position
        black, white = now.board
        assert not black & white
        assert max(counts(now)) <= 9
        assert not (black | white) & goals
        points = slow.parse(PHALANX.text(now).split()[0])
        assert slow.bury(points) == points


@thorough
@given(positions())
def test_texts_round_trip(now: Position) -> None:
    text = PHALANX.text(now)
    assert PHALANX.text(at(text)) == text
    assert (at(text).board, at(text).side, at(text).left, at(text).turn) == (now.board, now.side, now.left, now.turn)
    assert slow.write(slow.parse(text.split()[0])) == text.split()[0]


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=30)
    | st.text("19bw/ 32", max_size=40)
    | st.just(START).flatmap(lambda s: st.permutations(list(s)).map("".join))
)
def test_any_text_is_read_or_refused_as_a_bad_position(text: str) -> None:
    try:
        now = at(text)
    except BadPosition:
        return
    assert PHALANX.text(now) == text


def test_the_same_options_give_the_same_object() -> None:
    """Caches keep games by their objects: a program that begins such a game all day must not make one each time."""
    assert game("phalanx", {"second_player_bonus": True}) is BONUS
    assert game("phalanx", {"second_player_bonus": False}) is not BONUS


def test_the_game_is_the_same_for_both_but_for_who_begins() -> None:
    """Half a turn of the board with colours changed makes White's position of Black's."""
    rng = Random(5)
    for _ in range(20):
        now = wandered(rng, 25)
        rows, side, left, turn = PHALANX.text(now).split()
        turned = rows[::-1].translate(str.maketrans("bw", "wb"))
        mirror = at(f"{turned} {board.OTHER[side]} {left} {int(turn) + 1}")
        assert len(PHALANX.actions(now)[now.seat]) == len(PHALANX.actions(mirror)[mirror.seat])


# -- rulings -----------------------------------------------------------------------------------------------------------


def test_r1_nobody_moves_to_or_is_added_on_a_goal() -> None:
    text = "9/bb7/9/9/9/9/9/7ww/9 w 3 2"  # Next to both goals, were it not over.
    assert PHALANX.status(at(text)).over
    near = "9/1bb6/1b7/9/9/9/9/6ww1/9 b 3 1"
    assert "goal" in refused(near, "+A9")
    assert "goal" in refused(near, "C8-A9")
    for bad in ("b8/b8/9/9/9/9/9/9/9 b 3 1", "9/9/9/9/9/9/9/8w/8w w 3 2"):
        with pytest.raises(BadPosition, match="goal"):
            at(bad)


def test_r2_whoever_is_pushed_onto_a_goal_or_off_the_board_is_dead() -> None:
    goal = after("1wbb5/1w7/9/9/9/9/6ww1/9/9 b 3 1", "D9>w")
    assert PHALANX.text(goal.position) == "1bb6/9/9/9/9/9/6ww1/9/9 b 2 1"
    assert goal.removed == ("B8",), "its neighbour has died alone, the pushed one is in the hand"
    assert goal.status.reason == "goal", "who pushes there stands next to it"
    edge = after("9/3w5/3w5/6bbw/8w/9/9/9/9 b 3 1", "G6>e")
    assert PHALANX.text(edge.position) == "9/3w5/3w5/7bb/9/9/9/9/9 b 2 1"
    assert edge.removed == ("J5",)
    step = next(step for step in PHALANX.steps(at("9/3w5/3w5/6bbw/8w/9/9/9/9 b 3 1")) if step.action == "G6>e")
    assert [(move.source, move.target) for move in step.moves] == [("J6", None), ("H6", "J6"), ("G6", "H6")]


def test_r3_whites_first_turn_has_four_actions_if_asked_for() -> None:
    assert PHALANX.text(after(START, "end").position).endswith(" w 3 2")
    with_bonus = after(START, "end", rules=BONUS).position
    assert BONUS.text(with_bonus).endswith(" w 4 2")
    assert BONUS.text(after(BONUS.text(with_bonus), "end", rules=BONUS).position).endswith(" b 3 3")
    assert after(START, "end", "end", rules=BONUS).status.reason == "draw"
    with pytest.raises(BadPosition, match="from 0 to 3"):
        at(PHALANX.text(with_bonus))
    with pytest.raises(BadPosition, match="from 0 to 3"):
        at("9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 w 4 4", BONUS)
    assert PHALANX.with_rules({"second_player_bonus": False}).text(after(START, "end").position).endswith(" w 3 2")


def test_r4_no_push_against_a_line_with_ones_own_behind_it() -> None:
    text = "9/1wwbw4/3bw4/9/9/9/9/9/9 w 3 2"
    assert "B8>e" not in actions(text)
    assert "stands behind the opposing ones" in refused(text, "B8>e")


def test_r5_if_both_would_win_the_side_that_acted_does() -> None:
    # No push reaches both corners: the text of a position can say so all the same.
    both = "9/bb7/9/9/9/9/9/7ww/9"
    assert PHALANX.status(at(f"{both} b 1 1")).winners == (1,)
    assert PHALANX.status(at(f"{both} w 1 2")).winners == (2,)


def test_who_is_pushed_next_to_its_own_goal_wins() -> None:
    given_away = after("9/9/8b/8b/8b/8w/8w/9/9 b 3 1", "J7>s")
    assert PHALANX.text(given_away.position) == "9/9/9/8b/8b/8b/8w/8w/9 b 2 1"
    assert (given_away.status.reason, given_away.status.winners) == ("goal", (2,))


def test_r6_two_empty_turns_or_the_third_same_start_of_a_turn_are_a_draw() -> None:
    drawn = after(START, "end", "end")
    assert drawn.status == rules.DRAW
    assert drawn.status.winners == ()
    assert PHALANX.actions(drawn.position) == {}
    assert PHALANX.status(at(PHALANX.text(drawn.position))) == drawn.status, "nothing is left of the turn"
    assert not after(START, "end", "B8-A7", "end", "end").status.over, "White's turn before was not empty"
    to_and_fro = ["G3-F2", "end", "B8-A7", "end", "F2-G3", "end", "A7-B8", "end"]
    assert not after(START, *to_and_fro).status.over
    assert not after(START, *to_and_fro, *to_and_fro[:-1]).status.over
    assert after(START, *to_and_fro, *to_and_fro).status.reason == "draw"


def test_moves_go_to_another_hoplite_of_the_same_army_only() -> None:
    text = "9/9/1ww6/9/5ww2/9/2bb5/9/9 w 3 2"
    offered = actions(text)
    assert "B7-D7" in offered
    assert not any(action.startswith("B7-") and action[3] in "EFG" for action in offered)
    assert "B7-A7" not in offered, "next to nobody but itself"
    assert "next to another army" in refused(text, "B7-E5")
    assert "not empty" in refused(text, "B7-C7")
    assert "stands on" in refused(text, "C3-B3")


def test_adds_need_a_hoplite_left_and_a_neighbour() -> None:
    nine = "9/9/1wwwww3/1wwww4/9/9/2bb5/9/9 w 3 2"
    assert not any(action.startswith("+") for action in actions(nine))
    assert "all 9" in refused(nine, "+A7")
    assert is_in("no hoplite of its side", refused(START, "+E5"))


def test_pushes_are_refused_with_their_reason() -> None:
    text = "9/1wwbb4/3bb4/9/9/9/9/9/9 w 3 2"
    assert "2 can't push 2" in refused(text, "B8>e")
    assert "not the rear" in refused(text, "C8>e")
    assert "no opposing" in refused(text, "C8>w")
    assert "stands on" in refused(text, "D8>w")
    assert "expected one such as" in refused(text, "D8>x")
    assert "expected one such as" in refused(text, "I8>n")


def test_a_side_without_hoplites_has_lost_and_who_reaches_its_goal_has_won() -> None:
    gone = after("9/9/9/9/4wwb2/4bbb2/4b4/9/9 b 1 9", "E3>n")
    assert (gone.status.reason, gone.status.winners) == ("eliminated", (1,))
    assert PHALANX.text(gone.position).endswith(" b 0 9"), "it keeps the side, and what was left of the turn"
    goal = after("9/1bb6/9/9/9/9/9/5ww2/9 b 3 1", "C8-A8")
    assert (goal.status.reason, goal.status.winners) == ("goal", (1,))
    assert PHALANX.actor(goal.position) is None
    with pytest.raises(GameOver):
        PHALANX.apply(goal.position, {1: "end"})


def test_resigning_gives_the_game_to_the_other() -> None:
    for seat in (1, 2):
        left = PHALANX.resign(PHALANX.start("2"), seat)
        assert (left.status.reason, left.status.winners) == ("resigned", (3 - seat,))
        assert PHALANX.actions(left.position) == {}
        with pytest.raises(GameOver):
            PHALANX.resign(left.position, seat)
    with pytest.raises(BadAction):
        PHALANX.resign(PHALANX.start("2"), 3)


def test_the_wrong_seat_and_the_wrong_mode_are_refused() -> None:
    start = PHALANX.start("2")
    with pytest.raises(BadAction):
        PHALANX.check(start, 2, "end")
    with pytest.raises(BadAction):
        PHALANX.apply(start, {1: "end", 2: "end"})
    with pytest.raises(BadAction):
        PHALANX.random_action(start, 2, Random(1))
    with pytest.raises(GameError):
        PHALANX.start("4")


@together(
    ("text", "words"),
    [
        ("9/9", "4 fields"),
        (f"{EMPTY} b 3 1", "empty board"),
        ("9/9/9/9/9/9/9/9 b 3 1", "9 rows"),
        ("1bb5/9/9/9/9/9/9/9/9 b 3 1", "row 9: expected 9 points, got 8"),
        ("1bb24/9/9/9/9/9/9/9/9 b 3 1", "whole runs"),
        ("1bb6/9/9/9/9/9/x8/9/9 b 3 1", "row 3"),
        ("1bb5b/9/9/9/9/9/9/9/9 b 3 1", "J9"),
        ("1bbbbb3/1bbbbb3/9/9/9/9/9/9/9 b 3 1", "at most 9"),
        (START.replace(" b ", " x "), "side"),
        (START.replace(" 3 1", " 4 1"), "left"),
        (START.replace(" 3 1", " 03 1"), "left"),
        (START.replace(" 3 1", " 3 0"), "turn"),
        (START.replace(" 3 1", " 3 2"), "odd"),
    ],
)
def test_bad_positions_are_refused_naming_the_field(text: str, words: str) -> None:
    with pytest.raises(BadPosition, match=words):
        at(text)


def test_positions_are_values() -> None:
    one, other = PHALANX.start("2"), PHALANX.start("2")
    assert one == other
    assert hash(one) == hash(other)
    assert rules.start() in {one}
