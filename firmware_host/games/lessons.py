"""Lessons: exercises that a game brings as data, what is asked in each, and what is said to every other legal action.

An exercise is a position, the seat that the learner plays, what is asked, and an answer. Nothing that the rules allow
is refused: :func:`judge` says of each action whether it is what was asked, a step on the way, or something else.
:mod:`firmware_host.games.lesson_files` reads lessons from the folder of their game.
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
"""Tells of a position whether it is what is asked of a seat."""


@dataclass(frozen=True)
class Exercise:
    """One thing to be done.

    ``position`` is the text of the position that is set up; None: it goes on from where the exercise before it ended.
    ``asked`` are patterns of actions (``*`` stands for any characters), one of which each action of the learner has to
    fit; none: any action does. ``until`` is a condition that has to hold at the end; empty: one action is enough.
    ``answer`` are actions that do it, in order. ``partner`` is what other seats choose where all act at once.

    ``wrong`` maps patterns to what is said to a legal action that does not fit, the first that fits counts. ``missed``
    is said when the learner's turn has ended without ``until``, ``done`` when it is done.

    ``judged`` judges an action by itself, given the position after it, in place of all these: a puzzle has it.
    """

    words: str
    seat: int
    answer: Sequence[str]
    position: str | None = None
    asked: Sequence[str] = ()
    until: str = ""
    partner: Mapping[int, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    missed: str = ""
    done: str = ""
    judged: Callable[[str, Any], Judgement] | None = None


@dataclass(frozen=True)
class Lesson:
    """Some exercises, under two minutes together. ``name`` is that of its file, without the ending.

    A puzzle is one exercise; ``name`` is its id then, and ``grade`` is above 0.
    """

    name: str
    title: str
    exercises: Sequence[Exercise]
    grade: int = 0


@runtime_checkable
class HasLessons(Protocol):
    """What a game offers beside :class:`Game` when it brings lessons."""

    lessons: Any
    """The folder of its lesson files: an :class:`importlib.resources.abc.Traversable`, or a path."""
    conditions: Mapping[str, Condition]
    """The conditions that ``until`` may name, beside those that every game has."""


class Found(Enum):
    """What an action of the learner is."""

    DONE = "done"
    ON_THE_WAY = "on the way"
    WRONG = "wrong"


@dataclass(frozen=True)
class Judgement:
    """What is said of an action."""

    found: Found
    words: str = ""


def conditions_of(game: Game[Any]) -> Mapping[str, Condition]:
    """Return the conditions that exercises of a game may name."""

    def turn_over(position: Any, seat: int) -> bool:
        return not acts(game, position, seat)

    def won(position: Any, seat: int) -> bool:
        status = game.status(position)
        return status.over and seat in status.winners

    own = game.conditions if isinstance(game, HasLessons) else {}
    return {"the turn is over": turn_over, "won": won, **own}


def acts(game: Game[Any], position: Any, seat: int) -> bool:
    """Tell whether a seat alone acts in a position."""
    return not game.status(position).over and not game.simultaneous(position) and game.actor(position) == seat


def judge(game: Game[Any], exercise: Exercise, action: str | None, after: Any) -> Judgement:
    """Judge an action of the learner that led to a position; None is something else than an action (resigning)."""
    if action is None:
        return Judgement(Found.WRONG, say("That is not what this lesson asks for."))
    return exercise.judged(action, after) if exercise.judged else _by_patterns(game, exercise, action, after)


def _by_patterns(game: Game[Any], exercise: Exercise, action: str, after: Any) -> Judgement:
    if exercise.asked and not _fits(action, exercise.asked):
        return Judgement(Found.WRONG, _wrong(game, exercise, action))
    if not exercise.until or conditions_of(game)[exercise.until](after, exercise.seat):
        return Judgement(Found.DONE, exercise.done)
    if any(fnmatchcase(action, pattern) for pattern in exercise.wrong):
        return Judgement(Found.WRONG, _wrong(game, exercise, action))
    if acts(game, after, exercise.seat):
        return Judgement(Found.ON_THE_WAY)
    return Judgement(Found.WRONG, _allowed(game, action, exercise.missed))


def reason_for(exercise: Exercise, action: str) -> str | None:
    """Return what an exercise says to a wrong action; None where it says nothing."""
    return next((words for pattern, words in exercise.wrong.items() if fnmatchcase(action, pattern)), None)


def _fits(action: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in patterns)


def _wrong(game: Game[Any], exercise: Exercise, action: str) -> str:
    return _allowed(game, action, reason_for(exercise, action) or exercise.missed or exercise.words)


def _allowed(game: Game[Any], action: str, why: str) -> str:
    deed = capital(game.words(action))
    return say("{deed}: the rules allow that, but the lesson asks for something else. {why}", deed=deed, why=why)
