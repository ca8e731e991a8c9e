"""A shuffled game is dealt from a seed that the journal keeps."""

from __future__ import annotations

import pytest

from firmware_host.games.registry import game as find_game
from firmware_host.table import events as ev
from firmware_host.table.ledger import LedgerError
from firmware_host.table.table import Table
from tests.table.evening import Evening


def dealt(seed: int) -> Evening:
    evening = Evening("octiles")
    for seat in (1, 2):
        evening.say(ev.SeatTaken(at=0.0, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
    evening.say(ev.GameStarted(at=0.0, seed=seed))
    return evening


def test_another_seed_deals_another_stack_and_the_same_one_the_same() -> None:
    assert dealt(1).text() == dealt(1).text() != dealt(2).text()


def test_the_seed_is_journalled_and_deals_the_same_game_again() -> None:
    evening = dealt(4711)
    kind, data = evening.entries[-1]
    assert (kind, data["seed"]) == ("start", 4711)
    again = Table(find_game("octiles"), "g1", "2", kind="presence")
    again.open(evening.entries, 0.0)
    assert again.ledger.now.position == evening.table.ledger.now.position


def test_a_journal_whose_seed_was_changed_is_refused() -> None:
    evening = dealt(4711)
    entries = [(kind, {**data, "seed": 4712} if kind == "start" else data) for kind, data in evening.entries]
    with pytest.raises(LedgerError, match="position"):
        Table(find_game("octiles"), "g1", "2", kind="presence").open(entries, 0.0)


def test_games_without_a_shuffle_carry_no_seed() -> None:
    evening = Evening("coil").sit_and_start()
    assert next(data for kind, data in evening.entries if kind == "start").keys() == {"position"}
