"""Lessons: exercises as a game's data, with tasks, and replies to every other legal action.

An exercise is a position, the learner's seat, a task, and an answer. No legal action is refused: :func:`judge` tells
whether an action fulfils the task, is a step on the way, or something else.

Lessons are files, ``lessons/*.toml`` in the folder of a game, read and checked against its rules. A file has a
``title`` and a list ``[[exercise]]``, whose fields are those of :class:`Exercise`; docs/adding-a-game.md has an
example.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Protocol, runtime_checkable

from firmware_host.games.game import Game, GameError, bounded_cache
from firmware_host.text.words import capital, say

Condition = Callable[[Any, int], bool]
"""(position, seat) → whether the position fulfils the seat's task."""


@dataclass(frozen=True)
class Exercise:
    """One task. ``task`` says it in a headline; empty: the lesson's title. ``words`` say it at length.

    ``position`` is the text of the position to set up; None: the exercise continues the one before. ``asked`` are
    patterns of actions (``*`` stands for any characters), one of which each action of the learner must match; empty:
    any action. ``until`` is a condition that must hold at the end; empty: one action is enough. ``answer`` are actions
    that fulfil the task, in order. ``partner`` maps the other seats to their actions where all act at once.

    ``wrong`` maps patterns to replies to a legal action that does not fit; the first matching pattern counts.
    ``missed`` is shown if the learner's turn ends without ``until``, ``done`` after success.

    ``judged`` replaces all these: it judges an action by itself, given the position after it, as a puzzle does.
    """

    words: str
    seat: int
    answer: Sequence[str]
    task: str = ""
    position: str | None = None
    asked: Sequence[str] = ()
    until: str = ""
    partner: Mapping[int, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    missed: str = ""
    done: str = ""
    judged: Callable[[str, Any], LessonReply] | None = None


@dataclass(frozen=True)
class Lesson:
    """Some exercises, less than two minutes in all. ``name`` is the file's name without its ending.

    A puzzle has one exercise, its id as the name and a ``grade`` above 0.
    """

    name: str
    title: str
    exercises: Sequence[Exercise]
    grade: int = 0


@runtime_checkable
class HasLessons(Protocol):
    """The further members of a :class:`Game` with lessons."""

    lessons: Any
    """The folder of the lesson files: an :class:`importlib.resources.abc.Traversable`, or a path."""
    conditions: Mapping[str, Condition]
    """The conditions that ``until`` may name, in addition to those of every game."""


class LessonVerdict(Enum):
    """The verdict about a learner's action."""

    DONE = "done"
    ON_THE_WAY = "on the way"
    WRONG = "wrong"


@dataclass(frozen=True)
class LessonReply:
    """The verdict about an action, and the reply to the learner."""

    found: LessonVerdict
    words: str = ""


def conditions_of(game: Game[Any]) -> Mapping[str, Condition]:
    """Return the conditions that exercises of a game may name."""

    def turn_over(position: Any, seat: int) -> bool:
        return not acts_alone(game, position, seat)

    def won(position: Any, seat: int) -> bool:
        status = game.status(position)
        return status.over and seat in status.winners

    own = game.conditions if isinstance(game, HasLessons) else {}
    return {"the turn is over": turn_over, "won": won, **own}


def acts_alone(game: Game[Any], position: Any, seat: int) -> bool:
    """Tell whether a seat is the only one to act in a position."""
    return not game.status(position).over and not game.simultaneous(position) and game.actor(position) == seat


def judge(game: Game[Any], exercise: Exercise, action: str | None, after: Any) -> LessonReply:
    """Judge a learner's action that led to the position ``after``; ``action`` is None for resigning and the like."""
    if action is None:
        return LessonReply(LessonVerdict.WRONG, say("That is not what this lesson asks for."))
    return exercise.judged(action, after) if exercise.judged else _by_patterns(game, exercise, action, after)


def _by_patterns(game: Game[Any], exercise: Exercise, action: str, after: Any) -> LessonReply:
    if exercise.asked and not _fits(action, exercise.asked):
        return LessonReply(LessonVerdict.WRONG, _reply_to_wrong(game, exercise, action))
    if not exercise.until or conditions_of(game)[exercise.until](after, exercise.seat):
        return LessonReply(LessonVerdict.DONE, exercise.done)
    if any(fnmatchcase(action, pattern) for pattern in exercise.wrong):
        return LessonReply(LessonVerdict.WRONG, _reply_to_wrong(game, exercise, action))
    if acts_alone(game, after, exercise.seat):
        return LessonReply(LessonVerdict.ON_THE_WAY)
    return LessonReply(LessonVerdict.WRONG, _reply_to_legal(game, action, exercise.missed))


def reason_for(exercise: Exercise, action: str) -> str | None:
    """Return an exercise's reply to a wrong action; None if it has none."""
    return next((words for pattern, words in exercise.wrong.items() if fnmatchcase(action, pattern)), None)


def _fits(action: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in patterns)


def _reply_to_wrong(game: Game[Any], exercise: Exercise, action: str) -> str:
    return _reply_to_legal(game, action, reason_for(exercise, action) or exercise.missed or exercise.words)


def _reply_to_legal(game: Game[Any], action: str, why: str) -> str:
    said = capital(game.words(action))
    return say("{action}: the rules allow that, but the lesson asks for something else. {why}", action=said, why=why)


# -- lessons as files --------------------------------------------------------------------------------------------------


ENDING = ".toml"
WORDS = ("task", "words", "missed", "done")
"""The fields of an exercise that people read, besides the sentences in ``wrong``."""
_TEXT, _TEXTS, _TABLE, _NUMBER = "a text", "a list of texts", "a table of texts", "a whole number"
_FIELDS = {
    "task": _TEXT,
    "words": _TEXT,
    "seat": _NUMBER,
    "answer": _TEXTS,
    "position": _TEXT,
    "asked": _TEXTS,
    "until": _TEXT,
    "partner": _TABLE,
    "wrong": _TABLE,
    "missed": _TEXT,
    "done": _TEXT,
}
MAX_TASK = 48
"""Number of letters of a task: two lines of a headline on a phone."""
_REQUIRED = ("words", "seat", "answer")

_log = logging.getLogger(__name__)


class LessonError(ValueError):
    """An unusable lesson; the message names game, file, exercise and field, and what was expected."""


@dataclass(frozen=True)
class _Place:
    """The place of an error."""

    file: str
    exercise: int = 0

    def wrong(self, field: str, why: str) -> LessonError:
        """Return the error about a field."""
        exercise = f"exercise {self.exercise}, " if self.exercise else ""
        return LessonError(f"{self.file}: {exercise}{field}: {why}")


@bounded_cache(16)
def lessons_of(game: Game[Any]) -> Sequence[Lesson]:
    """Return the lessons of a game, in the order of their files; unusable ones are logged and left out."""
    found = []
    for name, text in _files(game):
        try:
            found.append(read(game, name, text))
        except LessonError as error:
            _log.warning("a lesson is left out: %s", error)
    return found


@bounded_cache(16)
def load(game: Game[Any]) -> Sequence[Lesson]:
    """Return all lessons of a game. Raise LessonError for the first unusable one."""
    return [read(game, name, text) for name, text in _files(game)]


def read(game: Game[Any], name: str, text: str) -> Lesson:
    """Return the lesson in a file's text, checked against the rules of its game. Raise LessonError."""
    where = _Place(f"{game.name}, lessons/{name}")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{where.file}: not TOML: {error}") from error
    _check_fields(where, data, {"title": _TEXT, "exercise": "a list of tables [[exercise]]"}, ("title", "exercise"))
    exercises = [_exercise(_Place(where.file, number), table) for number, table in enumerate(data["exercise"], start=1)]
    if not exercises:
        raise where.wrong("exercise", "expected at least one")
    _check_by_rules(game, where.file, exercises)
    title = data["title"]
    return Lesson(name.removesuffix(ENDING), say(title), exercises)


def sentences(text: str) -> Iterator[str]:
    """Yield all sentences of a lesson file that people read, for the catalogues."""
    data = tomllib.loads(text)
    yield data["title"]
    for table in data["exercise"]:
        yield from (table[name] for name in WORDS if table.get(name))
        yield from table.get("wrong", {}).values()


def _files(game: Game[Any]) -> list[tuple[str, str]]:
    """Return name and text of each lesson file of a game, sorted by name."""
    if not isinstance(game, HasLessons):
        return []
    files = [entry for entry in game.lessons.iterdir() if entry.name.endswith(ENDING)]
    return sorted((entry.name, entry.read_text(encoding="utf-8")) for entry in files)


# -- its form ----------------------------------------------------------------------------------------------------------


def _exercise(where: _Place, table: Mapping[str, Any]) -> Exercise:
    _check_fields(where, table, _FIELDS, _REQUIRED)
    if not table["answer"]:
        raise where.wrong("answer", "expected at least one action")
    if not table.get("asked") and not table.get("until"):
        raise where.wrong("asked", "expected asked or until, or both")
    if len(table.get("task", "")) > MAX_TASK:
        raise where.wrong("task", f"expected at most {MAX_TASK} letters")
    words = {name: say(table[name]) for name in WORDS if table.get(name)}
    partner = {}
    for seat, action in table.get("partner", {}).items():
        if not seat.isdecimal():
            raise where.wrong("partner", f"expected numbers of seats, got {seat!r}")
        partner[int(seat)] = action
    wrong = {pattern: say(words) for pattern, words in table.get("wrong", {}).items()}
    plain = {name: table[name] for name in ("seat", "answer", "position", "asked", "until") if name in table}
    return Exercise(**{**plain, **words, "partner": partner, "wrong": wrong})


def _check_fields(where: _Place, table: Any, fields: Mapping[str, str], required: Sequence[str]) -> None:
    if not isinstance(table, dict):
        raise where.wrong("[[exercise]]", "expected a table")
    for name in required:
        if name not in table:
            raise where.wrong(name, f"expected {fields[name]}, but it is missing")
    for name, value in table.items():
        if name not in fields:
            raise where.wrong(name, f"unknown field, expected one of {', '.join(fields)}")
        if not _is(fields[name], value):
            raise where.wrong(name, f"expected {fields[name]}, got {value!r:.60}")


def _is(kind: str, value: Any) -> bool:
    if kind == _TEXT:
        return isinstance(value, str) and bool(value.strip())
    if kind == _NUMBER:
        return type(value) is int
    if kind == _TABLE:
        return isinstance(value, dict) and all(_is(_TEXT, one) for one in value.values())
    return isinstance(value, list) and (kind != _TEXTS or all(_is(_TEXT, one) for one in value))


# -- its content by the rules ------------------------------------------------------------------------------------------


def _check_by_rules(game: Game[Any], file: str, exercises: Sequence[Exercise]) -> None:
    """Play all answers, and check the answers to all other legal actions on the way. Raise LessonError."""
    position: Any = None
    for number, exercise in enumerate(exercises, start=1):
        where = _Place(file, number)
        if exercise.position is not None:
            position = _parse_position(game, where, exercise.position)
        elif position is None:
            raise where.wrong("position", "expected one: the first exercise has none before it")
        if exercise.until and exercise.until not in conditions_of(game):
            known = ", ".join(sorted(conditions_of(game)))
            raise where.wrong("until", f"expected one of {known}, got {exercise.until!r}")
        if exercise.seat != exercises[0].seat:  # The learner's phone holds one seat.
            raise where.wrong("seat", f"expected {exercises[0].seat}, as in the first exercise, got {exercise.seat}")
        position = _play_answer(game, where, exercise, position)


def _parse_position(game: Game[Any], where: _Place, text: str) -> Any:
    try:
        return game.parse(text)
    except GameError as error:
        raise where.wrong("position", error.message) from error


def _play_answer(game: Game[Any], where: _Place, exercise: Exercise, position: Any) -> Any:
    """Return the position after an exercise's answer, whose last action must complete the exercise."""
    for number, action in enumerate(exercise.answer, start=1):
        offered = game.actions(position)
        if action not in offered.get(exercise.seat, ()):
            raise where.wrong("answer", f"{action} is no legal action of seat {exercise.seat} in {game.text(position)}")
        if not game.simultaneous(position) and not acts_alone(game, position, exercise.seat):
            raise where.wrong("seat", f"seat {exercise.seat} does not act in {game.text(position)}")
        _check_partner(where, exercise, offered)
        _check_reasons(game, where, exercise, position, offered)
        position = game.apply(position, {**exercise.partner, exercise.seat: action}).position
        found = judge(game, exercise, action, position).found
        last = number == len(exercise.answer)
        if found is not (LessonVerdict.DONE if last else LessonVerdict.ON_THE_WAY):
            raise where.wrong("answer", f"after {action} the exercise is {found.value}")
    return position


def _check_partner(where: _Place, exercise: Exercise, offered: Mapping[int, Sequence[str]]) -> None:
    others = sorted(seat for seat in offered if seat != exercise.seat)
    if sorted(exercise.partner) != others:
        raise where.wrong("partner", f"expected what seats {others} choose, got those of {sorted(exercise.partner)}")
    for seat, action in exercise.partner.items():
        if action not in offered[seat]:
            raise where.wrong("partner", f"{action} is no legal action of seat {seat}")


def _check_reasons(
    game: Game[Any], where: _Place, exercise: Exercise, position: Any, offered: Mapping[int, Sequence[str]]
) -> None:
    for action in offered[exercise.seat]:
        after = None  # Only conditions need the position after it, and ``apply`` is slow.
        if exercise.until:
            after = game.apply(position, {**exercise.partner, exercise.seat: action}).position
        if judge(game, exercise, action, after).found is not LessonVerdict.WRONG or reason_for(exercise, action):
            continue
        if exercise.until and not exercise.missed:
            raise where.wrong("missed", f"expected what is said when the turn ends otherwise, as by {action}")
        if not exercise.until:
            raise where.wrong("wrong", f"nothing is said to {action}; * stands for all other actions")
