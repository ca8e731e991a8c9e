"""The computer player of Octiles: honest, the same again, never without a turn, and never past a win."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.octiles import notation, rules
from firmware_host.games.octiles.board import PADS
from firmware_host.games.octiles.flat import turn_of
from firmware_host.games.octiles.player import thinking, worth
from firmware_host.games.octiles.rules import GOAL, HOME, RUNNERS, SEATED, Position
from firmware_host.games.registry import game
from firmware_host.games.thinking import LEVELS, Budget, ComputerPlayer, choose
from tests.forms import printed
from tests.games.octiles_positions import positions, wandered
from tests.sentences import sentence

OCTILES: Any = game("octiles")
SMALL = Budget(nodes=400)


def test_it_offers_five_levels() -> None:
    assert isinstance(OCTILES, ComputerPlayer)
    assert len(OCTILES.strengths) == LEVELS


@settings(max_examples=40)
@given(positions(), st.integers(0, 9))
def test_the_choices_are_legal_turns_best_first(position: Position, form: int) -> None:
    thought = OCTILES.think(position, position.seat, replace(SMALL, evaluation=form), Random(1))
    actions = [choice.action for choice in thought.choices]
    assert set(actions) <= set(OCTILES.actions(position)[position.seat])
    assert len(actions) == len(set(actions)) > 0
    values = [choice.value for choice in thought.choices]
    assert values == sorted(values, reverse=True)
    assert all(0 <= value <= 1 for value in values)
    ends = {action.partition(":")[2] for action in OCTILES.actions(position)[position.seat]}
    if not thought.proved:
        assert {action.partition(":")[2] for action in actions} == ends, "no run is left out, only equal turnings"


def shuffled(position: Position, rng: Random) -> Position:
    """Return the position with what nobody has seen in another order."""
    last = 1 + position.unseen
    hidden = rng.sample(position.stack[1:last], position.unseen)
    return replace(position, stack=(position.stack[0], *hidden, *position.stack[last:]))


@settings(max_examples=25)
@given(st.sampled_from("234"), st.integers(0, 30), st.integers(0, 1000))
def test_it_does_not_know_the_order_of_what_nobody_has_seen(mode: str, turns: int, seed: int) -> None:
    position = wandered(Random(seed), mode, turns)
    other = shuffled(position, Random(seed + 1))
    for strength in OCTILES.strengths:
        budget = replace(strength.budget, nodes=min(400, strength.budget.nodes))
        thoughts = [OCTILES.think(one, one.seat, budget, Random(3)) for one in (position, other)]
        assert thoughts[0] == thoughts[1]


def test_covered_tiles_and_the_top_one_are_known_the_others_are_not() -> None:
    position: Position = OCTILES.start("2")
    laid, rng = 0, Random(4)
    assert position.unseen == 17
    for turn in range(1, 30):
        action = OCTILES.random_action(position, position.seat, rng)
        after = OCTILES.apply(position, {position.seat: action})
        if after.status.over:
            break
        position, laid = after.position, turn
        assert position.unseen == max(0, 17 - laid)
    assert laid > 17
    assert OCTILES.parse(OCTILES.text(position)).unseen == len(position.stack) - 1, "a text does not tell what was seen"


def test_the_same_seed_and_nodes_give_the_same_thought() -> None:
    for mode in "234":
        position = wandered(Random(7), mode, 9)
        thoughts = [OCTILES.think(position, position.seat, Budget(nodes=1500), Random(seed)) for seed in (5, 5, 6)]
        assert thoughts[0] == thoughts[1]
        assert thoughts[0].nodes <= 1700


THINK = """
import json, sys
from random import Random
from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget
octiles = game("octiles")
said = []
for position in map(octiles.parse, sys.argv[1:]):
    thought = octiles.think(position, position.seat, Budget(nodes=600), Random(2))
    said.append([thought.nodes, [[one.action, one.value.hex(), one.reasons] for one in thought.choices]])
print(json.dumps(said))
"""


@pytest.mark.thorough
def test_both_forms_think_the_same() -> None:
    texts = [OCTILES.text(wandered(Random(seed), mode, 12)) for seed, mode in enumerate("2234")]
    assert printed(THINK, *texts, plain=False) == printed(THINK, *texts)


@pytest.mark.parametrize("mode", "234")
def test_a_full_first_look_is_taken_whatever_the_budget(mode: str) -> None:
    position = wandered(Random(11), mode, 20)
    for budget in (Budget(nodes=1), Budget(nodes=4000), Budget(nodes=4000, out_of_time=lambda: True)):
        thought = OCTILES.think(position, position.seat, budget, Random(1))
        assert len({choice.value for choice in thought.choices}) > 1


# -- won games -------------------------------------------------------------------------------------------------------


def nearly_home(rng: Random, mode: str) -> Iterator[Position]:
    """Positions in which the seat to move can win with one turn: all but one of its runners have been put home."""
    while True:
        position = wandered(rng, mode, rng.randint(6, 40))
        seat, taken = position.seat, set().union(*position.runners)
        side, own = SEATED[mode][seat - 1], set(position.runners[seat - 1])
        pads = [node for node in sorted(GOAL[side]) if node not in taken or node in own]
        stops = [node for node, pad in enumerate(PADS) if not pad and (node not in taken or node in own)]
        for _ in range(20 if len(pads) >= RUNNERS[mode] - 1 else 0):
            home = rng.sample(pads, RUNNERS[mode] - 1)
            runners = list(position.runners)
            runners[seat - 1] = tuple(sorted((*home, rng.choice(stops))))
            tried = replace(position, runners=tuple(runners), past=())
            if wins(tried):
                yield tried


def wins(position: Position) -> set[str]:
    """Return the turns with which a seat that has one runner left wins, by the rules."""
    goal = GOAL[position.side]
    if len(position.in_goal(position.seat)) < RUNNERS[position.mode] - 1:
        return set()
    return {notation.text(code) for code in rules.legal_turns(position).turns if code % len(PADS) in goal}


@pytest.mark.thorough
def test_every_level_takes_a_win_in_one_turn_on_two_hundred_positions() -> None:
    rng = Random(1)
    for mode, count in (("2", 80), ("3", 60), ("4", 60)):
        for position in islice(nearly_home(rng, mode), count):
            winning = wins(position)
            assert OCTILES.apply(position, {position.seat: min(winning)}).status.winners == (position.seat,)
            for strength in OCTILES.strengths:
                thought = OCTILES.think(position, position.seat, strength.budget, rng)
                assert thought.proved
                assert choose(thought, strength.spread, rng).action in winning
                assert thought.choices[0].reasons == (thinking.WINS,)


@pytest.mark.slow
def test_it_does_not_let_another_win_who_can_be_kept_from_it() -> None:
    rng = Random(2)
    kept = 0
    for position in islice(nearly_home(rng, "2"), 12):
        other = replace(position, seat=3 - position.seat, unseen=0)
        if OCTILES.status(other).over:
            continue
        thought = OCTILES.think(other, other.seat, Budget(nodes=500, depth=2), rng)
        lost = [bool(wins(OCTILES.apply(other, {other.seat: one.action}).position)) for one in thought.choices]
        assert lost == sorted(lost), "turns after which the other wins come last"
        assert all((one.value < 0.002) == loses for one, loses in zip(thought.choices, lost, strict=True))
        kept += True in lost and False in lost
    assert kept


@pytest.mark.parametrize("seats", [3, 4])
def test_among_several_no_two_levels_are_the_same_search(seats: int) -> None:
    """The lower two look at their own turn, the others until their next one: else a seat after the next could win."""
    levels = [strength.in_mode(str(seats)) for strength in OCTILES.strengths]
    assert len({(one.budget.nodes, one.budget.depth, one.budget.evaluation, one.spread) for one in levels}) == 5
    shallowest = [min(stage.depth for stage in thinking.stages(one.budget, seats)) for one in levels]
    assert shallowest == [1, 1, seats, seats, seats]


def test_the_highest_level_uses_its_nodes_and_looks_deeper_with_more() -> None:
    looked, used = [], []
    position = wandered(Random(7), "2", 9)
    for nodes in (3_750, 7_500, 15_000, 60_000, 240_000, 960_000):
        budget = replace(OCTILES.strengths[-1].budget, nodes=nodes)
        plan = thinking.stages(budget, 2)
        looked.append(max(stage.depth for stage in plan))
        assert plan[-1].share == 1.0
        assert [stage.share for stage in plan] == sorted(stage.share for stage in plan)
        if nodes <= 60_000:
            used.append(OCTILES.think(position, position.seat, budget, Random(1)).nodes)
    assert looked == [5, 5, 6, 6, 7, 8]
    assert all(more > 1.4 * less for less, more in pairwise(used)), used
    assert used[-1] > 20_000


# -- what it says ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(positions())
def test_it_says_that_a_runner_comes_home_exactly_when_it_does(position: Position) -> None:
    best = OCTILES.think(position, position.seat, SMALL, Random(1)).choices[0]
    turn = turn_of(best.action)
    assume(turn >= 0)
    side = SEATED[position.mode][position.seat - 1]
    comes = turn & 63 in GOAL[side]
    assert (sentence("brings a runner to the") in best.reasons or best.reasons == (thinking.WINS,)) == comes


def test_seats_and_ends_are_checked() -> None:
    position = OCTILES.start("2")
    with pytest.raises(BadAction, match="expected one action of seat 1"):
        OCTILES.think(position, 2, SMALL, Random(1))
    over = OCTILES.resign(position, 1).position
    with pytest.raises(GameOver):
        OCTILES.think(over, 2, SMALL, Random(1))


# -- what nodes are worth --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", "234")
@pytest.mark.parametrize("step", [None, 0, 25, worth.STEPS])
def test_every_side_values_the_turned_board_as_blue_does(mode: str, step: int | None) -> None:
    values, to_move = worth.simple_worth(mode) if step is None else worth.fitted_worth(mode, step)
    assert len(values) == len(to_move) == int(mode)
    for seat, side in enumerate(SEATED[mode]):
        goal, home = (sorted(values[seat][node] for node in nodes[side]) for nodes in (GOAL, HOME))
        assert (goal, home) == tuple(sorted(values[0][node] for node in nodes["blue"]) for nodes in (GOAL, HOME))
        assert fmean(goal) > fmean(home)
        if step in {None, worth.STEPS}:  # Earlier one close before the goal may be worth more: it is in play.
            stops = [value for value, pad in zip(values[seat], PADS, strict=True) if not pad]
            assert goal[0] > max(home[-1], *stops)


def _way(values: tuple[int, ...], side: str) -> float:
    """Return what it is worth to come from home to the goal."""
    goal, home = ([values[node] for node in nodes[side]] for nodes in (GOAL, HOME))
    return fmean(goal) - fmean(home)


@pytest.mark.parametrize("mode", "234")
def test_the_way_to_the_goal_is_worth_about_the_same_in_both_evaluations(mode: str) -> None:
    # A level's spread is in logits: with other units the same spread would be another strength.
    ways = [_way(worth.fitted_worth(mode, step)[0][0], "blue") for step in range(0, worth.STEPS + 1, 20)]
    assert ways == sorted(ways), "a row counts for more the nearer the end is"
    assert 0.6 < _way(worth.simple_worth(mode)[0][0], "blue") / fmean(ways) < 1.6


@pytest.mark.parametrize("mode", "234")
def test_an_evaluation_is_that_of_the_stage_of_the_game(mode: str) -> None:
    position = OCTILES.start(mode)
    assert worth.evaluation(position, worth.FITTED) == worth.fitted_worth(mode, 0)
    goals = [
        tuple(sorted(GOAL[side]))[: len(nodes)] for side, nodes in zip(SEATED[mode], position.runners, strict=True)
    ]
    half = replace(position, runners=(goals[0], *position.runners[1:]))
    assert worth.evaluation(half, worth.FITTED) == worth.fitted_worth(mode, worth.STEPS // int(mode))
    assert worth.evaluation(half, worth.SIMPLE) == worth.simple_worth(mode)
    if mode != "2":
        left = replace(half, resigned=(2,))
        assert worth.evaluation(left, worth.FITTED) == worth.fitted_worth(mode, worth.STEPS // (int(mode) - 1))
