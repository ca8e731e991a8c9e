"""Plain Monte Carlo for any game: ours serve as games that offer nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_host.games.game import BadAction, GameOver
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import Budget, ComputerPlayer, Strength, choose
from firmware_host.searching.playouts import LONGEST, STRENGTHS, MonteCarlo, computer_player_of, search
from tests.sampling import cases, few
from tests.sentences import sentence

MODES = [(name, mode) for name, one in GAMES.items() for mode in one.modes]
RING = "bw.b/.w.w./w..b.w/w..w.bw/wb...b/b.bw./bb.. main {seat} 1"
"""Coil on four cells a side: e3 alone closes a ring for seat 1, whose stones are black."""
RINGS = "...b/w.wb./.w.b.w/.w.b.bw/ww.bb./..bwb/.wb. main 2 1"
"""Here two cells do, and White can't stop both."""


def one_action_from_the_end(name: str, mode: str, seed: int) -> tuple[Any, int]:
    """Return a position of a random game, and its actor, where the action that was played then won for its seat."""
    one, rng = game(name), Random(seed)
    while True:
        position = one.start(mode)
        for _ in range(LONGEST):
            chosen = {seat: one.random_action(position, seat, rng) for seat in one.actions(position)}
            transition = one.apply(position, chosen)
            if transition.status.over:
                if len(chosen) == 1 and transition.status.winners == tuple(chosen):
                    return position, next(iter(chosen))
                break
            position = transition.position


@pytest.mark.parametrize(("name", "mode"), cases(MODES, *{name: (name, mode) for name, mode in MODES}.values()))
def test_it_ranks_legal_actions_of_every_game(name: str, mode: str) -> None:
    one, rng = game(name), Random(1)
    position = one.start(mode)
    for _ in range(2):
        for seat, actions in one.actions(position).items():
            thought = search(one, position, seat, Budget(100), Random(2))
            named = [choice.action for choice in thought.choices]
            assert set(named) <= set(actions)
            assert len(set(named)) == len(named) > 0
            values = [choice.value for choice in thought.choices]
            assert values == sorted(values, reverse=True)
            assert all(0 <= value <= 1 for value in values)
            assert thought == search(one, position, seat, Budget(100), Random(2)), "it follows from the arguments"
        chosen = {seat: one.random_action(position, seat, rng) for seat in one.actions(position)}
        position = one.apply(position, chosen).position


@pytest.mark.parametrize(("name", "seed"), cases([(name, seed) for name in ("coil", "phalanx") for seed in range(3)]))
def test_it_takes_a_win_in_one_action_with_every_budget(name: str, seed: int) -> None:
    position, seat = one_action_from_the_end(name, "2", seed)
    thought = search(game(name), position, seat, Budget(0, width=1), Random(seed))
    best = thought.choices[0]
    assert (best.value, thought.proved) == (1.0, True)
    assert best.reasons == ("This wins at once.",)
    after = game(name).apply(position, {seat: best.action})
    assert after.status.winners == (seat,)


@pytest.mark.parametrize("level", few(STRENGTHS, 1))
def test_no_level_lets_the_next_player_win_at_once(level: Strength) -> None:
    coil = game("coil")
    position = coil.parse(RING.format(seat=2))
    assert search(coil, coil.parse(RING.format(seat=1)), 1, Budget(0), Random(1)).choices[0].action == "e3"
    for seed in range(3):
        rng = Random(seed)
        thought = MonteCarlo(coil).think(position, 2, level.budget, rng)
        assert choose(thought, level.spread, rng).action == "e3"
        assert thought.choices[-1].reasons == (sentence("This lets the next player"),)
        assert thought.choices[-1].value == 0.0


def test_where_all_is_lost_it_still_chooses() -> None:
    coil = game("coil")
    position = coil.parse(RINGS)
    lost = search(coil, position, 2, Budget(400), Random(1))
    assert {choice.value for choice in lost.choices} == {0.0}
    assert choose(lost, 0.1, Random(1)).action in coil.actions(position)[2]


@pytest.mark.thorough
def test_more_nodes_play_better() -> None:
    coil, rng, won = game("coil"), Random(5), 0
    for number in range(4):
        position, strong = coil.start_with("2", {"size": 3}), number % 2 + 1  # type: ignore[attr-defined]
        while not (status := coil.status(position)).over:
            seat = coil.actor(position)
            assert seat
            thinks = seat == strong
            action = (
                search(coil, position, seat, Budget(500), rng).choices[0].action
                if thinks
                else coil.random_action(position, seat, rng)
            )
            position = coil.apply(position, {seat: action}).position
        won += status.winners == (strong,)
    assert won == 4


def test_teams_win_together() -> None:
    spokes = game("spokes")
    position = spokes.start("2v2")
    thought = search(spokes, position, 3, Budget(2000, width=2), Random(1))
    assert len(thought.choices) == 2


def test_time_stops_it_with_an_answer() -> None:
    coil = game("coil")
    asked = iter(range(1000))
    thought = search(coil, coil.start("2"), 1, Budget(10**9, out_of_time=lambda: next(asked) > 5), Random(1))
    assert thought.choices


def test_who_does_not_act_is_refused() -> None:
    coil = game("coil")
    with pytest.raises(BadAction):
        search(coil, coil.start("2"), 2, Budget(10), Random(1))
    over = coil.resign(coil.start("2"), 1).position
    with pytest.raises(GameOver):
        search(coil, over, 1, Budget(10), Random(1))


def test_a_game_thinks_for_itself_where_it_can() -> None:
    class Bare:
        """Offers nothing."""

    assert isinstance(computer_player_of(Bare()), MonteCarlo)  # type: ignore[arg-type]

    class Thinker(MonteCarlo[Any]):
        """Offers all that is asked for."""

    own = Thinker(game("coil"))
    assert isinstance(own, ComputerPlayer)
    assert computer_player_of(own) is own  # type: ignore[arg-type]
    assert [strength.budget.nodes for strength in STRENGTHS] == sorted({one.budget.nodes for one in STRENGTHS})
