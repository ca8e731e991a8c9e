"""Puzzles as JSON lines: those that come with a game, and those that a household has made (puzzles.md)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of, solver_of
from firmware_host.games.game import Game, bounded_cache
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused

FOLDER = "puzzles"
DAYS = 7
_FORMS = {"kind": str, "position": str, "seat": int, "answer": list, "ends": int, "looked": int, "replies": dict}


@bounded_cache(16)
def shipped_puzzles(game: Game[Any]) -> tuple[Puzzle, ...]:
    """Return the puzzles that come with a game."""
    solver = solver_of(game)
    found = read(game, solver.file) if solver else ()
    return tuple(sorted(found, key=lambda puzzle: (puzzle.looked, puzzle.id)))


def own_file(data: Path, game: Game[Any]) -> Path:
    """Return where a household keeps the puzzles of a game that it has made."""
    return data / FOLDER / f"{game.name}.jsonl"


def all_puzzles(game: Game[Any], data: Path | None) -> tuple[Puzzle, ...]:
    """Return the puzzles that come with a game, then those that stand in a data folder. Raise Refused as read does."""
    if data is None:
        return shipped_puzzles(game)
    path = own_file(data, game)
    written = path.stat().st_mtime_ns if path.exists() else 0
    return (*shipped_puzzles(game), *_read_at(game, path, written)) if written else shipped_puzzles(game)


@bounded_cache(16)
def _read_at(game: Game[Any], path: Path, written: int) -> tuple[Puzzle, ...]:  # noqa: ARG001 - it is read again later
    return tuple(read(game, path))


def read(game: Game[Any], path: Path) -> list[Puzzle]:
    """Return a game's puzzles in a file; none where there is no file. Raise Refused naming the line that is none."""
    if not path.exists():
        return []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: can't be read: {error}") from error
    return [_parse(game, line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line]


def append(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Add puzzles to a file. Raise Refused where it can't be written."""
    text = "".join(line(puzzle) + "\n" for puzzle in puzzles)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"{path}: can't be written: {error.strerror}") from error


def line(puzzle: Puzzle) -> str:
    """Return a puzzle as one line."""
    form = {"id": puzzle.id, **dataclasses.asdict(puzzle), "grade": puzzle.grade}
    del form["game"]
    return json.dumps(form, separators=(",", ":"))


def _parse(game: Game[Any], text: str, where: str) -> Puzzle:
    try:
        found = read_object(text)
    except InvalidJson as error:
        raise Refused(f"{where}: {error}: {text[:40]!r}") from error
    for name, form in _FORMS.items():
        if not isinstance(found.get(name), form):
            raise Refused(f"{where}: {name}: expected {form.__name__}")
    if found["kind"] not in kinds_of(game):
        raise Refused(f"{where}: kind: expected one of {', '.join(kinds_of(game))}, got {found['kind']!r}")
    fields = {name: found[name] for name in _FORMS}
    puzzle = Puzzle(game.name, **{**fields, "answer": tuple(found["answer"])})
    if found.get("id") != puzzle.id:
        raise Refused(f"{where}: id: expected {puzzle.id}, got {found.get('id')!r}")
    return puzzle


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
