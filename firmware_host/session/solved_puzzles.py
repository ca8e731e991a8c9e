"""Solved puzzles in the data folder: ``solved.jsonl``, a line for each in the order in which they were written.

One more is appended and synchronised to the disk: a note costs a line, not the file. What is written whole (a name is
forgotten, a day is removed, the oldest go) replaces the file at once. A line that a power cut has left incomplete is
the last one, and is left out. Anybody in the network may write here, so there are bounds: a number of lines, and a
smaller one for each day, so that a day of nonsense does not push months out.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from firmware_host.archive import solved
from firmware_host.archive.files import write_whole
from firmware_host.table.errors import TableError
from firmware_host.text.words import fill, say

FILE = "solved.jsonl"
BEFORE = "solved.json"
"""The file of former releases, one JSON object; the first change writes its content into the present one."""
MOST = 20_000
"""Maximum number of solved puzzles kept; the oldest go."""
MORE = 1000
"""Lines beyond ``MOST`` before the file is written anew, so that not each one more does."""
MOST_A_DAY = 500
"""Maximum number of solved puzzles of a day: a club's. It takes forty such days until the oldest go."""
Signature = tuple[tuple[int, int, int] | None, ...]
"""Of each file: inode, size and time of the last change; None: it is missing."""


class SolvedPuzzles:
    """The solved puzzles of a data folder. Thread-safe; they are read again where another program has changed them."""

    def __init__(self, data: Path, today: Callable[[], date]) -> None:
        """``data`` may not exist yet. ``today`` is used to count days in a row."""
        self._path, self._before = data / FILE, data / BEFORE
        self._today = today
        self._lock = threading.Lock()
        self._read_at: Signature | None = None
        self._known: solved.Known = {}
        self._lines = 0
        self._whole = True
        """Whether the next line can be appended; else the file is written whole."""
        self._solvers: tuple[Signature, date, list[solved.Solver]] | None = None

    def solvers(self) -> list[solved.Solver]:
        """Return who has solved puzzles. Raise TableError if a file can't be read."""
        with self._lock:
            known, now, today = self._present(), self._signature(), self._today()
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
            if len(known) > len(self._known) and of_the_day >= MOST_A_DAY:
                raise TableError("too_many", say("no more solved puzzles fit into the book today"))
            _drop_oldest(known)
            if self._whole and self._lines < MOST + MORE:
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

    # -- the files -----------------------------------------------------------------------------------------------------

    def _present(self) -> solved.Known:
        """Return what the files say. Raise TableError: they are no cache."""
        now = self._signature()
        if now != self._read_at:
            self._known = {}
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
            read(path.read_bytes())
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            self._read_at = None
            form = say("{file}: it can't be read as the list of solved puzzles ({reason}); mend it, or delete it")
            raise TableError("no_book", fill(form, file=str(path), reason=str(error))) from error

    def _read_former(self, content: bytes) -> None:
        for one in json.loads(content)["solved"]:
            solved.enter(self._known, _one(one))

    def _read_lines(self, content: bytes) -> None:
        lines = content.split(b"\n")
        self._whole = self._whole and not lines[-1]
        self._lines = len(lines) - 1
        for line in lines[:-1]:
            solved.enter(self._known, _one(json.loads(line)))

    def _append(self, one: solved.Solved, known: solved.Known) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(one))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self._read_at = None  # Half of a line may be there.
            raise _unwritable(error) from error
        self._holds(known, self._lines + 1)

    def _write(self, known: solved.Known) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, "".join(map(_line, known.values())))
            self._before.unlink(missing_ok=True)
        except OSError as error:
            self._read_at = None
            raise _unwritable(error) from error
        self._holds(known, len(known))

    def _holds(self, known: solved.Known, lines: int) -> None:
        self._known, self._lines, self._whole, self._read_at = known, lines, True, self._signature()

    def _signature(self) -> Signature:
        return tuple(map(_signature, (self._path, self._before)))


def _drop_oldest(known: solved.Known) -> None:
    for oldest in list(known)[: max(0, len(known) - MOST)]:
        del known[oldest]


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _unwritable(error: OSError) -> TableError:
    why = error.strerror or str(error)
    return TableError("no_book", say("the data folder can't be written: {reason}", reason=why))


def _line(one: solved.Solved) -> str:
    return json.dumps(asdict(one), ensure_ascii=False, separators=(",", ":")) + "\n"


def _one(told: Any) -> solved.Solved:
    words = {name: str(told[name]) for name in ("name", "game", "puzzle", "day")}
    return solved.Solved(**words, seconds=int(told["seconds"]), daily=bool(told["daily"]))
