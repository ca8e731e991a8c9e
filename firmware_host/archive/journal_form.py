"""The content of a journal: its tables, its events, and the chain of hashes that reveals every change of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

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
COLUMNS = "seq, game, at, kind, data, prev, hash"
INSERT = f"INSERT INTO event ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - a constant

Row = tuple[Any, ...]
"""One row of the table: the values of :data:`COLUMNS`, which a damaged file may have changed."""


_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


class JournalError(RuntimeError):
    """The journal can't be opened, read or written, or is damaged; the message names the file and says why.

    ``reason`` is a short form for the people at the table, without the file's name.
    """

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = message if reason is None else reason


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


def checked(row: Row, after: str | None = None, fields: str | None = None) -> Entry:
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
    try:
        return Entry(seq, game, at, kind, json.loads(text), prev, digest)
    except ValueError as error:
        raise ValueError(f"its data is no JSON ({error})") from error


def as_row(entry: Entry) -> Row:
    """Return an event as a row of the table."""
    return (entry.seq, entry.game, entry.at, entry.kind, canonical(entry.data), entry.prev, entry.hash)


def utc_now() -> str:
    """Return the present time in the form of entries: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
