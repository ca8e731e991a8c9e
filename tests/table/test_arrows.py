"""Arrows say where pieces have gone and where they are asked to go: of a step, of a way that is wanted, of a repair."""

from __future__ import annotations

from typing import Any

from firmware_host.games.drawing import ways_of
from firmware_host.games.game import Analysis, PieceMove, Step
from firmware_host.replay.scenes import film, moment_view
from firmware_host.table.subjects.proposals import ActionUndone, GamePaused
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.replay.played import a_push_that_kills, recorded
from tests.table import phalanx_evenings as phalanx
from tests.table.octiles_evenings import Octiles


def arrows(evening: Evening, kind: str) -> list[tuple[str, ...]]:
    return [tuple(arrow["nodes"]) for arrow in evening.view()["arrows"] if arrow["kind"] == kind]


def revealed(*placements: str, kind: str = "presence") -> Evening:
    evening = Evening(kind=kind).sit_and_start()
    evening.seal_all(dict(enumerate(placements, 1)))
    evening.put_down_all()
    return evening


def test_there_are_none_before_the_start_nor_for_stones_from_the_supply() -> None:
    assert Evening().view()["arrows"] == []
    evening = Evening().sit_and_start()
    evening.seal_all({1: "wC6", 2: "wD11"})
    assert evening.phase == "placing"
    assert evening.view()["arrows"] == []
    evening.put_down_all()
    assert evening.phase == "resolving"
    assert evening.view()["arrows"] == evening.view()["brought"] == []


def test_a_push_and_a_pull_show_the_stone_that_moved() -> None:
    push = revealed("wC6", "wD11")
    push.do("C6-D11-11")
    assert arrows(push, "made") == [("D11", "11")]
    pull = revealed("wC6", "bD11")
    pull.do("C6+D11")
    assert arrows(pull, "made") == [("D11", "C6")]


def test_what_was_chosen_is_asked_until_it_lies() -> None:
    evening = revealed("wC6", "wD11")
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action="C6-D11-11"))
    assert arrows(evening, "asked") == [("D11", "11")]
    evening.lift("D11")
    assert arrows(evening, "asked") == [("D11", "11")]
    evening.put("11")
    assert arrows(evening, "asked") == []
    evening.wait(1)
    assert (arrows(evening, "asked"), arrows(evening, "made")) == ([], [("D11", "11")])


def test_what_was_chosen_is_not_asked_while_hands_do_another_step() -> None:
    evening = phalanx.at(phalanx.PUSH)
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action="C4>e"))
    assert len(arrows(evening, "asked")) == 3
    evening.lift("H3")
    assert arrows(evening, "asked") == []
    evening.put("H3")
    evening.wait(1)
    assert len(arrows(evening, "asked")) == 3


def test_the_best_way_is_asked_of_nobody_until_it_is_chosen() -> None:
    evening = revealed("wC6", "wD11")
    evening.foresee(Analysis(True, False, (), ("C6-D11-11",), "rest"))
    assert arrows(evening, "asked") == []
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action="C6-D11-11"))
    assert arrows(evening, "asked") == [("D11", "11")]


def test_a_repair_asks_for_one_stone_at_a_time_and_what_was_made_stands_back() -> None:
    evening = revealed("wC6", "wD11")
    evening.do("C6-D11-11")
    evening.carry("11", "A1")
    evening.wait(6)
    assert evening.view()["problem"] is not None
    assert (arrows(evening, "asked"), arrows(evening, "made")) == ([("A1", "11")], [])


def test_a_step_that_is_taken_back_is_asked_for_backwards() -> None:
    evening = revealed("wC6", "wD11", kind="level")
    evening.do("C6-D11-11")
    evening.say(ActionUndone(at=evening.at))
    assert evening.phase == "setup"
    assert (arrows(evening, "asked"), arrows(evening, "made")) == ([("11", "D11")], [])
    evening.say(GamePaused(at=evening.at))
    assert arrows(evening, "asked") == []


def test_all_stones_of_a_line_that_move_together_have_an_arrow() -> None:
    evening = phalanx.at(phalanx.PUSH)
    evening.do("C4>e")
    evening.wait(2)
    assert sorted(arrows(evening, "made")) == [("C4", "D4"), ("D4", "E4"), ("E4", "F4")]
    off = phalanx.at(phalanx.EDGE)
    off.do("F4>e")
    off.wait(2)
    assert sorted(arrows(off, "made")) == [("F4", "G4"), ("G4", "H4"), ("H4", "J4")], "the dead one has none"


def test_a_move_over_others_is_one_arrow_and_a_new_stone_has_none() -> None:
    evening = phalanx.at(phalanx.PUSH)
    move = next(
        s for s in evening.table.watch.tracker.steps if len(s.moves) == 1 and s.moves[0].source and not s.removed
    )
    evening.do(move.action)
    evening.wait(2)
    assert arrows(evening, "made") == [(move.moves[0].source, move.moves[0].target)]
    assert evening.view()["brought"] == []
    new = next(s for s in evening.table.watch.tracker.steps if s.action.startswith("+"))
    evening.do(new.action)
    evening.wait(2)
    assert arrows(evening, "made") == []
    assert evening.view()["brought"] == [new.moves[0].target], "so that its place is marked"
    evening.carry(new.moves[0].target or "", "A1")
    evening.wait(6)
    assert evening.view()["brought"] == [], "while the board is mended it would distract"


def test_a_runner_goes_along_its_line() -> None:
    hands = Octiles("coded", "2", 5)
    step = hands.carried()[0]
    hands.play(step.action)
    assert arrows(hands.evening, "made") == [step.line]
    assert {step.moves[-1].source, step.moves[-1].target} == {step.line[0], step.line[-1]}


def test_a_run_that_comes_back_keeps_its_line() -> None:
    step = Step("round", "round", (PieceMove(("w",), "A", "A"),), {}, frozenset("A"), line=("A", "B", "A"))
    assert ways_of(step) == [("A", "B", "A")]
    still = Step("tap", "tap", (PieceMove(("w",), "A", "A"),), {}, frozenset("A"))
    assert ways_of(still) == []


def made(shown: Any, at: int) -> list[list[str]]:
    return [arrow["nodes"] for arrow in moment_view(shown, at)["arrows"]]


def test_a_replay_shows_the_way_from_the_moment_before() -> None:
    record, step, _dead = a_push_that_kills()
    shown = film(record)
    carried = [[move.source, move.target] for move in step.moves if move.target]
    last = len(shown.scenes) - 3  # Then the dead are gone, then the record ends.
    assert made(shown, last) == carried
    assert made(shown, last + 1) == made(shown, last + 2) == made(shown, 0) == []
    placed = film(recorded("coil", "a1"))
    assert made(placed, 1) == []
