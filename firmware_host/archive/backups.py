"""Copies of a whole journal, made by SQLite while it is in use: on request, and at the end of each game."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive.files import LOCK, InUse, hold_lock, is_there, limit_cache, sync
from firmware_host.archive.journal_events import JournalError
from firmware_host.text.words import Text, say

KEPT = 10
"""Maximum number of automatic backups; the oldest are deleted first."""
FOLDER = "backups"
PATIENCE_S = 30.0
"""Longest time that the program's end, or another backup, waits for a running one."""
LOOK_S = 0.1


def backups_of(journal: Path) -> list[Path]:
    """Return the automatic backups of a journal, newest first: files with names of the form that this program writes.

    Whatever else lies in their folder is people's own.
    """
    found = [path for path in _files_in(journal.parent / FOLDER) if _form_of(journal).fullmatch(path.name)]
    return sorted(found, key=lambda path: (_number(path), path.name), reverse=True)


def copies_of(journal: Path) -> list[Path]:
    """Return all databases in the folder of backups, the automatic ones first, the newest of them at the beginning."""
    try:
        made = backups_of(journal)
        there = sorted(path for path in _files_in(journal.parent / FOLDER) if path.suffix == ".sqlite")
    except OSError:
        return []  # What can't be looked at helps nobody, and hinders no rescue.
    return [*made, *(path for path in there if path not in made)]


def _files_in(folder: Path) -> Iterator[Path]:
    return filter(Path.is_file, folder.iterdir() if is_there(folder) else ())


def _form_of(journal: Path) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(journal.stem)}-\d{{8}}T\d{{12}}Z(-\d+)?\.sqlite")


def _number(backup: Path) -> int:
    """Return the number by which a backup is later than others; 0 for one that an earlier version has dated only."""
    digits = backup.stem.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def back_up(journal: Path) -> Path:
    """Make a backup in the folder ``backups`` beside a journal, and delete the oldest. Raise JournalError."""
    folder = journal.parent / FOLDER
    _require(journal)
    with _named_errors(folder), _lock_of(folder):
        _remove_begun(journal)
        stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        number = 1 + max(map(_number, backups_of(journal)), default=0)  # The stamp is for people: clocks are set back.
        target = write_backup(journal, folder / f"{journal.stem}-{stamp}-{number}.sqlite")
        for old in backups_of(journal)[KEPT:]:
            with suppress(OSError):
                old.unlink()
    return target


@contextmanager
def _named_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalError(f"no backup can be made in {folder}: {error}") from error


@contextmanager
def _lock_of(folder: Path) -> Iterator[None]:
    """Lock others out of a folder of backups, which is made, for a block. Raise JournalError or OSError."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            guard = hold_lock(folder / LOCK)
            break
        except InUse as error:
            if time.monotonic() >= end:
                who = f"another program (process {error.process})" if error.process else "another program"
                raise JournalError(f"{folder}: {who} makes a backup; try again in a minute") from error
            time.sleep(LOOK_S)
    try:
        yield
    finally:
        os.close(guard)


def remove_begun(journal: Path) -> None:
    """Remove automatic backups that a kill has cut short, unless somebody makes one now."""
    folder = journal.parent / FOLDER
    with suppress(OSError):
        if is_there(folder):
            guard = hold_lock(folder / LOCK)
            try:
                _remove_begun(journal)
            finally:
                os.close(guard)


def _remove_begun(journal: Path) -> None:
    """Remove what was begun of automatic backups; only who has the lock of their folder may do so."""
    form = re.compile(rf"\.?{_form_of(journal).pattern}(-[0-9a-f]{{8}})?\.part(-\w+)?")
    for begun in _files_in(journal.parent / FOLDER):
        if form.fullmatch(begun.name):
            with suppress(OSError):
                begun.unlink()


def _require(journal: Path) -> None:
    with _named_errors(journal.parent):
        there = is_there(journal)
    if not there:
        raise JournalError(f"{journal}: there is no journal; it is made when the first game is played")


def write_backup(journal: Path, target: Path) -> Path:
    """Copy a journal's present content into one file; return its path when it is durable.

    Raise JournalError if there is no journal, or the target can't be written or exists already.
    """
    _require(journal)
    with _named_errors(target.parent):
        taken = is_there(target)
    if taken:
        raise JournalError(f"{target}: is there already; name another file")
    begun = target.with_name(f".{target.name}-{secrets.token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        begun.touch(mode=0o600, exist_ok=False)
        copy_file(journal, begun)
        check_database(begun)  # A damaged one would drive out the last whole ones.
        platform.put_as(begun, target)  # It replaces nothing that came meanwhile.
        sync(target.parent)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"{journal}: no backup can be made in {target.parent}: {error}") from error
    finally:
        with suppress(OSError):
            begun.unlink()
    return target


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database's present state into a single file (no WAL) that is there, durably.

    Raise OSError or sqlite3.Error.
    """
    with closing(_opened(target)) as copy:
        for one in (source, copy):
            limit_cache(one)
        source.backup(copy)  # In one step: in several it would start over at every event written meanwhile.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    sync(target)


def copy_file(database: Path, target: Path) -> None:
    """Copy a database that may be in use, by its path, as :func:`copy_database`."""
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)) as source:
        copy_database(source, target)


def _opened(database: Path) -> sqlite3.Connection:
    """Open a database that is there: unlike a path alone this never makes an empty one. Raise sqlite3.Error."""
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)


def check_database(path: Path) -> None:
    """Raise sqlite3.Error unless all of a database that nobody has open is whole."""
    with closing(_opened(path)) as copy:
        limit_cache(copy)
        found = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(str(found).strip().replace("\n", ": "))


class BackupsAtTheEnd:
    """Makes a backup after each game, on its own thread: play does not wait for it.

    ``tell`` is called with the trouble, or None after a success.
    """

    def __init__(self, journal: Path, tell: Callable[[Text | None], None]) -> None:
        """``journal`` is the file to back up; what a killed program has left of a backup is removed."""
        remove_begun(journal)
        self._journal = journal
        self._tell = tell
        self._done = ""
        self._work: platform.Beside | None = None

    def listen(self, view: Mapping[str, Any]) -> None:
        """Take a view of the table; begin a backup if its game has just ended. Returns at once."""
        ended, same = view["phase"] == "over", view["game"]["id"] == self._done
        if same and not ended:
            self._done = ""  # The end was taken back: the next one is another.
        elif ended and not same:
            self._done = view["game"]["id"]
            self._work = platform.Beside(self._make, "backup", daemon=False)

    def close(self) -> None:
        """Wait for a running backup, at most ``PATIENCE_S``."""
        if self._work is not None:
            self._work.join(timeout=PATIENCE_S)

    def _make(self) -> Iterator[None]:
        yield  # The end is shown first.
        trouble: Text | None = None
        try:
            back_up(self._journal)
        except JournalError as error:
            trouble = say("The game is over and saved, but no backup could be made: {reason}.", reason=error.reason)
        self._tell(trouble)
