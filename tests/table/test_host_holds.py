"""The host pauses the table: nothing counts meanwhile, and going on is like a restart, at whatever moment it was."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.game import Analysis
from firmware_host.session.computers import ComputerPlayers
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.ledger import Ledger
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.company import Spoken
from firmware_host.table.subjects.hints import HintTaken
from firmware_host.table.subjects.proposals import Agreed, Declined, GamePaused, GameResumed, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, BoardBack, BoardLost, Confirmed, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import SeatAsked, SeatMoved
from lodestone.evening import NONCE, Evening
from tests.sampling import cases, few
from tests.sentences import sentence
from tests.table.every_event import EVENTS
from tests.table.hosted_evenings import KINDS, Played

pytestmark = pytest.mark.slow

FIELDS: dict[str, Any] = {
    "level": 1,
    "turn": 1,
    "commitment": "0" * 64,
    "action": "wA1",
    "nonce": NONCE,
    "what": "take-back",
    "on": False,
}


def hold(evening: Evening) -> None:
    evening.say(GamePaused(at=evening.at))


def go_on(evening: Evening) -> None:
    evening.say(GameResumed(at=evening.at))


def a_deed(kind: type[Any]) -> ev.Event:
    """Return an event of a player, with whatever it carries."""
    names = kind.__dataclass_fields__
    event: ev.Event = kind(at=0.0, seat=1, **{name: value for name, value in FIELDS.items() if name in names})
    return event


def state(ledger: Ledger) -> dict[str, Any]:
    """Return all that survives a power cut, ready to be compared."""
    return {name: value for name, value in vars(ledger).items() if name != "game"}


# -- at any moment -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", few(cases(list(KINDS), "spokes", "octiles"), 1))
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 30), cuts=st.sets(st.integers(0, 45), min_size=1, max_size=4))
def test_held_at_any_moment_and_gone_on_changes_nothing(game: str, seed: int, cuts: set[int]) -> None:
    """Two evenings, one of them paused now and then with stones moved about meanwhile, are the same game."""
    calm, held = Played(game, seed), Played(game, seed)
    for _ in calm.deeds(5):
        pass
    rng = Random(seed)
    for number, _ in enumerate(held.deeds(5)):
        evening = held.evening
        if number in cuts and evening.phase not in {"lobby", "over"}:
            hold(evening)
            entries = list(evening.entries)
            held.meddle(rng)
            assert all(evening.refused(a_deed(kind)) in {"paused", "wrong_phase"} for kind in EVENTS if kind.by_player)
            assert evening.entries == entries, "nothing is journalled while the table is held"
            go_on(evening)
    pauses = [kind for kind, _ in held.evening.entries if kind in {"pause", "resume"}]
    assert pauses == ["pause", "resume"] * (len(pauses) // 2)
    played = [entry for entry in held.evening.entries if entry[0] not in {"correction", "pause", "resume"}]
    assert played == calm.evening.entries
    assert held.evening.text() == calm.evening.text()


@pytest.mark.parametrize("game", cases(list(KINDS), "spokes", "octiles"))
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 30), cut=st.integers(0, 45))
def test_going_on_is_like_a_restart(game: str, seed: int, cut: int) -> None:
    played = Played(game, seed)
    for number, _ in enumerate(played.deeds(5)):
        if number == cut:
            break
    evening = played.evening
    if evening.phase in {"lobby", "over"}:
        return
    hold(evening)
    played.meddle(Random(seed))
    go_on(evening)
    evening.wait(0.5)
    again = evening.restarted()
    again.wait(0.5)
    assert state(again.table.ledger) == state(evening.table.ledger)
    now, then = evening.view(), again.view()
    tidying = now["tidying"]
    for view in (now, then):
        view["problem"] = view["problem"] and {**view["problem"], "since": 0}
        if tidying:  # What is to be done beside the board is not forgotten, as a restart does.
            del view["tidying"], view["message"]
    assert now == then


@pytest.mark.slow
@pytest.mark.parametrize("game", few(cases(list(KINDS), "spokes", "octiles"), 1))
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 30), cuts=st.sets(st.integers(0, 45), min_size=1, max_size=3))
def test_a_seat_may_move_at_any_moment_and_a_restart_knows_it(game: str, seed: int, cuts: set[int]) -> None:
    calm, moved = Played(game, seed), Played(game, seed)
    for _ in calm.deeds(5):
        pass
    for number, _ in enumerate(moved.deeds(5)):
        if number in cuts:
            seat = 1 + number % 2
            moved.say(SeatAsked, seat=seat, code=f"{number}")
            moved.say(SeatMoved, seat=seat, claim=f"phone {number}")
            assert moved.evening.view()["asks"] == []
            assert moved.evening.table.ledger.sittings[seat].claim == f"phone {number}"
            assert state(moved.evening.restarted().table.ledger) == state(moved.evening.table.ledger)
    assert [entry for entry in moved.evening.entries if entry[0] != "moved"] == calm.evening.entries


# -- what it means -----------------------------------------------------------------------------------------------------


def resolving() -> Evening:
    """Return an evening in which seat 1 may move the stones on C2 and C3."""
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.wait(0.3)
    evening.put_down_all()
    assert evening.phase == "resolving"
    return evening


def test_everything_players_do_is_refused_and_the_view_says_why() -> None:
    evening = resolving()
    assert evening.view()["paused"] is False
    assert guide.lamps(evening.table)
    hold(evening)
    view = evening.view()
    assert view["paused"] is True
    assert view["message"].startswith(sentence("The host has paused the game."))
    assert (view["lights"], view["tasks"], view["steps"], view["question"], view["problem"]) == ({}, [], [], None, None)
    assert not any(view["can"].values())
    assert guide.lamps(evening.table) == {}
    for kind in (ActionChosen, Confirmed, Resigned, Proposed, Agreed, Declined, HintTaken):
        assert evening.refused(a_deed(kind)) == "paused"


def test_a_step_done_while_held_does_not_count_and_is_guided_back() -> None:
    evening = resolving()
    step = next(step for step in evening.table.watch.tracker.steps if len(step.moves) == 1)
    hold(evening)
    source, target = step.moves[0].source or "", step.moves[0].target or ""
    evening.carry(source, target)
    evening.wait(5.0)
    assert evening.done() == []
    go_on(evening)
    evening.wait(0.2)
    assert evening.phase == "setup"
    assert evening.view()["tasks"] == [{"do": "move", "from": target, "to": source, "pieces": ["w"], "seat": None}]
    evening.carry(target, source)
    evening.wait(0.5)
    assert evening.phase == "resolving"
    assert evening.done() == []


def test_what_the_sensors_saw_while_held_is_known_at_once() -> None:
    evening = resolving()
    hold(evening)
    evening.lift("C2")
    evening.wait(31.0)
    assert evening.view()["sensors"]["suspects"] == []
    go_on(evening)
    assert evening.table.watch.tracker.sensed["C2"] == ""
    evening.wait(0.1)
    assert "C2" in evening.view()["problem"]["nodes"]


def test_openings_stay_on_the_phones() -> None:
    evening = Evening("spokes").sit_and_start()
    for seat, action in {1: "wC2", 2: "wC3"}.items():
        evening.commit(seat, action)
    for seat in (1, 2):
        evening.say(SealReady(at=evening.at, seat=seat, turn=1))
    assert evening.view()["seal"]["open"] is True
    hold(evening)
    assert evening.view()["seal"]["open"] is False
    opened = SealOpened(at=evening.at, seat=1, turn=1, action="wC2", nonce=NONCE)
    assert evening.refused(opened) == "paused"
    go_on(evening)
    evening.wait(0.3)
    assert evening.view()["seal"]["open"] is False, "phones may have fallen asleep"
    for seat in (1, 2):
        evening.say(SealReady(at=evening.at, seat=seat, turn=1))
    assert evening.view()["seal"]["open"] is True
    evening.say(opened)


def test_computers_wait_too() -> None:
    evening = Evening("spokes").sit_and_start("Ann", computers=(2,))
    computers = ComputerPlayers(b"k" * 32, 0.0)
    hold(evening)
    assert list(computers.act(evening.table, evening.at)) == []
    go_on(evening)
    evening.wait(0.3)
    acts = [type(event) for event in computers.act(evening.table, evening.at)]
    assert acts == [SealCommitted, Spoken]


def test_nobody_loses_a_seal_because_nobody_could_object() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    evening.commit(2, "wC3")
    evening.say(Proposed(at=evening.at, seat=1, what="reseal", about=2))
    hold(evening)
    evening.wait(60.0)
    assert proposals.current(evening.table) is not None
    go_on(evening)
    evening.wait(10.0)
    assert proposals.current(evening.table) is not None, "there is time again"
    evening.wait(15.0)
    assert proposals.current(evening.table) is None
    assert evening.entries[-1][0] == "reseal"


def test_a_loop_proved_while_held_ends_the_phase_afterwards() -> None:
    evening = resolving()
    hold(evening)
    evening.foresee(Analysis(False, True, ("C2", "C3")))
    assert [kind for kind, _ in evening.entries[-2:]] == ["reveal", "pause"]
    go_on(evening)
    evening.wait(0.5)
    assert [kind for kind, _ in evening.entries[-2:]] == ["loop", "result"]


def test_holding_twice_and_going_on_twice_is_harmless() -> None:
    evening = resolving()
    for event in (GamePaused, GamePaused, GameResumed):
        evening.say(event(at=evening.at))
    evening.wait(0.5)
    before = evening.picture()
    go_on(evening)
    assert evening.picture() == before
    assert [kind for kind, _ in evening.entries].count("pause") == 1
    assert [kind for kind, _ in evening.entries].count("resume") == 1


def test_there_is_nothing_to_pause_in_the_lobby_or_after_the_end() -> None:
    evening = Evening("spokes")
    assert evening.refused(GamePaused(at=0.0)) == "wrong_phase"
    evening.sit_and_start()
    evening.say(Resigned(at=evening.at, seat=1))
    assert evening.phase == "over"
    assert evening.refused(GamePaused(at=evening.at)) == "wrong_phase"


def test_a_board_that_is_lost_while_held_is_still_told() -> None:
    evening = resolving()
    hold(evening)
    evening.say(BoardLost(at=evening.at, reason="no answer"))
    assert evening.view()["standstill"] == "no answer"
    evening.say(BoardBack(at=evening.at))
    go_on(evening)
    evening.wait(0.5)
    assert evening.phase == "resolving"


def test_taking_placements_back_says_what_goes() -> None:
    evening = resolving()
    evening.say(Proposed(at=evening.at, seat=2, what="take-back"))
    assert evening.view()["proposal"]["words"] == (sentence("all seal that turn", by="Bob", turn=1))
    evening.say(Agreed(at=evening.at, seat=1, what="take-back"))
    assert (evening.view()["turn"], evening.phase) == (1, "setup"), "the stones come off first"
