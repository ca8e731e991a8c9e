"""Records found by the beginning of their id, listed, and told in words."""

from __future__ import annotations

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export, find, list_text, show_text, verify_lines
from tests.archive.records.recorder import SPOKES, Recorder, refusal


def test_a_game_is_found_by_the_beginning_of_its_id(journal: Journal) -> None:
    for game in ("spokes-aa11", "spokes-aa22", "spokes-aa22b"):
        Recorder(journal, game)
    assert find(journal, "spokes-aa11") == find(journal, "spokes-aa1") == find(journal, "aa1") == "spokes-aa11"
    assert find(journal, "spokes-aa22") == "spokes-aa22", "a whole id is not the beginning of another"
    assert "beginning of 3 games: spokes-aa11, spokes-aa22, spokes-aa22b" in refusal(lambda: find(journal, "aa"))
    for unknown in ("", "b", "pokes"):
        assert "no game" in refusal(lambda unknown=unknown: find(journal, unknown))
    assert "no game 'x'" in refusal(lambda: export(journal, "x"))


def test_the_list_shows_a_game_a_line(journal: Journal) -> None:
    assert list_text(journal) == "No games have been played yet."
    recorder = Recorder(journal, "spokes-aa11")
    recorder.place()
    recorder.resign(1)
    Recorder(journal, "spokes-bb22", "4")
    head_line, one, two = list_text(journal).splitlines()
    assert head_line.split() == ["ID", "STARTED", "(UTC)", "GAME", "MODE", "PLAYERS", "TURNS", "RESULT"]
    assert one == "spokes-aa11  2026-11-21 10:00  Spokes  2     Ada, Grace                1      Grace won (resigned)"
    assert two == "spokes-bb22  2026-11-21 10:00  Spokes  4     Ada, Grace, Zoë, Barbara  0      unfinished"


def test_a_game_is_told_turn_by_turn(journal: Journal) -> None:
    recorder = Recorder(journal, "spokes-aa11", seed=8)
    recorder.reseal()
    recorder.place()
    placed = journal.entries("spokes-aa11")[-1].data["actions"]
    recorder.back(by="agreement")
    recorder.place()
    while not SPOKES.simultaneous(recorder.now):
        recorder.step()
    assert "The game is not finished; as it stands:" in show_text(journal, "spokes-aa11")
    recorder.resign(1)
    text = show_text(journal, "spokes-aa11")
    told = text.splitlines()
    assert told[0] == "Spokes, mode 2: Ada, Grace (computer)"
    assert "  All seals of turn 1 are void; everybody seals again." in told
    assert f"  Ada places {SPOKES.words(placed['1'])}." in told
    undone = ", ".join(SPOKES.words(placed[seat]) for seat in ("1", "2"))
    assert f"  Ada takes back: {undone}." in told, "no computer agrees to anything"
    assert sum(line.startswith("Turn 1 (10:0") for line in told) == 2
    assert told[-4:-2] == ["", "The end: The game ended by resignation."]
    assert told[-1].startswith("  Grace: ")
    assert told[-1].endswith(" - won")


def test_a_journal_that_breaks_the_rules_is_told_so(journal: Journal) -> None:
    recorder = Recorder(journal, "g1")
    recorder.write("action", seat=1, action="A1-B1-C1", position="x", removed=[])
    assert "game g1: event 2 (action): " in refusal(lambda: show_text(journal, "g1"))
    assert refusal(lambda: verify_lines(export(journal, "g1"))).startswith("line 3: ")
