"""Review of a game that is over, by the players' search: winning chances, turning points, and better actions.

A review asks for the best actions at every moment at which somebody has chosen one, with a share of the strongest
level's nodes. From the answers come a curve for each team, the values of the best actions, and the turning points: the
actions that were worth much less than the best ones. It uses only the record, in which all seals that count have been
revealed.

:class:`GameReview` collects the answers of one game. Its questions are short, so that whatever is more urgent comes
between two of them. It asks nobody itself: :mod:`firmware_host.session.analysis` does beside a table, and
:mod:`firmware_host.replay.player` in a replay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Analyser, Answer
from firmware_host.games.drawing import MADE, arrows_along, ways_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.positions import whole
from firmware_host.games.thinking import Choice
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.ledger import Moment
from firmware_host.text.words import capital, join_sentences

TURNING = 3
"""Maximum number of turning points."""
LEAST = 0.05
"""Minimum loss of expected score (0 to 1) of a turning point."""
SHARE = 16
"""Divisor of the strongest level's nodes for one question: a whole game takes about half a minute on a Pi."""
MANY = 120
"""Number of questions above which each gets fewer nodes in proportion."""
LINE = 6
"""Maximum number of actions shown after the better one."""
AHEAD = 2
"""Number of questions the search gets at once, so that it never waits for the next one."""
NO_REVIEW: Mapping[str, Any] = {"game": None, "state": "none", "done": 0, "of": 0, "lines": [], "turning": []}


@dataclass(frozen=True)
class ReviewQuestion:
    """The question about one seat's action after moment ``number``."""

    number: int
    seat: int
    question: ActionQuestion


@dataclass(frozen=True)
class FinishedGame:
    """A game that is over: its rules, its mode, and its moments in force."""

    game: Game[Any]
    mode: str
    moments: Sequence[Moment]

    def questions(self) -> Sequence[ReviewQuestion]:
        """Return a question for each action that a player chose."""
        strengths = computer_player_of(self.game).strengths
        chosen = [
            (number, seat)
            for number, after in enumerate(self.moments[1:])
            for seat in (sorted(after.actions) if after.kind in {"reveal", "action"} else ())
        ]
        nodes = strengths[-1].budget.nodes * min(MANY, len(chosen)) // (SHARE * max(1, len(chosen)))

        def question(number: int, seat: int) -> ActionQuestion:
            own = ActionQuestion.at(self.game, self.moments[: number + 1], seat, len(strengths), number)
            return replace(own, nodes=max(1, nodes), ranked=True)

        return tuple(ReviewQuestion(number, seat, question(number, seat)) for number, seat in chosen)


@dataclass(frozen=True)
class TurningPoint:
    """A turning point: ``seat`` lost ``lost`` of its expected score ``before`` by ``played``; ``better`` was better."""

    number: int
    seat: int
    played: str
    better: Choice
    before: float
    lost: float


@dataclass(frozen=True)
class Review:
    """``lines`` are (moment, expected score) of each team, in order; ``turning`` the turning points, in order."""

    lines: Sequence[Sequence[tuple[int, float]]]
    turning: Sequence[TurningPoint]


def review(finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer]) -> Review:
    """Return the review from the answers. Questions whose search has failed are left out."""
    lines = _lines(finished, answers)
    found = [_turning_point(finished, asked, answer, lines) for asked, answer in answers.items()]
    worst: dict[int, TurningPoint] = {}
    for one in sorted(filter(None, found), key=lambda one: one.lost):
        worst[one.number] = one  # If several seats acted together, the greatest loss counts.
    chosen = sorted(worst.values(), key=lambda one: -one.lost)[:TURNING]
    return Review(lines, sorted(chosen, key=lambda one: one.number))


def _lines(finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer]) -> list[list[tuple[int, float]]]:
    teams = finished.game.teams(finished.mode)
    values: list[dict[int, list[float]]] = [{} for _ in teams]
    for asked, answer in answers.items():
        if answer.choices:
            value = answer.choices[0].value
            for number, team in enumerate(teams):
                if asked.seat in team:
                    values[number].setdefault(asked.number, []).append(value)
                elif len(teams) == 2:  # The other side's chance is the complement.
                    values[number].setdefault(asked.number, []).append(1.0 - value)
    lines = [[(at, sum(each) / len(each)) for at, each in sorted(found.items())] for found in values]
    status = finished.moments[-1].status
    if status.over:
        won = [bool(set(team) & set(status.winners)) for team in teams]
        for line, wins in zip(lines, won, strict=True):
            line.append((len(finished.moments) - 1, 1.0 / sum(won) if wins else 0.0 if any(won) else 1.0 / len(teams)))
    return lines


def _turning_point(
    finished: FinishedGame, asked: ReviewQuestion, answer: Answer, lines: Sequence[Sequence[tuple[int, float]]]
) -> TurningPoint | None:
    """Return the turning point of an action, None if it lost less than ``LEAST``."""
    done = finished.moments[asked.number + 1].actions[asked.seat]
    if not answer.choices or answer.choices[0].action == done:
        return None
    best = answer.choices[0]
    worth = next((choice.value for choice in answer.choices if choice.action == done), None)
    if worth is None:  # The search left this action out: use the seat's next value.
        team = next(n for n, seats in enumerate(finished.game.teams(finished.mode)) if asked.seat in seats)
        worth = next((value for at, value in lines[team] if at > asked.number), best.value)
    lost = best.value - worth
    return TurningPoint(asked.number, asked.seat, done, best, best.value, lost) if lost >= LEAST else None


def frames(finished: FinishedGame, turning: TurningPoint) -> list[dict[str, Any]]:
    """Return the better line as frames: ``words``, ``seat``, ``board`` and ``arrows`` after each action.

    The first frame is the board before, without words. Where all act together, the other seats act as they did.
    """
    game, before = finished.game, finished.moments[turning.number]
    position, others = before.position, finished.moments[turning.number + 1].actions
    acts = {**others, turning.seat: turning.better.action} if game.simultaneous(position) else None
    board = _stacks(game.occupancy(position))
    shown: list[dict[str, Any]] = [{"words": "", "seat": None, "board": board, "arrows": []}]
    seat: int | None = turning.seat
    for action in (turning.better.action, *turning.better.line[:LINE]):
        if seat is None or (acts is None and game.simultaneous(position)):
            break
        try:
            after = game.apply(position, acts or {seat: action})
        except GameError:
            break  # The rest of the line depends on chance or on hidden information.
        step = None if acts else whole(game, position, action)
        shown.append(
            {
                "words": game.words(action),
                "seat": seat,
                "board": _stacks(after.placed),
                "arrows": arrows_along(MADE, ways_of(step)) if step else [],
            }
        )
        position, acts = after.position, None
        seat = None if after.status.over else game.actor(position)
    return shown


def _stacks(occupancy: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {node: list(stack) for node, stack in occupancy.items()}


def place_in_film(moments: Sequence[Moment], number: int) -> int:
    """Return the scene of a replay (from 0) that shows a moment; removals have extra scenes."""
    return number + sum(1 for moment in moments[1:number] if moment.removed)


@dataclass
class GameReview:
    """A game under review. One thread adds answers; others read them once all are there."""

    id: str
    game: FinishedGame
    questions: Sequence[ReviewQuestion]
    answers: dict[ReviewQuestion, Answer] = field(default_factory=dict)
    _ready: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, game_id: str, game: FinishedGame) -> GameReview:
        """Return the empty review of a finished game."""
        return cls(game_id, game, game.questions())

    @property
    def ready(self) -> bool:
        """Whether all answers are there."""
        return len(self.answers) == len(self.questions)

    def next_questions(self, analyser: Analyser) -> Sequence[ActionQuestion]:
        """Take the analyser's answers; return the next questions, without waiting."""
        for asked in self.questions[len(self.answers) :]:
            answer = analyser.answer(asked.question)
            if answer is None:
                break
            self.answers[asked] = answer
        done = len(self.answers)
        return [asked.question for asked in self.questions[done : done + AHEAD]]

    def view(self) -> Mapping[str, Any]:
        """Return the review, or its progress (docs/view.md); on any thread."""
        if not self.questions:
            return NO_REVIEW
        progress = {"game": self.id, "done": len(self.answers), "of": len(self.questions)}
        if not self.ready:
            return {**NO_REVIEW, **progress, "state": "thinking"}
        if self._ready is None:
            self._ready = _view(self.game, review(self.game, self.answers))
        return {**progress, "state": "ready", **self._ready}


def _view(finished: FinishedGame, found: Review) -> Mapping[str, Any]:
    teams = finished.game.teams(finished.mode)
    return {
        "lines": [
            {"seats": list(team), "points": [[at, round(value, 3)] for at, value in line]}
            for team, line in zip(teams, found.lines, strict=True)
        ],
        "turning": [_turning_point_view(finished, one) for one in found.turning],
    }


def _turning_point_view(finished: FinishedGame, one: TurningPoint) -> Mapping[str, Any]:
    game = finished.game
    return {
        "moment": one.number + 1,
        "scene": place_in_film(finished.moments, one.number + 1),
        "turn": game.turn(finished.moments[one.number].position),
        "seat": one.seat,
        "played": capital(game.words(one.played)),
        "better": capital(game.words(one.better.action)),
        "why": join_sentences(one.better.reasons[:2], " "),
        "before": round(one.before, 3),
        "after": round(one.before - one.lost, 3),
        "frames": frames(finished, one),
    }
