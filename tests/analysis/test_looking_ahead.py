"""The loop and whoever looks ahead beside it: asked at every turn of play, heard when it answers, waited for never."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.games.game import Analysis
from firmware_host.table import events as ev
from tests.session.test_runtime import kinds, seal, sit
from tests.tables import RunningTable

BEST = Analysis(True, False, way=("D12-D13-D14",), end="rest", cells="x", exact=True)


class Silent:
    """Is asked, and never answers."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    def ask(self, position: str | None) -> None:
        if not self.asked or self.asked[-1] != position:
            self.asked.append(position)

    def close(self) -> None:
        pass


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RunningTable]:
    here = RunningTable(tmp_path, adviser=Silent())
    yield here
    here.close()


def resolve(table: RunningTable) -> str:
    """Play until two stones on D12 and D13 are resolved; return the position's text."""
    sit(table)
    seal(table, {1: "wD12", 2: "wD13"})
    table.hand.put("D12", "w")
    table.hand.put("D13", "w")
    table.wait(0.5)
    assert table.view["phase"] == "resolving"
    here = table.runtime._table
    assert here is not None
    return here.game.text(here.ledger.now.position)


def silent(table: RunningTable) -> Silent:
    assert isinstance(table.adviser, Silent)
    return table.adviser


def test_it_is_asked_while_something_is_resolved_and_open(table: RunningTable) -> None:
    text = resolve(table)
    assert silent(table).asked == [None, text]
    table.runtime.foreseen(text, Analysis(True, False, way=("D12-D13-D14",), end="rest"), 0.3)
    table.wait(0.1)
    assert silent(table).asked[-1] == text, "the way may not be the best"
    table.runtime.foreseen(text, BEST, 2.0)
    table.wait(0.1)
    assert silent(table).asked == [None, text, None]
    table.hand.lift("D12")
    table.wait(0.1)
    table.hand.put("D11")
    table.wait(1.0)
    assert table.view["phase"] == "sealing"
    assert silent(table).asked == [None, text, None]


def test_an_answer_is_shown_and_lights_nothing(table: RunningTable) -> None:
    text = resolve(table)
    assert table.view["foresight"] is None
    table.runtime.foreseen(text, BEST, 0.3)
    table.wait(0.04)
    assert table.view["foresight"] == {
        "rest_reachable": True,
        "in_loop": False,
        "words": "The stones can come to rest.",
    }
    assert table.pixel("D14") == (0, 0, 0), "what is best is told to nobody who has not asked"
    assert sum(table.pixel("D12")) > 0
    assert sum(table.pixel("D13")) > 0


def test_steps_are_lit_though_nobody_answers(table: RunningTable) -> None:
    resolve(table)
    assert sum(table.pixel("D12")) > 0
    table.hand.lift("D12")
    table.wait(0.1)
    assert table.pixel("D11") == (0, 255, 255)


def test_an_answer_that_can_not_be_is_let_go(table: RunningTable, caplog: pytest.LogCaptureFixture) -> None:
    text = resolve(table)
    for nonsense in (Analysis(False, True, ("A1",)), Analysis(False, True), Analysis(True, False, way=("x",))):
        table.runtime.foreseen(text, nonsense, 0.3)
        table.wait(0.04)
    assert table.view["phase"] == "resolving"
    assert "the adviser" in caplog.text
    assert "loop" not in kinds(table)


def test_a_proof_ends_the_phase(table: RunningTable) -> None:
    text = resolve(table)
    table.runtime.foreseen(text, Analysis(False, True, ("D12", "D13")), 0.3)
    table.wait(0.04)
    assert table.view["phase"] == "clearing"
    assert kinds(table)[-2:] == ["loop", "result"]
    assert silent(table).asked[-1] is None
    for node in ("D12", "D13"):
        table.hand.take_off(node)
        table.wait(0.2)
    table.wait(0.3)
    assert table.view["phase"] == "over"


@pytest.mark.parametrize("flooding", [False, True], ids=["silent", "flooding"])
def test_legal_steps_are_lit_with_the_change_itself_whatever_it_does(table: RunningTable, flooding: bool) -> None:
    """A sensor's change is answered by a frame before anything else happens; `make bench` tells how soon that is."""
    text = resolve(table)
    ended = threading.Event()

    def flood() -> None:
        ways = ("D12-D13-D14", "D13-D12-D11", "nonsense")
        for number in range(10**9):
            if ended.is_set():
                return
            answer = Analysis(True, False, way=(ways[number % 3],), end="rest")
            table.runtime.foreseen(text if number % 2 else f"{text} ", answer, float(number))

    thread = threading.Thread(target=flood)
    if flooding:
        thread.start()
    try:
        for sample in range(60):
            before = table.parts.wire.frames
            sensed = "" if sample % 2 == 0 else "x"
            table.runtime.submit(ev.SensorChanged(at=table.runtime.now(), node="D12", sensed=sensed))
            assert table.parts.wire.frames > before
            table.wait(0.02)
    finally:
        ended.set()
        if flooding:
            thread.join()
    assert table.view["phase"] == "resolving"
