"""Checks of a journal's files before SQLite writes to them, or drops frames that it does not accept."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.journal_form import APPLICATION_ID, SCHEMA_VERSION
from firmware_host.archive.journal_head import Head, read_head
from firmware_host.archive.journal_wal import WalFile, read_wal
from firmware_host.text.words import say

PAGE_BYTES = 4096
"""The size of SQLite's pages unless the journal says otherwise."""
STRUCTURE_S = 3.0
"""Longest time for the check that table and index agree: a thousand games take less."""
MEND, REFUSE, TELL = "mend", "refuse", "tell"
_LOOKS = 5
"""Number of times that a seemingly damaged log is read again, as another program may be writing to it."""


@dataclass(frozen=True)
class Finding:
    """A fault of a journal, in words that follow a colon, and what to do about it.

    ``mend``: events are missing or can't be read. ``refuse``: the main file itself is damaged, and people should
    decide. ``tell``: the journal is in order, but it is not the one that was written last.
    """

    words: str
    todo: str = MEND


def find_damage(journal: Path, *, structure: bool = False) -> Finding | None:
    """Return the fault of a journal's files; None if there is none, or the file is not a journal of this version.

    ``structure``: also check that table and index agree. The checks open the database read-only: SQLite then leaves the
    files unchanged, whereas a writer would move even a log that does not fit into the main file. Raise OSError.
    """
    noted = read_head(journal)
    if not journal.exists():
        missed = noted is not None and noted.seq > 0
        words = say("its file is missing, and {count} events were written in it", count=noted.seq if noted else 0)
        return Finding(words) if missed else None
    if _header(journal) != (SCHEMA_VERSION, APPLICATION_ID):
        return None
    return _look(journal, noted, structure=structure)


def _look(journal: Path, noted: Head | None, *, structure: bool) -> Finding | None:
    wal = _read_wal(journal)
    if wal.damage is not None:
        return Finding(say("its write-ahead log was changed ({damage})", damage=wal.damage))
    try:
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=5.0)) as reader:
            finding = _missing(reader, noted) if noted is not None else None
            wrong = _structure(reader) if structure and finding is None else None
    except (sqlite3.Error, UnicodeError) as error:
        corrupt = str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_CORRUPT")
        finding, wrong = None, str(error) if corrupt else None  # Opening the journal reports anything else.
    if wrong is None:
        return finding
    if wal.as_read():  # The log has lost its end, and the main file holds more than the rest of the log.
        return Finding(say("its write-ahead log does not fit it ({damage})", damage=wrong))
    return Finding(say("its file is damaged ({damage})", damage=wrong), REFUSE)


def page_size(journal: Path) -> int:
    """Return the size of a database's pages from its header. Raise OSError."""
    with journal.open("rb") as file:
        size = int.from_bytes(file.read(18)[16:], "big")
    size = 65536 if size == 1 else size
    return size if 512 <= size <= 65536 and size & (size - 1) == 0 else PAGE_BYTES


def wal_path(journal: Path) -> Path:
    """Return the path of a journal's write-ahead log."""
    return journal.with_name(f"{journal.name}-wal")


def is_newer(journal: Path) -> bool:
    """Tell whether only a newer program understands a journal. Raise OSError."""
    version, owner = _header(journal)
    return owner == APPLICATION_ID and version > SCHEMA_VERSION


def _header(journal: Path) -> tuple[int, int]:
    """Return schema version and application id from the main file's header; zeros if it is too short."""
    with journal.open("rb") as file:
        header = file.read(72).ljust(72, b"\0")
    return int.from_bytes(header[60:64], "big"), int.from_bytes(header[68:], "big")


def _read_wal(journal: Path) -> WalFile:
    """Return the log. A damaged one is read again until two readings agree, as it may just be being written."""
    size = page_size(journal)
    found = read_wal(wal_path(journal), size)
    for _ in range(_LOOKS):
        again = read_wal(wal_path(journal), size) if found.damage is not None else found
        if again == found:
            return found
        found = again
    return found


def _missing(reader: sqlite3.Connection, noted: Head) -> Finding | None:
    """Return the fault if the noted last event is not in the journal."""
    last = reader.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
    row = reader.execute("SELECT hash FROM event WHERE seq = ?", (noted.seq,)).fetchone()
    if last < noted.seq:
        words = say("{count} events were written in it, and it ends with event {last}", count=noted.seq, last=last)
        return Finding(words)
    if noted.seq and (row is None or row[0] != noted.hash):
        return Finding(say("event {seq} is not as it was written", seq=noted.seq), TELL)
    return None


def _structure(reader: sqlite3.Connection) -> str | None:
    """Return SQLite's first complaint about table and index, None if there is none within ``STRUCTURE_S``."""
    end = time.monotonic() + STRUCTURE_S
    reader.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    try:
        found = reader.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return None
    finally:
        reader.set_progress_handler(None, 0)
    return None if found == ("ok",) else str(found[0])
