"""Whether reviews tell the truth: what they show is searched again by more than they had, and so is what they don't.

Games of two weak levels are reviewed as beside a table. A judge with some times the nodes of a check then says what an
action lost: the difference between the position after the best action and the one after what was played (where all act
together: between the two in one search). What is shown holds if it loses at least half of what a turning point must
lose. Of some actions by lot those that lose :data:`MUCH` or more are to be shown, unless the review shows as many as it
may, and all of these lose more. ``REVIEWED`` games of each game are played (2), ``JUDGED`` actions of each judged (12).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.analysis.review import LEAST, TURNING, Check, FinishedGame, GameReview, TurningPoint
from firmware_host.games.levels import choose_at, strength_of
from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import Choice
from firmware_host.services.engine import after, answer_line
from firmware_host.table.ledger import Moment

LONG = True
GAMES_EACH = int(os.environ.get("REVIEWED", "2"))
JUDGED = int(os.environ.get("JUDGED", "12"))
TIMES = 2
"""The judge has so many times the nodes of a check."""
MUCH = 0.15
LEVELS = (1, 2)
"""Who plays."""


class InProcess:
    """An analyser that answers at once."""

    def __init__(self, times: int = 1) -> None:
        self._times = times

    def answer(self, question: Any) -> Answer:
        """Return the engine's answer, by so many times the nodes of a question that leaves them to the level."""
        nodes = question.nodes
        if self._times > 1:
            nodes = game(question.game).strengths[-1].budget.nodes * self._times  # type: ignore[attr-defined]
        request = {"id": 1, **replace(question, nodes=nodes).request()}
        return ActionQuestion.read(json.loads(answer_line(json.dumps(request))))


def play(name: str, seed: int) -> FinishedGame:
    """Play a game of two weak levels."""
    one: Any = game(name)
    mode, rng = one.modes[0], Random(seed)
    position = starting(one, mode, {SEED: seed})
    moments = [Moment(position, one.status(position), one.occupancy(position), (), "start")]
    while not moments[-1].status.over:
        position = moments[-1].position
        kind = "reveal" if one.simultaneous(position) else "action"
        chosen = {}
        for seat in one.actions(position):
            strength = strength_of(one, LEVELS[(seat + seed) % 2], mode)
            thought = one.think(position, seat, strength.budget, rng)
            chosen[seat] = choose_at(one, position, seat, thought, strength, rng).action
        done = after(one, position, chosen)
        actor = None if kind == "reveal" else next(iter(chosen))
        moments.append(Moment(done.position, done.status, done.placed, done.removed, kind, actor, chosen))
    return FinishedGame(one, mode, tuple(moments))


def loss(finished: FinishedGame, number: int, seat: int, played: str, judge: InProcess) -> float:
    """Return what an action lost by the judge, 0 where it was the best or as good."""
    point = TurningPoint(number, seat, played, Choice("", 0.0), 0.5, 0.0)
    check, known = Check(finished, point), dict[ActionQuestion, Answer]()
    while open_ := check.questions(known):
        known[open_[0]] = judge.answer(open_[0])
    found = check.found(known, least=0.0)
    return 0.0 if found is None else found.lost


def better_by(finished: FinishedGame, shown: TurningPoint, judge: InProcess) -> float:
    """Return by how much the better action of a turning point is better, by the judge."""
    check, known = Check(finished, shown), dict[ActionQuestion, Answer]()
    while open_ := check.questions(known):
        answer = judge.answer(open_[0])
        if (
            len(known) == 0 and answer.choices
        ):  # The better action is what the review has shown, not what the judge likes.
            others = [one for one in answer.choices if one.action != shown.better.action]
            mine = next((one for one in answer.choices if one.action == shown.better.action), shown.better)
            answer = replace(answer, choices=(mine, *others))
        known[open_[0]] = answer
    found = check.found(known, least=-1.0)
    return 0.0 if found is None else found.lost


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): for each game, and of all."""
    totals, found = [0, 0, 0, 0], []
    for name in sorted(GAMES):
        counted = [sum(column) for column in zip(*(_reviewed(name, seed) for seed in range(GAMES_EACH)), strict=True)]
        totals = [total + one for total, one in zip(totals, counted, strict=True)]
        found += _lines(game(name).title, counted)
    return [*found, *_lines("all games", totals)]


def _lines(title: str, counted: Sequence[int]) -> Iterator[tuple[str, float, str]]:
    shown, holds, much, found = counted
    yield f"{title}: of {shown} turning points shown hold (at least: 90 %)", 100 * holds / max(1, shown), "%"
    yield f"{title}: of {much} actions that lose {MUCH} are shown (at least: 80 %)", 100 * found / max(1, much), "%"


def _reviewed(name: str, seed: int) -> tuple[int, int, int, int]:
    """Return how many are shown, how many of these hold, how many lose much, and how many of these are shown."""
    finished, judge = play(name, seed), InProcess(TIMES)
    review = GameReview.of(name, finished)
    review.next_questions(InProcess())  # type: ignore[arg-type]
    shown = sorted(review.turning(), key=lambda one: -one.lost)[:TURNING]
    holds = sum(better_by(finished, one, judge) >= LEAST / 2 for one in shown)
    places, least = {one.number for one in shown}, min((one.lost for one in shown), default=0.0)
    much = found = 0
    for asked in Random(seed).sample(review.questions, min(JUDGED, len(review.questions))):
        done = finished.moments[asked.number + 1].actions[asked.seat]
        lost = loss(finished, asked.number, asked.seat, done, judge)
        is_full = len(shown) == TURNING and lost < least
        much += lost >= MUCH and not is_full
        found += lost >= MUCH and not is_full and asked.number in places
    return len(shown), holds, much, found


if __name__ == "__main__":
    for figure in figures():
        print(*figure)
