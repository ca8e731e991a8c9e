"""Puzzles that people of the household have solved: who, how quickly, and how many days in a row. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from firmware_host.table.subjects.seats import name_key


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
