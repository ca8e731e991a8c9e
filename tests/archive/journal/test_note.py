"""What is noted beside a journal is never ahead of it, and shows when the journal is behind."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import FIRST_HASH, CopyFile, Head, note_path, read_note
from firmware_host.archive.journal_rescue import find_damage
from tests.archive.journal.journals import fill
from tests.archive.journal.test_writers import APPEND, child

HASH = "ab" * 32


def test_the_last_event_is_noted_when_it_is_durable(journal: Journal, path: Path) -> None:
    assert read_note(path) == Head(0, FIRST_HASH)
    last = fill(journal, 5)[-1]
    assert read_note(path) == Head(5, last.hash)
    assert note_path(path).stat().st_size == 8192, "its room is taken once and for all"


def test_no_note_or_a_damaged_one_is_none(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    assert read_note(path) is None
    for content in (b"", b"\0" * 8192, b"7 " + HASH.encode() + b" 00000000\n", b"\xff" * 200):
        note_path(path).write_bytes(content)
        assert read_note(path) is None


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=5), st.integers(0, 8191), st.integers(0, 7))
def test_one_of_two_places_may_be_damaged(tmp_path_factory: object, seqs: list[int], byte: int, bit: int) -> None:
    """A note that is half written, or has rotted, is not believed; the one before it is."""
    folder = tmp_path_factory.mktemp("note")  # type: ignore[attr-defined]
    path = folder / "journal.sqlite"
    seqs = sorted(seqs)
    copy = CopyFile(path, 0)
    copy.replace_note(Head(0, HASH))
    for seq in seqs:
        copy.note(Head(seq, HASH))
    copy.close()
    content = bytearray(note_path(path).read_bytes())
    content[byte] ^= 1 << bit
    note_path(path).write_bytes(content)
    assert read_note(path) in {Head(seqs[-1], HASH), Head(seqs[-2], HASH)}


def test_after_a_kill_the_note_is_not_ahead(path: Path) -> None:
    writer = child(APPEND, path)
    assert writer.stdout is not None
    for _ in range(40):
        writer.stdout.readline()
    writer.kill()
    writer.communicate()
    noted = read_note(path)
    assert noted is not None
    assert noted.seq >= 39
    assert find_damage(path) is None
    journal = Journal(path)
    assert journal.faults == []
    assert len(journal.entries("g1")) >= noted.seq
    journal.close()


def test_a_journal_without_a_note_gets_one(journal: Journal, path: Path) -> None:
    fill(journal, 3)
    journal.close()
    note_path(path).unlink()
    again = Journal(path)
    assert again.faults == []
    found = read_note(path)
    assert found is not None
    assert found.seq == 3
    again.close()
