"""What happened at the table in the running or last game, as lines that ``lodestone table`` plays again.

A report of a fault is such a file: ``lodestone log --evening``. The lines are those of docs/table-protocol.md, with the
readings of the sensors after debouncing, what phones and host asked for, and when. It has no names, and a placement
only once all have opened theirs; times count from the beginning of the game.

Of a game between far tables the file has what this one has seen: which seats others play, whether hands have to wait
for them, and the entries that they have written.

What the protocol has no line for is left out: seats that change hands during the game, what a search has found, and
the settings of the lights.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive.files import put_aside, read_small
from firmware_host.services.table_protocol import far_tables, line_of, opening_line, seal_line
from firmware_host.session.table_setup import Entry
from firmware_host.table import events as ev
from firmware_host.table.state import Table
from firmware_host.text.json_reader import read_object, seconds
from firmware_host.text.words import Refused

FOLDER, FILE = "log", "evening.jsonl"
LARGEST = 4 << 20
"""Maximum size of a file, bytes: far more than an evening has."""
SETTLED_S = 2.0
"""After this time what hands have done last counts."""
PAUSE_S = 2.0
"""How long a restart of the program has taken, as far as the lines tell."""

_NONE = "no game has begun here since this version of Lodestone runs"

_log = logging.getLogger(__name__)


class EveningLog:
    """The file of one data folder. Only the table's loop uses it; failures to write are logged, and end the file."""

    def __init__(self, data: Path) -> None:
        """Write nothing before a game begins, or goes on that the file has from its beginning."""
        self._path = data / FOLDER / FILE
        self._game = ""
        self._begun = 0.0
        """Time of the loop at which the lines' time is 0."""
        self._left = 0
        self._far: object = None
        """The far tables as last written."""

    def resume(self, table: Table, at: float) -> None:
        """Go on with a game whose table was made again from its journal, if the file has its beginning."""
        if table.lesson is not None or not table.ledger.started or self._game == table.ledger.game_id:
            return
        self._game = ""
        with suppress(OSError, ValueError):
            lines = _read_lines(self._path)
            if read_object(lines[0]).get("id") == table.ledger.game_id:
                self._game, self._begun = table.ledger.game_id, at - _time_of(lines[-1]) - PAUSE_S
                self._left = LARGEST - self._path.stat().st_size
                self._write({"do": "restart", "time": self._time(at)})
                self._far = ...  # It may have been another one before.
                self._note_far(table, at)

    def note(self, table: Table, event: ev.Event, entries: Sequence[Entry]) -> None:
        """Note an event that the table has processed, with these entries.

        A seal is noted when all are revealed: before that nobody may know it.
        """
        if table.lesson is not None:
            return
        start = next((data for kind, data in entries if kind == "start"), None)
        if start is not None:
            self._begin(table, event.at, start)
        elif self._game == table.ledger.game_id:
            self._note_far(table, event.at)
            line = line_of(event)
            if line is not None:
                self._write({**line, "time": self._time(event.at)})
            for kind, data in entries:
                for seat, action in data["actions"].items() if kind == "reveal" else ():
                    self._write({**seal_line(int(seat), action), "time": self._time(event.at)})

    def _note_far(self, table: Table, at: float) -> None:
        """Note the far tables if they are others than before; a room may change them without an event."""
        far = far_tables(table.far)
        if far != self._far:
            self._far = far
            self._write({"do": "far", "far": far, "time": self._time(at)})

    def _begin(self, table: Table, at: float, start: Mapping[str, Any]) -> None:
        self._game, self._begun, self._left = table.ledger.game_id, at, LARGEST
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put_aside(self._path)  # What is no file there would keep every game from being noted, or be waited for.
            os.close(platform.open_file(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        except OSError as error:
            self._fail(error)
            return
        self._far = far_tables(table.far)
        self._write({"id": self._game, **opening_line(table, start), "time": 0.0})
        lying = {node: sensed for node, sensed in table.watch.tracker.sensed.items() if sensed}
        if lying:
            self._write({"do": "sense", "nodes": lying, "time": 0.0})

    def _time(self, at: float) -> float:
        return round(max(0.0, at - self._begun), 3)

    def _write(self, line: Mapping[str, Any]) -> None:
        text = json.dumps(line) + "\n"
        self._left -= len(text)
        if self._left < 0:
            self._game = ""
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self._game = ""
        _log.warning("The evening can't be kept in %s: %s", self._path, error.strerror)


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a file, at least one. Raise OSError, also for what is no file, or ValueError."""
    lines = read_small(path, LARGEST).decode("utf-8").splitlines()
    if not lines:
        raise ValueError("no line")
    return lines


def _time_of(line: str) -> float:
    """Return the time of a line. Raise ValueError for what is no line of an evening."""
    return seconds(read_object(line), "time", -1.0)


def evening_text(data: Path, is_hidden: Callable[[str], bool]) -> str:
    """Return the lines of the last game in a data folder; ``is_hidden`` tells of a game's id. Raise Refused."""
    path = data / FOLDER / FILE
    try:
        lines = _read_lines(path)
        opening = read_object(lines[0])
        try:
            end = _time_of(lines[-1])
        except ValueError:  # A power cut has torn it.
            lines.pop()
            end = _time_of(lines[-1] if lines else "")
    except (FileNotFoundError, ValueError) as error:
        raise Refused(f"{path}: {_NONE}") from error
    except OSError as error:
        raise Refused(f"{path}: can't be read: {error.strerror}") from error
    # Without "do": a game between far tables, in releases whose files had no lines for it.
    if not {"do", "id"} <= opening.keys():
        raise Refused(f"{path}: {_NONE}")
    if is_hidden(str(opening.pop("id"))):
        raise Refused("the stack of this game is hidden until it is over: ask again then")
    settled = {"do": "tick", "time": end + SETTLED_S}
    return "".join(f"{line}\n" for line in (json.dumps(opening), *lines[1:], json.dumps(settled)))
