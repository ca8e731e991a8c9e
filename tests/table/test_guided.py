"""Whoever follows the way of the real search comes to the end that it announced, step by step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.archive.format import write_lines
from firmware_host.archive.records import verify_lines
from firmware_host.games.capabilities import HasAnalysis
from firmware_host.games.game import Analysis
from firmware_host.games.registry import game
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.table.test_hands import KINDS, a_resolving_position

SPOKES = game("spokes")
LOOP = "w/.x../w.w.wxxw/.w.w.w....wxw.../w.w.w.w.w.....w. 2 20 2 resolve -"
"""Of spokes_hard.json: a small loop among many stones."""


def look_ahead(evening: Evening, positions: int = 3_000) -> Analysis:
    assert isinstance(evening.game, HasAnalysis)
    found = evening.game.foresee(evening.table.ledger.now.position, positions, lambda: False)
    evening.foresee(found)
    return found


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), mode=st.sampled_from(["2", "4", "2v2"]))
def test_the_way_leads_to_the_end_that_was_foreseen(seed: int, kind: str, mode: str) -> None:
    evening = Evening("spokes", mode, kind).begin_at(a_resolving_position(seed, mode))
    found = look_ahead(evening)
    if found.end != "rest":
        return
    for left in range(len(found.way), 0, -1):
        assert evening.phase == "resolving"
        known = evening.table.analysis
        assert known is not None
        assert (len(known.way), known.exact) == (left, found.exact), "followed, the way is never looked for anew"
        evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action=known.way[0]))
        lit = evening.lights()
        step = next(step for step in evening.table.watch.tracker.steps if step.action == known.way[0])
        source, target = step.moves[0].source, step.moves[0].target
        assert source is not None
        assert target is not None
        assert (lit[source], lit[target]) == ("movable", "best")
        evening.do(known.way[0])
    assert evening.phase != "resolving"
    cells = evening.text().split()[0]
    assert cells == found.cells


def test_a_loop_that_a_search_proves_ends_the_phase() -> None:
    evening = Evening().begin_at(LOOP)
    assert evening.phase == "resolving"
    found = look_ahead(evening, 100_000)
    assert found.in_loop is True
    assert evening.phase == "clearing"
    assert {node for node, meaning in evening.lights().items() if meaning == "loop"} == set(found.loop_nodes)
    for node in found.loop_nodes:
        evening.lift(node, len(evening.stones[node]))
        evening.hand = []
        evening.wait(0.3)
    assert evening.phase == "over"
    assert evening.view()["result"]["reason"] == "loop"


@pytest.mark.parametrize("by", ["proof", "agreement"])
def test_the_entries_of_a_called_loop_make_a_record_that_verifies(by: str, tmp_path: Path) -> None:
    """From the first seal to the result, as the journal would hold it; a proof that is none is found."""
    evening = Evening().sit_and_start("Ann", "Bob")
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.put_down_all()
    if by == "proof":
        evening.foresee(Analysis(False, True, ("C2", "C3")))
    else:
        evening.foresee(Analysis(None, None, ("C2", "C3")))
        evening.agree_on("loop")
    assert evening.phase == "clearing"
    events = [
        {
            "at": "2026-11-21T10:00:00Z",
            "kind": kind,
            "data": {key: value for key, value in data.items() if key != "claim"},
        }
        for kind, data in evening.entries
        if kind not in {"game", "seat"}
    ]
    seats = {str(seat): {"name": name, "computer": False} for seat, name in ((1, "Ann"), (2, "Bob"))}
    header = {"record": 1, "id": "g1", "game": "spokes", "mode": "2", "rules": {}, "seats": seats, "board": "test"}
    header |= {"version": "0", "started": "2026-11-21T10:00:00Z", "events": len(events)}
    lines = [
        json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")) for line in write_lines(header, events)
    ]
    if by == "agreement":
        assert "won by seat 2 (loop)" in str(verify_lines(lines))
    else:
        with pytest.raises(ValueError, match="a loop said to be proved, but steps lead out of it"):
            verify_lines(lines)
