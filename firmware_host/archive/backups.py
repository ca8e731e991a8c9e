"""Copies of a whole journal, made by SQLite while it is in use: on request, and at the end of each game."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive.files import beside, limit_cache, sync
from firmware_host.archive.journal_events import JournalError
from firmware_host.text.words import Text, say

KEPT = 10
"""Maximum number of automatic backups; the oldest are deleted first."""
FOLDER = "backups"
PATIENCE_S = 30.0
"""Longest time that the program's end waits for a running backup."""


def backups_of(journal: Path) -> list[Path]:
    """Return the automatic backups of a journal, newest first."""
    folder = journal.parent / FOLDER
    found = folder.glob(f"{journal.stem}-*.sqlite") if folder.is_dir() else ()
    return sorted(filter(Path.is_file, found), key=lambda path: (_number(path), path.name), reverse=True)


def _number(backup: Path) -> int:
    """Return the number by which a backup is later than others; 0 for one that an earlier version has dated only."""
    digits = backup.stem.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def back_up(journal: Path) -> Path:
    """Make a backup in the folder ``backups`` beside a journal, and delete the oldest. Raise JournalError."""
    remove_begun(journal)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    number = 1 + max(map(_number, backups_of(journal)), default=0)  # The stamp is for people: clocks are set back.
    target = write_backup(journal, journal.parent / FOLDER / f"{journal.stem}-{stamp}-{number}.sqlite")
    for old in backups_of(journal)[KEPT:]:
        old.unlink(missing_ok=True)
    return target


def remove_begun(journal: Path) -> None:
    """Remove automatic backups that a kill has cut short. Only the journal's writer makes them, so none is at work."""
    for begun in (journal.parent / FOLDER).glob(f"{journal.stem}-*.sqlite.part*"):
        with suppress(OSError):
            begun.unlink()


def write_backup(journal: Path, target: Path) -> Path:
    """Copy a journal's present content into one file; return its path when it is durable.

    Raise JournalError if there is no journal, or the target can't be written or exists already.
    """
    if not journal.exists():
        raise JournalError(f"{journal}: there is no journal; it is made when the first game is played")
    if target.exists():
        raise JournalError(f"{target}: is there already; name another file")
    begun = beside(target, ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        begun.unlink(missing_ok=True)
        begun.touch(mode=0o600)
        copy_file(journal, begun)
        check_database(begun)  # A damaged one would drive out the last whole ones.
        os.replace(begun, target)
        sync(target.parent)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            begun.unlink()
        raise JournalError(f"{journal}: no backup can be made in {target.parent}: {error}") from error
    return target


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database's present state into a single file (no WAL), durably. Raise OSError or sqlite3.Error."""
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        for one in (source, copy):
            limit_cache(one)
        source.backup(copy)  # In one step: in several it would start over at every event written meanwhile.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    sync(target)


def copy_file(database: Path, target: Path) -> None:
    """Copy a database that may be in use, by its path, as :func:`copy_database`."""
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)) as source:
        copy_database(source, target)


def check_database(path: Path) -> None:
    """Raise sqlite3.Error unless all of a database that nobody has open is whole."""
    with closing(sqlite3.connect(path)) as copy:
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
        self._one_at_a_time = threading.Lock()

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
            with self._one_at_a_time:
                back_up(self._journal)
        except JournalError as error:
            trouble = say("The game is over and saved, but no backup could be made: {reason}.", reason=error.reason)
        self._tell(trouble)
