"""What a table knows of the end of a phase: proofs stay, a way is followed or forgotten, old answers are let go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from firmware_host.games.game import Analysis
from firmware_host.table.errors import TableError
from firmware_host.table.events import AppendEntry, ShowView
from firmware_host.table.known_analysis import known_of, learn
from firmware_host.table.subject import SubjectState
from firmware_host.table.subjects.proposals import Proposed
from firmware_host.table.subjects.resolving import ActionChosen, AnalysisFound, BoardLost, open_question
from firmware_host.table.table import handle
from lodestone.evening import Evening
from tests.sentences import sentence

HERE, THERE = "here", "there"
WAY = Analysis(True, False, way=("a", "b"), end="rest", cells="r")
EXACT = Analysis(True, False, way=("c", "d", "e"), end="rest", cells="s", exact=True)
LOOPING = Analysis(False, False, way=("a", "b"), end="loop", cells="l", exact=True)
CIRCLING = Analysis(None, None, ("C2", "C3"))
POSITION = "./..../.ww...../..........ww..../................ 2 2 2 resolve -"


class Holding:
    """What has states, as a table does."""

    def __init__(self) -> None:
        self.states: Mapping[SubjectState[Any], Any] = {}


def learnt(*answers: tuple[Analysis, float]) -> Analysis:
    table = Holding()
    for analysis, seconds in answers:
        learn(table, HERE, analysis, seconds)
    known = known_of(table, HERE)
    assert known is not None
    return known


def test_nothing_is_known_of_another_position() -> None:
    table = Holding()
    assert known_of(table, HERE) is None
    learn(table, HERE, WAY, 0.3)
    assert (known_of(table, HERE), known_of(table, THERE)) == (WAY, None)
    learn(table, THERE, CIRCLING, 0.3)
    assert (known_of(table, HERE), known_of(table, THERE)) == (None, CIRCLING)


def test_a_way_gives_way_to_one_looked_for_longer_or_beyond_doubt() -> None:
    other = Analysis(True, False, way=("z",), end="rest", cells="t")
    assert learnt((WAY, 0.3), (other, 2.0)).way == ("z",)
    assert learnt((WAY, 2.0), (other, 0.3)).way == ("a", "b")
    assert learnt((WAY, 2.0), (other, 2.0)).way == ("a", "b"), "who follows a way is not sent to and fro"
    assert learnt((WAY, 2.0), (EXACT, 0.3)) == EXACT
    assert learnt((EXACT, 0.3), (other, 2.0)) == EXACT
    assert learnt((EXACT, 0.3), (replace(other, exact=True), 2.0)) == EXACT
    assert learnt((WAY, 0.3), (Analysis(None, None), 2.0)) == WAY, "no answer takes a way away"


def test_a_longer_look_does_not_put_a_worse_end_first() -> None:
    good = Analysis(True, False, way=("a",), end="rest", cells="g", worth=(0, 3, 0))
    poor = Analysis(True, False, way=("b",), end="rest", cells="p", worth=(0, 2, 9))
    assert learnt((good, 0.3), (poor, 2.0)) == good
    assert learnt((poor, 2.0), (good, 0.3)) == good


def test_what_is_proved_stays_proved() -> None:
    known = learnt((Analysis(False, None, ("C2",)), 2.0), (Analysis(None, False, way=("a",), end="loop"), 10.0))
    assert (known.rest_reachable, known.in_loop, known.way) == (False, False, ("a",))
    assert learnt((CIRCLING, 0.3), (Analysis(None, None), 2.0)).loop_nodes == ("C2", "C3")


def test_the_rest_of_a_way_that_is_followed_stays() -> None:
    assert WAY.after("a") == Analysis(True, False, way=("b",), end="rest", cells="r")
    further = EXACT.after("c")
    assert further is not None
    assert further.exact, "what nothing was better than from before, nothing is better than from here"
    assert LOOPING.after("a") == Analysis(False, None, way=("b",), end="loop", cells="l", exact=True)


def test_of_a_way_that_is_left_only_what_can_not_be_is_kept() -> None:
    assert WAY.after("b") is None
    assert CIRCLING.after("a") is None
    assert LOOPING.after("z") == Analysis(False, None)


@pytest.mark.parametrize("known", [WAY, CIRCLING, Analysis(False, None, exact=True), Analysis(None, None)])
def test_something_is_still_open(known: Analysis) -> None:
    assert not known.is_settled


@pytest.mark.parametrize("known", [EXACT, LOOPING, Analysis(None, True, ("C2",))])
def test_nothing_is_open_any_more(known: Analysis) -> None:
    assert known.is_settled


# -- at the table ------------------------------------------------------------------------------------------------------


@pytest.fixture
def evening() -> Evening:
    return Evening().begin_at(POSITION)


def handed(evening: Evening, **fields: Any) -> list[Any]:
    text = evening.text() if evening.table.ledger.started else ""
    fields = {"position": text, "analysis": WAY, "seconds": 0.3, **fields}
    return handle(evening.table, AnalysisFound(at=evening.at, **fields))


def test_an_answer_is_shown_once_and_never_journalled(evening: Evening) -> None:
    assert handed(evening) == [ShowView()]
    assert handed(evening) == [], "the same again changes nothing that people see"


@pytest.mark.parametrize("text", ["", "nonsense", POSITION.replace("2 2 2", "2 3 1")])
def test_an_answer_about_another_position_is_let_go(evening: Evening, text: str) -> None:
    before = evening.picture()
    assert handed(evening, position=text) == []
    assert handed(evening, position=text, analysis=Analysis(False, True, ("C2",))) == []
    assert evening.picture() == before


def test_answers_are_let_go_in_every_other_phase() -> None:
    evening = Evening()
    proof = Analysis(False, True, ("C2",))
    assert handed(evening, analysis=proof) == []
    evening.sit_and_start()
    assert handed(evening, analysis=proof) == []
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.put_down_all()
    assert [type(effect) for effect in handed(evening, analysis=proof)] == [AppendEntry, AppendEntry, ShowView]
    assert evening.phase == "clearing"
    assert handed(evening, analysis=proof) == []


def test_a_search_may_answer_while_the_stones_are_still_put_down() -> None:
    evening = Evening().sit_and_start()
    assert open_question(evening.table) is None
    evening.seal_all({1: "wC2", 2: "wC3"})
    assert (evening.phase, open_question(evening.table)) == ("placing", evening.text())
    assert handed(evening, analysis=Analysis(True, False, way=("C2-C3-C4",), end="rest", exact=True)) == []
    assert open_question(evening.table) is None
    assert evening.view()["analysis"] is None
    evening.put_down_all()
    assert evening.view()["analysis"]["words"] == sentence("The stones can come to rest.")


def test_a_loop_that_is_proved_while_stones_are_put_down_ends_the_phase_when_they_lie() -> None:
    evening = Evening().sit_and_start()
    evening.seal_all({1: "wC2", 2: "wC3"})
    handed(evening, analysis=Analysis(None, None, ("C2",)))
    assert handed(evening, analysis=Analysis(False, True, ("C2", "C3"))) == []
    with pytest.raises(TableError):
        handed(evening, analysis=Analysis(False, True, ("A1",)))
    assert evening.phase == "placing"
    evening.put_down_all()
    assert evening.phase == "clearing"
    assert evening.entries[-2][1]["nodes"] == ["C2", "C3"]


@pytest.mark.parametrize("nodes", [(), ("A1",), ("Z9",)])
def test_a_proof_of_what_can_not_be_is_refused_and_changes_nothing(evening: Evening, nodes: tuple[str, ...]) -> None:
    before = evening.picture()
    with pytest.raises(TableError):
        handed(evening, analysis=Analysis(False, True, nodes))
    assert evening.picture() == before


def test_what_a_search_knows_lights_nothing_by_itself(evening: Evening) -> None:
    before = evening.lights()
    handed(evening, analysis=WAY)
    assert evening.lights() == before
    assert "best" not in before.values()
    assert evening.view()["analysis"]["words"] == sentence("The stones can come to rest.")


def test_a_lost_board_pauses_the_hands_not_the_search(evening: Evening) -> None:
    evening.say(BoardLost(at=evening.at, reason="unplugged"))
    assert handed(evening) == [ShowView()]
    handed(evening, analysis=Analysis(False, True, ("C2", "C3")))
    assert evening.phase == "clearing"


# -- endless circling (Spokes, R11) ------------------------------------------------------------------------------------

RESTLESS = "w/..../w.wwww.w/.www.w.w.w.w.w.w/w.w.w.w.w.w.w.w. 2 12 2 resolve -"
FORTH, BACK = "3-D3-C2", "C1-C2-D3"


def choose(evening: Evening, action: str) -> None:
    """Make a step that was chosen on a phone: else hands that move a stone back take back."""
    evening.say(ActionChosen(at=evening.at, seat=2, action=action))
    evening.do(action)


def test_circling_ends_the_phase_once_no_rest_can_be_reached() -> None:
    evening = Evening().begin_at(RESTLESS)
    handed(evening, analysis=Analysis(False, None))
    for action in (FORTH, BACK, FORTH):
        choose(evening, action)
        assert evening.phase == "resolving"
    choose(evening, BACK)
    assert evening.table.ledger.moments[-1].kind == "loop"
    assert evening.phase in {"clearing", "over"}
    evening.say(Proposed(at=evening.at, seat=1, what="take-back"))
    assert evening.table.ledger.moments[-1].kind == "loop", "all have to agree"


def test_circling_goes_on_as_long_as_a_rest_may_be_reached() -> None:
    evening = Evening().begin_at(RESTLESS)
    for action in (FORTH, BACK) * 3:
        choose(evening, action)
        assert evening.phase == "resolving"
    handed(evening, analysis=Analysis(True, False))
    assert evening.phase == "resolving"
