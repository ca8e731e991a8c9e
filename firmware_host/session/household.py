"""The storage of the household's book: cached summaries and forgotten people in the data folder.

The book of 2,000 games takes a third of a second to make, and everybody may ask for it. So it is made again only if
the journal has another last event or a file has changed, and its tables only if one of the games that are over has.

``book.json`` is a cache: it may be deleted at any time. ``forgotten.json`` has seats of games, no names; without it
the book shows the names that the records have. :mod:`firmware_host.session.solved_puzzles` stores solved puzzles.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from firmware_host.archive.book import Book, book_of, seats_of
from firmware_host.archive.files import write_whole
from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.journal_events import read_note
from firmware_host.archive.summary import GameSummary
from firmware_host.session.solved_puzzles import SolvedPuzzles
from firmware_host.table.errors import TableError
from firmware_host.text.words import Text, fill, say

T = TypeVar("T")
JOURNAL = "journal.sqlite"
CACHE = "book.json"
FORGOTTEN = "forgotten.json"
FORM = 1
"""Version of these files; a cache of another version is rebuilt."""


@dataclass(frozen=True)
class _Made:
    """A book, and what it was made from."""

    key: object
    over: Mapping[str, GameSummary]
    forgotten: Mapping[str, Sequence[int]]
    book: Book


class Household:
    """The book of a data folder. Thread-safe, also while a table writes the journal."""

    def __init__(self, data: Path, today: Callable[[], date] = date.today) -> None:
        """``data`` is the folder of the journal, which may not exist yet. ``today`` is used to count days in a row."""
        self._data = data
        self.solved = SolvedPuzzles(data, today)
        """The solved puzzles, which have a lock of their own."""
        self._lock = threading.Lock()
        self._made: _Made | None = None

    def book(self) -> Book:
        """Return the book of the present journal, the same object as before if nothing in it has changed.

        Raise TableError if journal or notes can't be read.
        """
        with self._lock:
            key = self._key()  # Before anything is read: what changes meanwhile is read again the next time.
            made = self._made
            if made is None or key is None or key != made.key:
                made = self._make(key)
            solvers = self.solved.solvers()
            if made.book.solvers != solvers:
                made = replace(made, book=replace(made.book, solvers=solvers))
            self._made = made
            return made.book

    def _key(self) -> object | None:
        """Return a value that changes whenever the tables of the book may change, None if there is none."""
        try:
            last = read_note(self._data / JOURNAL)
            return last and (last, _mark(self._data / JOURNAL), _mark(self._data / FORGOTTEN))
        except OSError:
            return None

    def _make(self, key: object) -> _Made:
        over = {one.id: one for one in self._summaries() if one.state == "finished"}
        forgotten = self._forgotten()
        before = self._made
        if before is None or before.over != over or before.forgotten != forgotten:
            return _Made(key, over, forgotten, book_of(over.values(), forgotten))
        return replace(before, key=key)

    def forget(self, name: str) -> int:
        """Anonymise a name in all games until now; return the number of games. Raise TableError if nobody has the name.

        The name's solved puzzles are deleted.
        """
        with self._lock:
            forgotten = self._forgotten()
            found = seats_of(self._summaries(), name, forgotten)
            if not self.solved.forget(name) and not found:
                raise TableError("bad_name", say("nobody called {name!r} stands in the book", name=name[:40]))
            more = {game: sorted({*forgotten.get(game, ()), *seats}) for game, seats in found.items()}
            if found:
                self._note(FORGOTTEN, {"form": FORM, "games": {**forgotten, **more}})
            return len(found)

    def _note(self, name: str, told: Mapping[str, Any]) -> None:
        try:
            self._data.mkdir(parents=True, exist_ok=True)
            _write(self._data / name, told)
        except OSError as error:
            why = error.strerror or str(error)
            raise TableError("no_book", say("the data folder can't be written: {reason}", reason=why)) from error

    def _summaries(self) -> Sequence[GameSummary]:
        path = self._data / JOURNAL
        if not path.exists():
            return []
        known = self._made.over if self._made is not None else self._cached()
        try:
            journal = Journal(path, writer=False, check=False)  # An open table has checked it.
            try:
                found = journal.games(known)
            finally:
                journal.close()
        except JournalError as error:
            raise TableError("no_journal", str(error)) from error
        over = {one.id: one for one in found if one.state == "finished"}
        if over != known:
            self._keep(over)
        return found

    def _cached(self) -> dict[str, GameSummary]:
        """Return the finished games of the cache, none if it is missing or unreadable."""
        try:
            told = json.loads((self._data / CACHE).read_text(encoding="utf-8"))
            return {one["id"]: _summary(one) for one in told["games"]} if told["form"] == FORM else {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}

    def _keep(self, games: Mapping[str, GameSummary]) -> None:
        try:
            _write(self._data / CACHE, {"form": FORM, "games": [asdict(one) for one in games.values()]})
        except OSError:
            return  # The cache only saves time.

    def _forgotten(self) -> dict[str, list[int]]:
        """Return the forgotten seats. Raise TableError: without them hidden names would show."""
        form = say(
            "{file}: it can't be read as the list of who is forgotten ({reason}); mend it, or delete it: then the"
            " book shows the names again"
        )
        return self._read(FORGOTTEN, _seats_of_games, form) or {}

    def _read(self, name: str, make: Callable[[Any], T], form: Text) -> T | None:
        """Return what is made of a JSON file, None if there is none. Raise TableError if it can't be read."""
        path = self._data / name
        try:
            text = path.read_text(encoding="utf-8")
            return make(json.loads(text)) if text else None  # As a power cut left it before its writing was synced.
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise TableError("no_book", fill(form, file=str(path), reason=str(error))) from error


def _seats_of_games(told: Any) -> dict[str, list[int]]:
    return {str(game): [int(seat) for seat in seats] for game, seats in told["games"].items()}


def _summary(told: Mapping[str, Any]) -> GameSummary:
    """Return a saved summary: JSON has texts for the numbers of seats, and lists for tuples."""
    return GameSummary(
        **{
            **told,
            "seats": {int(seat): name for seat, name in told["seats"].items()},
            "computers": {int(seat): level for seat, level in told["computers"].items()},
            "winners": tuple(told["winners"]),
            "changed": tuple(told["changed"]),
        }
    )


def _mark(path: Path) -> tuple[int, int, int] | None:
    """Return what changes with a file, None without the file. Raise OSError."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _write(path: Path, told: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(told, ensure_ascii=False))
