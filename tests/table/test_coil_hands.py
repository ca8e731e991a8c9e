"""Coil by hand: stones that come from beside the board, one a turn, by players who don't wait for each other."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.games.registry import game
from firmware_host.table.hypotheses import Timings
from firmware_host.table.subjects.resolving import BoardChanged, Confirmed
from lodestone.evening import Evening

COIL = game("coil")
KINDS = ("presence", "polarity", "level")
slow = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def wandered(seed: int, most: int = 40) -> str:
    """Play some random actions from the start, never to the end."""
    rng = Random(seed)
    now = COIL.start("2")
    for _ in range(rng.randrange(most)):
        seat = COIL.actor(now)
        assert seat is not None
        after = COIL.apply(now, {seat: COIL.random_action(now, seat, rng)})
        if after.status.over:
            break
        now = after.position
    return COIL.text(now)


def start(kind: str = "presence", text: str | None = None, timings: Timings | None = None) -> Evening:
    evening = Evening("coil", kind=kind, timings=timings)
    return evening.begin_at(text) if text else evening.sit_and_start()


def main(kind: str) -> Evening:
    """Return a table in phase II: seat 1 plays black, and seat 2 is to put a white stone."""
    evening = start(kind)
    evening.do("pass")
    assert evening.table.actor == 2
    return evening


@pytest.mark.slow
@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_a_stone_put_down_is_that_step(seed: int, kind: str, data: st.DataObject) -> None:
    evening = start(kind, wandered(seed))
    step = data.draw(st.sampled_from([step for step in evening.table.watch.tracker.steps if step.moves]))
    before = len(evening.table.ledger.moments)
    evening.do(step.action)
    assert len(evening.table.ledger.moments) == before + 1
    assert evening.done() == [step.action]
    assert evening.view()["question"] is None


@pytest.mark.slow
@slow
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(KINDS),
    gap=st.sampled_from([0.02, 0.1, 0.14, 0.3]),
    data=st.data(),
)
def test_quick_opponents_lose_nothing(seed: int, kind: str, gap: float, data: st.DataObject) -> None:
    """Three stones in turns, none of which has settled before the next one comes.

    Within a moment no hand turns from one to the other: it may be a sleeve, so nothing counts that leaves a doubt.
    """
    evening = start(kind, wandered(seed))
    now = evening.table.ledger.now.position
    rng = Random(data.draw(st.integers(0, 2**32)))
    meant = []
    for _ in range(3):
        seat = COIL.actor(now)
        if seat is None:
            break
        step = rng.choice([step for step in COIL.steps(now) if step.moves])
        evening.make(step.moves[0])
        evening.wait(gap)
        meant.append(step.action)
        now = COIL.apply(now, {seat: step.action}).position
    evening.wait(1.0)
    if gap <= evening.table.watch.timings.together and not evening.done():
        return
    assert evening.done() == meant
    assert evening.text() == COIL.text(now)


@pytest.mark.parametrize("kind", KINDS)
def test_two_stones_within_one_scan_are_not_put_in_an_order_by_guessing(kind: str) -> None:
    evening = main(kind)
    evening.stones = {"g7": ["w"], "a1": ["b"]}
    sensed_states = tuple((node, evening.sensed(node)) for node in ("a1", "g7"))
    evening.say(BoardChanged(at=evening.at, sensed_states=sensed_states))
    evening.wait(1.0)
    if kind == "presence":
        assert evening.done() == ["pass"]
        asked = [choice["action"] for choice in evening.view()["question"]["choices"]]
        assert sorted(asked) == ["a1", "g7"]
        evening.say(Confirmed(at=evening.at, seat=2, action="g7"))
        evening.wait(1.0)
    assert evening.done() == ["pass", "g7", "a1"], "only one of them is white"


@pytest.mark.parametrize("kind", ["polarity", "level"])
def test_a_stone_of_the_wrong_colour_is_shown_and_never_counts(kind: str) -> None:
    evening = main(kind)
    evening.put("g7", "b")
    evening.wait(2.0)
    assert evening.done() == ["pass"]
    assert "g7" in evening.view()["problem"]["text"]
    evening.take_off("g7")
    evening.wait(0.1)
    evening.put("g7", "w")
    evening.wait(1.0)
    assert evening.done() == ["pass", "g7"]
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("late", [0.05, 1.0])
def test_a_stone_slides_on_to_the_next_cell(kind: str, late: float) -> None:
    """Before it has settled it just goes on; after that the step before is changed."""
    evening = main(kind)
    evening.put("g7", "w")
    evening.wait(late)
    evening.carry("g7", "g8", pause=0.1)
    evening.wait(1.0)
    assert evening.done() == ["pass", "g8"]
    evening.do("a1")
    assert evening.done() == ["pass", "g8", "a1"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stone_is_taken_off_again(kind: str) -> None:
    evening = main(kind)
    evening.do("g7")
    evening.take_off("g7")
    evening.wait(1.4)
    assert evening.done() == ["pass", "g7"], "it may still be in the hand"
    evening.wait(0.2)
    assert evening.done() == ["pass"]
    evening.do("h1")
    assert evening.done() == ["pass", "h1"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_pass_is_not_taken_back_by_the_next_stone(kind: str) -> None:
    """On polarity a black stone after a pass would be what the passer could have done instead."""
    evening = main(kind)
    evening.put("g7", "b" if kind != "presence" else "w")
    evening.wait(1.0)
    assert evening.done() == (["pass", "g7"] if kind == "presence" else ["pass"])


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_stone_moved_by_accident_goes_back(kind: str) -> None:
    evening = main(kind)
    for cell in ("g7", "a1", "b1"):
        evening.do(cell)
    evening.carry("g7", "g9")
    evening.wait(2.0)
    assert evening.done() == ["pass", "g7", "a1", "b1"]
    assert evening.view()["problem"] is not None
    evening.carry("g9", "g7")
    evening.wait(1.0)
    assert evening.view()["problem"] is None
    evening.do("m1")
    assert evening.done()[-1] == "m1"


def test_a_stone_that_one_sensor_shows_is_asked_where_that_is_wanted() -> None:
    evening = start(timings=Timings(one_sensor=False))
    evening.put("g7", "b")
    evening.wait(2.0)
    assert evening.done() == []
    assert [choice["action"] for choice in evening.view()["question"]["choices"]] == ["g7"]
    evening.say(Confirmed(at=evening.at, seat=1, action="g7"))
    assert evening.done() == ["g7"]
