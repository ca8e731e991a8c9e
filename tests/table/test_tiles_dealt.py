"""A shuffled game is dealt from a seed of 128 bits: sealed before the first tile, shown when the game is over."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import pytest

from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import DEAL_TAG, deal_seal
from firmware_host.table.ledger import LedgerError
from firmware_host.table.state import Table
from firmware_host.table.subjects.proposals import ActionUndone, Proposed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, SeatTaken
from firmware_host.table.table import restore
from lodestone.evening import Evening
from tests.attached import proof_of

SEED = "00112233445566778899aabbccddeeff"
OTHER = "00112233445566778899aabbccddee00"
Entries = list[tuple[str, Mapping[str, Any]]]


def lobby(seed: str | int = SEED) -> Evening:
    """Return a table at which two have sat down, and which has drawn this seed."""
    evening = Evening("octiles")
    evening.table.seed = seed
    for seat in (1, 2):
        evening.say(SeatTaken(at=0.0, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
    return evening


def dealt(seed: str | int = SEED) -> Evening:
    evening = lobby(seed)
    evening.say(GameStarted(at=0.0))
    return evening


def opened(entries: Entries) -> Table:
    table = Table(find_game("octiles"), "g1", "2", kind="presence")
    restore(table, entries, 0.0)
    return table


def changed(evening: Evening, **fields: Any) -> Entries:
    """Return the entries with something of the start changed; None leaves a field out."""

    def start(data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: value for name, value in {**data, **fields}.items() if value is not None}

    return [(kind, start(data) if kind == "start" else data) for kind, data in evening.entries]


def test_another_seed_deals_another_stack_and_the_same_one_the_same() -> None:
    assert dealt().text() == dealt().text() != dealt(OTHER).text()
    assert dealt(int(SEED, 16)).text() == dealt().text(), "the digits are those of a number"


def test_the_deal_is_sealed_in_the_lobby_before_anybody_sees_a_tile() -> None:
    evening = lobby()
    shown = evening.view()["deal"]
    assert evening.view()["supply"] is None
    evening.say(GameStarted(at=0.0))
    assert evening.view()["deal"] == shown, "what was sealed is what was dealt"
    text = "\n".join((DEAL_TAG, "g1", SEED, evening.text()))
    assert (
        shown["commitment"] == hashlib.sha256(text.encode("ascii")).hexdigest() == deal_seal("g1", SEED, evening.text())
    )
    assert shown["short"].replace(" ", "") == shown["commitment"][:20]
    assert shown["short"] in evening.view()["log"][-1]["text"], "on every screen"


def test_another_number_of_players_is_another_deal() -> None:
    evening = lobby()
    two = evening.view()["deal"]
    evening.say(ModeChosen(at=0.0, mode="4"))
    assert evening.view()["deal"] != two
    evening.say(ModeChosen(at=0.0, mode="2"))
    assert evening.view()["deal"] == two


def test_the_seed_and_its_seal_are_journalled_and_deal_the_same_game_again() -> None:
    evening = dealt()
    kind, data = evening.entries[-1]
    assert (kind, data["seed"], data["deal"]) == ("start", SEED, evening.view()["deal"]["commitment"])
    again = opened(evening.entries)
    assert again.ledger.now.position == evening.table.ledger.now.position
    assert again.ledger.deal == data["deal"]


@pytest.mark.parametrize("change", [{"seed": OTHER}, {"deal": "0" * 64}, {"seed": OTHER, "deal": None}])
def test_a_journal_whose_deal_was_changed_is_refused(change: dict[str, Any]) -> None:
    """In words that may come to a page: they tell nothing of the stack."""
    with pytest.raises(LedgerError) as refused:
        opened(changed(dealt(), **change))
    assert "position" in str(refused.value) or "deal" in str(refused.value)
    assert "," not in str(refused.value)


def test_a_journal_of_before_has_no_seal_and_a_small_seed() -> None:
    evening = dealt(4711)
    entries = changed(evening, deal=None)
    again = Evening("octiles")
    restore(again.table, entries, 0.0)
    assert again.text() == evening.text()
    assert again.view()["deal"] is None


def test_games_without_a_shuffle_carry_no_seed() -> None:
    evening = Evening("coil").sit_and_start()
    assert next(data for kind, data in evening.entries if kind == "start").keys() == {"position"}
    assert evening.view()["deal"] is None


def proof(entries: Entries) -> Any:
    told = proof_of(find_game("octiles"), "g1", "2")
    told.feed((kind, data, "2026-01-01T00:00:00.000+00:00") for kind, data in entries)
    return told.to_dict()["deal"]


def test_the_proof_shows_the_seal_at_once_and_what_was_sealed_at_the_end() -> None:
    evening = dealt()
    start = evening.text()
    during = proof(evening.entries)
    assert during["commitment"] == evening.view()["deal"]["commitment"]
    assert (during["seed"], during["position"]) == (None, None)
    evening.say(Resigned(at=0.0, seat=1))
    after = proof(evening.entries)
    assert (after["seed"], after["position"]) == (SEED, start)
    assert after["commitment"] == during["commitment"]


def test_who_has_seen_the_end_goes_on_with_no_game() -> None:
    """A player resigns while the board is still being set up: what is shown then must not be played from again."""
    evening = dealt()
    assert evening.phase == "setup"
    evening.say(Resigned(at=0.0, seat=1))
    assert proof(evening.entries)["seed"] == SEED
    for event in (ActionUndone(at=0.0), Proposed(at=0.0, seat=2, what="take-back")):
        assert evening.refused(event) in {"bad_proposal", "wrong_phase"}
