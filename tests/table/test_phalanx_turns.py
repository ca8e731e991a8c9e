"""What else hands do in a turn of Phalanx: they take the dead off, and end the turn by tapping a stone twice."""

from __future__ import annotations

import pytest

from lodestone.evening import Evening
from tests.sampling import together
from tests.table.phalanx_evenings import KINDS, PUSH, at, push

# -- the dead ----------------------------------------------------------------------------------------------------------

DYING = "9/9/9/9/9/2bbw4/2b1w4/6bb1/1ww6 b 3 1"
"""C4 pushes E4 away from E3: both whites stand alone then."""


def dying(kind: str) -> Evening:
    evening = at(DYING, kind)
    assert evening.step("C4>e").removed == {"F4", "E3", "C3"}
    return evening


@pytest.mark.parametrize("kind", KINDS)
def test_the_dead_are_waited_for(kind: str) -> None:
    evening = dying(kind)
    push(evening, "C4>e")
    evening.wait(1.0)
    assert (evening.done(), evening.phase) == (["C4>e"], "clearing")
    evening.take_off("E3")
    evening.take_off("C3")
    evening.wait(2.0)
    assert evening.phase == "clearing"
    evening.carry("F4", "F4")
    evening.wait(2.0)
    assert evening.phase == "clearing", "a dead hoplite put back is still to be taken off"
    assert "F4" in evening.lights()
    evening.lift("D4")
    evening.hand = []
    evening.wait(2.0)
    assert evening.view()["message"].startswith("Put the hoplite from D4 back")
    assert evening.lights()["D4"] == "return"
    evening.put("D4", "b")
    evening.take_off("F4")
    evening.wait(1.0)
    assert (evening.phase, evening.view()["problem"]) == ("resolving", None)


@together("kind", KINDS)
@together("early", [("F4",), ("E3",), ("C3", "E3"), ("C3", "E3", "F4")])
def test_the_dead_may_be_taken_off_before_the_push_has_settled(kind: str, early: tuple[str, ...]) -> None:
    evening = dying(kind)
    push(evening, "C4>e", 0.05)
    for node in early:
        evening.take_off(node)
        evening.wait(0.05)
    evening.wait(2.0)
    assert evening.done() == ["C4>e"]
    for node in {"C3", "E3", "F4"} - set(early):
        assert evening.phase == "clearing"
        evening.take_off(node)
    evening.wait(0.5)
    assert evening.phase == "resolving"


@pytest.mark.parametrize("kind", KINDS)
def test_an_enemy_that_dies_may_go_off_without_ever_landing(kind: str) -> None:
    evening = dying(kind)
    evening.take_off("E4")
    evening.wait(0.2)
    evening.carry("D4", "E4")
    evening.wait(0.2)
    evening.carry("C4", "D4")
    evening.wait(2.0)
    assert evening.done() == ["C4>e"]


# -- tapping twice -----------------------------------------------------------------------------------------------------


def tap(evening: Evening, node: str, after: float) -> None:
    evening.tap(node)
    evening.wait(after)


@pytest.mark.parametrize("kind", KINDS)
def test_tapping_a_stone_twice_ends_the_turn(kind: str) -> None:
    evening = at(PUSH, kind)
    evening.wait(1.0)
    tap(evening, "G3", 0.3)
    tap(evening, "G3", 1.9)
    assert evening.done() == [], "two taps can be an accident: what they mean is shown first"
    assert "end the turn" in evening.view()["message"]
    evening.wait(0.2)
    assert evening.done() == ["end"]
    assert evening.table.actor == 2


@together("kind", KINDS)
@together(
    "taps",
    [
        [("G3", 5.0)],
        [("G3", 0.3), ("H3", 2.0)],
        [("G3", 3.0), ("G3", 2.0)],
        [("G3", 0.3), ("H3", 0.3), ("G3", 2.0)],
        [("B2", 0.3), ("B2", 2.0)],
    ],
)
def test_nothing_else_ends_a_turn(kind: str, taps: list[tuple[str, float]]) -> None:
    evening = at(PUSH, kind)
    for node, after in taps:
        tap(evening, node, after)
    assert evening.done() == []


def test_taps_while_another_stone_is_in_the_hand_do_not_count() -> None:
    evening = at(PUSH)
    evening.lift("G3")
    held, evening.hand = evening.hand, []
    for _ in range(2):
        tap(evening, "C4", 0.2)
    evening.hand = held
    evening.put("G3")
    evening.wait(2.0)
    assert evening.done() == []


def test_two_long_lifts_are_no_taps() -> None:
    evening = at(PUSH)
    for _ in range(2):
        evening.carry("G3", "G3", pause=2.5)
        evening.wait(0.2)
    evening.wait(1.0)
    assert evening.done() == []
