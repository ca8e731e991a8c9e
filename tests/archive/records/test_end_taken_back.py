"""A game whose end was taken back: in the journal, in lists, in the book, in its record, its proof and its replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import RecordError, export, show_text, verify_lines
from firmware_host.games.registry import game as find_game
from firmware_host.replay.scenes import film
from tests.archive.records.recorder import Events, Recorder, first, forged
from tests.attached import proof_of

ID = "coil-0a1b2c3d"


def taken_back(journal: Journal) -> Recorder:
    """Return a game that was over and goes on."""
    recorder = Recorder(journal, ID, game="coil")
    recorder.step()
    recorder.resign(1)
    recorder.back(by="host")
    return recorder


def test_it_is_unfinished_again_and_is_resumed(journal: Journal) -> None:
    recorder = taken_back(journal)
    found = journal.unfinished_game()
    assert found is not None
    assert (found.id, found.state, found.reason, found.winners, found.ended) == (ID, "unfinished", None, (), None)
    assert journal.games() == [found]
    recorder.resign(2)
    assert journal.unfinished_game() is None
    (over,) = journal.games({ID: found})
    assert (over.state, over.winners, over.reason) == ("finished", (1,), "resigned")


def test_a_result_that_was_taken_back_is_not_in_the_book(journal: Journal) -> None:
    book_of = pytest.importorskip("firmware_host.extensions.book.book").book_of
    recorder = taken_back(journal)
    assert not book_of(journal.games()).games
    recorder.resign(2)
    (played,) = book_of(journal.games()).games
    assert [played.score(side) for side in (0, 1)] == [1.0, 0.0], "the last result counts, the other way round"


def test_its_record_is_in_order_before_and_after_another_end(journal: Journal) -> None:
    recorder = taken_back(journal)
    report = verify_lines(export(journal, ID))
    assert report.state == "not finished"
    assert "Taken back by the host: Ada had resigned." in show_text(journal, ID)
    assert not film(export(journal, ID)).over
    recorder.step()
    recorder.resign(2)
    lines = list(export(journal, ID))
    assert [json.loads(line).get("kind") for line in lines].count("result") == 2
    assert verify_lines(lines).state == "won by seat 1 (resigned)"
    assert film(lines).over
    assert show_text(journal, ID).splitlines()[-2:] == ["The end: The other player has resigned.", "  Ada: won"]


def test_an_abandoned_game_is_not_taken_back(journal: Journal) -> None:
    recorder = Recorder(journal, ID, game="coil")
    recorder.step()
    recorder.write("abandoned")
    recorder.back(by="host")
    with pytest.raises(RecordError, match="the game has ended, found 'correction' after its end"):
        verify_lines(export(journal, ID))


def another_kind(_header: dict[str, Any], events: Events) -> None:
    resigned, (*_, last) = events[first(events, "resign")], events
    last |= {"kind": "resign", "data": resigned["data"]}


def test_nothing_but_a_correction_leads_on_from_the_end(journal: Journal) -> None:
    taken_back(journal)

    with pytest.raises(RecordError, match="the game has ended, found 'resign' after its end"):
        verify_lines(forged(another_kind, tuple(export(journal, ID))))


def test_the_deal_is_sealed_again(journal: Journal) -> None:
    recorder = Recorder(journal, "octiles-0a1b2c3d", game="octiles")
    proof = proof_of(find_game("octiles"), recorder.id, "2")
    recorder.resign(1)
    proof.feed((entry.kind, entry.data, entry.at) for entry in journal.entries(recorder.id))
    assert proof.over
    recorder.back(by="host")
    proof.feed((entry.kind, entry.data, entry.at) for entry in journal.entries(recorder.id)[-1:])
    assert not proof.over
