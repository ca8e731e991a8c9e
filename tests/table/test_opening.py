"""Phones open when all are awake, and nothing of it is written down before the last has opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from firmware_host.table.events import AppendEntry
from firmware_host.table.subjects.proposals import Proposed, TurnVoided
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.rounds import STATE, SealOpened, SealReady
from firmware_host.table.table import handle
from lodestone.evening import NONCE, Evening

PLACED = {1: "wA1", 2: "bB1", 3: "wB2", 4: "bB3"}


def sealed() -> Evening:
    """Return a table of four where all have sealed, and no phone has said that it is awake."""
    evening = Evening("spokes", "4").sit_and_start("Ada", "Bob", "Cleo", "Dan")
    for seat, action in PLACED.items():
        evening.commit(seat, action)
    return evening


def opening(evening: Evening, seat: int, action: str | None = None) -> SealOpened:
    return SealOpened(at=evening.at, seat=seat, turn=1, action=action or PLACED[seat], nonce=NONCE)


def say_ready(evening: Evening, *seats: int) -> None:
    for seat in seats:
        evening.say(SealReady(at=evening.at, seat=seat, turn=1))


def opened(evening: Evening) -> list[int]:
    return [seat["seat"] for seat in evening.view()["seats"] if seat["opened"]]


# -- when --------------------------------------------------------------------------------------------------------------


def test_an_opening_that_comes_before_all_phones_are_awake_is_refused() -> None:
    """One player's own post must not make the others' phones open, nor keep a lost seal from being made anew."""
    evening = sealed()
    assert evening.refused(opening(evening, 1)) == "wrong_phase"
    say_ready(evening, 1, 2, 3)
    assert evening.refused(opening(evening, 1)) == "wrong_phase"
    assert evening.view()["seal"]["open"] is False, "no other phone is asked"
    assert all(seat["may_reseal"] for seat in evening.view()["seats"])
    say_ready(evening, 4)
    evening.say(opening(evening, 1))
    assert opened(evening) == [1]
    assert evening.refused(Proposed(at=evening.at, seat=2, what="reseal", about=2)) == "bad_proposal"


def test_an_early_opening_is_not_looked_at() -> None:
    evening = sealed()
    answers = set()
    for action in ("wA1", "wD16", "nonsense"):
        with pytest.raises(Exception, match="not all phones are awake") as refused:
            handle(evening.table, opening(evening, 1, action))
        answers.add(str(refused.value))
    assert len(answers) == 1, "right or wrong, the answer is the same"


# -- what is written ---------------------------------------------------------------------------------------------------


def test_openings_are_written_together_with_the_reveal() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    before = len(evening.entries)
    for seat in (3, 1, 4):
        evening.say(opening(evening, seat))
    assert evening.entries[before:] == [("opens", {"turn": 1})], "nothing else is written before the last opening"
    written = [effect for effect in handle(evening.table, opening(evening, 2)) if isinstance(effect, AppendEntry)]
    assert [effect.kind for effect in written] == ["opening"] * 4 + ["reveal"], "all of them after one event"
    assert [(effect.data["seat"], effect.data["action"]) for effect in written[:4]] == list(PLACED.items())
    assert STATE.of(evening.table).openings == {}, "and the table has forgotten them"


def test_after_a_power_cut_in_the_middle_the_phones_open_again() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    evening.say(opening(evening, 1))
    evening.say(opening(evening, 2))
    again = evening.restarted()
    again.wait(0.3)
    assert (again.phase, opened(again)) == ("revealing", [])
    assert again.view()["seal"]["open"] is True, "all were awake already"
    assert again.refused(Proposed(at=again.at, seat=3, what="reseal")) == "bad_proposal"
    assert again.refused(opening(again, 1, "wD16")) == "seal_mismatch"
    for seat in (4, 3, 2):
        again.say(opening(again, seat))
    assert again.phase == "revealing"
    again.say(opening(again, 1))
    assert again.table.ledger.now.actions == PLACED


def test_who_opens_twice_has_opened_once() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    for _ in range(2):
        evening.say(opening(evening, 1))
    assert opened(evening) == [1]
    assert evening.refused(opening(evening, 1, "wD16")) == "seal_mismatch"


@pytest.mark.parametrize("who", [1, 3])
def test_what_somebody_opened_who_resigns_is_forgotten(who: int) -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    for seat in (1, 2):
        evening.say(opening(evening, seat))
    evening.say(Resigned(at=evening.at, seat=who))
    assert set(STATE.of(evening.table).openings) == {1, 2} - {who}
    for seat in {2, 3, 4} - {who}:
        if evening.phase == "revealing":
            evening.say(opening(evening, seat))
    assert who not in evening.table.ledger.now.actions
    assert not any(kind == "opening" and data["seat"] == who for kind, data in evening.entries)


def test_all_seal_anew_and_nothing_is_left_of_what_was_opened() -> None:
    evening = sealed()
    say_ready(evening, 1, 2, 3, 4)
    for seat in (1, 2, 3):
        evening.say(opening(evening, seat))
    evening.say(TurnVoided(at=evening.at))
    assert STATE.of(evening.table).openings == {}
    for seat, action in PLACED.items():
        evening.commit(seat, action)  # The very same seals.
    assert (evening.phase, opened(evening), evening.view()["seal"]["open"]) == ("revealing", [], False)


# -- journals of before ------------------------------------------------------------------------------------------------


def before(evening: Evening, *seats: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the entries as they used to be written: each opening by itself, when it came."""
    entries = [(kind, data) for kind, data in evening.entries if kind != "opens"]
    data = [{"seat": seat, "turn": 1, "action": PLACED[seat], "nonce": NONCE} for seat in seats]
    return [*entries, *(("opening", one) for one in data)]


def test_a_journal_that_ends_between_two_openings_is_gone_on_with() -> None:
    evening = sealed()
    evening.entries = before(evening, 1, 3)
    again = evening.restarted()
    again.wait(0.3)
    assert opened(again) == [1, 3]
    assert again.view()["seal"]["open"] is True
    assert again.refused(Proposed(at=again.at, seat=2, what="reseal")) == "bad_proposal"
    count = len(again.entries)
    again.say(opening(again, 4))
    again.say(opening(again, 2))
    assert [kind for kind, _ in again.entries[count:]] == ["opening", "opening", "reveal"]
    assert again.table.ledger.now.actions == PLACED
    assert again.restarted().table.ledger.now.actions == PLACED


def test_a_seal_is_what_this_table_hashes() -> None:
    """The instrument itself: `Evening` seals as phones do."""
    evening = sealed()
    sealing = evening.table.ledger.round
    assert sealing is not None
    assert sealing.commitments[1] == commitment("g1", 1, 1, sealing.history, "wA1", NONCE)
