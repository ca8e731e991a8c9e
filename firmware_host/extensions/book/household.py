"""The household's book on disk: who has played what (what was solved: :mod:`firmware_host.link.solved`).

The book of 2,000 games takes a third of a second to make, and everybody may ask for it. So it is made again only if
the journal has another last event or a file has changed, and its tables only if one of the games that are over has.

================= ===================================================================================================
file              content
================= ===================================================================================================
``book.json``     summaries of the finished games: a cache, which may be deleted at any time
``forgotten.json`` seats of games, no names; without it the book shows the names that the records have
================= ===================================================================================================
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import read_journal, unwritable
from firmware_host.archive.files import read_small, reason_of, write_whole
from firmware_host.archive.journal_events import read_note
from firmware_host.archive.summary import GameSummary
from firmware_host.extensions.book.book import Book, book_of, seats_of
from firmware_host.link.solved import LARGEST, SolvedPuzzles, mark, solved_of
from firmware_host.table.errors import TableError
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import fill, say

_log = logging.getLogger(__name__)
JOURNAL = "journal.sqlite"
CACHE = "book.json"
FORGOTTEN = "forgotten.json"
FORM = 1
"""Version of the note of who is forgotten."""
CACHE_FORM = 4
"""Version of the cache; one of another version is rebuilt. Before 2 a loss on time was called ``resigned``."""


@dataclass(frozen=True)
class _Made:
    """A book, and what it was made from."""

    key: object
    over: Mapping[str, GameSummary]
    forgotten: Mapping[str, Sequence[int]]
    book: Book


class Household:
    """The book of a data folder. Thread-safe, also while a table writes the journal."""

    def __init__(self, data: Path, solved: SolvedPuzzles | None = None) -> None:
        """``data`` is the folder of the journal, which may not exist yet."""
        self._data = data
        self.solved = solved or solved_of(data)
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
            return last and (last, mark(self._data / JOURNAL), mark(self._data / FORGOTTEN))
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
                try:
                    self._data.mkdir(parents=True, exist_ok=True)
                    _write(self._data / FORGOTTEN, {"form": FORM, "games": {**forgotten, **more}})
                except OSError as error:
                    raise unwritable(error, "no_book") from error
            return len(found)

    def _summaries(self) -> Sequence[GameSummary]:
        path = self._data / JOURNAL
        if not path.exists():
            return []
        known = self._made.over if self._made is not None else self._read_cache()
        with read_journal(path) as journal:
            found = journal.games(known)
        over = {one.id: one for one in found if one.state == "finished"}
        if over != known:
            with suppress(OSError):  # The cache only saves time.
                _write(self._data / CACHE, {"form": CACHE_FORM, "games": [asdict(one) for one in over.values()]})
        return found

    def _read_cache(self) -> dict[str, GameSummary]:
        """Return the finished games of the cache, none if it is missing or unreadable."""
        try:
            saved = read_object(read_small(self._data / CACHE, LARGEST))
            return {one["id"]: _summary(one) for one in saved["games"]} if saved["form"] == CACHE_FORM else {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def _forgotten(self) -> dict[str, list[int]]:
        """Return the forgotten seats. Raise TableError: without them hidden names would show."""
        path = self._data / FORGOTTEN
        try:
            text = read_small(path, LARGEST)
            if not text:  # As a power cut left it before its writing was synced.
                return {}
            return {str(game): [int(seat) for seat in seats] for game, seats in read_object(text)["games"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            form = say(
                "{file}: it can't be read as the list of who is forgotten ({reason}); mend it, or delete it: then the"
                " book shows the names again"
            )
            _log.warning("%s: it can't be read: %s", path, error)  # Guests are told no path.
            raise TableError("no_book", fill(form, file=path.name, reason=reason_of(error))) from error


def _summary(saved: Mapping[str, Any]) -> GameSummary:
    """Return a saved summary: JSON has texts for the numbers of seats, and lists for tuples."""
    return GameSummary(
        **{
            **saved,
            "seats": {int(seat): name for seat, name in saved["seats"].items()},
            "computers": {int(seat): level for seat, level in saved["computers"].items()},
            "winners": tuple(saved["winners"]),
            "changed": tuple(saved["changed"]),
        }
    )


def _write(path: Path, saved: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(saved, ensure_ascii=False))
