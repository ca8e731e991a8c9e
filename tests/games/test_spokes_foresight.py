"""The best way for the resolver, against every end of small graphs valued one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.capabilities import HasAnalysis
from firmware_host.games.game import BadAction, GameError
from firmware_host.games.registry import game
from firmware_host.games.spokes import board, notation, rules
from firmware_host.games.spokes.rules import SEATS, TEAMS, Cells, Position
from firmware_host.games.spokes.search import proofs
from firmware_host.games.spokes.search.forms import COMPILED
from firmware_host.services.engine import answer_line
from tests.games.test_spokes_search import UNDECIDED, everything, some_cells
from tests.sentences import pattern

SPOKES: Any = game("spokes")
CIRCLE = "./..../xx....../w.wx..........xw/xxx............x 2 5 1 resolve -"
"""The example of ruling R7: D1 goes to D2 and back for ever."""


def never() -> bool:
    return False


def resolving(cells: Cells, mode: str, resolver: int) -> Position:
    return Position(cells, mode, 9, resolver, "resolve")


def plain_worth(here: Position, cells: Cells, loop: bool) -> tuple[int, int, int]:
    """The same by the score lines that players see."""
    ended = replace(here, cells=cells)
    own = next(team for team in TEAMS[here.mode] if here.resolver in team)
    lines = {line.seats: (line.score, line.tiebreak) for line in rules.explain(ended)}
    mine = lines.pop(own)
    reason = rules.ending(ended, loop=loop)
    over = 0
    if reason is not None:
        over = 1 if here.resolver in rules.status(replace(ended, phase="over"), reason).winners else -1
    return over, mine[0] - max(line[0] for line in lines.values()), mine[1] - max(line[1] for line in lines.values())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(["2", "4", "2v2"]))
def test_no_end_is_better_and_no_way_to_it_shorter(seed: int, mode: str) -> None:
    rng = Random(seed)
    cells = some_cells(seed, 12, rng.choice([0.5, 0.8, 1.0]))
    later = everything(cells, 600)
    if later is None or not later[cells]:
        return
    here = resolving(cells, mode, rng.choice(SEATS[mode]))
    found = SPOKES.foresee(here, 10_000, never)
    ends = proofs.outcomes(cells)
    values = [plain_worth(here, rest, loop=False) for rest in ends.rests]
    values += [plain_worth(here, loop, loop=True) for loop in ends.loops]
    assert found.exact
    assert found.worth == max(values)
    assert found.rest_reachable == bool(ends.rests)
    reached = cells
    for action in found.way:
        reached = next(rules.after(reached, act) for act in rules.legal_steps(reached) if act.text == action)
    assert (found.end == "rest") == rules.at_rest(reached)
    if found.end == "rest":
        assert notation.cells_text(reached) == found.cells
    else:
        assert found.cells in {notation.cells_text(loop) for loop in ends.loops}
    distance, layer = 0, {cells}
    while reached not in layer:
        distance, layer = distance + 1, {after for one in layer for after in later[one]}
    assert len(found.way) == distance


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(["2", "4", "2v2"]), st.booleans())
def test_ends_are_valued_by_the_score(seed: int, mode: str, loop: bool) -> None:
    rng = Random(seed)
    kinds = [(1, 0), (0, 1), (1, 1), (3, 0), (2, 2)]
    cells = rules.from_counts({n: rng.choice(kinds) for n in rng.sample(range(45), 20)})
    here = resolving(cells, mode, rng.choice(SEATS[mode]))
    assert proofs.worth(here, cells, loop=loop) == plain_worth(here, cells, loop)


def test_a_won_end_goes_before_more_stones_and_a_lost_one_after_fewer() -> None:
    won = (1, -3, 0)
    assert won > (0, 5, 5) > (0, 4, 9) > (-1, 8, 8)


def test_what_can_not_be_known_is_not_said() -> None:
    dense = resolving(notation.parse_cells(UNDECIDED), "2", 1)
    found = SPOKES.foresee(dense, 5_000, never)
    assert (found.rest_reachable, found.in_loop, found.exact) == (None, None, False)
    assert (found.way, found.end, found.cells, found.worth) == ((), None, None, ())
    assert set(found.loop_nodes) <= {board.NODES[n] for n in board.members(dense.cells[0])}
    assert len(found.loop_nodes) > 10, "the stones that are seen to take part in the circling"


def test_a_loop_is_known_with_its_stones() -> None:
    found = SPOKES.foresee(SPOKES.parse(CIRCLE), 1_000, never)
    assert (found.rest_reachable, found.in_loop, found.exact) == (False, True, True)
    assert (found.loop_nodes, found.way, found.end) == (("D1", "D3", "D16"), (), "loop")
    assert found.cells == "./..../xx....../...x..........x./xxx............x"
    assert SPOKES.loop(SPOKES.parse(CIRCLE)) == ("D1", "D3", "D16")


def test_calling_a_loop_ends_the_game_and_clears_its_stones() -> None:
    here = SPOKES.parse(CIRCLE)
    done = SPOKES.call_loop(here, ("D1", "D3", "D16"))
    assert done.removed == ("D1", "D3", "D16")
    assert (done.status.over, done.status.reason) == (True, "loop")
    assert "D16" in done.placed
    assert done.position.cells == notation.parse_cells("./..../xx....../...x..........x./xxx............x")


@pytest.mark.parametrize(
    ("text", "nodes", "says"),
    [
        (CIRCLE, ["D99"], "labels such as D12"),
        (CIRCLE, ["D4"], pattern("carries a single stone")),
        (CIRCLE, [], "none of them"),
        ("./..../......../................/................ 2 1 1 place -", ["D1"], "a turn is being resolved"),
    ],
)
def test_a_loop_that_can_not_be_is_not_called(text: str, nodes: list[str], says: str) -> None:
    with pytest.raises(BadAction, match=says):
        SPOKES.call_loop(SPOKES.parse(text), nodes)


def test_nothing_is_foreseen_outside_of_a_resolution() -> None:
    assert isinstance(SPOKES, HasAnalysis)
    with pytest.raises(GameError, match="phase resolve"):
        SPOKES.foresee(SPOKES.start("2"), 10, never)
    assert SPOKES.loop(SPOKES.start("2")) == ()


# -- the engine --------------------------------------------------------------------------------------------------------


def ask(**request: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(answer_line(json.dumps({"game": "spokes", **request})))
    return answer


def test_resolve_gives_steps_that_can_be_applied() -> None:
    text = "./..../.ww...../..........ww..../................ 2 2 2 resolve -"
    answer = ask(do="resolve", position=text, seconds=100)
    assert (answer["ok"], answer["exact"], answer["end"]) == (True, True, "rest")
    for step in answer["steps"]:
        text = ask(do="apply", position=text, action=step)["position"]
    assert text.split()[0] == answer["cells"]
    assert text.split()[4] == "place", "the phase has come to rest"


def test_outcomes_tell_whether_a_rest_can_be_reached() -> None:
    cells = "./w.w./.w.w.w.w/.w.w.w.w.w.w.w.w/.ww.w.w.w.w.wwww"
    answer = ask(do="outcomes", position=f"{cells} 2 9 1 resolve -", max_positions=25_000, seconds=100)
    assert (answer["exact"], answer["rest_reachable"]) == (False, False)
    answer = ask(do="outcomes", position=f"{cells} 2 9 1 resolve -", max_positions=25_000, seconds=100, list=True)
    assert answer["error"]["code"] == "over_budget"


@pytest.mark.parametrize("verb", ["resolve", "foresee", "outcomes"])
def test_searches_refuse_what_they_can_not_search(verb: str) -> None:
    start = ask(do=verb, position="./..../......../................/................ 2 1 1 place -")
    assert start["ok"] is False
    assert "phase resolve" in start["error"]["message"]
    assert ask(do=verb, position=CIRCLE, seconds=-1)["error"]["code"] == "bad_request"


def test_apply_calls_a_loop_that_is_too_large_for_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine takes the time to prove it; at a table the search beside it does that."""
    monkeypatch.setattr(SPOKES, "_loops", proofs.LoopFinder(50))
    here = resolving(notation.parse_cells("w/..x./w.wxw.w./xwwxwxwwxw.wxwxw/.w.w.wxw.w.w.w.w"), "2", 1)
    action = SPOKES.actions(here)[1][0]
    assert SPOKES.apply(here, {1: action}).removed == ()
    answer = ask(do="apply", position=SPOKES.text(here), action=action)
    assert answer["status"]["reason"] == "loop"
    assert len(answer["removed"]) == 17


@pytest.mark.thorough
@pytest.mark.skipif(not COMPILED, reason="the plain form takes half a minute for a loop of 160,184 positions")
def test_a_large_loop_is_proved() -> None:
    here = resolving(notation.parse_cells("./bxb./xb.b.b.b/xb.b.b..bxxb.b.b/b.b.bb.bxb.bb.b."), "2", 1)
    assert len(SPOKES.loop(here)) == 22
