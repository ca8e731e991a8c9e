"""What a table asks its search, in which order, and what it makes of answers, for which it never waits."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.analysis.questions import ActionQuestion, Answer, EndsQuestion, Question
from firmware_host.games.game import Analysis
from firmware_host.session.analysis import LOOKS
from firmware_host.table.subjects.resolving import Noticed, SensorChanged
from firmware_host.table.subjects.seats import ComputerSeated
from lodestone.tables import SimulatedTable
from tests.analysers import ScriptedAnalyser
from tests.sentences import sentence
from tests.session.test_runtime import kinds, seal, sit

BEST = Analysis(True, False, way=("D12-D13-D14",), end="rest", cells="x", exact=True)
OPEN = Analysis(True, False, way=("D12-D13-D14",), end="rest")


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("D12-D13-D14")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, analyser=search)
    yield here
    here.close()


def resolve(table: SimulatedTable) -> str:
    """Play until two stones on D12 and D13 are resolved; return the position's text."""
    sit(table)
    seal(table, {1: "wD12", 2: "wD13"})
    table.hand.put("D12", "w")
    table.hand.put("D13", "w")
    table.wait(0.5)
    assert table.view["phase"] == "resolving"
    here = table.runtime.table()
    return here.game.text(here.ledger.now.position)


def looks(search: ScriptedAnalyser) -> list[tuple[str, float]]:
    return [(one.position, one.seconds) for one in search.ends_asked]


# -- the ends of a phase -----------------------------------------------------------------------------------------------


def test_it_is_asked_while_something_is_resolved_and_open(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    table.wait(0.1)
    assert search.queue == []
    text = resolve(table)
    assert looks(search) == [(text, LOOKS[0])]
    search.ends = BEST
    table.wait(0.1)
    assert search.queue == [], "all is known"
    table.hand.lift("D12")
    table.wait(0.1)
    table.hand.put("D11")
    table.wait(1.0)
    assert table.view["phase"] == "sealing"
    assert search.queue == []


def test_it_looks_longer_and_longer_while_something_is_open(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    text = resolve(table)
    for seconds in LOOKS:
        search.ends = None
        table.wait(0.1)
        assert looks(search) == [(text, seconds)]
        search.ends = OPEN  # The way may not be the best.
        table.wait(1 / 50)
    table.wait(0.1)
    assert search.queue == []


def test_an_answer_is_shown_and_lights_nothing(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    resolve(table)
    assert table.view["analysis"] is None
    search.ends = BEST
    table.wait(0.04)
    assert table.view["analysis"] == {
        "rest_reachable": True,
        "in_loop": False,
        "words": sentence("The stones can come to rest."),
    }
    assert table.pixel("D14") == (0, 0, 0), "what is best is told to nobody who has not asked"
    assert sum(table.pixel("D12")) > 0
    assert sum(table.pixel("D13")) > 0


def test_steps_are_lit_though_nobody_answers(table: SimulatedTable) -> None:
    resolve(table)
    assert sum(table.pixel("D12")) > 0
    table.hand.lift("D12")
    table.wait(0.1)
    assert table.pixel("D11") == (0, 255, 255)


@pytest.mark.parametrize(
    "nonsense", [Analysis(False, True, ("A1",)), Analysis(False, True), Analysis(True, False, way=("x",))]
)
def test_an_answer_that_can_not_be_is_dropped(
    table: SimulatedTable, search: ScriptedAnalyser, nonsense: Analysis, caplog: pytest.LogCaptureFixture
) -> None:
    resolve(table)
    search.ends = nonsense
    table.wait(0.2)
    assert table.view["phase"] == "resolving"
    assert ("the analysis" in caplog.text) == bool(nonsense.in_loop)
    assert "loop" not in kinds(table)


def test_a_proof_ends_the_phase(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    resolve(table)
    search.ends = Analysis(False, True, ("D12", "D13"))
    table.wait(0.04)
    assert table.view["phase"] == "clearing"
    assert kinds(table)[-2:] == ["loop", "result"]
    assert search.queue == []
    for node in ("D12", "D13"):
        table.hand.take_off(node)
        table.wait(0.2)
    table.wait(0.3)
    assert table.view["phase"] == "over"


class Failing(ScriptedAnalyser):
    """A search that fails at every question."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: list[Question] = []

    def answer(self, question: Question) -> Answer | None:
        if question in self.queue and question not in self.failed:
            self.failed.append(question)
        return Answer() if question in self.queue else None


def test_a_position_that_breaks_the_search_is_left_alone_and_after_the_second_every_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    search = Failing()
    table = SimulatedTable(tmp_path, analyser=search)
    first = resolve(table)
    table.wait(0.2)
    assert [one.position for one in search.failed if isinstance(one, EndsQuestion)] == [first]
    assert "play goes on" not in caplog.text
    for node in ("D12", "D11"):
        table.runtime.submit(Noticed(at=table.runtime.now(), what="test", text=None))
        (table.hand.lift if node == "D12" else table.hand.put)(node)
        table.wait(0.3)
    table.wait(1.0)
    seal(table, {1: "wC2", 2: "wC3"})
    table.hand.put("C2", "w")
    table.hand.put("C3", "w")
    table.wait(0.5)
    assert table.view["phase"] == "resolving"
    assert len(search.failed) == 2
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record for record in warnings if "play goes on without its proofs" in record.message]
    table.close()


@pytest.mark.parametrize("talking", [False, True], ids=["silent", "talking"])
def test_legal_steps_are_lit_with_the_change_itself_whatever_it_does(
    table: SimulatedTable, search: ScriptedAnalyser, talking: bool
) -> None:
    """A sensor's change is answered by a frame before anything else happens; `make bench` tells how soon that is."""
    resolve(table)
    for sample in range(60):
        if talking:
            search.ends = Analysis(True, False, way=(("D12-D13-D14", "nonsense")[sample % 2],), end="rest")
        before = table.parts.wire.frames
        sensed = "" if sample % 2 == 0 else "x"
        table.runtime.submit(SensorChanged(at=table.runtime.now(), node="D12", sensed=sensed))
        assert table.parts.wire.frames > before
        table.wait(0.02)
    assert table.view["phase"] == "resolving"


# -- the order ---------------------------------------------------------------------------------------------------------


def test_people_come_before_proofs_and_proofs_before_what_nobody_waits_for(
    table: SimulatedTable, search: ScriptedAnalyser
) -> None:
    text = resolve(table)
    waited, idle = (EndsQuestion("coil", (), "2", seconds) for seconds in (1.0, 2.0))
    table.runtime.search_for(lambda: [idle], idle=True)
    table.runtime.search_for(lambda: [waited])
    seat = table.runtime.table().actor
    assert seat is not None
    assert table.runtime.hint(seat, 1) is None
    table.wait(0.1)
    hint, ends, *others = search.queue
    assert isinstance(hint, ActionQuestion)
    assert (hint.game, hint.seat, hint.ranked) == ("spokes", seat, True)
    assert isinstance(ends, EndsQuestion)
    assert ends.position == text
    assert others == [waited, idle]


def test_a_computer_comes_first_and_its_proof_while_hands_do_what_it_has_chosen(
    table: SimulatedTable, search: ScriptedAnalyser
) -> None:
    resolve(table)
    seat = table.runtime.table().actor
    assert seat is not None
    table.runtime.submit(ComputerSeated(at=table.runtime.now(), seat=seat))
    table.wait(0.1)
    assert [type(one) for one in search.queue] == [ActionQuestion, ActionQuestion, EndsQuestion]
    search.ready = True
    table.wait(0.1)
    assert table.view["wanted"] == "D12-D13-D14"
    assert [type(one) for one in search.queue] == [EndsQuestion]
