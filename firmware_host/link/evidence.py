"""What others have sent, as lines of the log: refusals, and what was caught up with; and what a bundle says of it.

The log is small, and whoever knows a broker may flood it. So of each kind one line a minute is written; the next one
says how many were not.
"""

from __future__ import annotations

import logging
import sqlite3
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from firmware_host.archive.backups import copy_file
from firmware_host.archive.log import FILE
from firmware_host.archive.log import FOLDER as LOG

A_KIND_S = 60.0
MAX_KINDS = 200
SETTINGS = ("name", "served", "since", "counter")
"""Settings of a room or club that are no secrets."""


class Evidence:
    """Writes such lines: of what others have sent at level INFO, of errors at level ERROR."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds."""
        self._log, self._clock = log, clock
        self._told: dict[str, tuple[float, int]] = {}
        """Kind → when it was told last, and how many were not since then."""

    def note(self, kind: str, words: str, *parts: object) -> None:
        """Write a line (``words`` with ``parts``, as for logging), unless one of this kind was just written."""
        self._write(logging.INFO, kind, None, words, parts)

    def note_error(self, error: BaseException, words: str, *parts: object) -> None:
        """Write a line of an error that others may bring about again and again: its kind is the place that raised it.

        How the program got there is long: it is written once.
        """
        way = traceback.extract_tb(error.__traceback__)
        kind = f"{type(error).__name__} {way[-1].filename}:{way[-1].lineno}" if way else type(error).__name__
        self._write(logging.ERROR, kind, None if kind in self._told else error, f"{words}: %s", (*parts, kind))

    def _write(self, level: int, kind: str, error: BaseException | None, words: str, parts: tuple[object, ...]) -> None:
        now = self._clock()
        kind = kind if kind in self._told or len(self._told) < MAX_KINDS else ""
        at, more = self._told.get(kind, (now - A_KIND_S, 0))
        if now < at + A_KIND_S:
            self._told[kind] = at, more + 1
            return
        self._told[kind] = now, 0
        told = f"{words}; and %d more like it before" if more else words
        self._log.log(level, told, *parts, *([more] if more else []), exc_info=error)


@contextmanager
def database_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a copy of a database that may be in use."""
    with tempfile.TemporaryDirectory(prefix="lodestone-copy-") as folder:
        copy = Path(folder) / "copy"
        copy.touch()
        copy_file(path, copy)
        with closing(sqlite3.connect(copy)) as found:
            yield found


def room_evidence(path: Path) -> Mapping[str, Any]:
    """Return what is known of a room or a club at one table: who was heard, and which entries of a game are here.

    An entry's ``before`` is the hash of the one before it: where two tables have the same, they agree up to there.
    """
    with database_copy(path) as found:
        kept = dict(found.execute("SELECT name, value FROM setting").fetchall())
        link = parse_qs(urlsplit(kept.get("invitation", "")).query)
        entries: dict[str, list[Any]] = {}
        with suppress(sqlite3.OperationalError):
            rows = "SELECT game, number, kind, writer, prev FROM entry ORDER BY game, number"
            for game, number, kind, writer, before in found.execute(rows):
                entries.setdefault(game, []).append(
                    {"number": number, "kind": kind, "table": writer[:16], "before": before[:16]}
                )
        return {
            **{name: kept[name] for name in SETTINGS if name in kept},
            "broker": link.get("broker", [""])[0],
            "opened by": link.get("opener", [""])[0][:16],
            "heard": [
                {"table": public[:16], "counter": counter}
                for public, counter in found.execute("SELECT public, counter FROM peer ORDER BY public")
            ],
            "entries": entries,
        }


def log_text(data: Path) -> str:
    """Return the log of a data folder, oldest line first; empty if there is none. Raise OSError."""
    parts = [data / LOG / f"{FILE}.1", data / LOG / FILE]
    return "".join(part.read_text(encoding="utf-8", errors="replace") for part in parts if part.exists())
