"""The end of time in each phase of each game, gentle and strict; and what stops a clock."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.clocks import ClockSetting
from firmware_host.games.registry import game as find_game
from firmware_host.session.computers import ComputerPlayers
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.errors import TableError
from firmware_host.table.events import ShowView
from firmware_host.table.lights import frame
from firmware_host.table.subjects.company import Spoken
from firmware_host.table.subjects.proposals import ActionUndone, GamePaused
from firmware_host.table.subjects.resolving import ActionChosen, BoardLost, Noticed
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.evening import Evening
from tests.sampling import few
from tests.sentences import is_in
from tests.table.hosted_evenings import Played

TURNS = ("phalanx", "coil", "octiles")
"""Games of turns: in these whoever runs out of time has lost."""
PLACEMENTS = sorted(find_game("spokes").actions(find_game("spokes").start("2"))[1])
FAST = ClockSetting(main=20, strict=True)


def clocked(game: str = "spokes", setting: ClockSetting = FAST, **more: Any) -> Evening:
    """Return an evening that has begun, with clocks; more is for the evening."""
    evening = Evening(game, **more)
    evening.say(ClocksChosen(at=0, setting=setting))
    return evening.sit_and_start("Ann", "Bob")


def left(evening: Evening, seat: int) -> int:
    """Return what the view says is left for a seat now, seconds; None is no limit."""
    clocks = evening.view()["clocks"]
    return round(clocks["seats"][seat - 1]["left"] / 1000)


def runs(evening: Evening) -> list[int]:
    return [one["seat"] for one in evening.view()["clocks"]["seats"] if one["runs"]]


def kinds(evening: Evening) -> list[str]:
    return [kind for kind, _ in evening.entries]


# -- what runs when ----------------------------------------------------------------------------------------------------


def test_all_who_have_not_sealed_think_at_once() -> None:
    evening = clocked()
    evening.wait(2)
    evening.commit(1, "wC1")
    assert (left(evening, 1), left(evening, 2), runs(evening)) == (18, 18, [2])
    evening.wait(3)
    assert (left(evening, 1), left(evening, 2)) == (18, 15)


def test_nobody_thinks_from_the_last_seal_until_the_stones_lie() -> None:
    evening = clocked()
    evening.commit(1, "wC1")
    evening.commit(2, "wC2")
    assert evening.phase == "revealing"
    evening.wait(30)
    evening.open(1, "wC1")
    evening.open(2, "wC2")
    assert evening.phase == "placing"
    evening.wait(30)
    assert [left(evening, seat) for seat in (1, 2)] == [20, 20]
    evening.put_down_all()
    assert evening.phase == "resolving"
    assert runs(evening) == [evening.table.actor]


@pytest.mark.parametrize("game", TURNS)
def test_who_acts_thinks(game: str) -> None:
    evening = Played(game, 3, clocks=FAST).evening
    for _ in range(20):
        if evening.phase == "setup":
            evening.wait(0.5)
    if evening.phase == "setup":  # Pieces are to be laid first.
        assert runs(evening) == []
        return
    assert runs(evening) == [evening.table.actor]


def resolving(setting: ClockSetting = FAST, **more: Any) -> Evening:
    """Return an evening in which the white stones on C2 and C3 can push each other; seat 1 acts."""
    evening = clocked(setting=setting, **more)
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.put_down_all()
    assert evening.phase == "resolving"
    return evening


def test_a_clock_stands_while_all_lies_that_an_action_wants() -> None:
    evening = resolving()
    step = next(step for step in evening.table.watch.tracker.steps if len(step.moves) == 1)
    move = step.moves[0]
    assert move.source
    assert move.target
    evening.lift(move.source)
    assert runs(evening) == [1]
    evening.put(move.target)
    assert evening.table.watch.verdict.kind == "settling"
    assert runs(evening) == []
    evening.lift(move.target)
    assert runs(evening) == [1], "it was lifted again: the seat still thinks"


@pytest.mark.parametrize("stop", few(["pause", "lost", "repair"], 2))
def test_what_is_no_thinking_stops_all_clocks(stop: str) -> None:
    evening = resolving()
    if stop == "pause":
        evening.say(GamePaused(at=evening.at))
    elif stop == "lost":
        evening.say(BoardLost(at=evening.at, reason="the cable"))
    else:
        evening.put("A1", "b")
        evening.wait(4.5)
        assert evening.table.watch.problem is not None
        assert evening.table.watch.problem.kind == "repair"
    before = left(evening, 1)
    assert runs(evening) == []
    evening.wait(60)
    assert left(evening, 1) == before


def test_no_clock_runs_while_the_table_asks() -> None:
    evening = resolving(kind="presence")
    assert runs(evening) == [1]
    watch = evening.table.watch
    watch.asked = tuple(watch.tracker.hypotheses.near[:1])  # As where a stack hides what was done.
    evening.say(Noticed(at=evening.at, what="test", text="a thing that changes nothing"))
    assert runs(evening) == []


def test_increment_and_delay() -> None:
    evening = clocked(setting=ClockSetting(main=20, increment=5, delay=3))
    evening.wait(2)
    assert left(evening, 1) == 20, "the first three seconds are free"
    evening.wait(2)
    assert left(evening, 1) == 19
    evening.commit(1, "wC1")
    assert (left(evening, 1), left(evening, 2)) == (24, 19), "thought out: five seconds more"


def test_odds() -> None:
    evening = clocked(setting=ClockSetting(main=300, odds={2: 1200}))
    assert [left(evening, seat) for seat in (1, 2)] == [300, 1200]


# -- gentle ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", few(["spokes", *TURNS], 2))
def test_a_gentle_end_is_said_once_and_play_goes_on(game: str) -> None:
    played = Played(game, 1, clocks=ClockSetting(main=1, increment=1))
    for number, _ in enumerate(played.deeds(4)):
        played.evening.wait(2)
        if number > 40:
            break
    evening = played.evening
    flags = [data["seat"] for kind, data in evening.entries if kind == "flag"]
    assert flags
    assert len(flags) == len(set(flags))
    assert is_in("time is up; the game", str(evening.view()["log"]))
    assert len(evening.table.ledger.moments) > 2


@pytest.mark.thorough
def test_relaxed_clocks_only_count() -> None:
    evening = clocked(setting=ClockSetting(main=None))
    evening.wait(500)
    clock = evening.view()["clocks"]["seats"][0]
    assert (clock["left"], round(clock["used"] / 1000)) == (None, 500)
    assert "flag" not in kinds(evening)


# -- strict ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", TURNS)
def test_in_a_game_of_turns_the_seat_has_lost(game: str) -> None:
    played = Played(game, 3, clocks=FAST)
    next(played.deeds(5))
    evening = played.evening
    for _ in played.deeds(5):
        if evening.phase == "resolving" and evening.table.chosen_action is None:
            break
    actor = evening.table.actor
    evening.wait(25)
    assert evening.phase == "over"
    assert evening.table.ledger.late == {actor}
    view = evening.view()
    assert actor not in view["result"]["winners"]
    assert view["result"]["words"] == f"P{actor} has run out of time."
    assert f"P{actor}'s time is up" in view["log"][-1]["text"]


def test_where_more_than_two_play_the_others_go_on() -> None:
    evening = Evening("octiles", "4", kind="presence")
    evening.say(ClocksChosen(at=0, setting=ClockSetting(main=5, strict=True, odds={2: 500, 3: 500, 4: 500})))
    evening.sit_and_start()
    for node, stack in evening.game.occupancy(evening.table.ledger.now.position).items():
        evening.put(node, *stack)
    evening.wait(8)
    assert evening.table.ledger.late == {1}
    assert evening.phase == "resolving"
    assert runs(evening) == [evening.table.actor] != [1]


def test_a_placement_is_drawn_and_sealed() -> None:
    evening = clocked()
    evening.commit(1, "wC1")
    evening.wait(19)
    evening.wait(2)
    assert evening.phase == "revealing"
    flag, seal = (data for kind, data in evening.entries[-2:] if kind in {"flag", "seal"})
    assert (flag["seat"], flag["stint"], seal["seat"]) == (2, "seal", 2)
    assert "drawn by lot is sealed" in evening.view()["log"][-1]["text"]
    evening.open(1, "wC1")
    assert evening.phase == "placing", "the table opens what it has sealed"
    placed = evening.table.ledger.now.actions[2]
    evening.game.check(evening.table.ledger.moments[0].position, 2, placed)
    again = evening.restarted()
    assert again.table.ledger.now == evening.table.ledger.now


def test_two_placements_drawn_need_no_phone() -> None:
    evening = clocked()
    evening.wait(25)
    assert evening.phase == "placing"


def test_a_restart_before_the_reveal_knows_what_was_drawn() -> None:
    evening = clocked()
    evening.commit(1, "wC1")
    evening.wait(25)
    assert evening.phase == "revealing"
    again = evening.restarted()
    again.wait(0.5)
    again.open(1, "wC1")
    assert again.phase == "placing"


def test_a_resolution_is_drawn_and_led_like_a_computers() -> None:
    evening = resolving(kind="level")
    evening.wait(25)
    table = evening.table
    assert table.is_late(1)
    assert table.chosen_action is not None
    assert "Drawn by lot" in evening.view()["message"]
    with pytest.raises(TableError) as refused:
        evening.say(ActionChosen(at=evening.at, seat=1, action=table.watch.tracker.steps[0].action))
    assert refused.value.code == "time_up"
    wanted, before = table.chosen_action, len(table.ledger.moments)
    evening.do(wanted)
    assert table.ledger.moments[before].actions == {1: wanted}
    assert 1 not in runs(evening), "no time is left to think in"


def test_after_two_such_turns_the_seat_is_out() -> None:
    evening = clocked(setting=ClockSetting(main=5, strict=True, odds={2: 50_000}))
    turns = []
    for _ in range(60):
        evening.wait(6)
        table = evening.table
        if evening.phase == "over":
            break
        if evening.phase == "sealing":
            turns.append(table.ledger.round.turn if table.ledger.round else 0)
            seats = table.ledger.round.seats if table.ledger.round else ()
            assert 1 in table.ledger.round.commitments or 1 not in seats  # type: ignore[union-attr]
            action = sorted(evening.game.actions(table.ledger.now.position)[2])[0]
            evening.commit(2, action)
            evening.open(2, action)
        if evening.phase == "placing":
            evening.put_down_all()
        for _ in range(40):
            if evening.phase != "resolving":
                break
            steps = table.watch.tracker.steps
            assert table.actor == 2 or table.chosen_action
            evening.do(table.chosen_action or steps[0].action)
            evening.wait(0.5)
        if evening.phase == "clearing":
            for task in guide.tasks(table):
                evening.take_off(task["node"])  # type: ignore[typeddict-item]
            evening.wait(1)
    assert turns == [1, 2]
    assert evening.table.ledger.late == {1}
    assert evening.view()["result"]["winners"] == [2]


def test_a_take_back_gives_back_a_lot_that_was_drawn() -> None:
    evening = resolving()
    evening.wait(25)
    assert evening.table.is_late(1)
    evening.say(ActionUndone(at=evening.at))
    assert not evening.table.is_late(1)
    assert [left(evening, seat) for seat in (1, 2)] == [20, 20]
    assert evening.table.ledger.round is not None


def test_a_computer_whose_time_is_up_asks_for_no_new_seal() -> None:
    evening = Evening("spokes")
    evening.say(ClocksChosen(at=0, setting=FAST))
    evening.sit_and_start("Ann", "Computer", computers=(2,))
    evening.commit(1, "wC1")
    evening.wait(25)
    assert evening.phase == "revealing"
    players = ComputerPlayers(b"k" * 32)
    assert {type(event) for event in players.act(evening.table, evening.at)} <= {Spoken}
    evening.open(1, "wC1")
    assert evening.phase == "placing"


# -- light -------------------------------------------------------------------------------------------------------------


def test_the_last_ten_seconds_are_one_light_at_a_home() -> None:
    evening = clocked(setting=ClockSetting(main=12, strict=True, odds={2: 600}))
    evening.wait(1)
    assert "time" not in evening.lights().values()
    evening.wait(3)
    home = evening.game.homes("2", 1)[0]
    assert evening.lights() == {home: "time"}
    lamps = guide.lamps(evening.table)
    assert frame(lamps, 0.1, {})[home] != (0, 0, 0)
    assert frame(lamps, 0.6, {})[home] == (0, 0, 0), "it flashes once a second"
    evening.commit(1, "wC1")
    assert evening.lights() == {}


def test_where_a_seat_has_no_home_there_is_no_light() -> None:
    assert not find_game("coil").homes("2", 1)
    evening = clocked("coil")
    evening.wait(15)
    assert "time" not in evening.lights().values()


def test_the_last_seconds_come_to_phones_by_themselves() -> None:
    evening = clocked(setting=ClockSetting(main=12))
    evening.say(ev.Tick(at=evening.at + 1))
    assert not evening.effects
    evening.say(ev.Tick(at=evening.at + 4))
    assert evening.effects, "a new view is shown"


def test_what_stands_is_kept_every_ten_seconds_and_nobody_is_told() -> None:
    evening = clocked(setting=ClockSetting(main=600))
    evening.wait(0.5)
    kept, shown = kinds(evening).count("time"), 0
    for _ in range(35):
        evening.say(ev.Tick(at=evening.at + 1))
        evening.at += 1
        shown += any(isinstance(effect, ShowView) for effect in evening.effects)
    assert (kinds(evening).count("time") - kept, shown) == (3, 0)


def test_a_game_from_before_has_no_clocks_and_no_field_in_any_entry() -> None:
    evening = Evening("spokes").sit_and_start()
    evening.seal_all({1: "wC1", 2: "wC5"})
    assert evening.view()["clocks"] is None
    assert not [kind for kind, data in evening.entries if "clock" in data]


# -- nothing tells what is sealed --------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    one=st.sampled_from(PLACEMENTS),
    other=st.sampled_from(PLACEMENTS),
    first=st.sampled_from([0.5, 4.0, 11.0]),
    strict=st.booleans(),
)
def test_before_a_reveal_all_is_the_same_for_every_pair_of_sealed_placements(
    one: str, other: str, first: float, strict: bool
) -> None:
    """Clocks, lights, words and what is drawn for somebody else: nothing depends on what lies sealed.

    Speech and tones are made of these views (tests/extensions/audio/tones.test.mjs: not of commitments).
    """

    def seen(action: str) -> list[Any]:
        evening = clocked(setting=ClockSetting(main=15, increment=2, strict=strict))
        shown: list[Any] = []

        def look(*seconds: float) -> None:
            for step in seconds:
                evening.wait(step)
                view: Any = evening.view()
                view["seal"] and view["seal"].pop("commitments")
                written = [(kind, data if "commitment" not in data else {}) for kind, data in evening.entries]
                shown.append((view, frame(guide.lamps(evening.table), evening.at, {}), written))

        look(first)
        evening.commit(1, action)
        look(0.1, 2.0, 6.0, 6.0)
        return shown

    assert seen(one) == seen(other)
