"""Company at a table: signs, words of computers, an agreed draw, and ends that are told as they were."""

from __future__ import annotations

import pytest

from firmware_host.games.clocks import ClockSetting
from firmware_host.table.ledger import Ledger
from firmware_host.table.state import Table
from firmware_host.table.subjects.company import MOST, SHOWN_S, SIGNS, WITHIN_S, CompanyChosen, Greeted, Spoken
from firmware_host.table.subjects.proposals import Agreed, Declined, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.seats import ComputerSeated, seat_entries
from firmware_host.table.subjects.timekeeping import ClocksChosen
from firmware_host.table.table import restore
from lodestone.evening import Evening
from tests.sentences import sentence

GAMES = ("spokes", "phalanx", "octiles", "coil")


def sign(evening: Evening, seat: int, name: str = "wave") -> Greeted:
    return Greeted(at=evening.at, seat=seat, sign=name)


def drawn(game: str = "coil") -> Evening:
    evening = Evening(game).sit_and_start("Ann", "Bob")
    if evening.phase == "setup":
        for node, stack in evening.game.occupancy(evening.table.ledger.now.position).items():
            evening.stones[node] = list(stack)
            evening.feel(node)
        evening.wait(1)
    evening.say(Proposed(at=evening.at, seat=1, what="draw"))
    return evening


# -- signs -------------------------------------------------------------------------------------------------------------


def test_a_sign_is_shown_for_a_while_and_written_down_nowhere() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bob")
    before = len(evening.entries)
    evening.say(sign(evening, 2))
    assert evening.view()["said"] == [{"seat": 2, "sign": "wave", "words": "Bob waves."}]
    evening.say(sign(evening, 2, "thanks"))
    evening.say(sign(evening, 1, "clap"))
    assert [one["sign"] for one in evening.view()["said"]] == ["thanks", "clap"], "one of each seat, the newest last"
    evening.wait(SHOWN_S + 1)
    assert evening.view()["said"] == []
    assert len(evening.entries) == before


def test_every_sign_is_told_in_words() -> None:
    assert len(SIGNS) == 12
    evening = Evening("coil").sit_and_start("Ann", "Bob")
    for name in SIGNS:
        evening.wait(WITHIN_S)
        evening.say(sign(evening, 1, name))
        assert evening.view()["said"][0]["words"].startswith("Ann ")


def test_signs_are_few_known_and_of_people() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bob", computers=(2,))
    assert evening.refused(sign(evening, 1, "<b>you lose</b>")) == "bad_sign"
    assert evening.refused(sign(evening, 2)) == "bad_seat"
    for _ in range(MOST):
        evening.say(sign(evening, 1))
    assert evening.refused(sign(evening, 1)) == "too_soon"
    evening.wait(WITHIN_S + 1)
    evening.say(sign(evening, 1))


def test_the_host_switches_signs_and_words_off() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bob", computers=(2,))
    evening.say(sign(evening, 1))
    evening.say(Spoken(at=evening.at, seat=2, text="Good luck!"))
    assert len(evening.view()["said"]) == 2
    evening.say(CompanyChosen(at=evening.at, words=False, signs=False))
    assert evening.view()["said"] == []
    assert evening.view()["company"] == {"words": False, "signs": False}
    assert evening.refused(sign(evening, 1)) == "no_signs"
    evening.say(Spoken(at=evening.at, seat=2, text="Good luck!"))
    assert evening.view()["said"] == []


# -- an agreed draw ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_all_may_agree_on_a_draw_in_every_game(game: str) -> None:
    evening = drawn(game)
    proposal = evening.view()["proposal"]
    assert (proposal["words"], proposal["waiting"]) == ("Ann offers a draw.", [2])
    evening.say(Agreed(at=evening.at, seat=2, what="draw"))
    view = evening.view()
    assert (view["phase"], view["message"], view["lights"]) == ("over", "A draw.", {})
    assert (view["result"]["reason"], view["result"]["winners"]) == ("agreed", [])
    assert view["result"]["words"] == sentence("All have agreed on a")
    assert [kind for kind, _ in evening.entries[-2:]] == ["draw", "result"]
    assert view["log"][-1]["text"] == sentence("All players agree on a")


def test_a_draw_survives_a_restart_and_can_be_taken_back() -> None:
    evening = drawn()
    evening.say(Agreed(at=evening.at, seat=2, what="draw"))
    again = Table(evening.game, "g1", "2", kind=evening.kind)
    restore(again, evening.entries, evening.at)
    assert (again.ledger.over, again.ledger.reason, again.ledger.now.status.winners) == (True, "agreed", ())
    evening.say(Proposed(at=evening.at, seat=1, what="take-back"))
    evening.say(Agreed(at=evening.at, seat=2, what="take-back"))
    evening.wait(1)
    assert evening.phase == "resolving"


def test_a_draw_that_is_declined_is_not_offered_again_at_once() -> None:
    evening = drawn()
    evening.say(Declined(at=evening.at, seat=2, what="draw"))
    assert evening.phase == "resolving"
    assert evening.refused(Proposed(at=evening.at, seat=1, what="draw")) == "too_soon"
    evening.say(Resigned(at=evening.at, seat=1))
    assert evening.refused(Proposed(at=evening.at, seat=2, what="draw")) == "bad_proposal"


def test_a_computer_is_asked_whether_it_takes_a_draw() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Computer", computers=(2,))
    evening.say(Proposed(at=evening.at, seat=1, what="draw"))
    assert evening.view()["proposal"]["waiting"] == [2]
    evening.say(Agreed(at=evening.at, seat=2, what="draw"))
    assert evening.phase == "over"


def test_seals_of_a_turn_in_which_all_agree_on_a_draw_stay_secret() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    evening.commit(1, "wC6")
    evening.say(Proposed(at=evening.at, seat=2, what="draw"))
    evening.say(Agreed(at=evening.at, seat=1, what="draw"))
    assert evening.phase == "over"
    assert "wC6" not in repr(evening.entries)


# -- ends that are told as they were -----------------------------------------------------------------------------------


def test_who_has_run_out_of_time_has_not_resigned() -> None:
    evening = Evening("coil")
    evening.say(ClocksChosen(at=0, setting=ClockSetting(main=5, strict=True)))
    evening.sit_and_start("Ann", "Bob")
    evening.wait(6)
    view = evening.view()
    assert (view["result"]["reason"], view["result"]["words"]) == ("time", "Ann has run out of time.")
    assert [(seat["resigned"], seat["late"]) for seat in view["seats"]] == [(True, True), (False, False)]


def test_what_a_computer_foresaw_is_gone_with_the_end() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Computer", computers=(1,))
    evening.say(ActionChosen(at=evening.at, seat=1, action="g7", reason="Every known continuation loses."))
    assert evening.view()["reason"]
    evening.say(Resigned(at=evening.at, seat=2))
    assert evening.view()["reason"] is None


def test_a_person_among_computers_takes_back_without_agreement() -> None:
    for computers, told in (((2,), "Ann takes back."), ((), "Taken back by agreement.")):
        evening = Evening("coil").sit_and_start("Ann", "Bob", computers=computers)
        evening.do("g7")
        evening.wait(1)
        evening.say(Proposed(at=evening.at, seat=1, what="take-back"))
        if not computers:
            evening.say(Agreed(at=evening.at, seat=2, what="take-back"))
        assert evening.view()["log"][-1]["text"] == told


def test_a_computer_that_took_over_goes_with_the_game() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bob")
    evening.say(ComputerSeated(at=evening.at, seat=2, level=1))
    evening.say(ComputerSeated(at=evening.at, seat=2, level=3))
    again = Table(evening.game, "g1", "2", kind=evening.kind)
    restore(again, evening.entries, evening.at)
    for table in (evening.table, again):
        assert table.is_computer(2)
        seats = [data for kind, data in seat_entries(table.ledger, Ledger(table.game, "g2", "2")) if kind == "seat"]
        assert seats == [
            {"seat": 1, "name": "Ann", "claim": "c1", "computer": False},
            {"seat": 2, "name": "Bob", "claim": "c2", "computer": False},
        ]
