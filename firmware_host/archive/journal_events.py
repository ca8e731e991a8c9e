"""The events of a journal: their tables, the chain of hashes that reveals every change, and their second copy.

The database is one copy, and the index for questions about games; a file of lines beside it is the other. An event
counts when it is durable in both. The database is written first, so that its transaction decides what an append has
written, and the lines are never ahead of it. What one of the two loses (by a flipped bit, a lost sector, or a write-
ahead log that SQLite does not read to its end) the other has.

A line is what the hash of an event is made of (its fields as a JSON list), the hash before, and the hash. It shows by
itself whether it is intact, so that a damaged line costs itself alone. Room for further lines is filled with zeros in
advance: writing a line then leaves the file's size as it is, and making it durable needs no write of the file system's
own tables. A power cut may tear the line that is being written, but then its event is in the database already: if it is
not, events are lost. Likewise if no zero follows the last line, because the file was cut.

Two copies that both hold what they held earlier are a journal of that moment. Therefore number and hash of the last
event are noted in a third file of a fixed size, after the event is durable in both copies: a note may be behind them
(the system writes it to the disk when it likes), and a note ahead of both tells that events are lost. Two places, each
on a page of its own, are written in turn: a torn write spares the other. Releases before the second copy have kept the
same note.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive import dates
from firmware_host.archive.files import BESIDE, LOST, beside, open_what_is_left, sync
from firmware_host.archive.shapes import LIFE, misfit
from firmware_host.text.json_reader import read_object

ROOM = 1 << 16
"""Number of zeros written after the last line when there is no room for the next, bytes."""
MAX_LINE = 1 << 20
"""Longest line, bytes; the longest event so far has a few thousand."""
RECENT_BYTES = 1 << 20
"""Size of the copy's end that is checked whenever the journal is opened: about ten games."""
NOTE_PLACES = (0, 4096)
"""Offsets of the two places of the note."""
NOTE_BYTES = 128
"""Longest line of the note, bytes."""

SCHEMA_VERSION = 1
APPLICATION_ID = 0x4C4F4445
"""``LODE``: identifies a journal among SQLite files."""
FIRST_HASH = hashlib.sha256(b"lodestone-journal-v1").hexdigest()
"""The hash before the first event's."""

SCHEMA = (
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, game TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,"
    " data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE INDEX event_of_game ON event (game, kind)",
    # INSERT OR REPLACE deletes rows without firing the delete trigger; so a new row must follow the last one.
    "CREATE TRIGGER event_is_appended BEFORE INSERT ON event"
    " WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
)
MAKING = (*SCHEMA, f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}")
"""The statements that make an empty journal, to run in one transaction."""
SECOND, NOTE = ".copy", ".head"
"""Suffixes of the second copy, and of the note of the last event."""
FILES = ("", *BESIDE, SECOND, NOTE)
"""Suffixes of the files of a journal: the database, SQLite's own files, the second copy, and the note."""
RESCUING, RESCUED, ANEW = WORKING = (".rescuing", ".rescued", ".anew")
"""Suffixes of the files of a journal that are being made; a whole ``.rescued`` replaces the journal."""
FAMILY = (*FILES, *WORKING)
"""Suffixes of all files of a journal except its lock: they belong together, and go together."""
COLUMNS = "seq, game, at, kind, data, prev, hash"
INSERT = f"INSERT INTO event ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - a constant

Row = tuple[Any, ...]
"""One row of the table: the values of :data:`COLUMNS`, which a damaged file may have changed."""


_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


_FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[\\/](?:[^\\/\n:]+[\\/])*(?=[^\\/\n: ])")
"""The folders of absolute paths. Where the machine keeps its files is no guest's business."""


class JournalError(RuntimeError):
    """The journal can't be opened, read or written, or is damaged; the message names the file and says why.

    ``reason`` is for the people at the table: a short form or, without one, the message with names instead of paths.
    """

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = _FOLDERS.sub("", message) if reason is None else reason


@dataclass(frozen=True)
class Entry:
    """One event. ``at`` is UTC in ISO 8601; ``hash`` chains it to the event before, whose hash is ``prev``."""

    seq: int
    game: str
    at: str
    kind: str
    data: Mapping[str, Any]
    prev: str
    hash: str


@dataclass(frozen=True, order=True)
class Head:
    """The last event of a journal: its number and its hash. An empty journal has the number 0."""

    seq: int
    hash: str


def canonical(value: Any) -> str:
    """Return a value's canonical JSON: ASCII, sorted keys, no spaces. Raise ValueError if JSON can't hold it."""
    try:
        return _encoder.encode(value)
    except TypeError as error:
        raise ValueError(str(error)) from error


def hashed_fields(seq: int, game: str, at: str, kind: str, data: str) -> str:
    """Return the fields of an event that its hash covers, as a JSON list. Raise ValueError if JSON can't hold them."""
    return canonical([seq, game, at, kind, data])


def event_hash(prev: str, fields: str) -> str:
    """Return the hash of an event: SHA-256 over the hash before it, a line feed, and :func:`hashed_fields`."""
    return hashlib.sha256(f"{prev}\n{fields}".encode("ascii")).hexdigest()


def read_row(row: Row, after: str | None = None, fields: str | None = None) -> Entry:
    """Return a row as an event. Raise ValueError, in words, if it is damaged or does not follow from ``after``.

    ``after`` is the hash of the event before, None if unknown; ``fields`` are its hashed fields, if known.
    """
    seq, game, at, kind, text, prev, digest = row
    if not all(isinstance(field, str) for field in row[1:]):
        raise ValueError("its fields are not text")
    if event_hash(prev, fields or hashed_fields(seq, game, at, kind, text)) != digest:
        raise ValueError("its hash is not the hash of what it says")
    if after is not None and prev != after:
        raise ValueError("it does not follow from the event before it")
    return Entry(seq, game, at, kind, read_data(kind, text), prev, digest)


def read_data(kind: str, text: str) -> dict[str, Any]:
    """Return the data of an event of a kind. Raise ValueError, in words, for what no event of it holds.

    A hash that fits proves little: whoever writes a whole file can make it.
    """
    data = read_object(text)
    wrong = misfit(data, LIFE.get(kind, {}), others=True)
    if wrong is not None:
        raise ValueError(f"its data are those of no {kind!r}: {wrong}")
    return data


def as_row(entry: Entry) -> Row:
    """Return an event as a row of the table."""
    return (entry.seq, entry.game, entry.at, entry.kind, canonical(entry.data), entry.prev, entry.hash)


def utc_now() -> str:
    """Return the present time in the form of entries: UTC, ISO 8601, milliseconds."""
    return dates.DATES.now().isoformat(timespec="milliseconds")


# -- the second copy ---


def copy_path(journal: Path) -> Path:
    """Return the path of a journal's second copy."""
    return beside(journal, SECOND)


def note_path(journal: Path) -> Path:
    """Return the path of the note of a journal's last event."""
    return beside(journal, NOTE)


def read_note(journal: Path) -> Head | None:
    """Return the noted last event; None without an intact note. Raise OSError."""
    content, _ = _read_places(journal)
    return max(filter(None, (_parse_note(content[place:][:NOTE_BYTES]) for place in NOTE_PLACES)), default=None)


def _read_places(journal: Path) -> tuple[bytes, bool]:
    """Return both places of the note, and whether the disk has lost something of them. Raise OSError."""
    try:
        with open_what_is_left(note_path(journal)) as file:
            return file.read(NOTE_PLACES[-1] + NOTE_BYTES), file.has_gaps
    except FileNotFoundError:
        return b"", False


@dataclass(frozen=True)
class CopyEnd:
    """The intact lines near the end of a copy: their events as rows, and the offsets in the file at which they end."""

    rows: Sequence[Row] = ()
    ends: Sequence[int] = ()
    torn: bool = False
    """Whether more was written after the last of them."""
    is_all: bool = False
    """Whether the whole copy was read, and not its end alone."""
    has_gaps: bool = False
    """Whether the disk has lost something of what was read: whether that was a line is not known."""

    def unbroken(self) -> int:
        """Return how many of the rows, from the first on, follow from each other, and the first of all from nothing."""
        if self.rows and self.is_all and self.rows[0][0] != 1:
            return 0
        pairs = zip(self.rows, self.rows[1:], strict=False)
        broken = (place for place, (row, after) in enumerate(pairs, 1) if after[5] != row[6])
        return next(broken, len(self.rows))


def read_end(path: Path) -> CopyEnd:
    """Return the intact lines near the end of a copy; none if there is no copy. Raise OSError."""
    try:
        with open_what_is_left(path) as file:
            size = file.seek(0, os.SEEK_END)
            for length in (RECENT_BYTES, 64 * RECENT_BYTES):  # Most of the end may be damaged.
                start = file.seek(max(0, size - length))
                content = file.read(size - start)
                found = _parse_end(content, start, has_gaps=file.has_gaps)
                if found.rows or start == 0:
                    return found
    except FileNotFoundError:
        pass
    return CopyEnd()


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a copy, damaged ones in pieces of limited length; nothing if there is none. Raise OSError."""
    try:
        with open_what_is_left(path) as file:
            while line := file.readline(MAX_LINE):
                yield line
    except FileNotFoundError:
        return


def line_of(row: Row, fields: str | None = None) -> bytes:
    """Return an event's line; ``fields`` are its hashed fields, if known."""
    return f"{fields or hashed_fields(*row[:5])} {row[5]} {row[6]}\n".encode("ascii")


def row_of(line: bytes) -> Row | None:
    """Return a line's event, None if the line is damaged or cut off."""
    try:
        fields, prev, digest = line[:-1].decode("ascii").rsplit(" ", 2)
        row = (*json.loads(fields), prev, digest)
        return row if line.endswith(b"\n") and type(row[0]) is int and read_row(row, fields=fields) else None
    except (ValueError, TypeError, RecursionError):
        return None


class CopyFile:
    """The open copy of a journal that is being written, and the note of the last event."""

    def __init__(self, journal: Path, end: int) -> None:
        """Open or create the copy, whose lines end at an offset; what follows them is dropped. Raise OSError."""
        self._file = platform.open_file(copy_path(journal), os.O_RDWR | os.O_CREAT)
        self._end = self._room = end
        self._note: int | None = None
        self._turn = 0
        try:
            self.write(())
            os.ftruncate(self._file, self._room)
            if _read_places(journal)[1]:
                note_path(journal).unlink()  # What can't be read can't be overwritten in part.
            self._note = platform.open_file(note_path(journal), os.O_RDWR | os.O_CREAT)
            platform.reserve(self._note, 2 * NOTE_PLACES[1])  # Later notes succeed even on a full disk.
            sync(journal.parent)
        except OSError:
            self.close()
            raise

    def write(self, rows: Iterable[Row]) -> None:
        """Add lines; return when they are durable. Raise OSError; the lines are not part of the copy then."""
        lines = b"".join(map(line_of, rows))
        content = lines if self._end + len(lines) < self._room else lines + bytes(ROOM)
        written = platform.write_at(self._file, content, self._end)
        if written < min(len(content), len(lines) + 1):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        platform.sync_content(self._file)
        self._room = max(self._room, self._end + written)
        self._end += len(lines)

    def note(self, head: Head) -> None:
        """Note the last event, which is durable in both copies. Raise OSError."""
        if self._note is not None:
            platform.write_at(self._note, _note_line(head), NOTE_PLACES[self._turn])
            self._turn = 1 - self._turn

    def replace_note(self, head: Head) -> None:
        """Note the last event in both places, so that nothing is left of an earlier note; return when it is durable.

        Raise OSError.
        """
        for _ in NOTE_PLACES:
            self.note(head)
        if self._note is not None:
            platform.sync_content(self._note)

    def close(self) -> None:
        """Close the files."""
        os.close(self._file)
        if self._note is not None:
            os.close(self._note)


def _note_line(head: Head) -> bytes:
    text = f"{head.seq} {head.hash}".encode("ascii")
    return (b"%b %08x\n" % (text, zlib.crc32(text))).ljust(NOTE_BYTES, b"\0")


def _parse_note(content: bytes) -> Head | None:
    """Return the event noted in a place, None if the place is empty or damaged."""
    try:
        seq, digest, _ = content.partition(b"\n")[0].decode("ascii").split(" ")
        head = Head(int(seq), digest)
    except ValueError:
        return None
    return head if content.partition(b"\n")[0] == _note_line(head).partition(b"\n")[0] else None


def _parse_end(content: bytes, start: int, *, has_gaps: bool = False) -> CopyEnd:
    rows, ends, end = [], [], start
    for line in content.splitlines(keepends=True):
        end += len(line)
        row = row_of(line)
        if row is not None:
            rows.append(row)
            ends.append(end)
    behind = content[ends[-1] - start if ends else 0 :]
    if has_gaps:
        behind = behind.replace(LOST, b"\0")
    torn = bool(content) and (bool(behind.strip(b"\0")) or not (behind or content).endswith(b"\0"))
    return CopyEnd(rows, ends, torn, start == 0, has_gaps)
