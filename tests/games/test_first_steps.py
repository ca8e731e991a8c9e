"""The level "First steps": below all others, it overlooks things at fixed rates, as a person does in a first game."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_host.games.levels import FIRST_STEPS, NO_LEVEL, choose_at, first_steps, levels, lowest_level, strength_of
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import Budget, Choice, Oversights, Strength, Thought, choose
from firmware_host.searching.playouts import MonteCarlo, computer_player_of
from firmware_host.services.engine import after
from firmware_host.table.ledger import Sitting, checked_level, level_of
from tests.sampling import cases, few
from tools.peers import newcomer

MANY = 2_000
COIL = game("coil")


def rate(chosen: Thought, oversights: Oversights) -> float:
    """Return how often the first choice is not taken at the start of Coil."""
    rng, strength = Random(1), Strength(Budget(1), oversights=oversights)
    taken = [choose_at(COIL, COIL.start("2"), 1, chosen, strength, rng).action for _ in range(MANY)]
    return sum(action != chosen.choices[0].action for action in taken) / MANY


@pytest.mark.parametrize(("value", "expected"), few([(1.0, 0.2), (0.6, 0.45)], 1))
def test_wins_and_plans_are_overlooked_at_their_rates(value: float, expected: float) -> None:
    thought = Thought((Choice("d4", value), Choice("d5", 0.4)), 1)
    assert rate(thought, Oversights(wins=0.2, plans=0.45)) == pytest.approx(expected, abs=0.03)
    assert rate(thought, Oversights(wins=0.0, plans=0.0)) == 0.0


def test_in_place_of_what_is_overlooked_it_does_what_lies_near() -> None:
    position = COIL.apply(COIL.start("2"), {1: "a1"}).position
    seat, thought, rng = COIL.actor(position), Thought((Choice("l3", 0.5),), 1), Random(2)
    assert seat is not None
    places, means = COIL.layout().nodes, []
    for near in (1, 8):
        strength = Strength(Budget(1), oversights=Oversights(1.0, 1.0, near))
        taken = [choose_at(COIL, position, seat, thought, strength, rng).action for _ in range(300)]
        far = [
            abs(places[one][0] - places["a1"][0]) + abs(places[one][1] - places["a1"][1])
            for one in taken
            if one in places
        ]
        means.append(sum(far) / len(far))
    assert means[1] < means[0] / 2


def test_no_other_level_overlooks_anything() -> None:
    for name in GAMES:
        one = game(name)
        assert all(strength.oversights is None for strength in computer_player_of(one).strengths)


def test_it_is_the_first_of_the_levels_and_no_level_is_another_thing() -> None:
    known = levels(5, lowest_level(COIL))
    assert [str(level.name) for level in known[:2]] == ["First steps", "Beginner"]
    assert known[0].number == FIRST_STEPS == checked_level(COIL, FIRST_STEPS)
    assert level_of(COIL, Sitting("Ada", "", True, FIRST_STEPS)).number == FIRST_STEPS
    assert level_of(COIL, Sitting("Ada", "", True, NO_LEVEL)).number == checked_level(COIL, None) == 2
    assert first_steps(MonteCarlo(COIL)) is None


def score(name: str, games: int) -> float:
    """Return the level's score against somebody in a first game."""
    one: Any = game(name)
    strength, won = strength_of(one, FIRST_STEPS, one.modes[0]), 0.0
    for number in range(games):
        rng, own = Random(number), 1 + number % 2
        position, status = one.start(one.modes[0]), None
        while status is None or not status.over:
            chosen = {}
            for seat in one.actions(position):
                if seat == own:
                    thought = one.think(position, seat, strength.budget, rng)
                    chosen[seat] = choose_at(one, position, seat, thought, strength, rng).action
                else:
                    chosen[seat] = newcomer.choose(one, position, seat, rng)
            transition = after(one, position, chosen)
            position, status = transition.position, transition.status
        won += (own in status.winners) / max(1, len(status.winners)) if status.winners else 0.5
    return won / games


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", cases(sorted(GAMES), "phalanx"))
def test_it_is_about_even_with_somebody_in_a_first_game(name: str) -> None:
    """docs/strength.md has the figure of more games: 35 to 65 of 100."""
    assert 0.2 <= score(name, 20) <= 0.8


@pytest.mark.parametrize("name", few(sorted(GAMES), 2))
def test_a_newcomer_takes_what_wins_at_once(name: str) -> None:
    one, rng = game(name), Random(4)
    position = one.start(one.modes[0])
    while True:
        offered = one.actions(position)
        seat = next(iter(offered))
        if not one.simultaneous(position):
            wins = [act for act in offered[seat] if seat in one.apply(position, {seat: act}).status.winners]
            if wins:
                assert newcomer.choose(one, position, seat, rng) in wins
                return
        chosen = {each: one.random_action(position, each, rng) for each in offered}
        transition = one.apply(position, chosen)
        position = one.start(one.modes[0]) if transition.status.over else transition.position


def test_choosing_without_oversights_is_as_before() -> None:
    thought = Thought((Choice("d4", 0.5), Choice("d5", 0.4)), 1)
    strength = Strength(Budget(1), spread=0.3)
    taken = choose_at(COIL, COIL.start("2"), 1, thought, strength, Random(3))
    assert taken == choose(thought, 0.3, Random(3))
