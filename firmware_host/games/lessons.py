"""Lessons: exercises as a game's data, with tasks, and replies to every other legal action.

An exercise is a position, the learner's seat, a task, and an answer. No legal action is refused: :func:`judge` tells
whether an action fulfils the task, is a step on the way, or something else. :mod:`firmware_host.games.lesson_files`
reads lessons from the folder of their game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Protocol, runtime_checkable

from firmware_host.games.game import Game
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
