"""Review of a game that is over, by the players' search: winning chances, turning points, and better actions.

A review asks for the best actions at every moment at which somebody has chosen one, with a share of the strongest
level's nodes: the fewer these moments are, the more. From the answers come a curve for each team, the values of the
best actions, and candidates for turning points: actions that seem to be worth much less than the best ones, or after
which their player stands much worse. So short a search errs, so each candidate is searched again with all of these
nodes: for what is best there, and then from the position after that and the one after what was played (:class:`Check`).
Only what loses by that, too, is a turning point. A review uses only the record, in which all seals that count have been
revealed.

:class:`GameReview` collects the answers of one game. Its questions are short, so that whatever is more urgent comes
between two of them. It asks nobody itself: :mod:`firmware_host.extensions.review.reviews` does, at every round of a
table's loop. So a question, which is dear to make, is made once and when it is due, and waiting for an answer costs
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Analyser, Answer
from firmware_host.games.drawing import MADE, arrows_along, ways_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.positions import whole
from firmware_host.games.thinking import Choice
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.ledger import Moment
from firmware_host.text.words import capital, join_sentences

TURNING = 5
"""Maximum number of turning points, but for those that lose :data:`MUCH`, which are all shown."""
MUCH = 0.15
"""Loss of expected score of a turning point that is always shown."""
CHECKED = 16
"""Maximum number of candidates by the first search that are searched again."""
BESIDE = 8
"""Maximum number of those that are searched as they are beside a turning point."""
LEAST = 0.05
"""Minimum loss of expected score (0 to 1) of a turning point."""
FIRST = 7.5
"""Times the strongest level's nodes for the first search of a whole game, about half a minute on a Pi. A question gets
an equal part: where few actions were chosen, each is looked at longer."""
LINE = 6
"""Maximum number of actions shown after the better one."""
AHEAD = 2
"""Number of questions the search gets at once, so that it never waits for the next one."""
NO_REVIEW: Mapping[str, Any] = {"game": None, "state": "none", "done": 0, "of": 0, "lines": [], "turning": []}


@dataclass(frozen=True)
class ReviewQuestion:
    """The question about one seat's action after moment ``number`` of a game."""

    number: int
    seat: int
    finished: FinishedGame = field(compare=False, repr=False)
    nodes: int = field(compare=False)

    @cached_property
    def question(self) -> ActionQuestion:
        """Return what the search is asked."""
        return replace(self.finished.question(self.number, self.seat), nodes=self.nodes)


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
        nodes = max(1, int(strengths[-1].budget.nodes * min(1.0, FIRST / max(1, len(chosen)))))
        return tuple(ReviewQuestion(number, seat, self, nodes) for number, seat in chosen)

    def question(self, number: int, seat: int, after: Moment | None = None) -> ActionQuestion:
        """Return the question for what is best for a seat at a moment, or at one ``after`` it: all of its choices."""
        moments = (*self.moments[: number + 1], *([after] if after is not None else ()))
        strongest = len(computer_player_of(self.game).strengths)
        return replace(ActionQuestion.at(self.game, moments, seat, strongest, len(moments) - 1), ranked=True)


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


def candidates(finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer]) -> Sequence[TurningPoint]:
    """Return what may be turning points by the answers, the greatest losses, in order.

    Questions whose search has failed are left out.
    """
    return _in_order(_by_loss(doubtful_actions(finished, answers))[:CHECKED])


def doubtful_actions(finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer]) -> Sequence[TurningPoint]:
    """Return all actions that may have lost ``LEAST`` or more by the answers, of all seats."""
    return [one for one, most in _estimates(finished, answers) if most >= LEAST]


def beside(
    finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer], found: Iterable[TurningPoint]
) -> Sequence[TurningPoint]:
    """Return what was done just before and after turning points that lose ``MUCH``, in order."""
    every = [one for one, _ in _estimates(finished, answers)]
    numbers = sorted({one.number for one in every})
    places = [numbers.index(one.number) for one in found if one.lost >= MUCH]
    near = {numbers[at] for place in places for at in (place - 1, place, place + 1) if 0 <= at < len(numbers)}
    return _in_order(one for one in every if one.number in near)


def chosen_points(found: Iterable[TurningPoint]) -> Sequence[TurningPoint]:
    """Return the turning points that are shown, of all that were found, in order."""
    worst = _by_loss(found)
    return _in_order(one for number, one in enumerate(worst) if number < TURNING or one.lost >= MUCH)


def _by_loss(found: Iterable[TurningPoint]) -> Sequence[TurningPoint]:
    """Return one of each moment, the greatest losses first; if several seats acted together, the greatest counts."""
    worst: dict[int, TurningPoint] = {}
    for one in sorted(found, key=lambda one: one.lost):
        worst[one.number] = one
    return sorted(worst.values(), key=lambda one: -one.lost)


def _in_order(found: Iterable[TurningPoint]) -> Sequence[TurningPoint]:
    return sorted(found, key=lambda one: one.number)


def review(finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer], found: Iterable[TurningPoint]) -> Review:
    """Return the review from the answers, and from what the candidates were found to be."""
    return Review(_lines(finished, answers), chosen_points(found))


@dataclass(frozen=True)
class Check:
    """A candidate for a turning point that is searched again; what is known are answers to checks' questions."""

    finished: FinishedGame
    candidate: TurningPoint
    least: float = LEAST
    """What a turning point must lose. Where the search says less before the better action is looked at, it is not."""
    _afters: dict[str, ActionQuestion | Moment] = field(default_factory=dict, compare=False, repr=False)
    """What :meth:`_after` has found."""

    def questions(self, known: Mapping[ActionQuestion, Answer]) -> Sequence[ActionQuestion]:
        """Return the questions that are open, of those that can be asked by now; none once the answers decide."""
        asked = [self._here, *(self._after(action) for action in self._followed_actions(known))]
        return [one for one in asked if isinstance(one, ActionQuestion) and one not in known]

    def turning_point(self, known: Mapping[ActionQuestion, Answer]) -> TurningPoint | None:
        """Return the turning point by what was found, None if it loses less than ``least``."""
        best, one = self._better(known), self.candidate
        if best is None or not (self._is_listed or best.action in self._followed_actions(known)):
            return None
        if self._is_listed:
            listed = known[self._here].choices
            worth = next((choice.value for choice in listed if choice.action == one.played), one.before - one.lost)
            before, after = best.value, worth
        else:
            before, after = (self._value(action, known) for action in (best.action, one.played))
        return replace(one, better=best, before=before, lost=before - after) if before - after >= self.least else None

    @cached_property
    def _is_listed(self) -> bool:
        """Whether both actions count as the search here has listed them: where all act together, and among several
        sides, as the value of the position to the next one does not tell what it is worth to this one."""
        game = self.finished.game
        return game.simultaneous(self._position) or len(game.teams(self.finished.mode)) > 2

    @property
    def _position(self) -> Any:
        return self.finished.moments[self.candidate.number].position

    @cached_property
    def _here(self) -> ActionQuestion:
        return self.finished.question(self.candidate.number, self.candidate.seat)

    @cached_property
    def _legal_actions(self) -> Collection[str]:
        return frozenset(self.finished.game.actions(self._position)[self.candidate.seat])

    def _better(self, known: Mapping[ActionQuestion, Answer]) -> Choice | None:
        """Return what the search would have done here, None if it is not known (yet), or was played."""
        here = known.get(self._here)
        if here is None or not here.choices or here.choices[0].action == self.candidate.played:
            return None
        return here.choices[0] if here.choices[0].action in self._legal_actions else None

    def doubts(self, known: Mapping[ActionQuestion, Answer]) -> bool:
        """Return whether what was played may lose ``least``, by the searches here and after it.

        The mover's search is hopeful, and the next one's is for the other side: so a loss seems greater here than it is
        between the positions after the two actions.
        """
        best = self._better(known)
        if best is None or self._is_listed:
            return best is not None and self.turning_point(known) is not None
        after = self._after(self.candidate.played)
        if isinstance(after, ActionQuestion) and after not in known:
            return False
        return best.value - self._value(self.candidate.played, known) >= self.least

    def _followed_actions(self, known: Mapping[ActionQuestion, Answer]) -> Sequence[str]:
        """Return the actions after which the search goes on: what was played, then the better one if that is in
        doubt."""
        best, played = self._better(known), self.candidate.played
        if best is None or self._is_listed:
            return ()
        return (played, best.action) if self.doubts(known) else (played,)

    def _after(self, action: str) -> ActionQuestion | Moment:
        """Return the question after an action, or the moment that it leads to if nobody acts there any more."""
        if action not in self._afters:
            self._afters[action] = self._look_after(action)
        return self._afters[action]

    def _look_after(self, action: str) -> ActionQuestion | Moment:
        game, seat, number = self.finished.game, self.candidate.seat, self.candidate.number
        if action == self.candidate.played:
            moment = self.finished.moments[number + 1]
        else:
            after = game.apply(self._position, {seat: action})
            moment = Moment(after.position, after.status, after.placed, after.removed, "action", seat, {seat: action})
        actors = () if moment.status.over else tuple(game.actions(moment.position))
        if not actors:
            return moment
        following = seat if seat in actors else min(actors)
        return self.finished.question(number, following, moment)

    def _value(self, action: str, known: Mapping[ActionQuestion, Answer]) -> float:
        """Return an action's expected score for the seat, an even one where it can't be told."""
        teams = self.finished.game.teams(self.finished.mode)
        team = next(seats for seats in teams if self.candidate.seat in seats)
        after = self._after(action)
        if isinstance(after, Moment):
            winners = after.status.winners
            return float(self.candidate.seat in winners) if winners else 0.5
        choices = known[after].choices
        if not choices:
            return 0.5
        return choices[0].value if after.seat in team else 1.0 - choices[0].value


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


def _estimates(
    finished: FinishedGame, answers: Mapping[ReviewQuestion, Answer]
) -> Iterator[tuple[TurningPoint, float]]:
    """Yield each action with what it may have lost: the mean of what its search says of it and of the seat's value
    after it, and the greater of both.

    A search that tries one action nearly all the time knows little of the others, and what comes next is luck in part.
    Of several sides, or where all act together, what comes next is not of this action alone.
    """
    game, lines, teams = finished.game, _lines(finished, answers), finished.game.teams(finished.mode)
    for asked, answer in answers.items():
        if not answer.choices:
            continue
        best = answer.choices[0]
        done = finished.moments[asked.number + 1].actions[asked.seat]
        team = next(number for number, seats in enumerate(teams) if asked.seat in seats)
        listed = next((choice.value for choice in answer.choices if choice.action == done), None)
        following = next((value for at, value in lines[team] if at > asked.number), best.value)
        alone = len(teams) == 2 and not game.simultaneous(finished.moments[asked.number].position)
        worth = [following] if listed is None else [listed, following] if alone else [listed]
        lost = best.value - sum(worth) / len(worth)
        yield TurningPoint(asked.number, asked.seat, done, best, best.value, lost), best.value - min(worth)


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
    known: dict[ActionQuestion, Answer] = field(default_factory=dict)
    """What was found of the candidates."""
    checks: Sequence[Check] | None = None
    """The candidates, once all questions are answered."""
    ready: bool = False
    """Whether all answers are there, and all candidates searched again."""
    _open: Sequence[ActionQuestion] = ()
    """The next questions of the candidates, none once all are answered: as of the last answer or candidate."""
    _shown: Mapping[str, Any] | None = None
    """The view of it, made once."""

    @classmethod
    def of(cls, game_id: str, game: FinishedGame) -> GameReview:
        """Return the empty review of a finished game."""
        return cls(game_id, game, game.questions())

    def next_questions(self, analyser: Analyser) -> Sequence[ActionQuestion]:
        """Take the analyser's answers; return the next questions, without waiting."""
        for asked in self.questions[len(self.answers) :]:
            answer = analyser.answer(asked.question)
            if answer is None:
                break
            self.answers[asked] = answer
        done = len(self.answers)
        if done < len(self.questions):
            return [asked.question for asked in self.questions[done : done + AHEAD]]
        if self.checks is None:
            self._check([Check(self.game, one) for one in candidates(self.game, self.answers)])
        return self._next_checks(analyser)

    def _next_checks(self, analyser: Analyser) -> Sequence[ActionQuestion]:
        while not self.ready:
            while self._open:
                answer = analyser.answer(self._open[0])
                if answer is None:
                    return self._open
                self.known[self._open[0]] = answer
                self._open = self._still_open()
            self._look_beside()
        return ()

    def _check(self, checks: Sequence[Check]) -> None:
        self.checks = checks
        self._open = self._still_open()

    def _still_open(self) -> Sequence[ActionQuestion]:
        """Return the next questions by what is known."""
        return list(islice((one for check in self.checks or () for one in check.questions(self.known)), AHEAD))

    def _look_beside(self) -> None:
        """Add what is beside turning points to the candidates; if there is no more of it, the review is ready."""
        checks = self.checks or ()
        places = {(check.candidate.number, check.candidate.seat) for check in checks}
        near = beside(self.game, self.answers, self.turning())
        added = [one for one in near if (one.number, one.seat) not in places][: max(0, CHECKED + BESIDE - len(checks))]
        self._check([*checks, *(Check(self.game, one) for one in added)])
        self.ready = not added

    def turning(self) -> Sequence[TurningPoint]:
        """Return the candidates that hold, as they were found to be, in order, once it is ready."""
        found = (check.turning_point(self.known) for check in self.checks or ())
        return _in_order(one for one in found if one is not None)

    def view(self) -> Mapping[str, Any]:
        """Return the review, or its progress (README.md); on any thread."""
        if not self.questions:
            return NO_REVIEW
        progress = {"game": self.id, "done": len(self.answers), "of": len(self.questions)}
        if not self.ready:
            return {**NO_REVIEW, **progress, "state": "thinking"}
        if self._shown is None:
            self._shown = _view(self.game, review(self.game, self.answers, self.turning()))
        return {**progress, "state": "ready", **self._shown}


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
