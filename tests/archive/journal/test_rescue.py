"""A journal that was damaged is put together again from all that is whole, and people are told."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import zlib
from pathlib import Path

import pytest

from firmware_host.archive import journal_rescue
from firmware_host.archive.backups import back_up
from firmware_host.archive.files import beside
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import (
    Entry,
    Head,
    as_row,
    copy_path,
    note_path,
    read_lines,
    read_note,
    row_of,
)
from firmware_host.archive.journal_rescue import find_damage, rescue, rescued_path
from tests.archive.journal.damage import Left, left_behind
from tests.archive.journal.journals import fill, refusal, reopened
from tests.sentences import is_in, sentence

FRAME = 24 + 4096


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return a journal of 40 events, the last 8 of them in its log."""
    return left_behind(tmp_path_factory.mktemp("rescue") / "live", [40])[0]


def with_bad_frame(left: Left, number: int) -> bytes:
    wal = bytearray(left.wal)
    wal[32 + number * FRAME + 2000] ^= 1
    return bytes(wal)


def flipped_event(left: Left, number: int) -> bytes:
    """Return the main file with one bit of an event turned."""
    content = bytearray(left.files["journal.sqlite"])
    at = content.index(b'"n":%d,' % (number - 1)) + 4
    content[at] ^= 1
    return bytes(content)


def test_events_behind_a_bad_frame_are_in_the_second_copy(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert len(journal.faults) == 1
    assert sentence("were written in it, and", count=40, last=33) in journal.faults[0]
    assert "Nothing is lost." in journal.faults[0]
    journal.close()
    assert Journal(path).faults == [], "it is told once"


def test_a_flipped_bit_of_an_event_loses_nothing(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games")
    path.write_bytes(flipped_event(left, 2))
    journal = Journal(path)
    (told,) = journal.take_faults()
    assert "The journal was damaged: event 2 is damaged. Nothing is lost." in told
    assert journal.entries("g1") == left.entries
    journal.close()
    assert reopened(path) == left.entries


@pytest.mark.parametrize("sector", [0, 1, 8, 20])
def test_a_sector_of_zeros_loses_nothing(tmp_path: Path, left: Left, sector: int) -> None:
    path = left.lay(tmp_path / "games", b"")
    content = bytearray(left.files["journal.sqlite"])
    content[512 * sector : 512 * (sector + 1)] = bytes(512)
    path.write_bytes(content)
    assert reopened(path) == left.entries


@pytest.mark.parametrize("harm", ["the header", "all of it"])
def test_an_unattended_table_begins_with_what_is_left_even_if_that_is_nothing(
    tmp_path: Path, left: Left, harm: str
) -> None:
    path = left.lay(tmp_path / "games", b"", b"")
    content = left.files["journal.sqlite"]
    path.write_bytes(bytes(100) + content[100:] if harm == "the header" else bytes(len(content)))
    assert refusal(lambda: Journal(path))
    note_path(path).write_bytes(_note(left.entries[-1]))
    assert refusal(lambda: Journal(path))
    journal = Journal(path, unattended=True)
    (told,) = journal.take_faults()
    assert "nothing is left of it" in told
    (aside,) = path.parent.glob("damaged-*")
    assert (aside / path.name).stat().st_size == len(content)
    fill(journal, 2)
    journal.close()
    assert len(reopened(path)) == 2


def _note(last: Entry) -> bytes:
    """Return one place of the note of the last event, as every release has written it."""
    text = f"{last.seq} {last.hash}".encode()
    return (b"%b %08x\n" % (text, zlib.crc32(text))).ljust(4096, b"\0")


def test_a_journal_of_before_the_second_copy_gets_one(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games")
    copy_path(path).unlink()
    note_path(path).write_bytes(_note(left.entries[-1]))
    journal = Journal(path)
    assert journal.faults == []
    assert journal.entries("g1") == left.entries
    assert [*filter(None, map(row_of, read_lines(copy_path(path))))] == [as_row(entry) for entry in left.entries]
    assert read_note(path) == Head(40, left.entries[-1].hash)
    journal.close()


def test_what_a_journal_of_before_has_lost_is_told(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", left.wal[: 32 + 5 * FRAME])
    copy_path(path).unlink()
    note_path(path).write_bytes(bytes(4096) + _note(left.entries[-1]))
    assert sentence("were written in it, and", count=40, last=34) in refusal(lambda: Journal(path, writer=False))
    journal = Journal(path)
    assert "the last 6 events are lost" in journal.faults[0]
    journal.close()
    assert len(reopened(path)) == 34


def test_two_copies_of_an_earlier_moment_are_told_by_the_note(tmp_path: Path) -> None:
    early, late = left_behind(tmp_path / "evening", [34, 40])
    path = late.lay(tmp_path / "games", early.wal, early.copy)
    path.write_bytes(early.files["journal.sqlite"])
    journal = Journal(path)
    assert journal.entries("g1") == late.entries[:34]
    assert sentence("were written in it, and", count=40, last=34) in journal.faults[0]
    assert "the last 6 events are lost" in journal.faults[0]
    journal.close()
    assert Journal(path).faults == [], "it is told once"


def test_a_second_copy_of_another_journal_is_told_although_the_note_fits(tmp_path: Path, left: Left) -> None:
    other = Journal(tmp_path / "other" / "journal.sqlite")
    fill(other, 20, game="g2")
    other.close()
    path = left.lay(tmp_path / "games", copy=copy_path(other.path).read_bytes())
    journal = Journal(path)
    assert sentence("is not as it was", seq=20) in journal.faults[0]
    assert [*filter(None, map(row_of, read_lines(copy_path(path))))] == [as_row(entry) for entry in left.entries]
    journal.close()


def test_a_note_of_another_journal_is_told(tmp_path: Path, left: Left) -> None:
    other = Journal(tmp_path / "other" / "journal.sqlite")
    (*_, last) = fill(other, 20, game="g2")
    other.close()
    path = left.lay(tmp_path / "games")
    copy_path(path).unlink()
    note_path(path).write_bytes(_note(last))
    journal = Journal(path)
    assert sentence("is not as it was", seq=20) in journal.faults[0]
    assert journal.entries("g1") == left.entries
    journal.close()
    assert Journal(path).faults == [], "it is told once"


def test_the_damaged_files_are_kept_as_they_were(tmp_path: Path, left: Left) -> None:
    wal = with_bad_frame(left, 3)
    path = left.lay(tmp_path / "games", wal)
    journal = Journal(path)
    (aside,) = path.parent.glob("damaged-*")
    assert str(aside) in journal.faults[0]
    assert (aside / "journal.sqlite-wal").read_bytes() == wal
    assert (aside / "journal.sqlite").read_bytes() == left.files["journal.sqlite"]
    assert (aside / "journal.sqlite.copy").read_bytes() == left.copy
    assert (aside / "journal.sqlite.head").read_bytes() == left.files["journal.sqlite.head"]
    assert stat.S_IMODE(aside.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    journal.close()


def test_what_is_lost_is_told_with_where_the_journal_ends_now(tmp_path: Path, left: Left) -> None:
    after = left.copy_without(35)
    path = left.lay(tmp_path / "games", left.wal[: 32 + 5 * FRAME], after)
    assert sentence("were written in it, and", count=40, last=34) in refusal(lambda: Journal(path, writer=False))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries[:34]
    words = journal.faults[0]
    assert sentence("events are lost: it now", count=6, day="2026-11-21", time="10:00", seq=34, game="g1") in words
    journal.close()
    assert len(reopened(path)) == 34


def test_a_backup_gives_back_what_the_files_have_lost(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", left.wal)
    back_up(path)
    path.write_bytes(left.files["journal.sqlite"])
    beside(path, "-wal").write_bytes(b"")
    copy_path(path).write_bytes(left.copy_without(35))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert "Nothing is lost." in journal.faults[0]
    journal.close()
    copy_path(path).write_bytes(left.copy_without(4))
    for file in (path, beside(path, "-wal")):
        file.unlink(missing_ok=True)
    assert "its file is missing, and 40 events were written in it" in str(find_damage(path))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    journal.close()


def test_a_missing_file_without_a_backup_is_told(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", b"", left.copy_without(1))
    path.unlink()
    journal = Journal(path)
    (words,) = journal.take_faults()
    assert "its file is missing, and 40 events were written in it; nothing is left of it" in words
    fill(journal, 1)
    journal.close()
    path.unlink()
    copy_path(path).unlink()
    note_path(path).unlink()
    journal = Journal(path)
    assert journal.take_faults() == []
    journal.close()


def test_a_main_file_that_is_damaged_too_is_left_to_people(tmp_path: Path, left: Left) -> None:
    """Event 20 is in the main file and not as it was written: what follows it is not given up by itself."""
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3), left.copy_without(20))
    bad = left.files["journal.sqlite"].replace(left.entries[19].hash.encode(), b"0" * 64)
    path.write_bytes(bad)
    beside(path, "-wal").write_bytes(with_bad_frame(left, len(left.wal) // FRAME - 1)[: 32 + 3 * FRAME] + bytes(50))
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert "event 20 is damaged in the file itself; `lodestone record repair`" in refusal(lambda: Journal(path))
    after = {
        file.name: file.read_bytes() for file in path.parent.iterdir() if file.suffix not in {".lock", ".sqlite-shm"}
    }
    assert {name: after[name] for name in before} == before
    finding = find_damage(path)
    assert finding is not None
    found = rescue(path, finding, at_any_cost=True)
    assert found.last is not None
    assert (found.last.seq, found.lost) == (19, 21)
    assert reopened(path) == left.entries[:19]


def test_an_interrupted_rescue_is_finished(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", left.wal)
    back_up(path).rename(rescued_path(path))
    path.write_bytes(b"half")
    beside(path, "-wal").write_bytes(b"of an older file")
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert not rescued_path(path).exists()
    journal.close()


def test_without_room_nothing_is_changed(tmp_path: Path, left: Left, monkeypatch: pytest.MonkeyPatch) -> None:
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journal_rescue, "sync", full)
    assert "it can't be put in order: [Errno 28] No space left on device" in refusal(lambda: Journal(path))
    for name, content in before.items():
        assert (path.parent / name).read_bytes() == content
    monkeypatch.undo()
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    journal.close()


def test_a_journal_of_others_is_not_touched(tmp_path: Path, left: Left) -> None:
    """Whatever lies beside a foreign database, it is refused as it is."""
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    foreign = bytearray(left.files["journal.sqlite"])
    foreign[68:72] = b"OTHR"
    path.write_bytes(foreign)
    beside(path, "-wal").unlink()
    assert "not a journal of games" in refusal(lambda: Journal(path))
    assert path.read_bytes() == bytes(foreign)


def test_another_journal_in_the_place_of_the_one_written_last_is_told(tmp_path: Path, left: Left) -> None:
    other = Journal(tmp_path / "other" / "journal.sqlite")
    fill(other, 60, game="g2")
    other.close()
    path = left.lay(tmp_path / "games", b"")
    beside(path, "-wal").unlink()
    shutil.copy(tmp_path / "other" / "journal.sqlite", path)
    assert sentence("is not as it was", seq=40) in refusal(lambda: Journal(path, writer=False))
    journal = Journal(path)
    assert is_in("not the journal that was", journal.faults[0])
    assert len(journal.entries("g2")) == 60
    journal.close()
    Journal(path, writer=False).close()
