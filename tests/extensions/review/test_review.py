"""A review is made of the game and of what a search answered, and of nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.extensions.review.review import (
    AHEAD,
    FIRST,
    LEAST,
    MUCH,
    TURNING,
    FinishedGame,
    GameReview,
    ReviewQuestion,
    TurningPoint,
    candidates,
    chosen_points,
    frames,
    place_in_film,
    review,
)
from firmware_host.games.game import Game
from firmware_host.games.registry import game as find_game
from firmware_host.games.thinking import Choice
from firmware_host.services.engine import position_now
from firmware_host.table.ledger import Moment

PHALANX = find_game("phalanx")


def played(game: Game[object], *actions: str, resigns: int) -> FinishedGame:
    position = game.start("2")
    moments = [Moment(position, game.status(position), game.occupancy(position), (), "start")]
    for action in actions:
        seat = game.actor(position) or 0
        after = game.apply(position, {seat: action})
        position = after.position
        moments.append(Moment(position, after.status, after.placed, after.removed, "action", seat, {seat: action}))
    end = game.resign(position, resigns)
    moments.append(Moment(end.position, end.status, end.placed, end.removed, "resign", resigns))
    return FinishedGame(game, "2", tuple(moments))


GAME = played(PHALANX, "+F2", "+F3", "+G1", resigns=2)


def answered(of: Callable[[ReviewQuestion], tuple[Choice, ...]]) -> dict[ReviewQuestion, Answer]:
    return {asked: Answer(found[0].action if (found := of(asked)) else None, (), found) for asked in GAME.questions()}


def test_every_action_that_was_chosen_is_asked_about() -> None:
    asked = GAME.questions()
    assert [(one.number, one.seat) for one in asked] == [(0, 1), (1, 1), (2, 1)], "a turn has three, and nobody resigns"
    assert all(one.question.ranked and one.question.nodes for one in asked)
    assert position_now(asked[1].question.request())[1] == GAME.moments[1].position


def test_a_game_of_few_actions_is_looked_at_longer_in_the_same_time() -> None:
    moments = [GAME.moments[0]] + [GAME.moments[1]] * 30
    strongest = PHALANX.strengths[-1].budget.nodes  # type: ignore[attr-defined]
    for count in (1, 15, 30):
        nodes = [one.question.nodes for one in replace(GAME, moments=moments[: count + 1]).questions()]
        assert nodes == [int(strongest * min(1, FIRST / count))] * count


def test_what_loses_much_is_shown_however_often_it_happens() -> None:
    def points(*lost: float) -> list[TurningPoint]:
        return [TurningPoint(number, 1, "x", Choice("y", 0.9), 0.9, one) for number, one in enumerate(lost)]

    less = [MUCH / 3, MUCH / 2, MUCH / 4]
    many = points(*less, *[MUCH] * (TURNING + 1))
    assert chosen_points(many) == many[len(less) :]
    few = points(*less, *[MUCH] * (TURNING - 1))
    assert chosen_points(few) == [few[1], *few[len(less) :]], "in the order of the game"


def test_the_curve_is_of_both_sides_and_ends_with_the_result() -> None:
    given = answered(lambda asked: (Choice(GAME.moments[asked.number + 1].actions[1], 0.5 + asked.number / 10),))
    found = review(GAME, given, ())
    assert found.lines[0] == [(0, 0.5), (1, 0.6), (2, 0.7), (4, 1.0)]
    assert found.lines[1] == [(0, 0.5), (1, 0.4), (2, 1 - 0.7), (4, 0.0)]
    assert candidates(GAME, given) == [], "what was best was played"


Ranked = tuple[Choice, ...]


class Searches:
    """An analyser: what a first, short search says of a moment, and what a long one does after some actions."""

    def __init__(self, short: Callable[[ReviewQuestion], Ranked], deep: Callable[[ActionQuestion], Ranked]) -> None:
        self.short = {asked.question: short(asked) for asked in GAME.questions()}
        self.deep, self.asked = deep, list[ActionQuestion]()

    def answer(self, question: Any) -> Answer:
        found = self.short.get(question)
        if found is None:
            self.asked.append(question)
            found = self.deep(question)
        return Answer(found[0].action if found else None, (), found)


def reviewed(searches: Searches) -> Sequence[TurningPoint]:
    """Return the turning points that are shown."""
    here = GameReview.of("phalanx-1", GAME)
    assert not here.next_questions(searches)  # type: ignore[arg-type]
    assert here.ready
    assert [one["moment"] - 1 for one in here.view()["turning"]] == [one.number for one in here.turning()]
    return here.turning()


def one_mistake(asked: ReviewQuestion) -> Ranked:
    """Say that the second action lost half of the game."""
    done = GAME.moments[asked.number + 1].actions[1]
    if asked.number == 1:
        return Choice("+G4", 0.8, line=("+F3", "nonsense", "+H4")), Choice(done, 0.3)
    return Choice("+H1", 0.5), Choice(done, 0.5 - LEAST / 2)


def after(question: ActionQuestion) -> str:
    """Return what a long search looks at: the moment itself, or the position after an action there."""
    last = dict(question.moves[-1]) if question.moves else {}
    return "here" if len(question.moves) < 2 else str(last[1])


def long_search(**values: float) -> Callable[[ActionQuestion], Ranked]:
    """Return long searches by what they say of the better action and of the one that was played."""
    said = {"here": (Choice("+G4", 0.7, line=("+F3", "nonsense", "+H4")), Choice("+F3", 0.6))}
    return lambda asked: (
        said.get(after(asked)) or (Choice("+A1", values[{"+G4": "better", "+F3": "played"}[after(asked)]]),)
    )


def test_a_moment_decided_where_something_better_was_there() -> None:
    searches = Searches(one_mistake, long_search(better=0.75, played=0.35))
    (found,) = reviewed(searches)
    assert (found.number, found.seat, found.played, found.better.action) == (1, 1, "+F3", "+G4")
    assert (found.before, round(found.lost, 6)) == (0.75, 0.4), "as the long search says"
    strongest = PHALANX.strengths[-1].budget.nodes  # type: ignore[attr-defined]
    assert [after(asked) for asked in searches.asked][:3] == ["here", "+F3", "+G4"]
    assert all(asked.nodes is None for asked in searches.asked), f"all {strongest} nodes"
    shown = frames(GAME, found)
    assert [len(frame["board"]) - len(shown[0]["board"]) for frame in shown] == [0, 1, 2], "until what can't be played"
    assert [frame["seat"] for frame in shown] == [None, 1, 1]
    assert shown[1]["words"] == PHALANX.words("+G4")


def test_what_a_long_search_does_not_find_better_is_no_turning_point() -> None:
    assert reviewed(Searches(one_mistake, long_search(better=0.5, played=0.48))) == []
    assert reviewed(Searches(one_mistake, lambda _: (Choice("+F3", 0.6),))) == [], "it would have played that, too"
    assert reviewed(Searches(one_mistake, lambda _: ())) == [], "a search that has failed"


def test_what_does_not_leave_its_player_worse_is_not_searched_further() -> None:
    searches = Searches(one_mistake, long_search(better=0.9, played=0.7))
    assert reviewed(searches) == []
    assert [after(asked) for asked in searches.asked] == ["here", "+F3"]


def test_candidates_that_follow_each_other_share_the_position_between_them() -> None:
    def two_mistakes(asked: ReviewQuestion) -> Ranked:
        done = GAME.moments[asked.number + 1].actions[1]
        return Choice("+G4", 0.9 - asked.number / 4), Choice(done, 0.4)

    searches = Searches(two_mistakes, lambda asked: (Choice("+H4", 0.9 - len(asked.moves) / 5),))
    reviewed(searches)
    assert len(searches.asked) == len(set(searches.asked))
    reached = [asked.moves for asked in searches.asked]
    assert len(reached) == len(set(reached)), "no position is searched twice"


def test_what_is_beside_a_turning_point_that_loses_much_is_searched_too() -> None:
    """What one player has missed, the other one has often missed before, or misses next; the first search may not see
    that."""

    worth = {"": 0.9, "+G4": 0.9, "+F2": 0.6, "+F2 +G4": 0.6}

    def deep(asked: ActionQuestion) -> Ranked:
        reached = " ".join(action for ((_, action),) in asked.moves)
        return (Choice("+G4" if reached in {"", "+F2"} else "+H4", worth.get(reached, 0.2)),)

    searches = Searches(one_mistake, deep)
    assert [one.number for one in candidates(GAME, answered(one_mistake))] == [1]
    assert [(one.number, round(one.lost, 6)) for one in reviewed(searches)] == [(0, 0.3), (1, 0.4)]
    assert {len(asked.moves) for asked in searches.asked} >= {2, 3}, "what was done next was looked at, too"
    few = Searches(one_mistake, long_search(better=0.7, played=0.7 - MUCH * 0.9))
    assert [one.number for one in reviewed(few)] == [1]
    assert len(few.asked) == 3, "nothing is beside what loses less"


def test_what_nothing_seemed_wrong_with_is_searched_again_where_the_next_moment_is_much_worse() -> None:
    """A short search may take the action that was played for the best, or for as good: the next one tells."""

    def of(asked: ReviewQuestion) -> Ranked:
        done = GAME.moments[asked.number + 1].actions[1]
        if asked.number == 0:
            return (Choice(done, 0.8),)
        return (Choice("+H1", 0.5), Choice(done, 0.5)) if asked.number == 1 else (Choice("+H1", 0.2), Choice(done, 0.2))

    found = candidates(GAME, answered(of))
    assert [(one.number, round(one.lost, 6)) for one in found] == [(0, 0.15), (1, 0.15)]
    again = reviewed(Searches(of, long_search(better=0.5, played=0.2)))
    assert [one.number for one in again] == [1], "and what a long search does not find better is not shown"


def test_an_action_that_was_not_looked_at_counts_by_how_its_seat_stood_after_it() -> None:
    def of(asked: ReviewQuestion) -> tuple[Choice, ...]:
        return (Choice("+H1", 0.9 if asked.number == 0 else 0.4),) if asked.number < 2 else (Choice("+G1", 0.4),)

    (found,) = candidates(GAME, answered(of))
    assert (found.number, round(found.lost, 6)) == (0, 0.5)


def test_a_search_that_failed_costs_its_point_alone() -> None:
    found = review(GAME, answered(lambda asked: () if asked.number == 1 else (Choice("+G1", 0.5),)), ())
    assert [at for at, _ in found.lines[0]] == [0, 2, 4]


def test_what_was_removed_has_a_scene_of_its_own() -> None:
    start = GAME.moments[0]
    gone = Moment(start.position, start.status, start.placed, ("D4",), "action", 1, {1: "x"})
    assert [place_in_film([start, gone, start, start], number) for number in range(4)] == [0, 1, 3, 4]


@pytest.mark.parametrize("stage", ["first", "checks"])
def test_waiting_for_an_answer_costs_nothing(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    """It is asked at every round of the table's loop, and a question is dear: each is made once, when it is due."""
    made = Counter[tuple[Any, ...]]()
    at = ActionQuestion.at

    def counted(game: Game[Any], moments: Sequence[Moment], *others: int) -> ActionQuestion:
        made[(tuple(map(id, moments)), *others)] += 1
        return at(game, moments, *others)

    searches = Searches(one_mistake, long_search(better=0.8, played=0.4))

    class Waiting:
        """An analyser that answers no question of one stage."""

        def answer(self, question: ActionQuestion) -> Answer | None:
            waits = question.nodes is not None if stage == "first" else question.nodes is None
            return None if waits else searches.answer(question)

    monkeypatch.setattr(ActionQuestion, "at", counted)
    here, analyser = GameReview.of("phalanx-1", GAME), Waiting()
    first = here.next_questions(analyser)  # type: ignore[arg-type]
    assert first
    assert made.total() <= (AHEAD if stage == "first" else len(here.questions) + AHEAD)
    before = made.total()
    for _ in range(100):
        assert here.next_questions(analyser) == first  # type: ignore[arg-type]
    assert made.total() == before
    assert max(made.values()) <= (1 if stage == "first" else 2), "once for each stage"
