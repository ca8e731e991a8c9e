"""Every lesson of every game, done by a scripted hand; wrong tries are told why, and the position comes back."""

from __future__ import annotations

import pytest

from firmware_host.games.game import Game
from firmware_host.games.lessons import Exercise, LessonVerdict, judge, lessons_of
from firmware_host.games.registry import GAMES
from tests.sampling import together
from tests.session.learner import Learner

LESSONS = [(name, lesson.name) for name, game in sorted(GAMES.items()) for lesson in lessons_of(game)]


def wrong_try(game: Game, exercise: Exercise, position: object) -> str | None:
    """Return a legal action that is not what is asked, and that hands can make."""
    for action in game.actions(position)[exercise.seat]:
        simultaneous = game.simultaneous(position)
        if not simultaneous and not any(step.moves for step in game.steps(position) if step.action == action):
            continue
        after = game.apply(position, {**exercise.partner, exercise.seat: action}).position
        if judge(game, exercise, action, after).found is LessonVerdict.WRONG:
            return action
    return None


@together(("game", "lesson"), LESSONS)
def test_a_hand_does_every_lesson(game: str, lesson: str) -> None:
    learner = Learner(game, lesson)
    for number in range(len(learner.practice.lesson.exercises)):
        learner.do_tasks()
        exercise, position = learner.exercise, learner.table.ledger.now.position
        assert learner.shown["exercise"] == number + 1
        assert exercise is learner.practice.lesson.exercises[number]
        tried = wrong_try(learner.game, exercise, position)
        if tried is not None:
            before = learner.table
            learner.act(tried)
            assert learner.table is not before, "the position goes back"
            assert learner.game.text(learner.table.ledger.now.position) == learner.game.text(position)
            assert str(learner.shown["said"]).count("allow"), learner.shown["said"]
            learner.do_tasks()
            assert learner.table.in_order
        for action in exercise.answer:
            assert learner.practice.exercise is exercise
            learner.act(action)
        assert learner.shown["right"]
        assert learner.shown["said"] == (exercise.done or None)
        if learner.shown["done"] and not learner.shown["over"]:
            learner._sit_at(learner.practice.next(learner.at))
    assert learner.practice.over
    assert learner.shown["over"]


@together(("game", "lesson"), [one for one in LESSONS if one[1].startswith(("01", "06"))])
def test_a_phone_does_a_lesson_without_the_board(game: str, lesson: str) -> None:
    learner = Learner(game, lesson, phone=True)
    for _ in learner.practice.lesson.exercises:
        exercise = learner.exercise
        for action in exercise.answer:
            learner.wait(3.0)
            learner.act(action)
            learner.wait(3.0)
        assert (learner.shown["right"], learner.shown["said"]) == (True, exercise.done)
        learner.practice.next(learner.at)
    assert learner.shown["over"]
    assert not learner.stones, "no stone lies on the board"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_game_teaches_itself_in_six_to_ten_lessons(game: str) -> None:
    lessons = lessons_of(GAMES[game])
    if not lessons:
        pytest.skip("brings none yet")
    assert 6 <= len(lessons) <= 10
