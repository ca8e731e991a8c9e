"""What is wrong with the files of a journal, found before SQLite writes to them, or drops what it does not take."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from firmware_host.journal_form import APPLICATION_ID, SCHEMA_VERSION
from firmware_host.journal_head import Head, read_head
from firmware_host.journal_wal import WalFile, read_wal
from firmware_host.words import say

PAGE_BYTES = 4096
"""The size of SQLite's pages unless the journal says otherwise."""
_LOOKS = 5
"""So often a log that looks damaged is read again: another program may be writing to it just now."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with a journal, in words that go on after a colon. ``lost``: events that it held are not there."""

    words: str
    lost: bool = True


def find_damage(journal: Path) -> Finding | None:
    """Return what is wrong with a journal's files; None where nothing is, or where the file is no journal of ours.

    Raise OSError.
    """
    noted = read_head(journal)
    if not journal.exists():
        if noted is None or noted.seq == 0:
            return None
        return Finding(say("its file is missing, and {count} events were written in it", count=noted.seq))
    if _header(journal) != (SCHEMA_VERSION, APPLICATION_ID):
        return None
    damage = _read_wal(journal).damage
    if damage is not None:
        return Finding(say("its write-ahead log was changed ({damage})", damage=damage))
    return None if noted is None else _missing(journal, noted)


def page_size(journal: Path) -> int:
    """Return the size of a database's pages from its header. Raise OSError."""
    with journal.open("rb") as file:
        size = int.from_bytes(file.read(18)[16:], "big")
    size = 65536 if size == 1 else size
    return size if 512 <= size <= 65536 and size & (size - 1) == 0 else PAGE_BYTES


def wal_path(journal: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a journal."""
    return journal.with_name(f"{journal.name}-wal")


def is_newer(journal: Path) -> bool:
    """Tell whether only a newer program understands a journal. Raise OSError."""
    version, owner = _header(journal)
    return owner == APPLICATION_ID and version > SCHEMA_VERSION


def _header(journal: Path) -> tuple[int, int]:
    """Return version and owner from the header of the main file: zeros where it is too short for one."""
    with journal.open("rb") as file:
        header = file.read(72).ljust(72, b"\0")
    return int.from_bytes(header[60:64], "big"), int.from_bytes(header[68:], "big")


def _read_wal(journal: Path) -> WalFile:
    """Return the log; what looks damaged must look the same again, or it is just being written."""
    size = page_size(journal)
    found = read_wal(wal_path(journal), size)
    for _ in range(_LOOKS):
        again = read_wal(wal_path(journal), size) if found.damage is not None else found
        if again == found:
            return found
        found = again
    return found


def _missing(journal: Path, noted: Head) -> Finding | None:
    """Return what is wrong if the event that was noted last is not in the journal.

    It is asked through a reader: SQLite then leaves the files as they are.
    """
    try:
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=5.0)) as reader:
            last = reader.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
            row = reader.execute("SELECT hash FROM event WHERE seq = ?", (noted.seq,)).fetchone()
    except (sqlite3.Error, UnicodeError):
        return None  # Whoever opens it will hear more of it.
    if last < noted.seq:
        words = say("{count} events were written in it, and it ends with event {last}", count=noted.seq, last=last)
        return Finding(words)
    if noted.seq and (row is None or row[0] != noted.hash):
        return Finding(say("event {seq} is not the one that was written in it", seq=noted.seq), lost=False)
    return None
