"""What the table makes of sensors that come and go: nothing is committed that no hand has done."""

from __future__ import annotations

import pytest

from firmware_host.table.hypotheses import Timings
from firmware_host.table.subjects.masks import SensorMasked, SensorUnmasked
from firmware_host.table.subjects.resolving import (
    ActionChosen,
    BoardBack,
    BoardChanged,
    BoardLost,
    Confirmed,
    Noticed,
    SensorChanged,
)
from lodestone.evening import Evening

PUSH = "./..../......../...........ww.../................ 2 2 2 resolve -"
PULL = "./..../b......./...........wb.b./................ 2 2 2 resolve -"


@pytest.fixture
def evening() -> Evening:
    return Evening().begin_at(PUSH)


def lose(evening: Evening) -> None:
    evening.say(BoardLost(at=evening.at, reason="unplugged"))


def test_what_was_seen_before_the_board_was_lost_counts_for_nothing_when_it_is_back() -> None:
    evening = Evening().begin_at(PULL)
    assert evening.table.watch.tracker.steps
    evening.lift("D12")
    evening.wait(0.2)
    lose(evening)
    evening.wait(5)
    evening.say(BoardBack(at=evening.at))  # The stone was put back meanwhile; the sensors tell in a moment.
    evening.put("D12")
    evening.wait(3)
    assert "action" not in [kind for kind, _ in evening.entries]


def test_sensors_that_are_believed_again_have_to_show_what_lies_there_first() -> None:
    evening = Evening().begin_at(PULL)
    evening.say(SensorMasked(at=evening.at, node="D12", reason="dead"))
    evening.wait(1)
    evening.say(SensorChanged(at=evening.at, node="D12", sensed=""))
    evening.wait(5)
    evening.say(SensorUnmasked(at=evening.at, node="D12"))
    evening.say(SensorChanged(at=evening.at, node="D12", sensed="x"))
    evening.wait(3)
    assert "action" not in [kind for kind, _ in evening.entries]


def test_of_changes_in_one_scan_no_part_counts_alone(evening: Evening) -> None:
    evening.lift("D13")
    evening.wait(0.05)
    evening.say(SensorChanged(at=evening.at, node="D14", sensed="x"))
    evening.wait(0.1)
    sensed_states = (("A1", "x"), ("D13", "x"), ("D14", ""))
    evening.say(BoardChanged(at=evening.at, sensed_states=sensed_states))
    evening.wait(2)
    assert evening.done() == []


def test_a_board_with_unknown_nodes_is_refused(evening: Evening) -> None:
    assert evening.refused(BoardChanged(at=evening.at, sensed_states=(("A1", "x"), ("Q7", "x")))) == "bad_node"


def test_a_tap_proves_nothing_where_the_source_is_masked() -> None:
    evening = Evening().begin_at(PULL)
    (step,) = [step for step in evening.table.watch.tracker.steps if step.action == "D13+D12"]
    evening.say(SensorMasked(at=evening.at, node="D12", reason="dead"))
    evening.tap("D13")
    evening.wait(3)
    assert evening.done() == []
    assert evening.table.is_computer(2) is False
    evening.say(Confirmed(at=evening.at, seat=2, action=step.action))
    assert evening.done() == ["D13+D12"]


def test_a_step_that_only_one_sensor_shows_is_asked_where_that_is_wanted() -> None:
    evening = Evening(timings=Timings(one_sensor=False)).begin_at(PULL)
    evening.say(SensorChanged(at=evening.at, node="D12", sensed=""))  # Dead, or lifted: nobody can tell.
    evening.wait(4)
    assert evening.done() == []
    assert [choice["action"] for choice in evening.view()["question"]["choices"]] == ["D13+D12"]
    evening.say(Confirmed(at=evening.at, seat=2, action="D13+D12"))
    evening.say(SensorChanged(at=evening.at, node="D12", sensed="x"))  # Stuck, or taken back: the same.
    evening.wait(4)
    assert evening.done() == ["D13+D12"]


def test_a_dead_sensor_beside_a_push_over_a_masked_one_moves_nothing() -> None:
    """F8 pushes F7 and F6: F6 is masked, so the stone that comes to F5 looks like the one whose sensor has died."""
    board = "1ww6/1w3w3/5w3/3wbbw2/3w2w2/4bb3/9/1bbb5/9 w 3 10"
    evening = Evening("phalanx", timings=Timings(one_sensor=False)).begin_at(board)
    evening.say(SensorMasked(at=evening.at, node="F6", reason="dead"))
    evening.say(SensorChanged(at=evening.at, node="G6", sensed=""))
    push = evening.step("F8>s")
    for move in push.moves:
        evening.make(move, 0.3)
        evening.wait(0.3)
        assert evening.done() == []
    evening.say(SensorChanged(at=evening.at, node="G6", sensed="x"))
    evening.wait(4)
    assert [choice["action"] for choice in evening.view()["question"]["choices"]] == ["F8>s"]
    evening.say(Confirmed(at=evening.at, seat=2, action="F8>s"))
    assert evening.done() == ["F8>s"]


def test_a_computers_step_is_known_beforehand_and_needs_no_confirmation() -> None:
    evening = Evening()
    evening.sit_and_start(computers=(1, 2)).begin_at(PUSH)
    evening.say(ActionChosen(at=evening.at, seat=2, action="D12-D13-D14"))
    evening.say(SensorMasked(at=evening.at, node="D14", reason="dead"))
    evening.lift("D13")
    evening.wait(3)
    assert evening.done() == ["D12-D13-D14"]


def test_notices_come_and_go_and_are_shown(evening: Evening) -> None:
    evening.say(Noticed(at=evening.at, what="lights", text="The lights are lost."))
    assert evening.view()["notices"] == ["The lights are lost."]
    evening.say(Noticed(at=evening.at, what="lights", text=None))
    assert evening.view()["notices"] == []
