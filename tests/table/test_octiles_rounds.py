"""A runner that goes once round its loop and comes back to its place: two taps say so, as the sentence asks."""

from __future__ import annotations

import pytest

from lodestone.evening import Evening
from tests.sentences import is_in

LOOP = "a2:14r6,a3:5r7,e4:13r4 blue:A1,A2,A4,B2,B3;yellow:E5,F2,F3,F4,F6 18,1,2,16,4,11,8,6,15,12,3,7,17,10,9 2 1"
"""With tile 18 in b3, turned by 1 eighth, the runner on B3 can go round a loop, and no other runner can move."""


def laid() -> Evening:
    evening = Evening("octiles", kind="coded").begin_at(LOOP)
    evening.put("b3", "18r1")
    evening.wait(4.0)
    return evening


def hold(evening: Evening, seconds: float) -> None:
    evening.lift("B3")
    evening.wait(seconds)
    evening.put("B3")


def tap(evening: Evening, *, times: int, seconds: float = 0.3) -> None:
    for _ in range(times):
        hold(evening, seconds)
        evening.wait(seconds)


@pytest.mark.parametrize("held", [0.5, 1.0, 1.9, 3.0, 6.0])
@pytest.mark.parametrize("pause", [0.3, 1.5, 2.5, 20.0])
def test_two_taps_after_the_runner_was_held_are_the_round_that_was_offered(held: float, pause: float) -> None:
    evening = laid()
    evening.lift("B3")
    evening.wait(0.2)
    assert is_in("or once round and back to its place: then tap that twice", evening.view()["message"])
    evening.wait(held - 0.2)
    evening.put("B3")
    evening.wait(pause)
    tap(evening, times=2)
    assert evening.done() == [], "it is shown first"
    assert evening.view()["message"].endswith("round a loop back to B3.")
    evening.wait(2.0)
    assert evening.done() == ["b3r1:B3-B3"]


def test_slow_taps_answer_too_and_so_do_those_after_a_runner_was_held_twice() -> None:
    for holds in ([1.0], [3.0], [1.0, 1.0], [3.0, 1.0]):
        evening = laid()
        for held in holds:
            hold(evening, held)
            evening.wait(1.0)
        tap(evening, times=2, seconds=0.6)
        evening.wait(3.0)
        assert evening.done() == ["b3r1:B3-B3"], holds


def test_another_tap_withdraws_the_answer() -> None:
    for pause in (1.5, 2.5):
        evening = laid()
        hold(evening, 1.0)
        evening.wait(pause)
        tap(evening, times=3)
        evening.wait(5.0)
        assert evening.done() == []


def test_what_nothing_has_asked_for_counts_only_after_long_quiet() -> None:
    """A runner that is only felt offers nothing; one that was held and then tapped once has not been tapped twice."""
    for gesture in ([0.3, 0.3, 0.3], [0.2, 0.6, 0.3, 0.3]):
        evening = laid()
        for seconds in gesture:
            tap(evening, times=1, seconds=seconds)
        evening.wait(5.0)
        assert evening.done() == [], gesture
    evening = laid()
    tap(evening, times=1, seconds=0.2)
    evening.wait(4.0)
    hold(evening, 1.0)
    evening.wait(1.0)
    tap(evening, times=1)
    evening.wait(5.0)
    assert evening.done() == []
    evening = laid()
    hold(evening, 3.0)
    evening.wait(0.5)
    evening.tap("B2")
    evening.wait(1.0)
    tap(evening, times=2)
    evening.wait(5.0)
    assert evening.done() == [], "something else was touched since"
