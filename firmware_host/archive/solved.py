"""Puzzles that people of the household have solved: who, how quickly, and how many days in a row. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from firmware_host.table.names import looks


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


def with_one_more(known: Iterable[Solved], new: Solved) -> list[Solved]:
    """Return the list with one more; of one puzzle on one day the shortest time of a person counts."""
    same = [one for one in known if _key(one) == _key(new)]
    quickest = min([*same, new], key=lambda one: one.seconds)
    return [*(one for one in known if _key(one) != _key(new)), quickest]


def without(known: Iterable[Solved], name: str) -> list[Solved]:
    """Return the list without all that somebody has solved."""
    return [one for one in known if looks(one.name) != looks(name)]


def solvers(known: Sequence[Solved], today: date) -> list[Solver]:
    """Return what each person has solved, the names as they were written last, in their order."""
    found: dict[str, Solver] = {}
    puzzles: dict[str, set[tuple[str, str]]] = {}
    days: dict[str, set[str]] = {}
    for one in known:
        key = looks(one.name)
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
    return sorted(found.values(), key=lambda person: (looks(person.name), person.name))


def clock(seconds: int) -> str:
    """Return seconds as people say them: ``0:07``, ``12:30``."""
    return f"{seconds // 60}:{seconds % 60:02}"


def _key(one: Solved) -> tuple[str, str, str, str]:
    return looks(one.name), one.game, one.puzzle, one.day


def _streak(days: set[str], today: date) -> int:
    """Return how many days in a row there are up to today, or up to yesterday where today has none yet."""
    at = today if today.isoformat() in days else today - timedelta(days=1)
    count = 0
    while at.isoformat() in days:
        count, at = count + 1, at - timedelta(days=1)
    return count
