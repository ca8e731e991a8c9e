"""Puzzles as JSON lines: those that come with a game, and those that a household has made (puzzles.md)."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import threading
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import unwritable
from firmware_host.archive.files import read_small
from firmware_host.extensions.puzzles.puzzle import WHO, Puzzle, kinds_of, solver_of
from firmware_host.games.game import Game, GameError, bounded_cache
from firmware_host.table.errors import TableError
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused, say

FOLDER = "puzzles"
DAYS = 7
MAX_FILE = 16 << 20
"""Maximum size of a file of puzzles, bytes: twenty thousand puzzles, more than a page could list."""
MOST = 10**12
"""Maximum number of positions in a proof, and of ends: more than any search can look at."""
_FORMS = {"kind": str, "position": str, "seat": int, "answer": list, "ends": int, "looked": int, "replies": dict}

_log = logging.getLogger(__name__)
_keeping = threading.Lock()
"""Held from the look at what is known until the rest is written: two requests at once add a puzzle once."""


@bounded_cache(16)
def shipped_puzzles(game: Game[Any]) -> tuple[Puzzle, ...]:
    """Return the puzzles that come with a game. Raise Refused if their file can't be read."""
    solver = solver_of(game)
    found = read_good(game, solver.file) if solver else ()
    return tuple(sorted(found, key=lambda puzzle: (puzzle.looked, puzzle.id)))


def own_file(data: Path, game: Game[Any]) -> Path:
    """Return where a household keeps the puzzles of a game that it has made."""
    return data / FOLDER / f"{game.name}.jsonl"


def files_of(game: Game[Any], data: Path | None) -> list[Path]:
    """Return the files of a game's puzzles: those that come with it, those that stand in a data folder."""
    solver = solver_of(game)
    return [*([solver.file] if solver else []), *([own_file(data, game)] if data else [])]


def all_puzzles(game: Game[Any], data: Path | None) -> tuple[Puzzle, ...]:
    """Return the puzzles that come with a game, then those that stand in a data folder.

    Lines that are no puzzles are left out. Raise Refused if a file can't be read.
    """
    if data is None:
        return shipped_puzzles(game)
    path = own_file(data, game)
    written = path.stat().st_mtime_ns if path.exists() else 0
    return (*shipped_puzzles(game), *_read_at(game, path, written)) if written else shipped_puzzles(game)


@bounded_cache(16)
def _read_at(game: Game[Any], path: Path, written: int) -> tuple[Puzzle, ...]:  # noqa: ARG001 - it is read again later
    return tuple(read_good(game, path))


def read(game: Game[Any], path: Path) -> list[Puzzle]:
    """Return a game's puzzles in a file; none where there is no file. Raise Refused naming the line that is none."""
    found = []
    for one in _lines(game, path):
        if isinstance(one, Refused):
            raise one
        found.append(one)
    return found


def read_good(game: Game[Any], path: Path) -> list[Puzzle]:
    """Return what :func:`read` does, without the lines that are no puzzles: the log names them."""
    found = []
    for one in _lines(game, path):
        if isinstance(one, Refused):
            _log.warning("a puzzle is left out: %s", one)
        else:
            found.append(one)
    return found


def _lines(game: Game[Any], path: Path) -> Iterator[Puzzle | Refused]:
    """Yield the puzzle of each line, or why it is none. Raise Refused if the file can't be read."""
    if not path.exists():
        return
    try:
        lines = read_small(path, MAX_FILE).splitlines()
    except OSError as error:
        raise Refused(f"{path}: can't be read: {error.strerror}") from error
    for number, text in enumerate(lines, 1):
        if text:
            try:
                yield _parse(game, text, f"{path}, line {number}")
            except Refused as error:
                yield error


def append(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Add puzzles to a file. Raise Refused where it can't be written."""
    try:
        _add(path, puzzles)
    except OSError as error:
        raise Refused(f"{path}: can't be written: {error.strerror}") from error


def keep(data: Path, game: Game[Any], puzzles: Iterable[Puzzle]) -> None:
    """Add puzzles of a game, but for those that are known, to the household's. Thread-safe.

    Raise TableError where its file can't be read or written.
    """
    path = own_file(data, game)
    with _keeping:
        try:
            known = {puzzle.id for puzzle in all_puzzles(game, data)}
            _add(path, [one for one in puzzles if one.id not in known])
        except Refused as error:
            _log.warning("a puzzle is not kept: %s", error)
            words = say("the household's puzzles can't be read: mend {file} in the data folder, or delete it",
                        file=f"{FOLDER}/{path.name}")  # fmt: skip
            raise TableError("not_kept", words) from error
        except OSError as error:
            raise unwritable(error) from error


def _add(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Add puzzles to a file, each a line of its own also after one that a power cut has torn. Raise OSError."""
    text = "".join(line(puzzle) + "\n" for puzzle in puzzles)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            text = text if file.read(1) == b"\n" else f"\n{text}"
        file.write(text.encode("ascii"))


def line(puzzle: Puzzle) -> str:
    """Return a puzzle as one line."""
    form = {"id": puzzle.id, **dataclasses.asdict(puzzle), "grade": puzzle.grade}
    del form["game"]
    return json.dumps(form, separators=(",", ":"))


def _parse(game: Game[Any], text: bytes, where: str) -> Puzzle:
    """Return the puzzle of a line. Raise Refused for what no page could show; only the check proves the answer."""
    try:
        found = read_object(text)
    except InvalidJson as error:
        raise Refused(f"{where}: {error}: {text[:40]!r}") from error
    for name, form in _FORMS.items():
        if not isinstance(found.get(name), form) or isinstance(found[name], bool):
            raise Refused(f"{where}: {name}: expected {form.__name__}")
    if found["kind"] not in kinds_of(game):
        raise Refused(f"{where}: kind: expected one of {', '.join(kinds_of(game))}, got {found['kind'][:40]!r}")
    for name in ("ends", "looked"):
        if not 0 <= found[name] <= MOST:
            raise Refused(f"{where}: {name}: expected 0 to {MOST}")
    if not all(isinstance(one, str) for one in (*found["answer"], *found["replies"].values())):
        raise Refused(f"{where}: answer, replies: expected texts of actions")
    fields = {name: found[name] for name in _FORMS}
    puzzle = Puzzle(game.name, **{**fields, "answer": tuple(found["answer"])})
    _check_for_game(game, puzzle, where)
    if found.get("id") != puzzle.id:
        raise Refused(f"{where}: id: expected {puzzle.id}, got {str(found.get('id'))[:40]!r}")
    return puzzle


def _check_for_game(game: Game[Any], puzzle: Puzzle, where: str) -> None:
    """Raise Refused for a position, a seat or an answer that the game does not know."""
    try:
        seats = game.seats(game.parse(puzzle.position).mode)
    except GameError as error:
        raise Refused(f"{where}: position: {error}") from error
    if puzzle.seat not in seats:
        raise Refused(f"{where}: seat: expected one of {', '.join(map(str, seats))}")
    if not puzzle.answer:
        raise Refused(f"{where}: answer: expected at least one action")
    if kinds_of(game)[puzzle.kind].claim.form == WHO:
        if len(puzzle.answer) != 1 or puzzle.answer[0] not in map(str, seats):
            raise Refused(f"{where}: answer: expected the seat that wins")
        return
    try:
        for action in puzzle.answer:
            game.words(action)
    except GameError as error:
        raise Refused(f"{where}: answer: {error}") from error


def today(game: Game[Any], day: date) -> Puzzle | None:
    """Return the puzzle of a day: easy on Mondays, hard on Sundays; None where a game comes with none.

    It follows from the date and from what comes with the game, so that it is the same in every house.
    """
    known = shipped_puzzles(game)
    if not known:
        return None
    _, _, weekday = day.isocalendar()
    first, last = (len(known) * at // DAYS for at in (weekday - 1, weekday))
    chosen = known[first : max(last, first + 1)]
    weeks = day.toordinal() // DAYS
    stride = next(step for step in range(len(chosen) * 3 // 5 + 1, len(chosen) + 2) if _coprime(step, len(chosen)))
    return chosen[weeks * stride % len(chosen)]


def _coprime(one: int, other: int) -> bool:
    while other:
        one, other = other, one % other
    return one == 1
