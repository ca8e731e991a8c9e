"""Phalanx by hand: however the stones of a push are lifted and put, that push and no other step is committed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from firmware_host.games.game import Step
from firmware_host.table.subjects.resolving import BoardChanged, Confirmed
from lodestone.evening import Evening
from tests.games.phalanx_positions import PHALANX, positions
from tests.table.phalanx_evenings import KINDS, at

slow = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def order_of_hands(step: Step, rng: Random) -> list[tuple[str, int]]:
    """Return some order of (lift or put, number of the move): each stone leaves before it comes, onto a free point."""
    todo = [("lift", number) for number, move in enumerate(step.moves) if move.source is not None]
    lying = {move.source for move in step.moves}
    order = []
    ready = list(todo)
    waiting = [("put", number) for number, move in enumerate(step.moves) if move.target is not None]
    lifted = {number for number, move in enumerate(step.moves) if move.source is None}
    while ready or waiting:
        free = [put for put in waiting if put[1] in lifted and step.moves[put[1]].target not in lying]
        deed = rng.choice([*ready, *free, *free])
        order.append(deed)
        what, number = deed
        if what == "lift":
            ready.remove(deed)
            lifted.add(number)
            lying.discard(step.moves[number].source)
        else:
            waiting.remove(deed)
            lying.add(step.moves[number].target)
    return order


class Hands:
    """As many hands as a step has stones, so that every order of lifts and puts can be made."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.held: dict[int, list[str]] = {}

    def make(self, step: Step, order: Sequence[tuple[str, int]], pauses: Sequence[float]) -> None:
        for (what, number), pause in zip(order, pauses, strict=True):
            move = step.moves[number]
            self.evening.hand = self.held.get(number, [])
            if what == "lift":
                assert move.source is not None
                self.evening.hand = []
                self.evening.lift(move.source)
                self.held[number] = self.evening.hand
            else:
                assert move.target is not None
                self.evening.put(move.target, None if move.source else move.pieces[0])
            self.evening.wait(pause)
        self.evening.hand = []


def settle(evening: Evening, step: Step, before: int) -> None:
    """Wait; answer what is asked for as the hands meant it."""
    evening.wait(2.0)
    question = evening.view()["question"]
    if len(evening.table.ledger.moments) == before and question is not None:
        assert evening.kind == "presence", "where colours are seen nothing needs asking"
        assert step.action in [choice["action"] for choice in question["choices"]]
        actor = evening.table.actor
        assert actor is not None
        evening.say(Confirmed(at=evening.at, seat=actor, action=step.action))


def check_done(evening: Evening, step: Step, before: int) -> None:
    moments = evening.table.ledger.moments
    assert len(moments) == before + 1, evening.view()["message"]
    assert list(moments[-1].actions.values()) == [step.action]


@pytest.mark.slow
@slow
@given(now=positions(), kind=st.sampled_from(KINDS), data=st.data())
def test_every_order_of_lifts_and_puts_ends_in_that_step(now: Any, kind: str, data: st.DataObject) -> None:
    evening = at(PHALANX.text(now), kind)
    steps = [step for step in evening.table.watch.tracker.steps if step.moves]
    assume(steps)
    pushes = [step for step in steps if len(step.moves) > 1]
    step = data.draw(st.sampled_from(pushes if pushes and data.draw(st.integers(0, 3)) else steps))
    order = order_of_hands(step, Random(data.draw(st.integers(0, 2**32))))
    pauses = data.draw(st.lists(st.sampled_from([0.0, 0.04, 0.1, 0.7]), min_size=len(order), max_size=len(order)))
    before = len(evening.table.ledger.moments)
    Hands(evening).make(step, order, pauses)
    settle(evening, step, before)
    check_done(evening, step, before)


def pushes_only() -> st.SearchStrategy[tuple[Any, Step]]:
    return (
        positions()
        .map(lambda now: (now, [step for step in PHALANX.steps(now) if len(step.moves) > 1]))
        .filter(lambda found: bool(found[1]))
        .flatmap(lambda found: st.tuples(st.just(found[0]), st.sampled_from(found[1])))
    )


@pytest.mark.slow
@slow
@given(found=pushes_only(), kind=st.sampled_from(KINDS), backwards=st.booleans())
def test_a_whole_line_slid_at_once_is_a_push(found: tuple[Any, Step], kind: str, backwards: bool) -> None:
    """Nothing is seen in between: all sensors change with one scan."""
    now, step = found
    evening = at(PHALANX.text(now), kind)
    before = len(evening.table.ledger.moments)
    evening.stones = {node: list(stack) for node, stack in step.after.items()}
    sensed_states = [(n, evening.sensed(n)) for n in evening.table.watch.tracker.sensed]
    changed = [(n, sensed) for n, sensed in sensed_states if sensed != evening.table.watch.tracker.sensed[n]]
    evening.say(BoardChanged(at=evening.at, sensed_states=tuple(changed[::-1] if backwards else changed)))
    settle(evening, step, before)
    check_done(evening, step, before)


ONTO_A_GOAL = "1wbb5/1w7/9/9/9/9/6ww1/9/9 b 3 1"
"""``D9>w`` pushes B9's hoplite onto A9; B8's dies alone."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["slid", "carried onto the goal", "carried and taken off"])
def test_a_hoplite_that_is_pushed_onto_a_goal_may_lie_there_until_it_is_taken_off(kind: str, how: str) -> None:
    """Whoever slides a line brings its last hoplite onto the goal (R2); it was called wrong, and led to the rear."""
    evening = at(ONTO_A_GOAL, kind)
    before = len(evening.table.ledger.moments)
    step = next(step for step in evening.table.watch.tracker.steps if step.action == "D9>w")
    assert step.moves[0].target == "A9"
    if how == "slid":
        front = evening.stones["B9"]
        evening.stones |= {"A9": front, "B9": evening.stones["C9"], "C9": evening.stones.pop("D9")}
        evening.say(BoardChanged(at=evening.at, sensed_states=tuple((n, evening.sensed(n)) for n in step.line)))
    else:
        evening.lift("B9")
        evening.wait(0.4)
        if how == "carried onto the goal":
            evening.put("A9")
        evening.hand = []
        for source, target in (("C9", "B9"), ("D9", "C9")):
            evening.carry(source, target, pause=0.4)
            evening.wait(0.4)
    settle(evening, step, before)
    check_done(evening, step, before)
    assert evening.table.phase == "clearing"
    for node in ("A9", "B8") if "A9" in evening.stones else ("B8",):
        assert node in str(evening.view()["message"])
        evening.lift(node)
        evening.hand = []
        evening.wait(1.2)
    assert evening.table.phase == "over"
    assert len(evening.table.ledger.moments) == before + 1


@pytest.mark.slow
@slow
@given(found=pushes_only(), kind=st.sampled_from(KINDS))
def test_the_rear_stone_and_the_front_enemy_alone_make_the_picture_right(found: tuple[Any, Step], kind: str) -> None:
    now, step = found
    evening = at(PHALANX.text(now), kind)
    before = len(evening.table.ledger.moments)
    own, landing = evening.stones[step.line[0]][0], step.moves[0].target
    enemy = next(node for node in step.line if evening.stones.get(node, [own])[0] != own)
    evening.lift(enemy)
    evening.wait(0.3)
    if landing is None:
        evening.hand = []
    else:
        evening.put(landing)
    evening.wait(0.3)
    evening.carry(step.line[0], enemy, pause=0.3)
    settle(evening, step, before)
    check_done(evening, step, before)


@pytest.mark.slow
@slow
@given(found=pushes_only(), kind=st.sampled_from(KINDS), data=st.data())
def test_a_push_half_done_and_put_back_changes_nothing(found: tuple[Any, Step], kind: str, data: st.DataObject) -> None:
    now, step = found
    evening = at(PHALANX.text(now), kind)
    before = len(evening.table.ledger.moments)
    count = data.draw(st.integers(1, len(step.moves) - 1))
    back: list[tuple[str, str]] = []
    for move in step.moves[:count]:
        if move.target is None or move.source is None:
            return
        evening.carry(move.source, move.target)
        evening.wait(0.2)
        back.append((move.target, move.source))
    for source, target in reversed(back):
        evening.carry(source, target)
        evening.wait(0.1)
    evening.wait(2.0)
    assert len(evening.table.ledger.moments) == before
    assert evening.view()["problem"] is None
    assert evening.view()["question"] is None


@slow
@given(now=positions(), kind=st.sampled_from(KINDS), data=st.data())
def test_a_stone_that_is_held_and_put_back_is_no_step(now: Any, kind: str, data: st.DataObject) -> None:
    evening = at(PHALANX.text(now), kind)
    node = data.draw(st.sampled_from(sorted(evening.stones)))
    before = len(evening.table.ledger.moments)
    evening.lift(node)
    evening.wait(data.draw(st.sampled_from([0.1, 1.0, 3.0])))
    evening.put(node)
    evening.wait(2.0)
    assert len(evening.table.ledger.moments) == before
    assert evening.view()["problem"] is None


@pytest.mark.slow
@slow
@given(now=positions(), kind=st.sampled_from(KINDS), data=st.data())
def test_quick_hands_go_on_to_the_next_action(now: Any, kind: str, data: st.DataObject) -> None:
    """The next stone is lifted before the first action could settle, be it the same player's or the other's."""
    evening = at(PHALANX.text(now), kind)
    table = evening.table
    first = data.draw(st.sampled_from([step for step in table.watch.tracker.steps if step.moves]))
    later = [step for step in table.next_steps.after(table.ledger.now.position, (), first) if step.moves]
    assume(later)
    moved = {node for move in first.moves for node in (move.source, move.target)}
    later = [s for s in later if not moved & {n for move in s.moves for n in (move.source, move.target)}]
    assume(later)
    second = data.draw(st.sampled_from(later))
    before = len(table.ledger.moments)
    for step in (first, second):
        for move in step.moves:
            evening.make(move, 0.04)
            evening.wait(0.04)
    for step in (first, second):
        if len(table.ledger.moments) == before:
            settle(evening, step, before)
        before = len(table.ledger.moments)
    evening.wait(2.0)
    assert evening.done()[-2:] == [first.action, second.action] or table.ledger.moments[-1].placed == second.after
