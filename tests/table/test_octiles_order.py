"""One turn of Octiles in any order of the hands, and cut by the power after any deed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import PieceMove
from tests.sampling import cases
from tests.table.octiles_evenings import KINDS, Octiles, stage_of
from tests.table.test_tiles import MIDDLE

pytestmark = pytest.mark.slow

THREE = "a2:5r7,b4:16r1,c1:9r2,c3:2r0,d1:7r4 blue:A1,A3,B3,C4,D2;red:A6,B5,C6,D3,E6;yellow:E3,E4,F2,F3,F6 \
12,1,18,3,4,6,8,10,11,13,14,15,17 3 2"


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(which=st.integers(0, 10**6), random=st.randoms(use_true_random=False), text=st.sampled_from((MIDDLE, THREE)))
def test_any_interleaving_of_two_hands_is_that_turn(kind: str, which: int, random: Random, text: str) -> None:
    hands = Octiles(kind, text.split(" ")[-2], seed=1, position=text)
    hands.random = random
    steps = hands.carried()
    hands.at_once(steps[which % len(steps)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "deeds"), cases([(kind, deeds) for kind in KINDS for deeds in range(4)], ("presence", 1), ("coded", 2))
)
def test_a_power_cut_after_any_deed_commits_nothing_and_the_turn_is_played_anew(kind: str, deeds: int) -> None:
    hands = Octiles(kind, "2", seed=9)
    for number in range(7):
        hands.turn()
        step = hands.random.choice(hands.carried())
        *tile, runner = step.moves
        for move in tile[:deeds]:
            hands.deed(move)
            hands.soon(0.05, 0.6)
        if deeds > len(tile):
            hands.coming = step.action
            hands.answer(step.action.partition(":")[0])
            hands.coming = None
        if deeds > 2:
            hands.evening.lift(str(runner.source))
            hands.soon(0.05, 0.3)
        hands.restart()
        assert hands.stage == [], number
        assert hands.evening.view()["message"].startswith(hands.evening.table.ledger.name(hands.seat))
        now = hands.evening.game.occupancy(hands.position)
        if kind == "coded":
            assert {node: tuple(stack) for node, stack in hands.evening.stones.items()} == now
        hands.evening.stones = {node: list(stack) for node, stack in now.items()}
        if hands.random.random() < 0.5:
            hands.play(step.action)


@pytest.mark.parametrize("lifted", [False, True])
@settings(max_examples=40, deadline=None)
@given(which=st.integers(0, 10**6), random=st.randoms(use_true_random=False), text=st.sampled_from((MIDDLE, THREE)))
def test_a_tile_is_turned_and_the_runner_follows_at_once(lifted: bool, which: int, random: Random, text: str) -> None:
    """A tile lies for a while and is turned, in place or ``lifted`` for a moment; the runner moves without a wait."""
    hands = Octiles("coded", text.split(" ")[-2], seed=1, position=text)
    hands.random = random
    step = (steps := hands.carried())[which % len(steps)]
    well, _, turned = stage_of(step.action).rpartition("r")
    *tile, runner = step.moves
    others = {stage_of(other.action) for other in steps if other.action.startswith(f"{well}r")} - {f"{well}r{turned}"}
    if not others:
        return
    first = random.choice(sorted(others))
    for move in tile:
        hands.deed(
            move
            if move.source
            else PieceMove((f"{move.pieces[0].rpartition('r')[0]}r{first[len(well) + 1 :]}",), None, well)
        )
    hands.wait(random.choice((0.0, 0.1, 0.2, 0.3, 0.5, 2.0)))
    hands.coming = step.action
    if lifted:
        hands.away(well)
        hands.soon(0.05, 0.3)
    else:
        hands.evening.stones.pop(well)
    hands.evening.put(well, tile[-1].pieces[0])
    hands.wait(random.choice((0.0, 0.06, 0.2, 0.3, 0.5, 2.0)))
    hands.evening.lift(str(runner.source))
    hands.soon(0.05, 0.6)
    hands.evening.put(str(runner.target))
    hands.wait(1.0)
    hands.finish()
