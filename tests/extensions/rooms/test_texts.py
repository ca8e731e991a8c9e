"""Texts of other tables: what can't be kept, told or weighed is refused where it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.rooms.shared_game import BATCH, batches
from firmware_host.link.broker import LARGEST
from firmware_host.link.common_log import SharedEntry
from firmware_host.link.trust import Identity
from firmware_host.table.subjects.resolving import Resigned
from tests.extensions.rooms.rooms import Place, play, settle, until
from tests.extensions.rooms.test_changed_programs import send, text_at
from tests.extensions.rooms.test_room import GAMES, are_over, begin, both_lie, guests, meet, say
from tests.sentences import is_in

HASH = "0" * 64


def signed(kind: str, data: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    entry = SharedEntry("game-1", 1, kind, data, HASH)
    return {**entry.signed_by(Identity()).to_dict(), **other}


def test_an_entry_is_read_as_it_was_sent() -> None:
    entry = signed("loop", {"nodes": ["a1"], "by": "agreement", "position": "x"})
    assert SharedEntry.from_dict(entry).to_dict() == entry
    assert SharedEntry.from_dict(entry).is_genuine


@pytest.mark.parametrize(
    "entry",
    [
        signed("loop", {"nodes": ["\ud800"], "by": "agreement", "position": "x"}),
        signed("loop", {"nodes": ["a" * 100_000], "by": "agreement", "position": "x"}),
        signed("loop", {"nodes": ["a" * 1000] * 60, "by": "agreement", "position": "x"}),
        signed("correction", {"to": 1 << 70, "by": "hand", "position": "x"}),
        signed("draw", {"position": "x"}, number=1 << 70),
        signed("draw", {"position": "x"}, game="../x"),
        signed("draw", {"position": "x"}, prev=" " + HASH),
        signed("draw", {"position": "x"}, table="A" * 64),
        *({**one, "signature": f"{one['signature']} "} for one in [signed("draw", {"position": "x"})]),
        *({**one, "signature": one["signature"].upper()} for one in [signed("draw", {"position": "x"})]),
    ],
    ids=["half", "text", "whole", "value", "number", "game", "prev", "table", "blank", "capitals"],
)
def test_an_entry_that_can_t_be_kept_or_told_is_none(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"entry|expected"):
        SharedEntry.from_dict(entry)


def test_entries_are_told_in_messages_that_fit() -> None:
    """By their length and by their number; the largest one alone is never too long."""
    entries = [SharedEntry("g", number, "draw", {"position": "x" * 3000}, HASH, HASH, HASH * 2) for number in range(50)]
    told = list(batches(entries))
    assert [one for batch in told for one in batch] == entries
    assert all(len(canonical([one.to_dict() for one in batch])) < LARGEST for batch in told)
    small = [replace(one, data={"position": "x"}) for one in entries]
    assert [len(batch) for batch in batches(small)] == [BATCH, BATCH, 10]
    assert list(batches([])) == []


def test_halves_of_characters_hold_nobody_up(tmp_path: Path) -> None:
    """A table that may write sends what no file can have: it is refused, and others do not repeat themselves."""
    _, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 3 and both_lie(places))
    liar, other = places if places[0].view["resolver"] == 1 else places[::-1]
    send(liar, "loop", {"nodes": ["\ud800"], "by": "agreement", "position": text_at(liar, -1)})
    other.bus.passed.clear()
    settle(liar, other, rounds=250)
    mine = [topic for topic, _ in other.bus.passed if other.room._me[:16] in topic]
    assert len(mine) <= 5
    say(liar, Resigned, seat=places.index(liar) + 1)
    until(lambda: are_over(places), *places)


def test_an_error_that_nobody_has_thought_of_stops_the_game(tmp_path: Path) -> None:
    """It is told once, with a sentence, and the table goes on telling its state."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    liar, other = (ada, ben) if ada.view["resolver"] == 1 else (ben, ada)

    def fails(*_: object) -> Iterator[Any]:
        yield from [][1:]
        raise RuntimeError("a mistake")

    other.room._next_entries = fails  # type: ignore[method-assign]
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert is_in("can't be judged at the table", other.room._stopped)
    assert liar.room._stopped == other.room._stopped
    assert any_notice(liar)


def any_notice(place: Place) -> bool:
    return any(is_in("The game can't go on between", str(one)) for one in place.view["notices"])
