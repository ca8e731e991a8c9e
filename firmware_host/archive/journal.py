"""The journal: one SQLite file to which every committed event of every game is appended, and from which games resume.

An entry is durable when :meth:`Journal.append` returns: a WAL with ``synchronous=FULL`` keeps it through a kill and a
power cut. SQLite silently drops everything after the first damaged frame of a WAL, and does not notice a wrong byte in
the main file. Therefore the files are checked before SQLite writes to them (journal_check.py), the last event is noted
in a file beside them (journal_head.py), and each event carries the SHA-256 of itself and of the event before it:
:meth:`Journal.verify` names the first damaged one.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware_host.archive.journal_backup import copy_database
from firmware_host.archive.journal_check import MEND, REFUSE, TELL, find_damage
from firmware_host.archive.journal_files import Standing, beside, free_folder, sync, take_writers_lock
from firmware_host.archive.journal_form import (
    APPLICATION_ID,
    COLUMNS,
    INSERT,
    MAKING,
    SCHEMA_VERSION,
    Entry,
    JournalError,
    as_row,
    canonical,
    event_hash,
    utc_now,
)
from firmware_host.archive.journal_head import EMPTY, Head, HeadFile
from firmware_host.archive.journal_reading import Reading
from firmware_host.archive.journal_rescue import REPAIR, finish_rescue, rescue, rescued_path
from firmware_host.archive.summary import END_KINDS
from firmware_host.text.words import Text, capital, say

__all__ = ["Entry", "Journal", "JournalError", "utc_now"]

CHECKPOINT_EVERY = 32
"""Number of events after which the WAL is moved into the main file: a damaged WAL costs a few minutes of play."""


class Journal(Reading):
    """One journal file. One program at a time may write; any number may read meanwhile (``writer=False``).

    Use one object from one thread at a time; another thread opens its own journal for reading.
    """

    def __init__(self, path: Path, *, writer: bool = True, check: bool = True) -> None:
        """Open the journal; a writer creates a missing one.

        A writer repairs a journal that has lost its end as far as possible, and reports it in ``found``; a reader
        refuses it, or skips the check with ``check=False`` (a writer has done it). Raise JournalError: the file is
        damaged, is in use by another program, can't be read or written, is no journal, or is of a newer program.
        """
        self.path = path.resolve()
        self.writer = writer
        self.found: list[Text] = []
        """Faults of the files and what was done about them, taken by :meth:`told`."""
        if self.path.is_dir():
            raise JournalError(f"{self.path}: is a folder, expected a journal file")
        if not writer and not self.path.exists():
            raise JournalError(f"{self.path}: there is no journal; it is made when the first game is played")
        self._lock = threading.RLock()
        self._spoilt: str | None = None
        self._check = check
        self._is_open = False
        self._head = EMPTY
        self._noted: HeadFile | None = None
        self._files = Standing(self.path)
        self._guard = take_writers_lock(self.path) if writer else None
        try:
            self._open()
        except JournalError:
            self._release()
            raise

    # -- writing -------------------------------------------------------------------------------------------------

    def append(self, game: str, kind: str, data: Mapping[str, Any], at: str) -> Entry:
        """Append one event and return it when it is durable. Raise JournalError if it is not in the journal."""
        return self.append_all([(game, kind, data, at)])[0]

    def append_all(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        """Append events ``(game, kind, data, at)``, all of them or none; return them when they are durable."""
        with self._lock:
            if not self.writer:
                raise JournalError(f"{self.path}: opened for reading only")
            if self._spoilt is not None:
                raise JournalError(f"{self.path}: an earlier write failed ({self._spoilt}); open the journal anew")
            self.check_files()
            entries = self._chain(events)
            with self._speaking("be written"):
                self._insert(entries)
            if entries:
                self._have_written(entries)
            return entries

    def abandon(self, game: str, at: str | None = None) -> Entry:
        """Append that a game is abandoned (``at``: UTC, default now)."""
        return self.append(game, "abandoned", {}, at or utc_now())

    def check_files(self) -> None:
        """Raise JournalError if the journal's files were deleted, replaced or changed by others since they were opened.

        New events would then be lost: :meth:`mend` writes the whole journal again.
        """
        changed = self._files.changed()
        if changed is not None:
            raise JournalError(f"{self.path}: {changed}", changed)

    def _chain(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        seq, prev = self._head.seq, self._head.hash
        entries = []
        for game, kind, data, at in events:
            seq += 1
            try:
                text = canonical(data)
                digest = event_hash(prev, seq, game, at, kind, text)
            except ValueError as error:
                raise JournalError(f"{self.path}: {kind!r} of game {game!r} can't be written: {error}") from error
            entries.append(Entry(seq, game, at, kind, json.loads(text), prev, digest))
            prev = digest
        return entries

    def _insert(self, entries: Sequence[Entry]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany(INSERT, [as_row(entry) for entry in entries])
            self._db.execute("COMMIT")
        except BaseException as error:
            # After a failed sync the content on the disk is unknown: the journal must be opened again first.
            self._spoilt = str(error) or type(error).__name__
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _have_written(self, entries: Sequence[Entry]) -> None:
        """Note the last durable event in the head file, and now and then move the WAL into the main file."""
        before, self._head = self._head.seq, Head(entries[-1].seq, entries[-1].hash)
        due = before // CHECKPOINT_EVERY != self._head.seq // CHECKPOINT_EVERY
        if due or any(entry.kind in END_KINDS for entry in entries):
            self._checkpoint()
        try:
            if self._noted is not None:
                self._noted.write(self._head)
        except OSError as error:
            self._spoilt = f"what was written last can't be noted: {error.strerror}"
        self._files.note()

    def _checkpoint(self) -> None:
        """Move the WAL into the main file, as far as readers allow: never waits, and may fail without harm."""
        try:
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error:
            return

    # -- when the files are gone, or the disk is full ----------------------------------------------------------------

    def told(self) -> list[Text]:
        """Return the faults of the files that this method has not returned yet."""
        told, self.found = self.found, []
        return told

    def mend(self) -> None:
        """Open the journal again after a failure. If its files were deleted or replaced, write all of it again first.

        Raise JournalError if that fails; it can be tried again.
        """
        with self._lock, self._speaking("be opened anew"):
            changed = self._files.changed()
            if changed is not None and self._is_open:
                self.found.append(self._write_anew(changed))
            self._close()
            if self._guard is not None:
                os.close(self._guard)  # The lock file may be gone, too, and another program would lock a new one.
                self._guard = None
            self._guard = take_writers_lock(self.path)
            self._open()

    def _write_anew(self, changed: Text) -> Text:
        """Copy the database that is still open into a new file, which becomes the journal at the next opening."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        anew = beside(self.path, ".anew")
        anew.unlink(missing_ok=True)
        anew.touch(mode=0o600)
        copy_database(self._db, anew)
        with closing(Journal(anew, writer=False, check=False)) as copy:
            copy.verify()
            if copy._head != self._head:
                raise JournalError(f"{self.path}: {changed}, and its last events can't be read any more", changed)
        told = capital(say("{what}; a new copy was written to {path}.", what=changed, path=str(self.path)))
        others = self._files.others()
        if others:
            folder = free_folder(self.path.parent, "replaced")
            for other in others:
                other.replace(folder / other.name)
            told = say("{what} The other file is kept in {folder}.", what=told, folder=str(folder))
        anew.replace(rescued_path(self.path))
        sync(self.path.parent)
        return told

    # -- opening and closing -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file and let another program write."""
        with self._lock:
            try:
                self._close()
            finally:
                self._release()

    def _close(self) -> None:
        try:
            self._is_open = False
            self._db.close()
        except sqlite3.Error:
            pass  # What was appended is durable already.
        finally:
            if self._noted is not None:
                self._noted.close()
                self._noted = None

    def _release(self) -> None:
        if self._guard is not None:
            os.close(self._guard)
            self._guard = None

    def _open(self) -> None:
        """Check the files, open them, and read the last event."""
        with self._speaking("be opened"):
            if self.writer:
                finish_rescue(self.path)
            if self._check:
                self._look_at_files()
            self._db = self._connect()
            self._is_open = True
        try:
            with self._speaking("be opened"):
                self._prepare()
                self._head = self._read_head()
                if self.writer:
                    self._noted = HeadFile(self.path, self._head)
                    self._spoilt = None
            self._files = Standing(self.path)
        except JournalError:
            self._close()
            raise

    def _look_at_files(self) -> None:
        finding = find_damage(self.path, structure=self.writer)
        if finding is None:
            return
        if finding.todo == REFUSE or not self.writer:
            more = "" if finding.todo == TELL else f"; {REPAIR}"
            raise JournalError(f"{self.path}: the journal is damaged: {finding.words}{more}")
        if finding.todo == MEND:
            self.found.append(rescue(self.path, finding).words)
        else:
            self.found.append(say("This is not the journal that was written last: {what}.", what=finding.words))

    def _connect(self) -> sqlite3.Connection:
        if self.writer and not self.path.exists():  # Readable for this user only: it holds claims and openings.
            self.path.touch(mode=0o600)
        uri = f"{self.path.as_uri()}?mode={'rwc' if self.writer else 'ro'}"
        # The program opens the journal on one thread and passes it to the loop's.
        return sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None, check_same_thread=False)

    def _prepare(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        if self.writer:
            self._check_owner(empty_is_fine=True)
            self._db.execute("PRAGMA journal_mode = WAL").fetchall()
            self._db.execute("PRAGMA synchronous = FULL")
            if self._number("PRAGMA user_version") == 0:
                self._create()
        self._check_owner(empty_is_fine=False)
        self._check_schema()

    def _create(self) -> None:
        """Make the schema and move it into the main file, so that it survives even a lost WAL."""
        self._db.execute("BEGIN IMMEDIATE")
        for statement in MAKING:
            self._db.execute(statement)
        self._db.execute("COMMIT")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _check_owner(self, *, empty_is_fine: bool) -> None:
        version, owner = self._number("PRAGMA user_version"), self._number("PRAGMA application_id")
        if empty_is_fine and version == owner == self._number("SELECT count(*) FROM sqlite_master") == 0:
            return
        if owner != APPLICATION_ID:
            raise JournalError(f"{self.path}: not a journal of games; name another file or folder")
        if version > SCHEMA_VERSION:
            raise JournalError(
                f"{self.path}: written by a newer program (schema {version}, this one knows {SCHEMA_VERSION});"
                " install the newer version, nothing was changed"
            )

    def _read_head(self) -> Head:
        row = self._db.execute(f"SELECT {COLUMNS} FROM event ORDER BY seq DESC LIMIT 1").fetchone()  # noqa: S608
        if row is None:
            return EMPTY
        last = self._entry(row)
        return Head(last.seq, last.hash)

    def _number(self, query: str) -> int:
        return int(self._db.execute(query).fetchone()[0])
