"""What is around the end of a game that is taken back: clocks, what is spoken, and computers that act again."""

from __future__ import annotations

from firmware_host.games.clocks import LAST_MS, ClockSetting
from firmware_host.table.subjects.proposals import ActionUndone, Agreed, Proposed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.evening import Evening


def test_a_loss_on_time_that_is_taken_back_gives_the_time_of_that_turn_back() -> None:
    evening = Evening("coil")
    evening.say(ClocksChosen(at=0, setting=ClockSetting(main=20, strict=True)))
    evening.sit_and_start("Ann", "Bob")
    evening.wait(25)
    assert (evening.phase, evening.view()["result"]["words"]) == ("over", "Ann has run out of time.")
    evening.say(ActionUndone(at=evening.at))
    evening.wait(1)
    assert evening.phase == "resolving"
    left = evening.view()["clocks"]["seats"][0]["left"]
    assert 18_000 < left <= 20_000
    evening.wait(25)
    assert evening.phase == "over", "the clock runs again"


def test_who_had_no_time_left_at_that_moment_has_the_last_seconds() -> None:
    """Once two turns have been drawn, a seat without time loses at the beginning of the next one."""
    evening = Evening("spokes", kind="level")
    evening.say(ClocksChosen(at=0, setting=ClockSetting(main=1, strict=True, odds={2: 600})))
    evening.sit_and_start("Ann", "Bob")
    for _ in range(60):
        sealing = evening.table.ledger.round
        if evening.phase == "sealing" and sealing is not None and 2 not in sealing.commitments:
            evening.commit(2, sorted(evening.game.actions(evening.table.ledger.now.position)[2])[0])
        elif evening.phase == "revealing":
            evening.open(2, sorted(evening.game.actions(evening.table.ledger.now.position)[2])[0])
        elif evening.phase == "placing":
            evening.put_down_all()
        elif evening.phase == "resolving":
            wanted = evening.table.chosen_action
            evening.do(wanted or sorted(step.action for step in evening.table.watch.tracker.steps)[0])
        evening.wait(1)
        if evening.phase == "over":
            break
    assert evening.view()["result"]["words"] == "Ann has run out of time."
    evening.say(ActionUndone(at=evening.at))
    evening.wait(1)
    assert evening.phase != "over"
    left = evening.view()["clocks"]["seats"][0]["left"]
    assert LAST_MS - 2000 < left <= LAST_MS


def test_who_has_resigned_is_asked_whether_that_stands() -> None:
    evening = Evening().sit_and_start()
    evening.say(Resigned(at=evening.at, seat=2))
    assert evening.phase == "over"
    evening.say(Proposed(at=evening.at, seat=1, what="take-back"))
    assert evening.phase == "over"
    assert evening.view()["proposal"]["waiting"] == [2]
    evening.say(Agreed(at=evening.at, seat=2, what="take-back"))
    assert evening.phase == "setup"
