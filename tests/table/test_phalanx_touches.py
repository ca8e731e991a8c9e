"""Pushes told by what was touched, pushes that go wrong, are changed, and are taken back by hand."""

from __future__ import annotations

import pytest

from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import Confirmed
from lodestone.evening import Evening
from tests.table.phalanx_evenings import CORNER, EDGE, EITHER, KINDS, LONG, PUSH, at, push

# -- told by touches, on a board that sees no colours ------------------------------------------------------------------


def test_a_rear_stone_in_the_hand_is_not_the_push_off_the_board() -> None:
    evening = at(EDGE)
    assert "F4>e" not in evening.done()
    evening.lift("F4")
    evening.wait(1.0)
    assert evening.done() == []
    evening.put("G5")
    evening.wait(1.0)
    assert evening.done() == ["F4-G5"]


def test_a_rear_stone_held_for_long_is_asked_about_and_may_still_go_elsewhere() -> None:
    evening = at(EDGE)
    evening.lift("F4")
    evening.wait(5.0)
    question = evening.view()["question"]
    assert [choice["action"] for choice in question["choices"]] == ["F4>e"]
    assert evening.done() == []
    evening.put("G5")
    evening.wait(1.0)
    assert evening.done() == ["F4-G5"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("text", "action"), [(EDGE, "F4>e"), (CORNER, "D9>w")])
def test_a_push_off_the_board_or_onto_a_goal(text: str, action: str, kind: str) -> None:
    evening = at(text, kind)
    push(evening, action)
    evening.wait(2.0)
    assert evening.done() == [action]


def test_a_line_slid_off_the_board_unseen_is_confirmed_on_the_phone() -> None:
    evening = at(EDGE)
    evening.lift("F4")
    evening.hand = []
    evening.wait(2.0)
    evening.say(Confirmed(at=evening.at, seat=1, action="F4>e"))
    assert evening.done() == ["F4>e"]


def either() -> Evening:
    """Return a board on which the stone of C4 can go to F4, and its line can push E4 to F4: the same for reeds."""
    evening = at(EITHER)
    assert {"C4-F4", "C4>e"} <= {step.action for step in evening.table.watch.tracker.steps}
    return evening


def test_a_push_touches_the_line_and_a_move_does_not() -> None:
    evening = either()
    push(evening, "C4>e")
    evening.wait(1.0)
    assert evening.done() == ["C4>e"]


def test_what_was_in_the_hand_when_a_stone_came_down_tells_the_push() -> None:
    """C4 was felt before, but to F4 only the enemy can have gone: no other stone was in the hand."""
    evening = either()
    evening.lift("E4")
    evening.wait(0.1)
    enemy, evening.hand = evening.hand, []
    evening.tap("C4")
    evening.wait(0.1)
    evening.hand = enemy
    evening.put("F4")
    evening.wait(0.1)
    evening.carry("D4", "E4")
    evening.wait(0.1)
    evening.carry("C4", "D4")
    evening.wait(1.0)
    assert evening.done() == ["C4>e"]


def test_what_touches_cannot_tell_is_asked() -> None:
    evening = either()
    evening.carry("C4", "F4", pause=0.5)
    evening.wait(1.0)
    assert evening.done() == []
    assert {choice["action"] for choice in evening.view()["question"]["choices"]} == {"C4-F4", "C4>e"}
    evening.say(Confirmed(at=evening.at, seat=1, action="C4-F4"))
    assert evening.done() == ["C4-F4"]
    assert evening.view()["problem"] is None


def test_a_stone_of_the_line_felt_with_the_other_in_hand_proves_nothing() -> None:
    evening = either()
    evening.lift("C4")
    evening.wait(0.2)
    held, evening.hand = evening.hand, []
    evening.tap("E4")
    evening.wait(0.2)
    evening.hand = held
    evening.put("F4")
    evening.wait(2.0)
    assert evening.done() == []
    assert {choice["action"] for choice in evening.view()["question"]["choices"]} == {"C4-F4", "C4>e"}


def test_half_a_push_is_no_move_of_its_middle_stone() -> None:
    """E4 to F4, D4 to E4: the picture of a move from D4 to F4, were it not an enemy that went to F4."""
    evening = either()
    assert "D4-F4" in {step.action for step in evening.table.watch.tracker.steps}
    evening.carry("E4", "F4")
    evening.wait(0.2)
    evening.carry("D4", "E4")
    evening.wait(3.0)
    assert evening.done() == []
    assert evening.view()["question"] is None
    evening.carry("C4", "D4")
    evening.wait(1.0)
    assert evening.done() == ["C4>e"]


# -- wrong, changed, taken back ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["polarity", "level"])
def test_a_wrong_order_is_shown_and_mended(kind: str) -> None:
    evening = at(PUSH, kind)
    evening.carry("E4", "F4")
    evening.carry("C4", "E4")
    evening.carry("F4", "C4")  # The enemy comes to lie behind.
    evening.wait(2.0)
    assert evening.done() == []
    assert evening.view()["problem"] is not None
    evening.carry("C4", "F4")
    evening.wait(1.0)
    assert evening.done() == ["C4>e"]
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_is_changed_into_another_one(kind: str) -> None:
    evening = at("9/5w3/4ww3/4b4/4b4/4bbw2/6ww1/9/9 b 3 1", kind)
    steps = {step.action for step in evening.table.watch.tracker.steps}
    assert {"E4>n", "E4>e"} <= steps
    evening.carry("E7", "E8")
    evening.wait(0.1)
    evening.carry("E8", "E7")
    evening.wait(0.1)
    push(evening, "E4>e")
    evening.wait(1.0)
    assert evening.done() == ["E4>e"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [PUSH, LONG])
def test_the_last_push_is_taken_back_by_hand(kind: str, text: str) -> None:
    evening = at(text, kind)
    before = evening.text()
    moves = evening.step("C4>e").moves
    push(evening, "C4>e")
    evening.wait(1.0)
    assert evening.done() == ["C4>e"]
    front = moves[0]
    evening.lift(front.target or "")
    held, evening.hand = evening.hand, []
    evening.wait(0.1)
    for move in reversed(moves[1:]):
        evening.carry(move.target or "", move.source or "")
        evening.wait(0.1)
    evening.hand = held
    evening.put(front.source or "")
    evening.wait(1.0)
    assert evening.done() == []
    assert evening.text() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_off_the_board_is_taken_back_by_hand(kind: str) -> None:
    """For reeds the picture is that of a hoplite added behind the line."""
    evening = at(EDGE, kind)
    before = evening.text()
    push(evening, "F4>e")
    evening.wait(2.0)
    assert evening.done() == ["F4>e"]
    assert "+F4" in {step.action for step in evening.table.watch.tracker.steps}
    for source, target in (("G4", "F4"), ("H4", "G4"), ("J4", "H4")):
        evening.carry(source, target)
        evening.wait(0.1)
    evening.put("J4", "w")
    evening.wait(1.0)
    assert evening.done() == []
    assert evening.text() == before


def test_a_hoplite_added_behind_the_line_is_no_taking_back() -> None:
    evening = at(EDGE)
    push(evening, "F4>e")
    evening.wait(2.0)
    evening.put("F4", "b")
    evening.wait(1.0)
    assert evening.done() == ["F4>e", "+F4"]


def test_a_push_over_a_masked_node_is_confirmed_on_the_phone() -> None:
    evening = at(PUSH)
    evening.say(SensorMasked(at=evening.at, node="E4", reason="dead"))
    push(evening, "C4>e")
    evening.wait(3.0)
    assert evening.done() == []
    assert "C4>e" in [choice["action"] for choice in evening.view()["question"]["choices"]]
    evening.say(Confirmed(at=evening.at, seat=1, action="C4>e"))
    assert evening.done() == ["C4>e"]
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_push_a_stone_of_the_line_goes_on_at_once(kind: str) -> None:
    evening = at(PUSH, kind)
    push(evening, "C4>e", 0.05)
    evening.carry("E4", "D5", pause=0.1)
    evening.wait(1.0)
    assert evening.done() == ["C4>e", "E4-D5"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_players_quick_hand_after_the_last_action_of_a_turn(kind: str) -> None:
    evening = at(PUSH.replace("b 3 1", "b 1 1"), kind)
    push(evening, "C4>e", 0.05)
    evening.carry("B2", "C3", pause=0.1)
    evening.wait(1.0)
    assert evening.done() == ["C4>e", "B2-C3"]
    assert evening.table.actor == 2


@pytest.mark.parametrize("kind", KINDS)
def test_another_stone_that_is_lifted_does_not_change_the_last_action(kind: str) -> None:
    """J4 to G2 was it; with J3 in the air the board looks as after J3 to G2 with J4, dead then, off already."""
    evening = at("9/2w6/2w6/2w6/9/8b/7bb/7b1/9 b 1 9", kind)
    evening.do("J4-G2")
    evening.lift("J3")
    evening.wait(1.0)
    assert evening.done() == ["J4-G2"]
    evening.put("J3")
    evening.wait(1.0)
    assert evening.done() == ["J4-G2"]
    assert [kind for kind, _ in evening.entries].count("correction") == 0
    assert evening.view()["problem"] is None
