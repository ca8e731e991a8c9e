"""The hands' promise: however a legal step is made, that step and no other is committed.

Positions come from random play; every kind of sensing is tried; lifts and puts come in every order that hands can make.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.games.game import Step
from firmware_host.games.registry import game
from firmware_host.table.hypotheses import Done
from lodestone.evening import Evening

SPOKES = game("spokes")
KINDS = ("presence", "polarity", "level")


def a_resolving_position(seed: int, mode: str) -> str:
    """Play at random until some position of a resolution phase, a different one for each seed."""
    rng = Random(seed)
    while True:
        position = SPOKES.start(mode)
        wanted = rng.randrange(1, 30)
        for _ in range(200):
            if position.phase == "over":
                break
            if position.phase == "resolve":
                wanted -= 1
                if wanted <= 0:
                    return str(SPOKES.text(position))
            offered = SPOKES.actions(position)
            position = SPOKES.apply(position, {seat: rng.choice(list(offered[seat])) for seat in offered}).position


def same_board(evening: Evening, step: Step) -> bool:
    """Tell whether the evening's last action leaves the board as the step does (two steps may)."""
    return evening.table.ledger.moments[-1].placed == step.after


slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_a_stone_that_leaves_a_stack_for_another_is_told_by_two_taps_alone() -> None:
    """On reed switches nothing changes: D3 has two black stones, one goes onto the white one on C2."""
    evening = Evening("spokes", "4", "presence").begin_at(a_resolving_position(181, "4"))
    before = len(evening.table.ledger.moments)
    evening.do("D3/C2", 0.05)
    assert len(evening.table.ledger.moments) == before + 1, evening.view()["message"]


@pytest.mark.slow
@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), mode=st.sampled_from(["2", "4"]), data=st.data())
def test_a_step_made_by_hand_is_that_step(seed: int, kind: str, mode: str, data: st.DataObject) -> None:
    evening = Evening("spokes", mode, kind).begin_at(a_resolving_position(seed, mode))
    assert evening.phase == "resolving"
    step = data.draw(st.sampled_from(list(evening.table.watch.tracker.steps)))
    pause = data.draw(st.sampled_from([0.05, 0.1, 0.7, 3.0]))
    touched = data.draw(st.booleans())
    if touched and step.partners:  # The other stone of the pair is felt first, and put back.
        evening.tap(step.partners[0])
        evening.wait(0.3)
    before = len(evening.table.ledger.moments)
    evening.do(step.action, pause)
    assert len(evening.table.ledger.moments) == before + 1, evening.view()["message"]
    assert same_board(evening, step)
    assert evening.view()["problem"] is None or evening.phase in {"clearing"}


@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_a_stone_lifted_and_put_back_changes_nothing(seed: int, kind: str, data: st.DataObject) -> None:
    evening = Evening("spokes", "2", kind).begin_at(a_resolving_position(seed, "2"))
    if traceless(evening):
        return  # A tap speaks for a stack that no sensor sees: that is tested elsewhere.
    node = data.draw(st.sampled_from(sorted(evening.stones)))
    before = evening.text()
    evening.lift(node)
    evening.wait(data.draw(st.sampled_from([0.1, 0.5, 1.2])))
    evening.put(node)
    evening.wait(1.0)
    assert evening.text() == before
    assert evening.view()["problem"] is None
    assert evening.done() == []


def traceless(evening: Evening) -> bool:
    """Tell whether some step would leave no trace at all for the sensors."""
    tracker = evening.table.watch.tracker
    return any(not tracker.mismatch(step.after) for step in tracker.steps)


@pytest.mark.slow
@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_no_wrong_move_is_ever_committed_and_mending_it_goes_on(seed: int, kind: str, data: st.DataObject) -> None:
    evening = Evening("spokes", "2", kind).begin_at(a_resolving_position(seed, "2"))
    tracker = evening.table.watch.tracker
    if traceless(evening):
        return
    node = data.draw(st.sampled_from(sorted(evening.stones)))
    empty = [other for other in SPOKES.layout().nodes if other not in evening.stones]
    goals = {move.target for step in tracker.steps for move in step.moves}
    wrong = data.draw(st.sampled_from([other for other in empty if other not in goals]))
    before = evening.text()
    evening.carry(node, wrong)
    evening.wait(5.0)
    assert evening.text() == before
    assert evening.view()["problem"] is not None
    evening.carry(wrong, node)
    evening.wait(1.0)
    assert evening.text() == before
    assert evening.view()["problem"] is None


@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_a_changed_mind_is_understood(seed: int, kind: str, data: st.DataObject) -> None:
    """The stone slides on to another legal node after its step was committed."""
    evening = Evening("spokes", "2", kind).begin_at(a_resolving_position(seed, "2"))
    tracker = evening.table.watch.tracker
    shown = [step for step in tracker.steps if not tracker.is_hidden(step)]
    pairs = [
        (one, other)
        for one in shown
        for other in shown
        if one.moves[0].source == other.moves[0].source and one.after != other.after
    ]
    if not pairs:
        return
    one, other = data.draw(st.sampled_from(pairs))
    evening.do(one.action)
    if not same_board(evening, one) or evening.phase != "resolving":
        return
    now_legal = [step.after for step in evening.table.watch.tracker.steps]
    if other.after in now_legal:
        return
    target, final = one.moves[0].target, other.moves[0].target
    assert target is not None
    assert final is not None
    evening.carry(target, final, one.moves[0].pieces)
    evening.wait(1.0)
    assert same_board(evening, other)
    assert evening.done() == [evening.done()[-1]]


@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_a_step_taken_back_by_hand_is_understood(seed: int, kind: str, data: st.DataObject) -> None:
    evening = Evening("spokes", "2", kind).begin_at(a_resolving_position(seed, "2"))
    tracker = evening.table.watch.tracker
    shown = [step for step in tracker.steps if not tracker.is_hidden(step)]
    if not shown:
        return
    step = data.draw(st.sampled_from(shown))
    before = evening.text()
    source, target = step.moves[0].source, step.moves[0].target
    assert source is not None
    assert target is not None
    if not tracker.model.tells(source, tracker.evidence.base[source], step.after.get(source)):
        return  # Back on its stack the stone leaves no trace: that is asked for.
    evening.do(step.action)
    if evening.phase != "resolving" or not same_board(evening, step):
        return
    back_is_a_step = any(
        later.moves[0].source == target and later.moves[0].target == source
        for later in evening.table.watch.tracker.steps
    )
    if back_is_a_step:
        return
    evening.carry(target, source, step.moves[0].pieces)
    evening.wait(1.0)
    assert evening.text() == before
    assert evening.done() == []


@slow
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data())
def test_quick_hands_lose_nothing(seed: int, kind: str, data: st.DataObject) -> None:
    """Two steps of different stones, the second begun before the first could settle."""
    evening = Evening("spokes", "2", kind).begin_at(a_resolving_position(seed, "2"))
    tracker = evening.table.watch.tracker
    chains = [
        (first, second)
        for first in tracker.steps
        if not tracker.is_hidden(first)
        for second in evening.table.next_steps.after(evening.table.ledger.now.position, (), first)
        if second.moves[0].source not in first.touches and not first.touches & second.touches
    ]
    if not chains:
        return
    first, second = data.draw(st.sampled_from(chains))
    expected = dict(second.after)
    for step in (first, second):
        move = step.moves[0]
        assert move.source is not None
        assert move.target is not None
        evening.carry(move.source, move.target, move.pieces, 0.02)
    target = second.moves[0].target
    assert target is not None
    hidden, ends = tracker.is_hidden(second), tracker.evidence.ends(Done((first.action, second.action)))
    for _ in range(hidden * (2 if ends else 1)):
        evening.wait(0.3)
        evening.tap(target)
    evening.wait(1.0)
    assert len(evening.done()) == 2, evening.view()["message"]
    assert evening.table.ledger.moments[-1].placed == expected
