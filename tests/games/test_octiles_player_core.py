"""The fast core of the Octiles player against the rules, along random games and on scattered positions."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.octiles import rules
from firmware_host.games.octiles.player.listing import NO_TURN, WIN, Turns, period
from firmware_host.games.octiles.player.setting import action, take, turn_of
from firmware_host.games.octiles.position import Position
from firmware_host.games.registry import game
from tests.games.octiles_positions import positions
from tests.sampling import cases

OCTILES: Any = game("octiles")
TRACK = Turns()


def worth(seats: int) -> list[list[int]]:
    """Return worths of nodes that all differ."""
    rng = Random(5)
    return [rng.sample(range(-500, 500), 36) for _ in range(seats)]


def listed(track: Turns, full: bool) -> list[int]:
    end = track.turns(0, full)
    return [int(track.listed[at]) for at in range(end)]


def said(position: Position) -> list[str]:
    return sorted(listed_action for listed_action in OCTILES.actions(position)[position.seat])


def compare(track: Turns, position: Position, worths: list[list[int]]) -> None:
    full, short = listed(track, True), listed(track, False)
    assert sorted(map(action, full)) == ([] if said(position) == ["pass"] else said(position))
    same = period(position.stack[0])
    assert set(short) == {turn for turn in full if (turn >> 12 & 7) < same}
    assert len(short) == len(set(short))
    gains: dict[int, int] = {}
    seat = position.seat - 1
    for turn in full:
        source, target = turn >> 6 & 63, turn & 63
        gains[turn] = worths[seat][target] - worths[seat][source]
        won = turn_wins(position, turn)
        gains[turn] += WIN if won else 0
    best = track.best()
    assert best == max(gains.values(), default=NO_TURN)
    if gains:
        assert gains[int(track.best_turn)] == best
    faces, runners, stack, to_move = track.state()
    assert (faces, runners[: len(position.runners)], stack, to_move) == (
        list(position.faces),
        [list(nodes) for nodes in position.runners],
        list(position.stack),
        position.seat - 1,
    )


def turn_wins(position: Position, turn: int) -> bool:
    return (
        rules.status(rules.played(position, (turn >> 15, turn >> 12 & 7, turn >> 6 & 63, turn & 63))).reason == "goal"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "seed"), cases([(mode, seed) for mode in "234" for seed in range(3)]))
def test_a_random_game_is_the_same_in_the_core_forwards_and_back(mode: str, seed: int) -> None:
    rng = Random(seed)
    position: Position = OCTILES.start_with(mode, {"seed": seed})
    worths, track = worth(int(mode)), Turns()
    take(track, position, worths)
    played = [position]
    for number in range(150):
        if number % 3 == 0:
            compare(track, position, worths)
        chosen = OCTILES.random_action(position, position.seat, rng)
        turn = turn_of(chosen)
        won = track.make(turn) if turn is not None else bool(track.skip())
        position = OCTILES.apply(position, {position.seat: chosen}).position
        if OCTILES.status(position).over:
            assert won == (OCTILES.status(position).reason == "goal")
            break
        assert not won
        played.append(position)
    else:
        compare(track, position, worths)
    while track.made >= len(played):
        track.unmake()
    for position in reversed(played):
        if track.made % 5 == 0:
            compare(track, position, worths)
        if track.made:
            track.unmake()


@settings(max_examples=60)
@given(positions())
def test_any_position_has_the_same_turns_in_the_core(position: Position) -> None:
    worths = worth(int(position.mode))
    take(TRACK, position, worths)
    compare(TRACK, position, worths)


@settings(max_examples=20)
@given(positions(), st.integers(1, 4))
def test_seats_that_have_resigned_are_left_out(position: Position, seat: int) -> None:
    if seat > int(position.mode) or len(rules.active(position)) < 3:
        return
    resigned = OCTILES.resign(position, seat).position
    take(TRACK, resigned, worth(int(position.mode)))
    assert int(TRACK.seat) == resigned.seat - 1
    assert seat - 1 not in {int(TRACK.following[other]) for other in range(int(position.mode))}
