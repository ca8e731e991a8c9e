"""Whether reviews tell the truth: what they show is searched again by more than they had, and so is what they don't.

Games of two weak levels are reviewed as beside a table. A judge with some times the nodes of a check then says what an
action lost: the difference between the position after the best action and the one after what was played (where all act
together: between the two in one search). What is shown holds if it loses at least half of what a turning point must
lose. Actions that lose ``MUCH`` or more are to be shown. The judge looks at those that are in doubt by searches of
every moment of the game, as long as a check's, and at a few of the others by lot.
``REVIEWED`` games of each game are played (2); ``JUDGED`` actions of each that are in doubt are judged (12), and for
every :data:`OTHERS` of them one of the others.
``python -m tests.extensions.review.bench_player_review GAME FIRST LAST`` keeps what it finds for docs/strength.md.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.extensions.review.review import (
    LEAST,
    MUCH,
    Check,
    FinishedGame,
    GameReview,
    ReviewQuestion,
    TurningPoint,
    chosen_points,
)
from firmware_host.games.levels import choose_at, strength_of
from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinking import Choice
from firmware_host.services.engine import after, answer_line
from firmware_host.table.ledger import Moment

LONG = True
GAMES_EACH = int(os.environ.get("REVIEWED", "2"))
JUDGED = int(os.environ.get("JUDGED", "12"))
OTHERS = 4
DOUBT = 0.06
"""An action that loses less than this by searches as long as a check's is not in doubt."""
TIMES = 3
"""The judge has so many times the nodes of a check."""
LEVELS = (1, 2)
"""Who plays."""


class InProcess:
    """An analyser that answers at once."""

    def __init__(self, times: int = 1) -> None:
        self._times = times

    def answer(self, question: Any) -> Answer:
        """Return the engine's answer, by so many times the nodes of a question that leaves them to the level."""
        nodes = question.nodes
        if nodes is None and self._times > 1:
            nodes = game(question.game).strengths[-1].budget.nodes * self._times  # type: ignore[attr-defined]
        return answered(replace(question, nodes=nodes, seconds=LONGEST))


LONGEST = 3000.0
"""Seconds of a search: its nodes end it, on a busy machine, too."""


@cache
def answered(question: ActionQuestion) -> Answer:
    """Return the engine's answer. Raise RuntimeError where the clock has stopped it, or the end of this program's
    parent: what it found then is worth nothing."""
    given = json.loads(answer_line(json.dumps({"id": 1, **question.request()})))
    if given.get("in_time") is False:
        raise RuntimeError("a search was stopped before its nodes were spent")
    return ActionQuestion.read(given)


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


def check_of(finished: FinishedGame, asked: ReviewQuestion, least: float) -> Check:
    """Return the check of an action, whatever a review thinks of it."""
    played = finished.moments[asked.number + 1].actions[asked.seat]
    return Check(finished, TurningPoint(asked.number, asked.seat, played, Choice("", 0.0), 0.5, 0.0), least)


def loss(finished: FinishedGame, asked: ReviewQuestion, judge: InProcess) -> float:
    """Return what an action lost by the judge, 0 where it was the best or as good."""
    check, known = check_of(finished, asked, ANY), dict[ActionQuestion, Answer]()
    while open_ := check.questions(known):
        known[open_[0]] = judge.answer(open_[0])
    found = check.turning_point(known)
    return 0.0 if found is None else found.lost


ANY = -1.0
"""A check with this looks at the better action in any case."""


def better_by(finished: FinishedGame, shown: TurningPoint, judge: InProcess) -> float:
    """Return by how much the better action of a turning point is better, by the judge."""
    check, known = Check(finished, shown, ANY), dict[ActionQuestion, Answer]()
    while open_ := check.questions(known):
        answer = judge.answer(open_[0])
        if (
            len(known) == 0 and answer.choices
        ):  # The better action is what the review has shown, not what the judge likes.
            others = [one for one in answer.choices if one.action != shown.better.action]
            mine = next((one for one in answer.choices if one.action == shown.better.action), shown.better)
            answer = replace(answer, choices=(mine, *others))
        known[open_[0]] = answer
    found = check.turning_point(known)
    return 0.0 if found is None else found.lost


def in_doubt(finished: FinishedGame, review: GameReview) -> set[tuple[int, int]]:
    """Return moment and seat of the actions that long searches of each moment doubt."""
    known, judge, found = dict[ActionQuestion, Answer](), InProcess(), set[tuple[int, int]]()
    for asked in review.questions:
        check = check_of(finished, asked, DOUBT)
        while not check.doubts(known) and (open_ := check.questions(known)):
            known[open_[0]] = judge.answer(open_[0])
        if check.doubts(known):
            found.add((asked.number, asked.seat))
    return found


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): for each game, and of all."""
    rows = {game(name).title: [reviewed(name, seed) for seed in range(GAMES_EACH)] for name in sorted(GAMES)}
    rows["all games"] = [row for found in rows.values() for row in found]
    return [line for title, found in rows.items() for line in _lines(title, found)]


def _lines(title: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float, str]]:
    shown, holds, much, found = (sum(row[name] for row in rows) for name in ("shown", "holds", "much", "found"))
    yield f"{title}: of {shown} turning points shown hold (at least: 90 %)", 100 * holds / max(1, shown), "%"
    if much:
        yield f"{title}: of {much:.0f} actions that lose {MUCH} are shown (at least: 80 %)", 100 * found / much, "%"


def reviewed(name: str, seed: int) -> dict[str, Any]:
    """Return how many turning points of a game are shown and hold, how many actions were judged by lot, and by these
    how many of the game's lose much, and how many of them are shown."""
    finished, judge = play(name, seed), InProcess(TIMES)
    review = GameReview.of(name, finished)
    review.next_questions(InProcess())  # type: ignore[arg-type]
    shown = chosen_points(review.turning())
    holds = sum(better_by(finished, one, judge) >= LEAST / 2 for one in shown)
    places = {one.number for one in shown}
    judged, much, found = 0, 0.0, 0.0
    for lot, weight in _lots(finished, review, Random(seed)):
        for asked in lot:
            judged += 1
            if loss(finished, asked, judge) >= MUCH:
                much += weight
                found += weight * (asked.number in places)
    counts = {"shown": len(shown), "holds": holds, "judged": judged, "much": round(much, 1), "found": round(found, 1)}
    return {"game": name, "seed": seed, **counts}


def _lots(finished: FinishedGame, review: GameReview, rng: Random) -> Iterator[tuple[Sequence[ReviewQuestion], float]]:
    """Yield actions by lot, and how many of the game's each of them stands for: of those in doubt, and a few of the
    others, which rarely lose much."""
    places = in_doubt(finished, review)
    is_doubted = [asked for asked in review.questions if (asked.number, asked.seat) in places]
    others = [asked for asked in review.questions if (asked.number, asked.seat) not in places]
    for group, most in ((is_doubted, JUDGED), (others, JUDGED // OTHERS)):
        lot = rng.sample(group, min(most, len(group)))
        yield lot, len(group) / max(1, len(lot))


def main(arguments: Sequence[str]) -> None:
    """Review games of these numbers, GAME FIRST LAST, and keep what was found for docs/strength.md."""
    from firmware_host.extensions.lab import ladder  # noqa: PLC0415 - a bench needs no laboratory

    name, first, last = arguments
    for seed in range(int(first), int(last) + 1):
        row = reviewed(name, seed)
        answered.cache_clear()
        print(*row.values(), flush=True)
        ladder.keep_review(row)


if __name__ == "__main__":
    main(sys.argv[1:])
