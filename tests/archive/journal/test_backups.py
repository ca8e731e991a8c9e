"""Backups are whole journals of their own, made while the journal is in use."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from firmware_host.archive import backups
from firmware_host.archive.backups import KEPT, BackupsAtTheEnd, back_up, backups_of, check_database, write_backup
from firmware_host.archive.files import hold_lock
from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import fill, refusal, reopened
from tests.sentences import is_in


def test_a_backup_holds_everything_and_needs_no_other_file(journal: Journal, path: Path, tmp_path: Path) -> None:
    entries = fill(journal, 40)
    copy = write_backup(path, tmp_path / "elsewhere" / "copy.sqlite")
    entries += fill(journal, 1)
    assert [file.name for file in copy.parent.iterdir()] == ["copy.sqlite"]
    assert stat.S_IMODE(copy.stat().st_mode) & 0o077 == 0
    reader = Journal(copy, writer=False)
    reader.verify()
    assert reader.entries("g1") == entries[:40]
    reader.close()
    assert reopened(copy) == entries[:40], "it can be played on with"


def test_the_last_backups_are_kept(journal: Journal, path: Path) -> None:
    made = []
    for _ in range(KEPT + 3):
        fill(journal, 1)
        made.append(back_up(path))
    assert backups_of(path) == made[: -KEPT - 1 : -1]
    assert sorted((path.parent / "backups").iterdir()) == sorted([path.parent / "backups/.lock", *made[-KEPT:]])
    assert KEPT == 10


def test_what_people_keep_there_is_theirs(journal: Journal, path: Path) -> None:
    fill(journal, 1)
    back_up(path)
    own = ["journal-christmas.sqlite", "journal-1.sqlite", "journal-x-20260101T000000000000Z-1.sqlite",
           "journal-a.sqlite.part"]  # fmt: skip
    for name in own:
        (path.parent / "backups" / name).write_text("mine")
    for _ in range(KEPT + 1):
        back_up(path)
    assert [(path.parent / "backups" / name).read_text() for name in own] == ["mine"] * 4
    assert len(backups_of(path)) == KEPT


def test_two_at_once_are_both_whole(journal: Journal, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The open table's, at a game's end, and ``lodestone record backup``: the slow one keeps what it has begun."""
    entries = fill(journal, 3)
    checks, begun = backups.check_database, threading.Event()

    def slowly(copy: Path) -> None:
        if not begun.is_set():
            begun.set()
            time.sleep(0.3)  # An SD card.
        checks(copy)

    monkeypatch.setattr(backups, "check_database", slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(back_up, path)
        assert begun.wait(60)
        BackupsAtTheEnd(path, lambda _: None)  # Another table's start removes nothing that is being made.
        second = pool.submit(back_up, path)
        made = [first.result(), second.result()]
    assert backups_of(path) == made[::-1]
    for copy in made:
        assert reopened(copy) == entries


def test_who_waits_too_long_is_told(journal: Journal, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(journal, 1)
    (path.parent / "backups").mkdir()
    monkeypatch.setattr(backups, "PATIENCE_S", 0.0)
    guard = hold_lock(path.parent / "backups/.lock")
    assert "makes a backup; try again" in refusal(lambda: back_up(path))
    os.close(guard)
    back_up(path)


def test_what_a_kill_has_left_is_removed(journal: Journal, path: Path) -> None:
    fill(journal, 1)
    name = back_up(path).name
    folder = path.parent / "backups"
    left = [f"{name}.part", f"{name}.part-journal", f".{name}-0011aabb.part"]
    for one in left:
        (folder / one).touch()
    BackupsAtTheEnd(path, lambda _: None)
    assert sorted(one.name for one in folder.iterdir()) == [".lock", name]


def test_a_copy_that_is_gone_is_not_made_by_the_check(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error):
        check_database(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_clock_that_is_set_back_costs_no_backup(
    journal: Journal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last ones are kept, whatever their dates; those of earlier versions, without a number, are older than all."""
    for day in range(1, KEPT + 1):
        old = path.parent / "backups" / f"{path.stem}-205001{day:02}T000000000000Z.sqlite"
        old.parent.mkdir(exist_ok=True)
        old.touch()
    made = []
    for year in (2040, 2030, 2020):
        fill(journal, 1)
        monkeypatch.setattr(backups, "datetime", Clock(year))
        made.append(back_up(path))
    assert backups_of(path)[:4] == [*reversed(made), old]
    assert len(backups_of(path)) == KEPT


class Clock:
    """A clock that shows the beginning of a year."""

    def __init__(self, year: int) -> None:
        self._year = year

    def now(self, zone: tzinfo) -> datetime:
        return datetime(self._year, 1, 1, tzinfo=zone)


def test_what_can_not_be_backed_up_is_said(journal: Journal, path: Path, tmp_path: Path) -> None:
    fill(journal, 1)
    taken = tmp_path / "taken.sqlite"
    taken.write_text("mine")
    assert "is there already; name another file" in refusal(lambda: write_backup(path, taken))
    assert taken.read_text() == "mine"
    assert "no backup can be made in" in refusal(lambda: write_backup(path, taken / "copy.sqlite"))
    assert "there is no journal" in refusal(lambda: write_backup(tmp_path / "none.sqlite", tmp_path / "copy.sqlite"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games", "taken.sqlite"]


def test_another_one_is_made_at_the_next_end_after_one_was_taken_back(journal: Journal, path: Path) -> None:
    fill(journal, 1)
    ending = BackupsAtTheEnd(path, lambda _trouble: None)
    for phase in ("over", "over", "resolving", "over"):
        ending.listen({"phase": phase, "game": {"id": "g1"}})
        ending.close()
    assert len(backups_of(path)) == 2


def test_one_is_made_at_the_end_of_each_game_and_what_is_wrong_is_told(journal: Journal, path: Path) -> None:
    told: list[str | None] = []
    ending = BackupsAtTheEnd(path, told.append)
    for game, phase in (("g1", "resolving"), ("g1", "over"), ("g1", "over"), ("g2", "lobby"), ("g2", "over")):
        ending.listen({"phase": phase, "game": {"id": game}})
        ending.close()
    assert len(backups_of(path)) == 2
    assert told == [None, None]
    journal.close()
    path.unlink()
    ending.listen({"phase": "over", "game": {"id": "g3"}})
    ending.close()
    assert is_in("The game is over and", str(told[-1]))
