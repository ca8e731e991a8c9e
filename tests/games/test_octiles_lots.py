"""Octiles: a stack that is drawn by lots, tile by tile, is a stack that was shuffled before play."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_host.games.octiles import board
from firmware_host.games.octiles.rules import LAID_BEFORE
from tests.games.octiles_positions import OCTILES
from tests.sampling import cases

BITS = 256


def drawn(moments: list[Any], lots: list[int]) -> None:
    """Draw for the last moment what it needs, in all of them."""
    while OCTILES.lots_needed(moments[-1]) > len(lots):
        lots.append(Random(f"lot {len(lots)} {moments[0].mode}").getrandbits(BITS))
        moments[:] = [OCTILES.with_lot(one, len(lots), lots[-1]) for one in moments]


def steps(moments: list[Any], rng: Random, count: int) -> list[str]:
    """Play at random, with tiles drawn as they are needed; return the actions."""
    lots, actions = list[int](), list[str]()
    drawn(moments, lots)
    while len(actions) < count and not OCTILES.status(moments[-1]).over:
        seat = moments[-1].seat
        actions.append(OCTILES.random_action(moments[-1], seat, rng))
        moments.append(OCTILES.apply(moments[-1], {seat: actions[-1]}).position)
        drawn(moments, lots)
    return actions


@pytest.mark.parametrize("mode", OCTILES.modes)
@pytest.mark.parametrize("seed", cases(range(20), 3))
def test_a_game_drawn_by_lots_is_the_game_of_a_shuffled_stack(mode: str, seed: int) -> None:
    """All positions follow from each other as if the tiles had lain so from the start, the past included."""
    moments = [OCTILES.start_by_lot(mode)]
    actions = steps(moments, Random(seed), 60)
    laid = [face for well in LAID_BEFORE if mode == "3" and (face := moments[0].faces[board.WELL[well]])]
    stack = [face // 8 for face in laid] + list(moments[0].stack)
    turned = {"turned": [face % 8 for face in laid]} if laid else {}
    now = OCTILES.start_with(mode, {"stack": stack, **turned})
    assert repr(moments[0]) == repr(now)
    for action, after in zip(actions, moments[1:], strict=True):
        now = OCTILES.apply(now, {now.seat: action}).position
        assert repr(after) == repr(now)


def test_what_no_lot_has_drawn_stands_in_ascending_order() -> None:
    """So the text of a position says nothing about it, and is the same at all tables."""
    moments = [OCTILES.start_by_lot("2")]
    assert moments[0].stack == tuple(board.TILES)
    for count in (1, 5, 9):
        moments = [OCTILES.start_by_lot("2")]
        steps(moments, Random(count), count)
        now = moments[-1]
        hidden = now.stack[1 : 1 + now.unseen]
        assert list(hidden) == sorted(hidden)
        assert OCTILES.lots_needed(now) == 18 - len(hidden)


def test_lots_are_fair() -> None:
    """Each hidden tile is picked as often, and turned as often, as any other."""
    start = OCTILES.start_by_lot("3")
    picked = {OCTILES.with_lot(start, 1, lot).faces[board.WELL["c1"]] for lot in range(18 * 8)}
    assert len(picked) == 18 * 8


def test_repetitions_count_that_began_before_a_tile_was_known() -> None:
    """R3 compares the tiles that lay there in truth: the past knows what has been drawn meanwhile."""
    moments = [OCTILES.start_by_lot("2")]
    steps(moments, Random(4), 3)
    before = moments[-1]
    key = before.key
    past = type(before)(**{**vars(before), "past": (key,)})
    after = OCTILES.with_lot(past, OCTILES.lots_needed(before) + 1, 3)
    assert after.past == (after.key,)
    assert after.key != key
