"""Copies of a whole journal, made by SQLite while it is in use: on request, and at the end of each game."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from firmware_host.archive.journal_files import beside, sync
from firmware_host.archive.journal_form import JournalError

KEPT = 10
"""Maximum number of automatic backups; the oldest are deleted first."""
FOLDER = "backups"


def backups_of(journal: Path) -> list[Path]:
    """Return the automatic backups of a journal, newest first."""
    folder = journal.parent / FOLDER
    return sorted(folder.glob(f"{journal.stem}-*.sqlite"), reverse=True) if folder.is_dir() else []


def back_up(journal: Path) -> Path:
    """Make a backup in the folder ``backups`` beside a journal, and delete the oldest. Raise JournalError."""
    remove_begun(journal)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    target = write_backup(journal, journal.parent / FOLDER / f"{journal.stem}-{stamp}.sqlite")
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
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=5.0)) as source:
            copy_database(source, begun)
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
        source.backup(copy)  # In one step: in several it would start over at every event written meanwhile.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    sync(target)
