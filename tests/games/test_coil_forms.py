"""Random games of Coil in both forms, and what closes a coil beside OpenSpiel's rings."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.coil import playout
from firmware_host.games.coil.board import SIZES, board
from firmware_host.games.coil.coils import closes, has_coil
from firmware_host.games.coil.draws import BLACK, COIL, CONTRACT, OTHER, WHITE
from firmware_host.games.coil.sets import Sets
from firmware_host.games.registry import game
from tests.games import coil_reference as slow
from tests.games import openspiel
from tests.sampling import cases

STONES = st.sampled_from([0.0, 0.1, 0.3, 0.45])
"""Which share of the cells is black, and in phase II as many white; above that nearly every board holds a coil."""


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@settings(deadline=None, max_examples=150)
@given(begin=st.sampled_from([CONTRACT, WHITE, BLACK]), share=STONES, seed=st.integers(0, 2**32))
def test_machine_words_play_the_games_that_sets_play(size: int, begin: int, share: float, seed: int) -> None:
    """Whether the words are compiled or not: both draw the same, so that one seed gives one game."""
    words: Any = pytest.importorskip("firmware_host.games.coil.words", reason="needs librt (the extra compiled)")
    rng = Random(seed)
    black = white = 0
    for bit in board(size).bits:
        drawn = rng.random()
        if drawn < share:
            black |= bit
        elif begin != CONTRACT and drawn < 2 * share:
            white |= bit
    if has_coil(board(size), black):
        black = 0
    one, other = Random(seed), Random(seed)
    plays, sets = words.Words(size), Sets(size)
    for _ in range(5):  # Nothing is kept from one game to the next.
        assert plays.play(black, white, begin, one) == sets.play(black, white, begin, other)
        assert one.getstate() == other.getstate()


@pytest.mark.slow
@pytest.mark.parametrize("size", cases([3, 7, 10], 3, 7))
def test_random_games_of_sets_end_as_those_stone_by_stone(size: int) -> None:
    rng, count = Random(size), 1500
    sets, lists, every = Sets(size), slow.FlatLists(size), list(range(len(board(size).cells)))
    for begin in (CONTRACT, WHITE, BLACK):
        contract, blacks_turn = begin == CONTRACT, begin == BLACK
        fast = [sets.play(0, 0, begin, rng) for _ in range(count)]
        plain = [lists.playout([], every, rng, contract=contract, blacks_turn=blacks_turn) for _ in range(count)]
        # In phase I the lists tell who closed a coil, and after it only which colour has won.
        ends = [(end & COIL) != 0 for end in fast]
        coils = [end != 0 for end in plain]
        assert abs(sum(ends) - sum(coils)) < 4.5 * math.sqrt(count / 2)
        if begin == CONTRACT:
            assert abs(sum(end & OTHER != 0 for end in fast) - count / 2) < 4.5 * math.sqrt(count / 2)
        else:
            holder = 0 if begin == BLACK else OTHER
            assert set(fast) <= {COIL | holder, OTHER - holder}


@pytest.mark.thorough
def test_the_pass_comes_at_any_time_until_a_coil_closes() -> None:
    """On an empty board nobody closes a coil with the first five stones: those games pass as often as chance says."""
    rng, count, size = Random(4), 20_000, 4
    sets, cells = Sets(size), board(size)
    laid = [sets._contract(0, cells.all, rng) for _ in range(count)]
    for stones in range(6):
        passed = sum(not closed and black.bit_count() == stones for black, closed in laid)
        expected = count / (len(cells.bits) + 1)
        assert abs(passed - expected) < 4.5 * math.sqrt(expected)
    for black, closed in laid[:2000]:
        assert has_coil(cells, black) == closed
    assert {closed for _, closed in laid} == {True, False}


@pytest.mark.slow
def test_a_half_is_any_half_as_often_as_any_other() -> None:
    rng, count = Random(3), 20_000
    sets, cells = Sets(3), board(3)
    pool = cells.all ^ sum(cells.bits[::6])
    taken = [sets._half(pool, rng, more=True) for _ in range(count)]
    members = list(cells.members(pool))
    assert len(members) > 12, "else another way is taken"
    assert {half.bit_count() for half in taken} == {(len(members) + 1) // 2}
    assert all(half & ~pool == 0 for half in taken)
    share = (len(members) + 1) // 2 / len(members)
    for cell in members:
        seen = sum(half >> cell & 1 for half in taken)
        assert abs(seen - count * share) < 4.5 * math.sqrt(count * share * (1 - share))
    both = share * ((len(members) + 1) // 2 - 1) / (len(members) - 1)
    for one, other in itertools.combinations(members, 2):
        seen = sum(half >> one & half >> other & 1 for half in taken)
        assert abs(seen - count * both) < 5 * math.sqrt(count * both * (1 - both))


def test_the_compiled_form_plays_where_it_is_there() -> None:
    name = type(playout.player(7)).__name__
    assert name == ("Words" if playout.COMPILED else "Sets")
    seeds = [game("coil").playout(game("coil").start("2"), Random(seed)) for seed in range(40)]  # type: ignore[attr-defined]
    plain = [playout.ENDS[1][Sets(7).play(0, 0, CONTRACT, Random(seed))] for seed in range(40)]
    assert seeds == plain


# -- rings -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(openspiel.pyspiel is None, reason=openspiel.HOW)
@pytest.mark.parametrize("size", SIZES)
def test_a_stone_closes_a_coil_when_it_closes_a_ring_of_openspiel_s_havannah(size: int) -> None:
    """The board lies in the middle of a wider one, so that nothing but a ring can end a game of Havannah.

    Bridges and forks need corners or edges, which no black stone reaches: all are on cells of Coil's board. The other
    player's stones lie outside it, on every third cell, none of which is next to another: they never join.
    """
    around = size
    wide = size + around
    inner = {openspiel.action(size, cell, around) for cell in slow.cells(size)}
    side = 2 * wide - 1
    outside = [
        number
        for number in map(lambda cell: openspiel.action(wide, cell), slow.cells(wide))  # noqa: C417
        if number not in inner and (number // side + number % side) % 3 == 0
    ]
    cells = board(size)
    for seed in range(20):
        rng = Random(seed)
        order = list(slow.cells(size))
        rng.shuffle(order)
        state, black = openspiel.havannah(wide).new_initial_state(), 0
        for cell, white in zip(order, rng.sample(outside, len(order)), strict=True):
            number = cells.numbers[slow.name(cell)]
            closed = closes(cells, black, number)
            black |= 1 << number
            state.apply_action(openspiel.action(size, cell, around))
            assert state.is_terminal() == closed == has_coil(cells, black)
            if closed:
                assert state.returns() == [1.0, -1.0]
                break
            state.apply_action(white)
        else:
            pytest.fail("a board full of black holds a coil")
