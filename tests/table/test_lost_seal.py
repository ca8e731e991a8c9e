"""A phone that held a seal is lost: all others agree, that seat seals anew, and nobody else's seal is touched."""

from __future__ import annotations

import pytest

from firmware_host.archive.verify import GameReplay, InvalidRecord
from firmware_host.session.computers import ComputerPlayers
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.proposals import Agreed, Declined, Proposed, waiting
from firmware_host.table.subjects.rounds import SealReady
from lodestone.evening import Evening

PLACED = {1: "wA1", 2: "bB1", 3: "wB2", 4: "bB3"}


def sealed(*opened: int) -> Evening:
    """Return a table of four where all have sealed, and some have opened."""
    evening = Evening("spokes", "4").sit_and_start("Ada", "Bob", "Cleo", "Dan")
    for seat, action in PLACED.items():
        evening.commit(seat, action)
    for seat in opened:
        evening.open(seat, PLACED[seat])
    return evening


def seal_anew(evening: Evening, seat: int, by: int) -> None:
    evening.say(Proposed(at=evening.at, seat=by, what="reseal", about=seat))
    proposal = proposals.current(evening.table)
    for other in waiting(evening.table, proposal) if proposal else ():
        evening.say(Agreed(at=evening.at, seat=other, what="reseal"))
    evening.wait(20.1)


def test_all_others_are_asked_and_only_that_seat_seals_anew() -> None:
    evening = sealed()
    before = dict(evening.table.ledger.round.commitments) if evening.table.ledger.round else {}
    evening.say(Proposed(at=evening.at, seat=1, what="reseal", about=2))
    proposal = evening.view()["proposal"]
    assert proposal["waiting"] == [3, 4], "whoever has lost the phone is not asked"
    assert "Bob seals this turn again" in proposal["words"]
    assert proposal["about"] == 2
    for seat in (3, 4):
        evening.say(Agreed(at=evening.at, seat=seat, what="reseal"))
    assert evening.phase == "revealing", "that seat has a while to object"
    evening.wait(20.1)
    assert evening.phase == "sealing"
    after = evening.view()["seal"]["commitments"]
    assert after == {str(seat): digest for seat, digest in before.items() if seat != 2}
    assert [seat["sealed"] for seat in evening.view()["seats"]] == [True, False, True, True]
    shown = repr(evening.view())
    assert all(action not in shown for action in PLACED.values()), "nobody else's is shown"
    evening.commit(2, "wC4")
    assert evening.phase == "revealing"
    evening.open(2, "wC4")
    for seat in (1, 3, 4):
        evening.open(seat, PLACED[seat])
    assert evening.phase == "placing"
    assert evening.table.ledger.now.actions == {**PLACED, 2: "wC4"}


def test_whoever_asks_for_themselves_needs_no_name() -> None:
    evening = sealed()
    evening.say(Proposed(at=evening.at, seat=2, what="reseal"))
    assert evening.view()["proposal"]["waiting"] == [1, 3, 4]


def test_a_seal_that_is_open_or_was_never_made_stands() -> None:
    evening = sealed(3)
    assert evening.refused(Proposed(at=evening.at, seat=1, what="reseal", about=2)) == "bad_proposal"
    assert not any(seat["may_reseal"] for seat in evening.view()["seats"]), "phones have begun to open"
    fresh = Evening("spokes", "4").sit_and_start()
    assert fresh.refused(Proposed(at=fresh.at, seat=1, what="reseal", about=2)) == "bad_proposal"
    assert fresh.refused(Proposed(at=fresh.at, seat=1, what="reseal", about=9)) == "bad_proposal"


def test_a_phone_that_wakes_while_others_are_asked_has_lost_nothing() -> None:
    evening = sealed()
    evening.say(Proposed(at=evening.at, seat=1, what="reseal", about=2))
    for seat in (3, 4):
        evening.say(Agreed(at=evening.at, seat=seat, what="reseal"))
    for seat, action in PLACED.items():
        evening.open(seat, action)
    evening.wait(25.0)
    assert evening.table.ledger.now.actions == PLACED


def test_one_of_two_cant_void_the_others_seal_while_that_phone_is_there() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob")
    evening.commit(1, "wA1")
    evening.commit(2, "bB1")
    evening.say(Proposed(at=evening.at, seat=1, what="reseal", about=2))
    evening.wait(10.0)
    evening.say(Declined(at=evening.at, seat=2, what="reseal"))
    evening.wait(20.0)
    assert (evening.phase, evening.view()["proposal"]) == ("revealing", None)


def test_phones_open_only_when_all_have_said_that_they_are_awake() -> None:
    evening = sealed()
    assert evening.view()["seal"]["open"] is False
    for seat in (1, 2, 3):
        evening.say(SealReady(at=evening.at, seat=seat, turn=1))
    assert evening.view()["seal"]["awake"] == [1, 2, 3]
    assert "Waiting for the phone of Dan to wake up" in evening.view()["message"]
    assert evening.refused(SealReady(at=evening.at, seat=4, turn=2)) == "bad_seal"
    evening.say(SealReady(at=evening.at, seat=4, turn=1))
    assert evening.view()["seal"]["open"] is True


def test_a_new_seal_has_all_say_anew_that_they_are_awake() -> None:
    evening = sealed()
    for seat in (1, 3, 4):
        evening.say(SealReady(at=evening.at, seat=seat, turn=1))
    seal_anew(evening, 2, by=1)
    evening.commit(2, "wC4")
    assert evening.view()["seal"]["awake"] == []


def test_once_phones_have_begun_to_open_only_all_can_seal_anew() -> None:
    evening = sealed(1)
    assert evening.refused(Proposed(at=evening.at, seat=2, what="reseal")) == "bad_proposal"
    evening.agree_on("void")
    evening.wait(20.1)
    assert evening.phase == "sealing"
    assert not any(seat["sealed"] for seat in evening.view()["seats"])


def test_a_computer_opens_when_all_phones_are_awake() -> None:
    evening = Evening("spokes", "2").sit_and_start("Ada", "Bob", computers=(2,))
    players = ComputerPlayers(b"k" * 32, 0.0)

    def act() -> None:
        for event in players.act(evening.table, evening.at):
            evening.say(event)

    act()
    evening.commit(1, "wA1")
    act()
    assert [seat["opened"] for seat in evening.view()["seats"]] == [False, False]
    evening.say(SealReady(at=evening.at, seat=1, turn=1))
    act()
    assert [seat["opened"] for seat in evening.view()["seats"]] == [False, True]


def test_a_new_seal_survives_a_power_cut_and_the_record_proves_it() -> None:
    evening = sealed()
    seal_anew(evening, 2, by=4)
    evening.commit(2, "wC4")
    again = evening.restarted()
    assert again.table.ledger.round == evening.table.ledger.round
    evening.open(2, "wC4")
    for seat in (1, 3, 4):
        evening.open(seat, PLACED[seat])
    begun = next(n for n, (kind, _) in enumerate(evening.entries) if kind == "start")
    seats = {str(seat): {"name": f"P{seat}", "computer": False} for seat in PLACED}
    header = {"id": "g1", "game": "spokes", "mode": "4", "rules": {}, "seats": seats, "started": "now"}
    entries = evening.entries[begun:]

    def replayed(change: int | None = None) -> GameReplay:
        replay = GameReplay(header)
        for kind, data in entries:
            replay.feed(kind, {**data, "seat": change} if kind == "reseal" and change else data)
        return replay

    assert replayed().ledger.now.actions == {**PLACED, 2: "wC4"}
    with pytest.raises(InvalidRecord, match="nothing is sealed"):
        replayed(9)
    with pytest.raises(InvalidRecord, match="already"):
        replayed(3)
