"""The journal: one SQLite file to which every committed event of every game is appended, and from which games resume.

An entry is durable when :meth:`Journal.append` returns: a WAL with ``synchronous=FULL`` keeps it through a kill and a
power cut. SQLite notices a damaged WAL but not a rotten byte in the main file; therefore each event carries the
SHA-256 of itself and of the event before it, and :meth:`Journal.verify` names the first that is not as it was written.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firmware_host.summary import END_KINDS, LIFE_KINDS, GameSummary, summarise, turn_of

SCHEMA_VERSION = 1
APPLICATION_ID = 0x4C4F4445
"""``LODE``: how a journal is told from any other SQLite file."""
FIRST_HASH = hashlib.sha256(b"lodestone-journal-v1").hexdigest()
"""What the first event is chained to."""

_SCHEMA = (
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, game TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,"
    " data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE INDEX event_of_game ON event (game, kind)",
    # INSERT OR REPLACE deletes rows without asking the delete trigger; so a row may only ever follow the last one.
    "CREATE TRIGGER event_is_appended BEFORE INSERT ON event"
    " WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
)
_COLUMNS = "seq, game, at, kind, data, prev, hash"


class JournalError(RuntimeError):
    """The journal can't be opened, read, written or believed; the message names the file and says why."""


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


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: ASCII, sorted keys, no spaces. Raise ValueError for what JSON can't hold."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error


def event_hash(prev: str, seq: int, game: str, at: str, kind: str, data: str) -> str:
    """Return the hash of an event: SHA-256 over the hash before it, a line feed, and its fields as a JSON list."""
    return hashlib.sha256(f"{prev}\n{canonical([seq, game, at, kind, data])}".encode("ascii")).hexdigest()


def utc_now() -> str:
    """Return the present moment as entries write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """One journal file. One program at a time may write; any number may read meanwhile (``writer=False``).

    One thread at a time; another thread that wants to read opens a journal of its own.
    """

    def __init__(self, path: Path, *, writer: bool = True) -> None:
        """Open the journal, and create it where there is none yet (a reader does not).

        Raise JournalError: another program plays with it, it can't be read or written, it is no journal, or it was
        written by a newer program.
        """
        self.path = path.resolve()
        self.writer = writer
        if self.path.is_dir():
            raise JournalError(f"{self.path}: is a folder, expected a journal file")
        if not writer and not self.path.exists():
            raise JournalError(f"{self.path}: there is no journal; it is made when the first game is played")
        self._lock = threading.RLock()
        self._spoilt: str | None = None
        self._guard = _take_writers_lock(self.path) if writer else None
        try:
            with self._speaking("be opened"):
                self._db = self._connect()
        except JournalError:
            self._release()
            raise
        try:
            with self._speaking("be opened"):
                self._prepare()
                self._head = self._read_head()
        except JournalError:
            self.close()
            raise

    # -- writing -------------------------------------------------------------------------------------------------

    def append(self, game: str, kind: str, data: Mapping[str, Any], at: str) -> Entry:
        """Append one event and return it when it is durable. Raise JournalError; then it is not in the journal."""
        return self.append_all([(game, kind, data, at)])[0]

    def append_all(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        """Append events ``(game, kind, data, at)``, all of them or none; return them when they are durable."""
        with self._lock:
            if not self.writer:
                raise JournalError(f"{self.path}: opened for reading only")
            if self._spoilt is not None:
                raise JournalError(f"{self.path}: an earlier write failed ({self._spoilt}); open the journal anew")
            entries = self._chain(events)
            with self._speaking("be written"):
                self._insert(entries)
            if entries:
                self._head = (entries[-1].seq, entries[-1].hash)
            if any(entry.kind in END_KINDS for entry in entries):
                self._checkpoint()
            return entries

    def abandon(self, game: str, at: str | None = None) -> Entry:
        """Note that a game will not be gone on with (``at``: now, unless given)."""
        return self.append(game, "abandoned", {}, at or utc_now())

    def _chain(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        seq, prev = self._head
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
            self._db.executemany(
                f"INSERT INTO event ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
                [(e.seq, e.game, e.at, e.kind, canonical(e.data), e.prev, e.hash) for e in entries],
            )
            self._db.execute("COMMIT")
        except BaseException as error:
            # After a failed sync nobody knows what a restart will find: whatever comes next must look again first.
            self._spoilt = str(error) or type(error).__name__
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _checkpoint(self) -> None:
        """Move the WAL into the main file, as far as readers let it: never waits, and may fail without harm."""
        try:
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error:
            return

    # -- reading -------------------------------------------------------------------------------------------------

    def entries(self, game: str) -> list[Entry]:
        """Return all entries of a game, oldest first (none of an unknown one). Raise JournalError at a damaged one."""
        return self._select("WHERE game = ? ORDER BY seq", (game,))

    def games(self, known: Mapping[str, GameSummary] | None = None) -> list[GameSummary]:
        """Return all games, also lobbies in which none was started, oldest first.

        Those that are ``known`` (ended ones, say) are not read again while they have as many entries.
        """
        known = known or {}
        with self._lock, self._speaking("be read"):
            rows = self._db.execute("SELECT game, count(*) FROM event GROUP BY game ORDER BY min(seq)").fetchall()
        return [
            known[game] if game in known and known[game].events == events else self._summary(game, events)
            for game, events in rows
        ]

    def unfinished(self) -> GameSummary | None:
        """Return the game played last of those that were started and neither ended nor abandoned."""
        with self._lock, self._speaking("be read"):
            row = self._db.execute(
                "SELECT game, count(*), max(seq) FROM event GROUP BY game HAVING max(kind = 'start')"
                " AND NOT max(kind IN ('result', 'abandoned')) ORDER BY 3 DESC LIMIT 1"
            ).fetchone()
        return self._summary(row[0], row[1]) if row is not None else None

    def moved_claims(self) -> dict[str, str]:
        """Return, of every seat of any game that has moved to another phone, claim before → claim after."""
        held: dict[tuple[str, int], str] = {}
        moved: dict[str, str] = {}
        for entry in self._select("WHERE kind IN ('seat', 'moved') ORDER BY seq"):
            place, claim = (entry.game, entry.data["seat"]), entry.data["claim"]
            if entry.kind == "moved" and place in held:
                moved[held[place]] = claim
            held[place] = claim
        return moved

    def verify(self) -> None:
        """Check every event against its hash and the one before it. Raise JournalError naming the first bad one."""
        with self._lock, self._speaking("be verified"):
            self._check_schema()
            expected, prev = 1, FIRST_HASH
            with closing(self._db.execute(f"SELECT {_COLUMNS} FROM event NOT INDEXED ORDER BY seq")) as rows:  # noqa: S608 - a constant
                for row in rows:
                    if row[0] != expected:
                        raise JournalError(f"{self.path}: event {expected} is missing (the next one is {row[0]})")
                    prev = self._entry(row, after=prev).hash
                    expected += 1
            # The chain is whole; what is left to go wrong is SQLite's own structure, the index above all.
            found = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            if found != ("ok",):
                raise JournalError(f"{self.path}: all events are whole, but the file is damaged: {found}")

    def _select(self, where: str, parameters: tuple[Any, ...] = ()) -> list[Entry]:
        with self._lock, self._speaking("be read"):
            rows = self._db.execute(f"SELECT {_COLUMNS} FROM event {where}", parameters).fetchall()  # noqa: S608
        return [self._entry(row) for row in rows]

    def _entry(self, row: tuple[Any, ...], after: str | None = None) -> Entry:
        """Return a row as the entry that was written. Raise JournalError when it is not, or does not follow."""
        seq, game, at, kind, text, prev, digest = row
        damaged = f"{self.path}: event {seq} is damaged"
        if not all(isinstance(field, str) for field in row[1:]):
            raise JournalError(f"{damaged}: its fields are not text")
        if event_hash(prev, seq, game, at, kind, text) != digest:
            raise JournalError(f"{damaged}: its hash is not the hash of what it says")
        if after is not None and prev != after:
            raise JournalError(f"{damaged}: it does not follow from the event before it")
        try:
            return Entry(seq, game, at, kind, json.loads(text), prev, digest)
        except ValueError as error:
            raise JournalError(f"{damaged}: its data is no JSON ({error})") from error

    def _summary(self, game: str, events: int) -> GameSummary:
        marks = ", ".join("?" * len(LIFE_KINDS))
        told = self._select(f"WHERE game = ? AND kind IN ({marks}) ORDER BY seq", (game, *LIFE_KINDS))
        try:
            turns = self._last_turn(game, told[0].data) if told else 0
            return summarise(game, [(entry.kind, entry.at, entry.data) for entry in told], turns=turns, events=events)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"{self.path}: the entries of game {game!r} are not as expected: {error!r}") from error

    def _last_turn(self, game: str, head: Mapping[str, Any]) -> int:
        """Return the turn of the last reveal; where nobody seals, that in which the last action was done."""
        revealed = self._select("WHERE game = ? AND kind = 'reveal' ORDER BY seq DESC LIMIT 1", (game,))
        if revealed:
            return int(revealed[0].data["turn"])
        acted = self._select("WHERE game = ? AND kind = 'action' ORDER BY seq DESC LIMIT 1", (game,))
        if not acted:
            return 0
        before = self._select(
            "WHERE game = ? AND seq < ? AND kind IN ('start', 'action', 'correction') ORDER BY seq DESC LIMIT 1",
            (game, acted[0].seq),
        )
        return turn_of(head["game"], head["rules"], before[0].data["position"]) if before else 0

    # -- opening and closing -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file and let another program write."""
        with self._lock:
            try:
                self._db.close()
            except sqlite3.Error:
                pass  # What was appended is durable already.
            finally:
                self._release()

    def _release(self) -> None:
        if self._guard is not None:
            os.close(self._guard)
            self._guard = None

    def _connect(self) -> sqlite3.Connection:
        if self.writer and not self.path.exists():  # What is being opened is nobody else's on this machine.
            self.path.touch(mode=0o600)
        uri = f"{self.path.as_uri()}?mode={'rwc' if self.writer else 'ro'}"
        # The program opens the journal on one thread and hands it to the loop's.
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
        """Make the schema and bring it into the main file, so that not even a lost WAL can take it away."""
        self._db.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            self._db.execute(statement)
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
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

    def _check_schema(self) -> None:
        found = {row[0] for row in self._db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if found != set(_SCHEMA):
            raise JournalError(f"{self.path}: damaged: its tables are not those of a journal (schema {SCHEMA_VERSION})")

    def _read_head(self) -> tuple[int, str]:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM event ORDER BY seq DESC LIMIT 1").fetchone()  # noqa: S608
        if row is None:
            return 0, FIRST_HASH
        last = self._entry(row)
        return last.seq, last.hash

    def _number(self, query: str) -> int:
        return int(self._db.execute(query).fetchone()[0])

    @contextmanager
    def _speaking(self, wish: str) -> Iterator[None]:
        """Turn what SQLite says into a message with the file's name."""
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: {error}") from error
        except UnicodeError as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: a text in it is damaged ({error})") from error


def _take_writers_lock(path: Path) -> int:
    """Return an open file that is locked for as long as it is open: the system frees it even at a kill.

    A file of its own: SQLite's locks on the journal itself must go on letting others read.
    """
    side = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        guard = os.open(side, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"{path}: the journal can't be written: {error.filename}: {error.strerror}") from error
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        who = os.read(guard, 20).decode("ascii", "replace").strip()
        os.close(guard)
        process = f" (process {who})" if who.isdigit() else ""
        raise JournalError(
            f"{path}: another program{process} is playing with this journal; end it first, or choose another folder"
        ) from error
    os.ftruncate(guard, 0)
    os.pwrite(guard, f"{os.getpid()}\n".encode("ascii"), 0)
    return guard
