"""The household's book on disk: who has played what, and who has solved which puzzles.

The book of 2,000 games takes a third of a second to make, and everybody may ask for it. So it is made again only if
the journal has another last event or a file has changed, and its tables only if one of the games that are over has.

================= ===================================================================================================
file              content
================= ===================================================================================================
``book.json``     summaries of the finished games: a cache, which may be deleted at any time
``forgotten.json`` seats of games, no names; without it the book shows the names that the records have
``solved.jsonl``  solved puzzles, a line for each in the order in which they were written
``solved.json``   the same of former releases; the first change writes its content into ``solved.jsonl``
================= ===================================================================================================

A solved puzzle is appended and synchronised to the disk: a note costs a line, not the file. What is written whole (a
name is forgotten, a day is removed, the oldest go) replaces the file at once. A line that a power cut has left
incomplete is the last one, and is left out. Anybody in the network may write here, so there are bounds: a number of
lines, and a smaller one for each day, so that a day of nonsense does not push months out.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive import solved
from firmware_host.archive.book import Book, book_of, seats_of
from firmware_host.archive.data_folder import read_journal, unwritable
from firmware_host.archive.files import read_small, write_whole
from firmware_host.archive.journal_events import read_note
from firmware_host.archive.summary import GameSummary
from firmware_host.table.errors import TableError
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import Text, fill, say, say_many

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
            raise TableError("no_book", fill(form, file=str(path), reason=str(error))) from error


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


SOLVED = "solved.jsonl"
SOLVED_BEFORE = "solved.json"
"""The file of former releases, one JSON object; the first change writes its content into the present one."""
MAX_SOLVED = 20_000
"""Maximum number of solved puzzles kept; the oldest go."""
MORE = 1000
"""Lines beyond ``MAX_SOLVED`` before the file is written anew, so that not each one more does."""
LARGEST = 64 << 20
"""Maximum size of the file, bytes."""
MAX_A_DAY = 500
"""Maximum number of solved puzzles of a day: a club's. It takes forty such days until the oldest go."""
Mark = tuple[int, int, int]
"""Inode, size and time of the last change of a file."""
Marks = tuple[Mark | None, Mark | None]


class SolvedPuzzles:
    """The solved puzzles of a data folder. Thread-safe; they are read again where another program has changed them."""

    def __init__(self, data: Path, today: Callable[[], date]) -> None:
        """``data`` may not exist yet. ``today`` is used to count days in a row."""
        self._path, self._before = data / SOLVED, data / SOLVED_BEFORE
        self._today = today
        self._lock = threading.Lock()
        self._read_at: Marks | None = None
        self._known: solved.Known = {}
        self._lines = 0
        self.left_out = 0
        """Number of lines of the file that can't be read: what they hold is left out."""
        self._whole = True
        """Whether the next line can be appended; else the file is written whole."""
        self._solvers: tuple[Marks, date, list[solved.Solver]] | None = None

    def solvers(self) -> list[solved.Solver]:
        """Return who has solved puzzles. Raise TableError if a file can't be read."""
        with self._lock:
            known, now, today = self._present(), self._marks(), self._today()
            if self._solvers is None or self._solvers[:2] != (now, today):
                self._solvers = now, today, solved.solvers(known.values(), today)
            return self._solvers[2]

    def days(self) -> dict[str, int]:
        """Return day → number of puzzles solved on it, the latest first. Raise TableError as :meth:`solvers` does."""
        with self._lock:
            return solved.days(self._present().values())

    def note(self, one: solved.Solved) -> None:
        """Save a solved puzzle. Raise TableError if that fails, or if the day has no room left."""
        with self._lock:
            known = dict(self._present())
            of_the_day = sum(other.day == one.day for other in known.values())
            solved.enter(known, one)
            if len(known) > len(self._known) and of_the_day >= MAX_A_DAY:
                raise TableError("too_many", say("no more solved puzzles fit into the book today"))
            _drop_oldest(known)
            if self._whole and self._lines < MAX_SOLVED + MORE:
                self._append(one, known)
            else:
                self._write(known)

    def forget(self, name: str) -> bool:
        """Delete all that somebody has solved; return whether there was any. Raise TableError if that fails."""
        return self._remove(lambda known: solved.without(known, name)) > 0

    def remove(self, day: str) -> int:
        """Delete all that was solved on a day; return how many. Raise TableError if that fails."""
        return self._remove(lambda known: [one for one in known if one.day != day])

    def _remove(self, left: Callable[[Iterable[solved.Solved]], Iterable[solved.Solved]]) -> int:
        with self._lock:
            known: solved.Known = {}
            for one in left(self._present().values()):
                solved.enter(known, one)
            count = len(self._known) - len(known)
            if count:
                if self._before.exists():  # First the same in the present form: killed in between, nothing comes back.
                    self._write(self._known)
                self._write(known)
            return count

    def trouble(self) -> Text | None:
        """Return what people have to know of the files, None if all can be read."""
        try:
            self.solvers()
        except TableError as error:
            return error.message if isinstance(error.message, Text) else fill(error.message)
        if not self.left_out:
            return None
        return say_many(
            "{count} line of {file} can't be read: the puzzle that it says is solved is left out of the book.",
            "{count} lines of {file} can't be read: the puzzles that they say are solved are left out of the book.",
            self.left_out,
            file=str(self._path),
        )

    # -- the files -----------------------------------------------------------------------------------------------------

    def _present(self) -> solved.Known:
        """Return what the files say. Raise TableError: they are no cache."""
        now = self._marks()
        if now != self._read_at:
            self._known, self.left_out = {}, 0
            self._whole, self._lines = now[1] is None, 0
            if now[1] is not None:
                self._read(self._before, self._read_former)
            if now[0] is not None:
                self._read(self._path, self._read_lines)
            _drop_oldest(self._known)
            self._read_at = now
        return self._known

    def _read(self, path: Path, read: Callable[[bytes], None]) -> None:
        try:
            read(read_small(path, LARGEST))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            self._read_at = None
            form = say("{file}: it can't be read as the list of solved puzzles ({reason}); mend it, or delete it")
            raise TableError("no_book", fill(form, file=str(path), reason=str(error))) from error

    def _read_former(self, content: bytes) -> None:
        for one in read_object(content)["solved"]:
            solved.enter(self._known, _one(one))

    def _read_lines(self, content: bytes) -> None:
        lines = content.split(b"\n")
        self._whole = self._whole and not lines[-1]
        self._lines = len(lines) - 1
        left_out = 0
        for line in lines[:-1]:
            try:
                solved.enter(self._known, _one(read_object(line)))
            except (ValueError, TypeError, KeyError):
                left_out += 1
        if left_out:
            _log.warning("%s: %d lines can't be read; they are left out", self._path, left_out)
        self.left_out = left_out

    def _append(self, one: solved.Solved, known: solved.Known) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(one))
                file.flush()
                platform.sync(file.fileno())
        except OSError as error:
            self._read_at = None  # Half of a line may be there.
            raise unwritable(error, "no_book") from error
        self._holds(known, self._lines + 1)

    def _write(self, known: solved.Known) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, "".join(map(_line, known.values())))
            self._before.unlink(missing_ok=True)
        except OSError as error:
            self._read_at = None
            raise unwritable(error, "no_book") from error
        self._holds(known, len(known))

    def _holds(self, known: solved.Known, lines: int) -> None:
        self._known, self._lines, self._whole, self._read_at = known, lines, True, self._marks()

    def _marks(self) -> Marks:
        return _mark(self._path), _mark(self._before)


def _drop_oldest(known: solved.Known) -> None:
    for oldest in list(known)[: max(0, len(known) - MAX_SOLVED)]:
        del known[oldest]


def _mark(path: Path) -> Mark | None:
    """Return what changes with a file, None without the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _line(one: solved.Solved) -> str:
    return json.dumps(asdict(one), ensure_ascii=False, separators=(",", ":")) + "\n"


def _one(saved: Any) -> solved.Solved:
    words = {name: str(saved[name]) for name in ("name", "game", "puzzle", "day")}
    return solved.Solved(**words, seconds=int(saved["seconds"]), daily=bool(saved["daily"]))
