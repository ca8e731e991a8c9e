"""Puzzles that people of the household have solved: who, how quickly, how many days in a row; and where that is kept.

``solved.jsonl`` has a line for each in the order in which they were written; ``solved.json`` the same of former
releases: the first change writes its content into the present one. A solved puzzle is appended and synchronised to the
disk: a note costs a line, not the file. What is written whole (a name is forgotten, a day is removed, the oldest go)
replaces the file at once. A line that a power cut has left incomplete is the last one, and is left out. Anybody in the
network may write here, so there are bounds: a number of lines, and a smaller one for each day, so that a day of
nonsense does not push months out.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive.data_folder import unwritable
from firmware_host.archive.files import read_small, reason_of, write_whole
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.seats import name_key
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import Text, fill, say, say_many

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Solved:
    """One puzzle that somebody solved on a ``day`` (YYYY-MM-DD); ``daily``: it was the puzzle of that day."""

    name: str
    game: str
    puzzle: str
    day: str
    seconds: int
    daily: bool


@dataclass
class Solver:
    """What somebody has solved: how many puzzles, the best time in each game, days in a row with a daily puzzle.

    ``today`` has, by game, the seconds for the puzzle of the day.
    """

    name: str
    solved: int = 0
    streak: int = 0
    best: dict[str, int] = field(default_factory=dict)
    today: dict[str, int] = field(default_factory=dict)


Known = dict[tuple[str, str, str, str], Solved]
"""Solved puzzles by person, game, puzzle and day, in the order in which they were entered."""


def enter(known: Known, new: Solved) -> None:
    """Enter one more, as the last; of one puzzle on one day the shortest time of a person counts."""
    key = name_key(new.name), new.game, new.puzzle, new.day
    before = known.pop(key, new)
    known[key] = min(before, new, key=lambda one: one.seconds)


def days(known: Iterable[Solved]) -> dict[str, int]:
    """Return day → number of puzzles solved on it, the latest first."""
    return dict(sorted(Counter(one.day for one in known).items(), reverse=True))


def without(known: Iterable[Solved], name: str) -> list[Solved]:
    """Return the list without all that somebody has solved."""
    return [one for one in known if name_key(one.name) != name_key(name)]


def solvers(known: Iterable[Solved], today: date) -> list[Solver]:
    """Return what each person has solved, the names as they were written last, in their order."""
    found: dict[str, Solver] = {}
    puzzles: dict[str, set[tuple[str, str]]] = {}
    days: dict[str, set[str]] = {}
    for one in known:
        key = name_key(one.name)
        person = found.setdefault(key, Solver(one.name))
        person.name = one.name
        person.best[one.game] = min(one.seconds, person.best.get(one.game, one.seconds))
        puzzles.setdefault(key, set()).add((one.game, one.puzzle))
        if one.daily:
            days.setdefault(key, set()).add(one.day)
        if one.daily and one.day == today.isoformat():
            person.today[one.game] = one.seconds
    for key, person in found.items():
        person.solved, person.streak = len(puzzles[key]), _streak(days.get(key, set()), today)
    return sorted(found.values(), key=lambda person: (name_key(person.name), person.name))


def clock(seconds: int) -> str:
    """Return seconds as people say them: ``0:07``, ``12:30``."""
    return f"{seconds // 60}:{seconds % 60:02}"


def _streak(days: set[str], today: date) -> int:
    """Return how many days in a row there are up to today, or up to yesterday where today has none yet."""
    at = today if today.isoformat() in days else today - timedelta(days=1)
    count = 0
    while at.isoformat() in days:
        count, at = count + 1, at - timedelta(days=1)
    return count


# -- where they are kept -----------------------------------------------------------------------------------------------

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


@cache
def solved_of(data: Path) -> SolvedPuzzles:
    """Return the solved puzzles of a data folder: one object for all who write there."""
    return SolvedPuzzles(data)


class SolvedPuzzles:
    """The solved puzzles of a data folder. Thread-safe; they are read again where another program has changed them."""

    def __init__(self, data: Path, today: Callable[[], date] = date.today) -> None:
        """``data`` may not exist yet. ``today`` is used to count days in a row."""
        self._path, self._before = data / SOLVED, data / SOLVED_BEFORE
        self._today = today
        self._lock = threading.Lock()
        self._read_at: Marks | None = None
        self._known: Known = {}
        self._lines = 0
        self.left_out = 0
        """Number of lines of the file that can't be read: what they hold is left out."""
        self._whole = True
        """Whether the next line can be appended; else the file is written whole."""
        self._solvers: tuple[Marks, date, list[Solver]] | None = None

    def solvers(self) -> list[Solver]:
        """Return who has solved puzzles. Raise TableError if a file can't be read."""
        with self._lock:
            known, now, today = self._present(), self._marks(), self._today()
            if self._solvers is None or self._solvers[:2] != (now, today):
                self._solvers = now, today, solvers(known.values(), today)
            return self._solvers[2]

    def days(self) -> dict[str, int]:
        """Return day → number of puzzles solved on it, the latest first. Raise TableError as :meth:`solvers` does."""
        with self._lock:
            return days(self._present().values())

    def note(self, one: Solved) -> None:
        """Save a solved puzzle. Raise TableError if that fails, or if the day has no room left."""
        with self._lock:
            known = dict(self._present())
            of_the_day = sum(other.day == one.day for other in known.values())
            enter(known, one)
            if len(known) > len(self._known) and of_the_day >= MAX_A_DAY:
                raise TableError("too_many", say("no more solved puzzles fit into the book today"))
            _drop_oldest(known)
            if self._whole and self._lines < MAX_SOLVED + MORE:
                self._append(one, known)
            else:
                self._write(known)

    def forget(self, name: str) -> bool:
        """Delete all that somebody has solved; return whether there was any. Raise TableError if that fails."""
        return self._remove(lambda known: without(known, name)) > 0

    def remove(self, day: str) -> int:
        """Delete all that was solved on a day; return how many. Raise TableError if that fails."""
        return self._remove(lambda known: [one for one in known if one.day != day])

    def _remove(self, left: Callable[[Iterable[Solved]], Iterable[Solved]]) -> int:
        with self._lock:
            known: Known = {}
            for one in left(self._present().values()):
                enter(known, one)
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
            file=self._path.name,
        )

    # -- the files -----------------------------------------------------------------------------------------------------

    def _present(self) -> Known:
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
            _log.warning("%s: it can't be read: %s", path, error)  # Guests are told no path.
            raise TableError("no_book", fill(form, file=path.name, reason=reason_of(error))) from error

    def _read_former(self, content: bytes) -> None:
        for one in read_object(content)["solved"]:
            enter(self._known, _one(one))

    def _read_lines(self, content: bytes) -> None:
        lines = content.split(b"\n")
        self._whole = self._whole and not lines[-1]
        self._lines = len(lines) - 1
        left_out = 0
        for line in lines[:-1]:
            try:
                enter(self._known, _one(read_object(line)))
            except (ValueError, TypeError, KeyError):
                left_out += 1
        if left_out:
            _log.warning("%s: %d lines can't be read; they are left out", self._path, left_out)
        self.left_out = left_out

    def _append(self, one: Solved, known: Known) -> None:
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

    def _write(self, known: Known) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, "".join(map(_line, known.values())))
            self._before.unlink(missing_ok=True)
        except OSError as error:
            self._read_at = None
            raise unwritable(error, "no_book") from error
        self._holds(known, len(known))

    def _holds(self, known: Known, lines: int) -> None:
        self._known, self._lines, self._whole, self._read_at = known, lines, True, self._marks()

    def _marks(self) -> Marks:
        return mark(self._path), mark(self._before)


def _drop_oldest(known: Known) -> None:
    for oldest in list(known)[: max(0, len(known) - MAX_SOLVED)]:
        del known[oldest]


def mark(path: Path) -> Mark | None:
    """Return what changes with a file, None without the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _line(one: Solved) -> str:
    return json.dumps(asdict(one), ensure_ascii=False, separators=(",", ":")) + "\n"


def _one(saved: Any) -> Solved:
    words = {name: str(saved[name]) for name in ("name", "game", "puzzle", "day")}
    return Solved(**words, seconds=int(saved["seconds"]), daily=bool(saved["daily"]))
