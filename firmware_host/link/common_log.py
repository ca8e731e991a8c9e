"""The log that the tables of a room share: numbered, chained by hashes, and kept by each in its own journal.

A table's journal holds more than the game: seals as they come, sensors, hints, pauses. The entries that make the game
are the same at every table, and in the same order; :class:`CommonLog` derives them from a journal's entries, live and
after a restart alike, so there is no second account that could differ. An entry of the log has few fields, of which the
others follow. A round of seals is one entry, ``reveal``, with all seals and openings in the order of the seats.

Each entry is signed by the table that wrote it. The chain is over what the entries say, not over the signatures: a
reveal follows from what all tables have sent, and any of them may sign it.

:class:`RoomFile` keeps what no journal has: keys, counters, signatures, and what this table has promised.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from firmware_host.archive.files import InUse, lock_beside
from firmware_host.archive.journal_events import canonical
from firmware_host.link.announcement import is_key, is_signature, read_game_id, read_whole
from firmware_host.link.broker import LARGEST
from firmware_host.link.entry_fields import FIELDS, wrong_field
from firmware_host.link.trust import LAST_COUNTER, Identity, is_signed
from firmware_host.table.ledger import Ledger
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import Refused, say

Data = Mapping[str, Any]
T = TypeVar("T")
LARGEST_ENTRY = LARGEST // 2
"""Maximum length of an entry, bytes: it goes through the broker again, signed, to those who lack it."""


@dataclass(frozen=True)
class SharedEntry:
    """One entry of the log; ``prev`` is the hash of the log before it, ``table`` the public key of its writer."""

    game: str
    number: int
    kind: str
    data: Data
    prev: str
    table: str = ""
    signature: str = ""

    @property
    def hash(self) -> str:
        """The hash of the log with this entry."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def text(self) -> bytes:
        """What its writer signs."""
        return canonical(["lodestone-room-1", self.game, self.number, self.prev, self.kind, dict(self.data)]).encode()

    def signed_by(self, identity: Identity) -> SharedEntry:
        """Return the entry with a table's signature."""
        signature = identity.sign(self.text).hex()
        return SharedEntry(self.game, self.number, self.kind, self.data, self.prev, identity.public, signature)

    @property
    def is_genuine(self) -> bool:
        """Whether the table that it names has signed it."""
        try:
            return is_signed(self.table, bytes.fromhex(self.signature), self.text)
        except ValueError:
            return False

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is sent."""
        return {**vars(self), "data": dict(self.data)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> SharedEntry:
        """Return the entry that another table has sent. Raise ValueError for anything else.

        One that lacks a field is left to the table, which refuses it with a word to people: nobody waits for another.
        """
        entry = cls(**fields)
        read_game_id(entry.game)
        read_whole(entry.number)
        if entry.kind not in FIELDS or not isinstance(entry.data, dict):
            raise ValueError("an entry has a known kind, and an object of data")
        if not (is_key(entry.prev) and is_key(entry.table) and is_signature(entry.signature)):
            raise ValueError("an entry has the hash before it, its table and signature in 64, 64 and 128 hex digits")
        if (field := wrong_field(entry.kind, entry.data)) is not None:
            raise ValueError(f"a field of an entry of the kind {entry.kind} is unknown or wrong: {field[:60]}")
        if len(entry.text) > LARGEST_ENTRY:
            raise ValueError("an entry is too long to be told")
        return entry


class CommonLog:
    """The shared entries of one game, derived from a table's journal."""

    def __init__(self, game_id: str, seats: Mapping[int, Sequence[str]] | None = None) -> None:
        """``seats``: seat → public key of its table and name of its player, for the first entry."""
        self.game_id = game_id
        self.seats: Mapping[int, Sequence[str]] = dict(seats or {})
        self.entries: list[SharedEntry] = []
        self._mode = ""
        self._seals: dict[int, str] = {}
        self._openings: dict[int, tuple[str, str]] = {}

    @property
    def head(self) -> str:
        """The hash of the log."""
        empty = hashlib.sha256(f"lodestone-room-1 {self.game_id}".encode()).hexdigest()
        return self.entries[-1].hash if self.entries else empty

    def __len__(self) -> int:
        return len(self.entries)

    def feed(self, kind: str, data: Data) -> SharedEntry | None:
        """Take a journal's entry; return the shared entry that it makes, None if it makes none."""
        if kind in {"game", "mode"}:
            self._mode = data["mode"]
        elif kind == "seal":
            self._seals[data["seat"]] = data["commitment"]
        elif kind == "opening":
            self._openings[data["seat"]] = (data["action"], data["nonce"])
        if kind not in FIELDS or "past" in data:
            return None
        fields = {name: data[name] for name in FIELDS[kind] if name in data}
        if kind == "start":
            fields |= {"mode": self._mode, "seats": {str(seat): list(who) for seat, who in sorted(self.seats.items())}}
        elif kind == "reveal":
            opened = sorted(self._openings.items())
            fields["seals"] = {str(seat): [self._seals[seat], *opening] for seat, opening in opened}
        if kind == "reseal" and "seat" in data:
            self._seals.pop(data["seat"], None)
        elif kind not in {"resign", "lot"}:
            self._seals, self._openings = {}, {}
        entry = SharedEntry(self.game_id, len(self.entries), kind, fields, self.head)
        self.entries.append(entry)
        return entry


def writer(
    ledger: Ledger, tables: Mapping[int, str], opened: Iterable[int], passed: Collection[str] = ()
) -> str | None:
    """Return the table that writes the next entry; ``opened``: the seats whose openings are known to all.

    ``passed`` are tables that have this entry already: what they had sealed before it need not be known here.
    """
    seats = sorted(tables)
    if not ledger.started or not seats:
        return None
    if ledger.lot_due is not None:
        return tables.get(ledger.lot_due)
    order = list(dict.fromkeys(tables[seat] for seat in seats))
    sealing = ledger.round
    if not ledger.over and sealing is not None:
        done = set(opened) if sealing.is_sealed else set(sealing.commitments)
        left = {tables[seat] for seat in sealing.seats if seat not in done and seat in tables}.difference(passed)
        return next((table for table in order if table in left), order[0])
    actor = None if ledger.over else ledger.game.actor(ledger.now.position)
    return tables.get(actor or 0, order[0])


_TABLES = (
    "CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS peer (public TEXT PRIMARY KEY, counter INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS promise (game TEXT, number INTEGER, what TEXT, PRIMARY KEY (game, number, what))",
    "CREATE TABLE IF NOT EXISTS entry (game TEXT, number INTEGER, kind TEXT, data TEXT, prev TEXT, writer TEXT,"
    " signature TEXT, PRIMARY KEY (game, number))",
    "CREATE TABLE IF NOT EXISTS also (game TEXT, number INTEGER, writer TEXT, signature TEXT,"
    " PRIMARY KEY (game, number, writer))",
)
LOCKED_S = 1.0
"""How long a file that another program has is waited for: one that is being closed."""
_AHEAD = 4096
"""Number of counters that are reserved at a time."""
LEAP_BITS = 32
"""Bits of the random number of counters that are left out, where another program may count on from the same one."""


def _leap() -> int:
    return secrets.randbits(LEAP_BITS)


def _take_lock(path: Path) -> int:
    """Return the lock of a room's file; one that is being closed is waited for. Raise InUse."""
    end = time.monotonic() + LOCKED_S
    while True:
        try:
            return lock_beside(path)
        except InUse:
            if time.monotonic() > end:
                raise
            time.sleep(LOCKED_S / 20)


class RoomFile:
    """What a table keeps of its room: a small SQLite file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, for this program alone: two would use the same counters. Raise Refused."""
        self.path = path
        with ExitStack() as stack:
            self._open(stack)
            # A copy of the file goes on from the same counter, on another machine or restored: it must repeat none that
            # was used meanwhile. Time goes on, too; and no clock is trusted, nor two programs at one moment.
            counter = self.value("counter", _read_counter) or 0
            self._used = self._reserved = max(counter, time.time_ns() // 1000) + _leap()
            stack.pop_all()
        self._writing = threading.RLock()
        """Nothing that another thread writes gets into a transaction of the loop's."""

    def _open(self, stack: ExitStack) -> None:
        """Open the file; ``stack`` closes it again. Raise Refused."""
        path = self.path
        try:
            path.touch(mode=0o600)
            # Not by SQLite's own lock: backups are made meanwhile.
            self._free = weakref.finalize(self, os.close, _take_lock(path))
            stack.callback(self._free)
            self._file = sqlite3.connect(path, timeout=LOCKED_S, isolation_level=None, check_same_thread=False)
            stack.callback(self._file.close)
            self._file.execute("PRAGMA journal_mode = WAL")
            for statement in _TABLES:
                self._file.execute(statement)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, InUse) or getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY":
                raise Refused(say("{path} is in use: another program runs with this folder", path=str(path))) from error
            raise Refused(say("{path}: the room can't be kept: {reason}", path=str(path), reason=str(error))) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._free()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep what is noted within in one transaction: all of it, or nothing. Raise sqlite3.Error."""
        with self._writing:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._file.execute("COMMIT")
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")

    def setting(self, name: str) -> str | None:
        """Return what is kept under a name."""
        row = self._file.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def value(self, name: str, read: Callable[[str], T]) -> T | None:
        """Return what ``read`` makes of what is kept under a name; None if there is nothing.

        Raise Refused, naming file and value, where ``read`` raises an error of values (ValueError and its like).
        """
        kept = self.setting(name)
        try:
            return None if kept is None else read(kept)
        except (Refused, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise Refused(
                say("{path} is damaged: its value {name} makes no sense", path=str(self.path), name=name)
            ) from error

    def identity(self) -> Identity:
        """Return this table's own key pair. Raise Refused for a damaged one, ValueError without one."""
        return self.value("private", Identity.parse) or Identity.parse("")

    def names(self) -> list[str]:
        """Return the names under which something is kept."""
        return [str(name) for (name,) in self._file.execute("SELECT name FROM setting ORDER BY name")]

    def keep(self, name: str, value: str) -> None:
        """Keep a text under a name; return when it is on disk."""
        self._file.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    def next_counter(self) -> int:
        """Return a number that was never returned before, not by an earlier run either."""
        with self._writing:
            if self._used >= self._reserved:
                reserved = self._used + _AHEAD
                self.keep("counter", str(reserved))
                self._reserved = reserved  # Not before it is on disk, where that fails.
            self._used += 1
            return self._used

    def skip_past(self, counter: int) -> None:
        """Return only higher numbers from now on than one that another program has used."""
        with self._writing:
            if counter > self._used:  # The other one goes on from there, too.
                self._used = self._reserved = counter + _leap()

    def last_counter(self, public: str) -> int:
        """Return the highest counter of a table's announcements that counted; -1 without any."""
        row = self._file.execute("SELECT counter FROM peer WHERE public = ?", (public,)).fetchone()
        return -1 if row is None else int(row[0])

    def note_counters(self, counters: Mapping[str, int]) -> None:
        """Note the counters of tables' announcements, all at once."""
        with self.together():
            for public, counter in counters.items():
                self._file.execute("INSERT OR REPLACE INTO peer VALUES (?, ?)", (public, counter))

    def promise(self, game: str, number: int, what: str) -> None:
        """Note, before others get to know it, what this table has promised for a place of the log."""
        self._file.execute("INSERT OR IGNORE INTO promise VALUES (?, ?, ?)", (game, number, what))

    def has_promised(self, game: str, number: int, what: str) -> bool:
        """Return whether this table has promised something for a place of the log."""
        row = self._file.execute(
            "SELECT 1 FROM promise WHERE game = ? AND number = ? AND what = ?", (game, number, what)
        ).fetchone()
        return row is not None

    def note_entry(self, entry: SharedEntry) -> None:
        """Keep an entry that counts here, as its table has signed it: others may ask for it, also in a later game."""
        row = (
            entry.game,
            entry.number,
            entry.kind,
            canonical(dict(entry.data)),
            entry.prev,
            entry.table,
            entry.signature,
        )
        self._file.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def note_signature(self, entry: SharedEntry) -> None:
        """Keep that another table has signed an entry, too: should it lose what it has, it believes itself."""
        row = (entry.game, entry.number, entry.table, entry.signature)
        self._file.execute("INSERT OR IGNORE INTO also VALUES (?, ?, ?, ?)", row)

    def signed_by(self, entry: SharedEntry, public: str) -> SharedEntry:
        """Return an entry as a table has signed it, if that is known; else as it is."""
        row = self._file.execute(
            "SELECT signature FROM also WHERE game = ? AND number = ? AND writer = ?",
            (entry.game, entry.number, public),
        ).fetchone()
        return entry if row is None else replace(entry, table=public, signature=_without_blanks(row[0]))

    def entries(self, game: str, first: int, most: int) -> list[SharedEntry]:
        """Return kept entries of a game from a number on, without gaps; a damaged one counts as missing."""
        rows = self._file.execute(
            "SELECT * FROM entry WHERE game = ? AND number >= ? ORDER BY number LIMIT ?", (game, first, most)
        ).fetchall()
        found: list[SharedEntry] = []
        for row in rows:
            try:
                entry = SharedEntry(
                    row[0], row[1], row[2], read_object(row[3]), row[4], row[5], _without_blanks(row[6])
                )
            except (ValueError, TypeError, AttributeError):
                break
            if entry.number != first + len(found):
                break
            found.append(entry)
        return found


def _without_blanks(signature: str) -> str:
    """Return a signature as others read it: releases before this one have kept any with blanks between the digits."""
    return "".join(signature.split()).lower()


def _read_counter(text: str) -> int:
    counter = int(text)
    if not 0 <= counter < LAST_COUNTER:
        raise ValueError("no number of a message")
    return counter
