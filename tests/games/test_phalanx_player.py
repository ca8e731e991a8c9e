"""The player of Phalanx: its flat board plays by the game's rules, it takes wins, it says why; both forms agree."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.phalanx import flat
from firmware_host.games.phalanx.board import BIT, BOARD, NODES, near
from firmware_host.games.phalanx.player import armies as searched
from firmware_host.games.phalanx.player import forms, thinking
from firmware_host.games.phalanx.player.armies import ValuedLine
from firmware_host.games.phalanx.rules import Position
from firmware_host.games.thinking import LEVELS, Budget, ComputerPlayer
from firmware_host.searching.alpha_beta import MOVE_BITS, PROVED, UNKNOWN, WIN
from tests.forms import printed
from tests.games.phalanx_positions import PHALANX, armies, positions
from tests.sampling import cases, together
from tests.sentences import sentence

MASK = (1 << MOVE_BITS) - 1


def at(position: Position, *, form: int = forms.FITTED) -> ValuedLine:
    return thinking.line_from(position, forms.weights(form))


def moves(line: ValuedLine, ply: int = 0) -> dict[str, int]:
    found = list(line.move_list[: line.expand(ply)])
    assert len({code & MASK for code in found}) == len(found)
    return {thinking.action_text(code & MASK): code & MASK for code in found}


# -- what is counted ---------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(position=positions())
def test_what_is_counted_is_kept_from_action_to_action(position: Position) -> None:
    line = at(position)
    for action, move in moves(line).items():
        after = PHALANX.after(position, action)
        line.play(0, move)
        if not PHALANX.status(after).over:
            spot, again = line.spot(1), at(after).spot(0)
            assert (spot.own_count, spot.opp_count) == (again.own_count, again.opp_count), action
            assert (spot.own_worth, spot.opp_worth) == (again.own_worth, again.opp_worth), action


@given(points=st.integers(0, 2**90 - 1))
def test_words_and_sets_have_the_same_neighbours(points: int) -> None:
    points &= BOARD
    low, high = points & (1 << flat.CUT) - 1, points >> flat.CUT
    assert flat.near_low(low, high) | flat.near_high(low, high) << flat.CUT == near(points)
    assert searched.count(low, high) == points.bit_count()
    lonely = sum((near(BIT[node]) & points).bit_count() == 1 for node in NODES if BIT[node] & points)
    assert searched.count_lonely(low, high) == lonely


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_a_way_of_empty_points_is_a_win_within_the_turn(seed: int) -> None:
    """The proof that saves most of the search: the promised win is played out by the game itself."""
    rng = Random(seed)
    position = near_the_goal(rng)
    line = at(position)
    value = line.verdict(0)
    if value == UNKNOWN:
        return
    assert value >= PROVED
    line.measure(0)
    assert value == WIN - line.spot(0).way
    for left in range(position.left):
        action = PHALANX.think(position, position.seat, Budget(1), rng).choices[0]
        assert action.value == 1.0
        position = PHALANX.after(position, action.action)
        if PHALANX.status(position).over:
            assert left + 1 <= line.spot(0).way, "a push may be faster"
            break
    assert PHALANX.status(position).winners


def near_the_goal(rng: Random) -> Position:
    """Return a running position in which one side is near its goal."""
    while True:
        position = armies(rng, rng.randint(1, 40), rng.randint(1, 3))
        line = at(position)
        line.measure(0)
        if line.verdict(0) != UNKNOWN or line.spot(0).way <= 5:
            return position


def wins_within_turn(position: Position) -> bool:
    """Tell by the rules alone whether the side that acts can win before its turn ends."""
    seen = set()

    def search(now: Position) -> bool:
        for action in PHALANX.legal(now):
            after = PHALANX.after(now, action)
            if PHALANX.status(after).over:
                if position.seat in PHALANX.status(after).winners:
                    return True
            elif after.turn == now.turn and (after.board, after.left) not in seen:
                seen.add((after.board, after.left))
                if search(after):
                    return True
        return False

    return search(position)


# -- thinking ----------------------------------------------------------------------------------------------------------


def test_it_fulfils_the_interface() -> None:
    assert isinstance(PHALANX, ComputerPlayer)
    assert len(PHALANX.strengths) == LEVELS
    start = PHALANX.start("2")
    with pytest.raises(BadAction):
        PHALANX.think(start, 2, Budget(100), Random(1))
    with pytest.raises(GameOver):
        PHALANX.think(PHALANX.resign(start, 1).position, 1, Budget(100), Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(200), *range(8)))
def test_every_level_takes_a_win_in_one_turn(seed: int) -> None:
    """What wins is found by the rules alone; half of the wins need a push."""
    rng = Random(seed)
    while True:
        position = armies(rng, rng.randint(1, 40), rng.randint(1, 2))
        if (at(position).verdict(0) == UNKNOWN) == (seed % 2 == 0) and wins_within_turn(position):
            break
    for strength in PHALANX.strengths:
        now = position
        while now.turn == position.turn and not PHALANX.status(now).over:
            best = PHALANX.think(now, now.seat, strength.budget, rng).choices[0]
            assert best.value == 1.0
            now = PHALANX.after(now, best.action)
        assert PHALANX.status(now).winners == (position.seat,)


@together("seed", [*range(8), *(pytest.param(n, marks=pytest.mark.thorough) for n in range(8, 100))])
def test_a_push_that_wins_at_once_is_not_put_off(seed: int) -> None:
    rng = Random(seed)
    wins: list[str] = []
    while not any(">" in action for action in wins):
        position = armies(rng, rng.randint(1, 40), rng.randint(1, 2))
        wins = [
            action
            for action in (PHALANX.legal(position) if position.left > 1 else ())
            if position.seat in PHALANX.status(PHALANX.after(position, action)).winners
        ]
    assert PHALANX.think(position, position.seat, Budget(1), rng).choices[0].action in wins


@settings(deadline=None, max_examples=30)
@given(position=positions())
def test_thoughts_are_legal_ordered_and_the_same_again(position: Position) -> None:
    budget = Budget(400)
    thought = PHALANX.think(position, position.seat, budget, Random(1))
    assert thought == PHALANX.think(position, position.seat, budget, Random(2))
    values = [choice.value for choice in thought.choices]
    assert values == sorted(values, reverse=True)
    assert {choice.action for choice in thought.choices} <= set(PHALANX.legal(position))
    for choice in thought.choices[:3]:
        now = PHALANX.after(position, choice.action)
        for action in choice.line:
            assert not PHALANX.status(now).over
            PHALANX.check(now, now.seat, action)
            now = PHALANX.after(now, action)


def test_it_says_why() -> None:
    thought = PHALANX.think(PHALANX.start("2"), 1, Budget(1000, evaluation=forms.SIMPLE), Random(1))
    assert sentence("This brings the phalanx nearer") in thought.choices[0].reasons
    won = PHALANX.parse("2b6/1bb6/9/9/9/9/6ww1/6ww1/9 b 1 9")
    best = PHALANX.think(won, 1, Budget(100), Random(1)).choices[0]
    assert (best.value, best.reasons) == (1.0, ("This wins.",))


THOUGHTS = """
from random import Random
from firmware_host.games.thinking import Budget
from tests.games.phalanx_positions import PHALANX, armies, wandered
for seed in range(6):
    position = (armies if seed % 2 else wandered)(Random(seed), 9 + seed)
    if not PHALANX.status(position).over:
        print(PHALANX.text(position), PHALANX.think(position, position.seat, Budget(600), Random(1)))
"""


@pytest.mark.thorough
def test_the_plain_form_thinks_the_same() -> None:
    """In one process runs one form: where this is the compiled one, another process runs the plain text."""
    told = printed(THOUGHTS, plain=False)
    assert told.count("Thought(") >= 5
    assert told == printed(THOUGHTS)
