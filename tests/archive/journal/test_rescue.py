"""A journal that was damaged is put together again from all that is whole, and people are told."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from firmware_host.archive import journal_rescue
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_backup import back_up
from firmware_host.archive.journal_check import find_damage, wal_path
from firmware_host.archive.journal_head import head_path
from firmware_host.archive.journal_rescue import rescue, rescued_path
from tests.archive.journal.damage import Left, left_behind
from tests.archive.journal.journals import fill, refusal, reopened

FRAME = 24 + 4096


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return a journal of 40 events, the last 8 of them in its log."""
    return left_behind(tmp_path_factory.mktemp("rescue") / "live", [40])[0]


def with_bad_frame(left: Left, number: int) -> bytes:
    wal = bytearray(left.wal)
    wal[32 + number * FRAME + 2000] ^= 1
    return bytes(wal)


def test_good_frames_behind_a_bad_one_are_used(tmp_path: Path, left: Left) -> None:
    """Each commit writes its pages whole, so that what the bad frame held is in a later one, too."""
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert len(journal.found) == 1
    assert "frame 4 of" in journal.found[0]
    assert "Nothing is lost." in journal.found[0]
    journal.close()
    assert Journal(path).found == [], "it is told once"


def test_the_damaged_files_are_kept_as_they_were(tmp_path: Path, left: Left) -> None:
    wal = with_bad_frame(left, 3)
    path = left.lay(tmp_path / "games", wal)
    journal = Journal(path)
    (aside,) = path.parent.glob("damaged-*")
    assert str(aside) in journal.found[0]
    assert (aside / "journal.sqlite-wal").read_bytes() == wal
    assert (aside / "journal.sqlite").read_bytes() == left.files["journal.sqlite"]
    assert (aside / "journal.sqlite.head").read_bytes() == left.files["journal.sqlite.head"]
    assert stat.S_IMODE(aside.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    journal.close()


def test_what_is_lost_is_told_with_where_the_journal_ends_now(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", left.wal[: 32 + 5 * FRAME])
    assert "40 events were written in it, and it ends with event 34" in refusal(lambda: Journal(path, writer=False))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries[:34]
    words = journal.found[0]
    assert "the last 6 events are lost: it now ends on 2026-11-21 at 10:00 UTC, with event 34, in game g1" in words
    journal.close()
    assert len(reopened(path)) == 34


def test_a_backup_gives_back_what_the_files_have_lost(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", left.wal)
    back_up(path)
    path.write_bytes(left.files["journal.sqlite"])
    wal_path(path).write_bytes(b"")
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert "Nothing is lost." in journal.found[0]
    journal.close()
    for file in (path, wal_path(path)):
        file.unlink(missing_ok=True)
    assert "its file is missing, and 40 events were written in it" in str(find_damage(path))
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    journal.close()


def test_a_missing_file_without_a_backup_is_told(tmp_path: Path, left: Left) -> None:
    path = left.lay(tmp_path / "games", b"")
    path.unlink()
    journal = Journal(path)
    (words,) = journal.told()
    assert "its file is missing, and 40 events were written in it; nothing is left of it" in words
    fill(journal, 1)
    journal.close()
    path.unlink()
    head_path(path).unlink()
    journal = Journal(path)
    assert journal.told() == []
    journal.close()


def test_a_main_file_that_is_damaged_too_is_left_to_people(tmp_path: Path, left: Left) -> None:
    """Event 20 is in the main file and not as it was written: what follows it is not given up by itself."""
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    bad = left.files["journal.sqlite"].replace(left.entries[19].hash.encode(), b"0" * 64)
    path.write_bytes(bad)
    wal_path(path).write_bytes(with_bad_frame(left, len(left.wal) // FRAME - 1)[: 32 + 3 * FRAME] + bytes(50))
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
    wal_path(path).write_bytes(b"of an older file")
    journal = Journal(path)
    assert journal.entries("g1") == left.entries
    assert not rescued_path(path).exists()
    journal.close()


def test_without_room_nothing_is_changed(tmp_path: Path, left: Left, monkeypatch: pytest.MonkeyPatch) -> None:
    path = left.lay(tmp_path / "games", with_bad_frame(left, 3))
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journal_rescue, "copy_durably", full)
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
    wal_path(path).unlink()
    assert "not a journal of games" in refusal(lambda: Journal(path))
    assert path.read_bytes() == bytes(foreign)


def test_another_journal_in_the_place_of_the_one_written_last_is_told(tmp_path: Path, left: Left) -> None:
    other = Journal(tmp_path / "other" / "journal.sqlite")
    fill(other, 60, game="g2")
    other.close()
    path = left.lay(tmp_path / "games", b"")
    wal_path(path).unlink()
    shutil.copy(tmp_path / "other" / "journal.sqlite", path)
    assert "event 40 is not as it was written" in refusal(lambda: Journal(path, writer=False))
    journal = Journal(path)
    assert "not the journal that was written last" in journal.found[0]
    assert len(journal.entries("g2")) == 60
    journal.close()
    Journal(path, writer=False).close()
