"""Queries of a journal: its games, their entries, and the verification of all events."""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from firmware_host.archive.journal_form import (
    COLUMNS,
    FIRST_HASH,
    SCHEMA,
    SCHEMA_VERSION,
    Entry,
    JournalError,
    Row,
    checked,
)
from firmware_host.archive.summary import LIFE_KINDS, GameSummary, summarise, turn_of
from firmware_host.text.words import Text, say


class Reading:
    """The queries. The subclass that opens the database sets ``path``, ``_db`` and ``_lock``."""

    path: Path
    _db: sqlite3.Connection
    _lock: threading.RLock

    def entries(self, game: str) -> list[Entry]:
        """Return all entries of a game, oldest first; none of an unknown game. Raise JournalError at a damaged one."""
        return self._select("WHERE game = ? ORDER BY seq", (game,))

    def trusted_entries(self, game: str) -> list[Entry]:
        """Return all entries of a game that is to be resumed. Raise JournalError if they are not complete and intact.

        From the game's first entry to the journal's last none may be missing or out of the chain, and the index must
        list all of the game's. Earlier entries are left to :meth:`verify`.
        """
        entries = self.entries(game)
        if not entries or entries[0].kind != "game":
            raise JournalError(f"{self.path}: the beginning of game {game!r} is missing, or the index is damaged")
        expected = first = entries[0].seq
        hashes, named = {entry.seq: entry.hash for entry in entries}, 0
        prev = entries[0].prev if first > 1 else FIRST_HASH
        query = "SELECT seq, game, prev, hash FROM event NOT INDEXED WHERE seq >= ? ORDER BY seq"
        with self._lock, self._speaking("be read"), closing(self._db.execute(query, (max(1, first - 1),))) as rows:
            for seq, of, before, digest in rows:
                if seq == first - 1:
                    prev = digest
                    continue
                self._check_place(seq, expected, before, prev)
                if of == game and hashes.get(seq) != digest:
                    raise JournalError(f"{self.path}: the index is damaged: it does not name event {seq}")
                named += of == game
                expected, prev = seq + 1, digest
        if named != len(entries):
            raise JournalError(f"{self.path}: the index is damaged: it names events of game {game!r} that are not its")
        return entries

    def games(self, known: Mapping[str, GameSummary] | None = None) -> list[GameSummary]:
        """Return all games, oldest first, including lobbies without a start.

        Games in ``known`` (ended ones, say) are not read again while their number of entries is the same.
        """
        known = known or {}
        with self._lock, self._speaking("be read"):
            rows = self._db.execute("SELECT game, count(*) FROM event GROUP BY game ORDER BY min(seq)").fetchall()
        return [
            known[game] if game in known and known[game].events == events else self._summary(game, events)
            for game, events in rows
        ]

    def unfinished(self) -> GameSummary | None:
        """Return the most recently played game that was started and neither ended nor abandoned; None without one.

        A game that was resumed after it was abandoned counts as unfinished, and so does one whose end was taken back.
        """
        with self._lock, self._speaking("be read"):
            row = self._db.execute(
                "SELECT game, count(*), max(seq) FROM event GROUP BY game"
                " HAVING max(kind = 'start') AND max(seq * (kind = 'result')) <= max(seq * (kind = 'correction'))"
                " AND max(seq * (kind = 'abandoned')) <= max(seq * (kind = 'taken-up')) ORDER BY 3 DESC LIMIT 1"
            ).fetchone()
        return self._summary(row[0], row[1]) if row is not None else None

    def moved_claims(self) -> dict[str, str]:
        """Return claim before → claim after of every seat, in any game, that has moved to another phone."""
        held: dict[tuple[str, int], str] = {}
        moved: dict[str, str] = {}
        for entry in self._select("WHERE kind IN ('seat', 'moved') ORDER BY seq"):
            place, claim = (entry.game, entry.data["seat"]), entry.data["claim"]
            if entry.kind == "moved" and place in held:
                moved[held[place]] = claim
            held[place] = claim
        return moved

    def verify(self) -> None:
        """Check every event's hash and chain. Raise JournalError naming the first bad event."""
        with self._lock, self._speaking("be verified"):
            self._check_schema()
            expected, prev = 1, FIRST_HASH
            with closing(self._db.execute(f"SELECT {COLUMNS} FROM event NOT INDEXED ORDER BY seq")) as rows:  # noqa: S608 - a constant
                for row in rows:
                    self._check_place(row[0], expected, prev, prev)
                    prev = self._entry(row, after=prev).hash
                    expected += 1
            # The chain is intact, but SQLite's own structure, above all the index, may be damaged.
            found = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            if found != ("ok",):
                raise JournalError(f"{self.path}: all events are whole, but the file is damaged: {found[0]}")

    def _check_place(self, seq: int, expected: int, before: str, prev: str) -> None:
        """Raise JournalError unless an event is the expected one, and follows from the event before."""
        if seq != expected:
            raise JournalError(f"{self.path}: event {expected} is missing (the next one is {seq})")
        if before != prev:
            raise JournalError(f"{self.path}: event {seq} is damaged: it does not follow from the event before it")

    def _check_schema(self) -> None:
        found = {row[0] for row in self._db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if found != set(SCHEMA):
            raise JournalError(f"{self.path}: damaged: its tables are not those of a journal (schema {SCHEMA_VERSION})")

    def _select(self, where: str, parameters: tuple[str | int, ...] = ()) -> list[Entry]:
        with self._lock, self._speaking("be read"):
            rows = self._db.execute(f"SELECT {COLUMNS} FROM event {where}", parameters).fetchall()  # noqa: S608
        return [self._entry(row) for row in rows]

    def _entry(self, row: Row, after: str | None = None) -> Entry:
        """Return a row as an entry. Raise JournalError if it is damaged, or does not follow from ``after``."""
        try:
            return checked(row, after)
        except ValueError as error:
            raise JournalError(f"{self.path}: event {row[0]} is damaged: {error}") from error

    def _summary(self, game: str, events: int) -> GameSummary:
        marks = ", ".join("?" * len(LIFE_KINDS))
        told = self._select(f"WHERE game = ? AND kind IN ({marks}) ORDER BY seq", (game, *LIFE_KINDS))
        try:
            turns = self._last_turn(game, told[0].data) if told else 0
            return summarise(game, [(entry.kind, entry.at, entry.data) for entry in told], turns=turns, events=events)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"{self.path}: the entries of game {game!r} are not as expected: {error!r}") from error

    def _last_turn(self, game: str, head: Mapping[str, Any]) -> int:
        """Return the turn of the last reveal; in a game without seals, the turn of the last action."""
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

    @contextmanager
    def _speaking(self, wish: str) -> Iterator[None]:
        """Turn SQLite's and the system's errors into JournalErrors with the file's name."""
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: {error}", _reason(error)) from error
        except OSError as error:
            why = error.strerror or str(error)
            raise JournalError(f"{self.path}: the journal can't {wish}: {why}", _reason(error)) from error
        except UnicodeError as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: a text in it is damaged ({error})") from error


def _reason(error: sqlite3.Error | OSError) -> str:
    """Return the cause of an error of SQLite or the system in a few words, for the people at the table."""
    if isinstance(error, OSError):
        name = errno.errorcode.get(error.errno or 0, "")
    else:
        name = str(getattr(error, "sqlite_errorname", ""))
    return next((words for names, words in _REASONS.items() if name.startswith(names)), str(error))


_REASONS: Mapping[tuple[str, ...], Text] = {
    ("SQLITE_FULL", "ENOSPC", "EDQUOT"): say("the disk is full"),
    ("SQLITE_IOERR", "EIO", "EFBIG"): say("the disk can't be written"),
    ("SQLITE_READONLY", "EROFS", "EACCES"): say("the journal's file can only be read"),
    ("SQLITE_CORRUPT",): say("the journal's file is damaged"),
}
"""Beginnings of the names of SQLite's or the system's errors → their meaning."""
