"""Lesson files: what is read, what is said to each legal action, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.game import Game
from firmware_host.games.lessons import (
    HasLessons,
    LessonError,
    LessonVerdict,
    judge,
    lessons_of,
    load,
    read,
    reason_for,
    sentences,
)
from firmware_host.games.registry import GAMES
from tests.sampling import together

TAUGHT = sorted(name for name, game in GAMES.items() if isinstance(game, HasLessons))
GAME = GAMES["phalanx"]
START = "9/1ww6/1ww6/9/9/9/6bb1/6bb1/9 b 3 1"
PLAIN = f"""
title = "A first move"
[[exercise]]
words = "Move G3 to F2."
position = "{START}"
seat = 1
asked = ["G3-F2"]
answer = ["G3-F2"]
[exercise.wrong]
"+*" = "That adds."
"*" = "Something else."
"""


@pytest.mark.parametrize("name", TAUGHT)
def test_every_lesson_is_sound_and_every_other_legal_action_is_told_why(name: str) -> None:
    game = GAMES[name]
    for lesson in load(game):
        position: Any = None
        for exercise in lesson.exercises:
            position = position if exercise.position is None else game.parse(exercise.position)
            for action in exercise.answer:
                others = game.actions(position)[exercise.seat]
                assert all(told(game, exercise, position, other) for other in others)
                position = game.apply(position, {**exercise.partner, exercise.seat: action}).position


def told(game: Game[Any], exercise: Any, position: Any, action: str) -> bool:
    """Tell whether an action is asked for, on the way, or answered with a reason of its own."""
    after = game.apply(position, {**exercise.partner, exercise.seat: action}).position
    judgement = judge(game, exercise, action, after)
    if judgement.found is not LessonVerdict.WRONG:
        return True
    reason = reason_for(exercise, action) or exercise.missed
    return bool(reason) and judgement.words.endswith(reason)


def test_a_file_is_read() -> None:
    lesson = read(GAME, "01-move.toml", PLAIN)
    assert (lesson.name, lesson.title) == ("01-move", "A first move")
    exercise = lesson.exercises[0]
    position: Any = GAME.parse(START)

    def said(action: str) -> tuple[LessonVerdict, str]:
        judgement = judge(GAME, exercise, action, GAME.apply(position, {1: action}).position)
        return judgement.found, judgement.words

    assert said("G3-F2")[0] is LessonVerdict.DONE
    assert said("+F3")[1].endswith("That adds.")
    assert said("H2-F3")[1].endswith("Something else.")
    assert list(sentences(PLAIN)) == ["A first move", "Move G3 to F2.", "That adds.", "Something else."]


@together(
    ("before", "after", "why"),
    [
        ('title = "A first move"', "", "title: expected a text, but it is missing"),
        ('title = "A first move"', "title = 3", "title: expected a text, got 3"),
        ('title = "A first move"', "title = ", "not TOML"),
        ("seat = 1", "seat = 2", "exercise 1, answer: G3-F2 is no legal action of seat 2"),
        ("seat = 1", "seat = 1\ncolour = 2", "exercise 1, colour: unknown field, expected one of task"),
        (START, "9/9 b 3 1", "exercise 1, position: "),
        (f'position = "{START}"', "", "exercise 1, position: expected one: the first exercise has none before it"),
        ('answer = ["G3-F2"]', "answer = []", "exercise 1, answer: expected at least one action"),
        ('answer = ["G3-F2"]', 'answer = ["G3-A1"]', "exercise 1, answer: G3-A1 is no legal action"),
        ('answer = ["G3-F2"]', 'answer = ["H3-F2"]', "exercise 1, answer: after H3-F2 the exercise is wrong"),
        ('asked = ["G3-F2"]', "", "exercise 1, asked: expected asked or until"),
        ('asked = ["G3-F2"]', 'until = "never"', "exercise 1, until: expected one of "),
        ('"*" = "Something else."', "", "exercise 1, wrong: nothing is said to G2-"),
        ("[exercise.wrong]", "partner = { x = 'end' }\n[exercise.wrong]", "exercise 1, partner: expected numbers"),
        (
            "[exercise.wrong]",
            "partner = { 2 = 'end' }\n[exercise.wrong]",
            "exercise 1, partner: expected what seats []",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(before: str, after: str, why: str) -> None:
    assert before in PLAIN
    with pytest.raises(LessonError) as error:
        read(GAME, "01-move.toml", PLAIN.replace(before, after, 1))
    assert str(error.value).startswith("phalanx, lessons/01-move.toml: ")
    assert why in str(error.value)


def test_all_exercises_of_a_lesson_are_for_the_same_seat() -> None:
    second = PLAIN.partition("[[exercise]]")[2].replace("seat = 1", "seat = 2")
    with pytest.raises(LessonError, match="exercise 2, seat: expected 1, as in the first exercise, got 2"):
        read(GAME, "01-move.toml", f"{PLAIN}[[exercise]]{second}")


def test_a_condition_that_is_missed_is_told() -> None:
    lines = PLAIN.replace('asked = ["G3-F2"]', 'until = "the turn is over"').split("[exercise.wrong]")[0]
    with pytest.raises(LessonError, match="after G3-F2 the exercise is on the way"):
        read(GAME, "01-move.toml", lines)
    lesson = read(GAME, "01-move.toml", lines.replace('answer = ["G3-F2"]', 'answer = ["G3-F2", "end"]'))
    position: Any = GAME.parse(START)
    after = GAME.apply(position, {1: "end"}).position
    assert judge(GAME, lesson.exercises[0], "end", after).found is LessonVerdict.DONE
    assert judge(GAME, lesson.exercises[0], None, after).found is LessonVerdict.WRONG


def test_a_game_from_outside_brings_its_own_and_a_broken_one_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "02-good.toml").write_text(PLAIN)
    (tmp_path / "01-broken.toml").write_text("title = 1")
    (tmp_path / "notes.txt").write_text("not a lesson")

    class Own:
        lessons, conditions = tmp_path, {}

        def __getattr__(self, name: str) -> Any:
            return getattr(GAME, name)

    game: Any = Own()
    assert [lesson.name for lesson in lessons_of(game)] == ["02-good"]
    assert "01-broken.toml" in caplog.text
