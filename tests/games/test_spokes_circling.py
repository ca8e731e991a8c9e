"""Circling in Spokes: a phase that can't come to rest ends (R11), and no level goes round in circles where it can."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from firmware_host.games.spokes import GAME, rules
from firmware_host.games.spokes.player import resolving
from firmware_host.games.spokes.player.ends import EndSearch
from firmware_host.games.spokes.rules import Cells, Position
from firmware_host.games.spokes.search import proofs
from firmware_host.games.thinking import LEVELS, choose
from firmware_host.services.engine import after
from tests.sampling import cases

COMPILED = not hasattr(EndSearch.look, "__code__")
WON = "./xbxb/b..bbb.x/.wb.b....ww.b.b./b.b...b.b.b..... 2v2 6 2 resolve -"
"""It is won in seven steps, but the search from the third position alone does not look that far."""
FAR = "./.bbb/bb.b.b.b/x.xb.b.bx..b.bxb/b.b.b.b.b.b.b.b. 2 15 1 resolve -"
"""A rest is sixteen steps away."""
RESTLESS = (
    "./.w.w/w.wxww.w/.w.wxw.w.www.w.w/w.w...ww.w.w.ww. 2v2 7 3 resolve -",
    "w/..../w.wwww.w/.www.w.w.w.w.w.w/w.w.w.w.w.w.w.w. 2 12 2 resolve -",
)
"""No rest can be reached, and no search knows in which loops they end."""
BACK_AND_FORTH = "./.www/xwww.www/x.x....x.x.x..xw/w.w.w.w.w.w.w.w. 2 8 2 resolve -"
"""Where B4 pushes C7 to D13 and 13 pushes it back."""


def resolve(text: str, level: int, most: int = 120) -> tuple[list[Position], list[float], tuple[int, ...]]:
    """Resolve a phase at a level; return the positions before each step, the values announced, and the winners."""
    strength, rng = GAME.strengths[level], Random(level)
    now, winners = GAME.parse(text), ()
    positions: list[Position] = []
    values = []
    while now.phase == "resolve" and len(positions) < most:
        positions.append(now)
        choice = choose(GAME.think(now, now.resolver, strength.budget, rng), strength.spread, rng)
        values.append(choice.value)
        transition = after(GAME, now, {now.resolver: choice.action})
        now, winners = transition.position, transition.status.winners
    return positions, values, winners


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it takes a minute in plain Python")
@pytest.mark.parametrize("level", [3, 4])
def test_an_announced_win_is_brought_home(level: int) -> None:
    positions, values, winners = resolve(WON, level)
    assert values == [1.0] * len(positions)
    assert winners == (1, 2)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it takes a minute in plain Python")
@pytest.mark.parametrize("level", cases((0, LEVELS - 1), 0))
def test_a_rest_is_reached_without_coming_by_a_board_again(level: int) -> None:
    positions, _, _ = resolve(FAR, level)
    assert len(positions) < 120
    assert len(set(positions)) == len(positions)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it takes a minute in plain Python")
@pytest.mark.parametrize("text", RESTLESS)
@pytest.mark.parametrize("level", cases((0, LEVELS - 1), 0))
def test_where_no_rest_can_be_reached_the_game_ends_soon(text: str, level: int) -> None:
    positions, _, winners = resolve(text, level)
    assert len(positions) <= 10
    assert winners


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it takes a minute in plain Python")
def test_that_no_rest_can_be_reached_is_proved_once_in_a_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    search, searched = resolving.way_to_rest, []
    monkeypatch.setattr(resolving, "way_to_rest", lambda context: searched.append(context) or search(context))
    monkeypatch.setattr(resolving, "_ways", resolving._Ways())
    positions, _, _ = resolve(RESTLESS[1], 4)
    assert len(positions) > 1
    assert len(searched) == 1
    # Whoever asks again has the same answer, kept or not.
    last, budget = positions[-1], GAME.strengths[4].budget
    answer = resolving.think(last, budget)
    monkeypatch.setattr(resolving, "_ways", resolving._Ways())
    assert answer == resolving.think(last, budget) == resolving.think(last, budget)


def walk(text: str, *actions: str) -> Position:
    now = GAME.parse(text)
    for action in actions:
        now = GAME.apply(now, {now.resolver: action}).position
    return now


def test_the_third_time_circles_r11() -> None:
    once = ("B4-C7-D13", "13-D13-C7")
    for count, circles in ((0, False), (1, False), (2, True)):
        now = walk(BACK_AND_FORTH, *once * count)
        assert bool(GAME.circling(now)) == circles
        assert len(now.met) == 2 * count
    nodes = rules.loop_nodes({now.cells, walk(BACK_AND_FORTH, once[0]).cells})
    single = now.cells[0] | now.cells[1]
    assert GAME.circling(now) == tuple(rules.NODES[node] for node in rules.members(nodes & single))
    assert not GAME.loop(now), "it can still come to rest"


@pytest.mark.parametrize(
    ("known", "restless"),
    [((None, False, None), True), ((False, None, True), False), ((True, None), False), ((None,), False), ((), False)],
)
def test_what_is_proved_of_a_board_holds_for_later_ones(
    known: tuple[bool | None, ...], restless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = [(1 << number, 0, 0, ()) for number in range(len(known))]
    monkeypatch.setattr(proofs, "_can_rest", dict(zip(boards, known, strict=True)).get)
    assert proofs.is_restless(boards) == restless


def test_a_hundred_steps_circle_r11() -> None:
    now = GAME.parse(RESTLESS[1])
    boards: list[Cells] = []
    rng = Random(3)
    while len(boards) < rules.LONG:  # As if no board had come up twice.
        assert not GAME.circling(replace(now, met=tuple(boards)))
        boards.append(now.cells)
        now = replace(GAME.apply(now, {2: GAME.random_action(now, 2, rng)}).position, met=())
    long = replace(now, met=tuple(boards) if now.cells not in boards else (*boards[:-1], boards[0]))
    assert GAME.circling(long)
    assert GAME.loop(long) == GAME.circling(long)


def test_the_next_phase_knows_nothing_of_the_one_before() -> None:
    placed = GAME.apply(GAME.apply(GAME.start("2"), {1: "wC2", 2: "wD4"}).position, {1: "wC1", 2: "wD9"}).position
    step = GAME.apply(placed, {2: "C1-C2-C3"}).position
    assert (step.phase, step.met) == ("place", ())
    assert placed == replace(placed, met=(placed.cells,))
