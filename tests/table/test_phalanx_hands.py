"""Phalanx by hand: however the stones of a push are lifted and put, that push and no other step is committed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from firmware_host.games.game import Step
from firmware_host.table import events as ev
from tests.games.phalanx_positions import PHALANX, positions
from tests.table.evening import Evening

KINDS = ("presence", "polarity", "level")
slow = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

PUSH = "9/9/9/9/4ww3/2bbw4/6bb1/1ww6/9 b 3 1"
"""C4 and D4 can push E4 to F4; no hoplite can move there from C4."""
LONG = "9/9/9/9/9/2bbbww2/9/1ww6/9 b 3 1"
EITHER = "9/9/9/9/3bbb3/2bbw4/4ww3/1ww6/9 b 3 1"
EDGE = "9/9/9/8w/8w/5bbbw/9/1ww6/9 b 3 1"
"""The line from F4 pushes J4 off the board."""
CORNER = "1wbb5/1w7/1w7/9/9/9/9/9/9 b 3 1"
"""B9 is pushed onto the goal A9."""


def at(text: str, kind: str = "presence") -> Evening:
    return Evening("phalanx", kind=kind).begin_at(text)


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
        evening.say(ev.Confirmed(at=evening.at, seat=actor, action=step.action))


def check_done(evening: Evening, step: Step, before: int) -> None:
    moments = evening.table.ledger.moments
    assert len(moments) == before + 1, evening.view()["message"]
    assert list(moments[-1].actions.values()) == [step.action]


@slow
@given(now=positions(), kind=st.sampled_from(KINDS), data=st.data())
def test_every_order_of_lifts_and_puts_ends_in_that_step(now: Any, kind: str, data: st.DataObject) -> None:
    evening = at(PHALANX.text(now), kind)
    steps = [step for step in evening.table.watch.tracker.steps if step.moves]
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


@slow
@given(found=pushes_only(), kind=st.sampled_from(KINDS), backwards=st.booleans())
def test_a_whole_line_slid_at_once_is_a_push(found: tuple[Any, Step], kind: str, backwards: bool) -> None:
    """Nothing is seen in between: all sensors change with one scan."""
    now, step = found
    evening = at(PHALANX.text(now), kind)
    before = len(evening.table.ledger.moments)
    evening.stones = {node: list(stack) for node, stack in step.after.items()}
    sights = [(n, evening.sight(n)) for n in evening.table.watch.tracker.seen]
    changed = [(n, sight) for n, sight in sights if sight != evening.table.watch.tracker.seen[n]]
    evening.say(ev.BoardChanged(at=evening.at, sights=tuple(changed[::-1] if backwards else changed)))
    settle(evening, step, before)
    check_done(evening, step, before)


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


@slow
@given(now=positions(), kind=st.sampled_from(KINDS), data=st.data())
def test_quick_hands_go_on_to_the_next_action(now: Any, kind: str, data: st.DataObject) -> None:
    """The next stone is lifted before the first action could settle, be it the same player's or the other's."""
    evening = at(PHALANX.text(now), kind)
    table = evening.table
    first = data.draw(st.sampled_from([step for step in table.watch.tracker.steps if step.moves]))
    later = [step for step in table._ahead.after(table.ledger.now.position, (), first) if step.moves]
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


# -- told by touches, on a board that sees no colours ------------------------------------------------------------------


def push(evening: Evening, action: str, pause: float = 0.2) -> None:
    """Do a push hoplite by hoplite, and wait for nothing afterwards."""
    for move in evening.step(action).moves:
        evening.make(move, pause)
        evening.wait(pause)


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
    evening.say(ev.Confirmed(at=evening.at, seat=1, action="F4>e"))
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


def test_what_touches_cannot_tell_is_asked() -> None:
    evening = either()
    evening.carry("C4", "F4", pause=0.5)
    evening.wait(1.0)
    assert evening.done() == []
    assert {choice["action"] for choice in evening.view()["question"]["choices"]} == {"C4-F4", "C4>e"}
    evening.say(ev.Confirmed(at=evening.at, seat=1, action="C4-F4"))
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
    evening.say(ev.SensorMasked(at=evening.at, node="E4", reason="dead"))
    push(evening, "C4>e")
    evening.wait(3.0)
    assert evening.done() == []
    assert "C4>e" in [choice["action"] for choice in evening.view()["question"]["choices"]]
    evening.say(ev.Confirmed(at=evening.at, seat=1, action="C4>e"))
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
    evening.tap("F4")
    evening.wait(2.0)
    assert evening.phase == "clearing", "a dead hoplite put back is still to be taken off"
    assert "F4" in evening.lights()
    evening.lift("D4")
    evening.hand = []
    evening.wait(2.0)
    assert evening.view()["problem"] is not None
    evening.put("D4", "b")
    evening.take_off("F4")
    evening.wait(1.0)
    assert (evening.phase, evening.view()["problem"]) == ("resolving", None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("early", [("F4",), ("E3",), ("C3", "E3"), ("C3", "E3", "F4")])
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
    tap(evening, "G3", 0.3)
    tap(evening, "G3", 1.0)
    assert evening.done() == ["end"]
    assert evening.table.actor == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
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


@pytest.mark.parametrize("kind", KINDS)
def test_another_stone_that_is_lifted_does_not_change_the_last_action(kind: str) -> None:
    """J4 to G2 was it; with J3 in the air the board looks as after J3 to G2 with J4, dead then, off already."""
    evening = at("9/2w6/2w6/2w6/9/8b/7bb/7b1/9 b 1 9", kind)
    evening.do("J4-G2")
    evening.carry("J3", "J3", pause=1.0)
    evening.wait(1.0)
    assert evening.done() == ["J4-G2"]
    assert evening.view()["problem"] is None
