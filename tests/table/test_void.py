"""Someone seals and never opens: the turn is void when the others agree or the host decides, and all seal again."""

from __future__ import annotations

import pytest

from firmware_host.archive.verify import GameReplay, InvalidRecord
from firmware_host.table.subjects.proposals import Agreed, Declined, GamePaused, GameResumed, Proposed, TurnVoided
from lodestone.evening import Evening
from tests.sentences import is_in
from tests.table.test_opening import PLACED, opening, say_ready, sealed


def agree(evening: Evening, *seats: int) -> None:
    for seat in seats:
        evening.say(Agreed(at=evening.at, seat=seat, what="void"))


def propose(evening: Evening, seat: int) -> list[int]:
    """Let a seat propose that the turn is void; return who is asked."""
    evening.say(Proposed(at=evening.at, seat=seat, what="void"))
    return list(evening.view()["proposal"]["waiting"])


def all_sealed_anew(evening: Evening, by: str) -> bool:
    """Tell whether the turn has become void, by agreement or by the host."""
    nobody = not any(seat["sealed"] or seat["opened"] for seat in evening.view()["seats"])
    return evening.phase == "sealing" and nobody and evening.entries[-1] == ("reseal", {"turn": 1, "by": by})


# -- by agreement ------------------------------------------------------------------------------------------------------


def test_a_phone_that_never_wakes_can_not_hold_up_the_turn() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3)
    assert propose(evening, 1) == [2, 3], "nobody asks the phone that keeps all waiting"
    assert is_in("that all seal this turn again, unless", evening.view()["proposal"]["words"])
    assert evening.refused(Declined(at=evening.at, seat=4, what="void")) == "bad_proposal"
    agree(evening, 2, 3)
    evening.wait(19.0)
    assert evening.phase == "revealing", "there is time left to open"
    evening.wait(1.5)
    assert all_sealed_anew(evening, "agreement")
    assert "void" in evening.view()["log"][-1]["text"]


def test_a_phone_that_says_it_is_awake_and_never_opens_can_not_either() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    for seat in (1, 2, 3):
        evening.say(opening(evening, seat))
    assert propose(evening, 2) == [1, 3]
    agree(evening, 1, 3)
    evening.wait(20.5)
    assert all_sealed_anew(evening, "agreement")
    text = repr(evening.view()) + repr(evening.entries)
    assert all(action not in text for action in PLACED.values()), "what had been opened is told to nobody"


def test_who_opens_in_time_has_the_turn_revealed() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3)
    propose(evening, 1)
    agree(evening, 2, 3)
    evening.wait(10.0)
    say_ready(evening, 4)
    for seat in PLACED:
        evening.say(opening(evening, seat))
    assert evening.view()["proposal"] is None
    evening.wait(30.0)
    assert evening.table.ledger.now.actions == PLACED


def test_who_wakes_in_time_is_asked() -> None:
    """A phone that is awake is not the one that keeps all waiting: its player may say no."""
    evening = sealed()
    say_ready(evening, 1, 2)
    assert propose(evening, 1) == [2]
    say_ready(evening, 3)
    assert evening.view()["proposal"]["waiting"] == [2, 3]
    evening.say(Declined(at=evening.at, seat=3, what="void"))
    assert evening.view()["proposal"] is None


def test_one_who_keeps_the_others_waiting_may_ask_too_and_nobody_waits_then() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3)
    assert propose(evening, 4) == [1, 2, 3]
    assert "seconds" not in evening.view()["proposal"]["words"]
    agree(evening, 1, 2, 3)
    assert all_sealed_anew(evening, "agreement")


def test_while_some_still_choose_all_are_asked() -> None:
    evening = Evening("spokes", "4").sit_and_start()
    assert evening.refused(Proposed(at=evening.at, seat=1, what="void")) == "bad_proposal"
    assert evening.view()["can"]["void"] is False
    evening.commit(1, "wA1")
    assert evening.view()["can"]["void"] is True
    assert propose(evening, 2) == [1, 3, 4]
    agree(evening, 1, 3, 4)
    assert all_sealed_anew(evening, "agreement")


def test_a_proposal_about_seals_does_not_outlive_their_turn() -> None:
    """Agreed to in the next turn it would void what nobody has asked about."""
    for what, about in (("void", None), ("reseal", 4)):
        evening = Evening("spokes", "4").sit_and_start()
        for seat, action in {1: "wD1", 2: "wD5", 3: "wD9", 4: "wD13"}.items():
            evening.commit(seat, action)
        evening.wake()
        evening.say(Proposed(at=evening.at, seat=1, what=what, about=about))
        for seat, action in {1: "wD1", 2: "wD5", 3: "wD9", 4: "wD13"}.items():
            evening.open(seat, action)
        assert evening.view()["proposal"] is None, what


# -- by the host -------------------------------------------------------------------------------------------------------


def test_the_host_declares_a_turn_void_at_once() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3)
    propose(evening, 1)
    evening.say(TurnVoided(at=evening.at))
    assert all_sealed_anew(evening, "host")
    assert evening.view()["proposal"] is None
    assert is_in("The host has declared this", evening.view()["log"][-1]["text"])
    assert evening.restarted().table.ledger.round == evening.table.ledger.round
    for seat, action in PLACED.items():
        evening.commit(seat, action)
    for seat, action in PLACED.items():
        evening.open(seat, action)
    assert evening.table.ledger.now.actions == PLACED


def test_the_host_can_do_so_while_the_game_is_paused() -> None:
    evening = sealed()
    evening.say(GamePaused(at=evening.at))
    evening.say(TurnVoided(at=evening.at))
    assert all_sealed_anew(evening, "host")
    evening.say(GameResumed(at=evening.at))
    evening.wait(0.3)
    evening.entries.pop()  # That the game goes on.
    assert all_sealed_anew(evening, "host")


def test_where_nothing_is_sealed_nothing_is_void() -> None:
    evening = Evening("spokes").sit_and_start()
    assert evening.refused(TurnVoided(at=evening.at)) == "bad_proposal"
    evening.seal_all({1: "wC2", 2: "wC3"})
    assert evening.refused(TurnVoided(at=evening.at)) == "bad_proposal"
    lobby = Evening("spokes")
    assert lobby.refused(TurnVoided(at=0.0)) == "wrong_phase"


# -- in the record -----------------------------------------------------------------------------------------------------


def test_the_record_of_a_void_turn_verifies_and_lies_about_it_are_named() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    evening.say(opening(evening, 1))
    evening.say(TurnVoided(at=evening.at))
    for seat, action in PLACED.items():
        evening.commit(seat, action)
    for seat, action in PLACED.items():
        evening.open(seat, action)
    begun = next(n for n, (kind, _) in enumerate(evening.entries) if kind == "start")
    seats = {str(seat): {"name": f"P{seat}", "computer": False} for seat in PLACED}
    header = {"id": "g1", "game": "spokes", "mode": "4", "rules": {}, "seats": seats, "started": "now"}

    def replayed(kind: str = "", **change: object) -> GameReplay:
        replay = GameReplay(header)
        for name, data in evening.entries[begun:]:
            replay.feed(name, {**data, **change} if name == kind else data)
        return replay

    assert replayed().seals == 4
    with pytest.raises(InvalidRecord, match="found both"):
        replayed("reseal", seat=2)
    with pytest.raises(InvalidRecord, match="turn: expected 1, found 2"):
        replayed("opens", turn=2)
