"""Circling in Spokes: a phase that can't come to rest ends (R11), and no level goes round in circles where it can."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from firmware_host.games.capabilities import CIRCLED
from firmware_host.games.spokes import GAME, board, rules
from firmware_host.games.spokes.player import resolving
from firmware_host.games.spokes.player.ends import EndSearch
from firmware_host.games.spokes.player.evaluator import WIN
from firmware_host.games.spokes.player.search_context import SearchContext
from firmware_host.games.spokes.rules import Position
from firmware_host.games.thinking import LEVELS, choose
from firmware_host.services import engine
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
    assert GAME.circling(now) == names(rules.mobile_nodes(now.cells), now)
    before_r12 = rules.loop_nodes({now.cells, walk(BACK_AND_FORTH, once[0]).cells})
    assert GAME.circling(now, CIRCLED) == names(before_r12, now), "as records of earlier versions have it"
    assert GAME.circling(now) != GAME.circling(now, CIRCLED)
    assert not GAME.loop(now), "it can still come to rest"


def names(nodes: int, position: Position) -> tuple[str, ...]:
    """Return the names of those nodes that carry single stones."""
    return tuple(rules.NODES[node] for node in rules.members(nodes & (position.cells[0] | position.cells[1])))


def go_round(text: str, seed: int) -> Position:
    """Take random steps until the stones circle."""
    now, rng = GAME.parse(text), Random(seed)
    while not GAME.circling(now):
        now = GAME.apply(now, {now.resolver: GAME.random_action(now, now.resolver, rng)}).position
    return now


@pytest.mark.parametrize(
    ("text", "winners"),
    [
        ("x/.wxw/.w.xw..w/.w.w.w.www.w.www/w.w.w.w.x.w.w.w. 2 15 1 resolve -", (2,)),
        (RESTLESS[1], (2,)),
        (RESTLESS[1].replace("12 2 resolve", "12 1 resolve"), (2,)),
        ("w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 13 1 resolve -", (1,)),
    ],
)
def test_which_circle_is_gone_round_does_not_choose_the_winner_r12(text: str, winners: tuple[int, ...]) -> None:
    ends = [go_round(text, seed) for seed in range(8)]
    assert {GAME.call_loop(end, GAME.circling(end)).status.winners for end in ends} == {winners}
    before = {GAME.call_loop(end, GAME.circling(end, CIRCLED)).status.winners for end in ends}
    assert len(before) == 2, "before it did"


def test_a_stone_that_can_not_move_any_more_stays_r12() -> None:
    cells = GAME.parse("w/xxxx/......../ww............../................ 2 9 1 resolve -").cells
    mobile = rules.mobile_nodes(cells)
    assert mobile >> board.INDEX["D1"] & 1
    assert not mobile >> board.INDEX["A1"] & 1


@pytest.mark.parametrize("verb", ["status", "actions", "play"])
def test_the_engine_with_moves_says_what_apply_says(verb: str) -> None:
    steps = [{"2": action} for action in ("3-D3-C2", "C1-C2-D3") * 2]
    request = {"game": "spokes", "position": RESTLESS[1], "moves": steps[:-1]}
    done = ask(do="apply", **request, actions=steps[-1])
    assert done["status"]["over"]
    asked = ask(do=verb, **{**request, "moves": steps})
    if verb == "play":
        assert asked["error"]["code"] == "game_over"
    elif verb == "actions":
        assert asked["seats"] == {}
    else:
        assert {"id": None, "ok": True, **done["status"]} == asked
    assert not ask(do="status", **request)["over"]


def ask(**request: Any) -> Any:
    return json.loads(engine.answer_line(json.dumps(request)))


@pytest.mark.skipif(not COMPILED, reason="it takes long in plain Python")
def test_the_strongest_level_knows_what_endless_circling_is_worth() -> None:
    now = GAME.parse("./.wxw/.w.w.w.w/.wxwww.w.w.w.w.w/.w.w.ww.w.w.ww.w 2 14 1 resolve -")
    worth = SearchContext(now, GAME.strengths[4].budget).endless(now.cells)
    circled = replace(now, met=(now.cells,) * 2)
    winners = GAME.call_loop(now, GAME.circling(circled)).status.winners
    assert worth == (WIN if winners == (1,) else 0)
    best = GAME.think(now, 1, GAME.strengths[4].budget, Random(1)).choices[0]
    assert best.value == pytest.approx(worth / WIN, abs=0.01)


def test_a_phase_of_any_length_keeps_each_of_its_boards_once() -> None:
    """Each moment of a game has its own position: with a copy of all boards in each, circling would fill the memory."""
    steps = 20_000
    now = GAME.parse(BACK_AND_FORTH)
    moments = [now]
    for number in range(steps):
        now = replace(now, met=rules.Boards(now.met, (number, 0, 0, ())))
        moments.append(now)
    assert [len(one.met) for one in (moments[0], moments[1], moments[-1])] == [0, 1, steps]
    assert [one[0] for one in now.met] == list(range(steps))
    assert now.met[-1] == (steps - 1, 0, 0, ())
    assert moments[7].met[:2] == ((0, 0, 0, ()), (1, 0, 0, ()))
    assert sum(map(sys.getsizeof, (one.met for one in moments))) < 100 * steps
    assert pickle.loads(pickle.dumps(now)).met == tuple(now.met)
    del moments, now  # No recursion, however long it is.
