"""Whether reviews tell the truth: what they show is searched again by more than they had, and so is what they don't.

Games of two weak levels are reviewed as beside a table. A judge with some times the nodes of a check then says what an
action lost: the difference between the position after the best action and the one after what was played (where all act
together: between the two in one search). What is shown holds if it loses at least half of what a turning point must
lose. Of some actions by lot those that lose ``MUCH`` or more are to be shown. ``REVIEWED`` games of each game are
played (2); ``JUDGED`` actions of each are judged (12) of those that the first search doubts, and for every
:data:`OTHERS` of them one of the others.
``python -m tests.bench_player_review GAME FIRST LAST`` keeps what it finds for docs/strength.md.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Answer
from firmware_host.analysis.review import (
    LEAST,
    MUCH,
    Check,
    FinishedGame,
    GameReview,
    ReviewQuestion,
    TurningPoint,
    chosen_points,
    doubted,
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
            done = finished.moments[asked.number + 1].actions[asked.seat]
            judged += 1
            if loss(finished, asked.number, asked.seat, done, judge) >= MUCH:
                much += weight
                found += weight * (asked.number in places)
    counts = {"shown": len(shown), "holds": holds, "judged": judged, "much": round(much, 1), "found": round(found, 1)}
    return {"game": name, "seed": seed, **counts}


def _lots(finished: FinishedGame, review: GameReview, rng: Random) -> Iterator[tuple[Sequence[ReviewQuestion], float]]:
    """Yield actions by lot, and how many of the game's each of them stands for: of those that the first search doubts,
    and a few of the others, which rarely lose much."""
    places = {(one.number, one.seat) for one in doubted(finished, review.answers)}
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
        print(*row.values(), flush=True)
        ladder.keep_review(row)


if __name__ == "__main__":
    main(sys.argv[1:])
