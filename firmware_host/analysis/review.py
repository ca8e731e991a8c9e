"""Review of a game that is over, by the players' search: winning chances, turning points, and better actions.

Pure: this module makes the questions and reads the answers; the caller asks them. It uses only the record, in which
all seals that count have been revealed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.analysis import history
from firmware_host.analysis.thinker import Answer, Question
from firmware_host.games.game import Game, GameError
from firmware_host.games.offers import rules_of
from firmware_host.games.thinkers import thinker_of
from firmware_host.games.thinking import Choice
from firmware_host.table import stages
from firmware_host.table.ledger import Moment
from firmware_host.table.view import MADE, told, ways_of

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


@dataclass(frozen=True)
class Asked:
    """The question about one seat's action after moment ``number``."""

    number: int
    seat: int
    question: Question


@dataclass(frozen=True)
class Played:
    """A game that is over: its rules, its mode, and its moments in force."""

    game: Game[Any]
    mode: str
    moments: Sequence[Moment]

    def asked(self) -> tuple[Asked, ...]:
        """Return a question for each action that a player chose."""
        game, strengths = self.game, thinker_of(self.game).strengths
        chosen = [
            (number, seat)
            for number, after in enumerate(self.moments[1:])
            for seat in (sorted(after.actions) if after.kind in {"reveal", "action"} else ())
        ]
        nodes = strengths[-1].budget.nodes * min(MANY, len(chosen)) // (SHARE * max(1, len(chosen)))
        rules = tuple(sorted(rules_of(game)))

        def question(number: int, seat: int) -> Question:
            text, moves = history.text_and_moves(game, self.moments[: number + 1])
            return Question(game.name, rules, text, seat, len(strengths), number, max(1, nodes), True, moves)

        return tuple(Asked(number, seat, question(number, seat)) for number, seat in chosen)


@dataclass(frozen=True)
class Turning:
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
    turning: Sequence[Turning]


def review(played: Played, answers: Mapping[Asked, Answer]) -> Review:
    """Return the review from the answers. Questions whose search has failed are left out."""
    lines = _lines(played, answers)
    found = [one for asked, answer in answers.items() if (one := _turning(played, asked, answer, lines)) is not None]
    worst: dict[int, Turning] = {}
    for one in sorted(found, key=lambda one: one.lost):
        worst[one.number] = one  # If several seats acted together, the greatest loss counts.
    chosen = sorted(worst.values(), key=lambda one: -one.lost)[:TURNING]
    return Review(lines, sorted(chosen, key=lambda one: one.number))


def _lines(played: Played, answers: Mapping[Asked, Answer]) -> list[list[tuple[int, float]]]:
    teams = played.game.teams(played.mode)
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
    status = played.moments[-1].status
    if status.over:
        won = [bool(set(team) & set(status.winners)) for team in teams]
        for line, wins in zip(lines, won, strict=True):
            line.append((len(played.moments) - 1, 1.0 / sum(won) if wins else 0.0 if any(won) else 1.0 / len(teams)))
    return lines


def _turning(
    played: Played, asked: Asked, answer: Answer, lines: Sequence[Sequence[tuple[int, float]]]
) -> Turning | None:
    """Return the turning point of an action, None if it lost less than ``LEAST``."""
    done = played.moments[asked.number + 1].actions[asked.seat]
    if not answer.choices or answer.choices[0].action == done:
        return None
    best = answer.choices[0]
    worth = next((choice.value for choice in answer.choices if choice.action == done), None)
    if worth is None:  # The search left this action out: use the seat's next value.
        team = next(n for n, seats in enumerate(played.game.teams(played.mode)) if asked.seat in seats)
        worth = next((value for at, value in lines[team] if at > asked.number), best.value)
    lost = best.value - worth
    return Turning(asked.number, asked.seat, done, best, best.value, lost) if lost >= LEAST else None


def frames(played: Played, turning: Turning) -> list[dict[str, Any]]:
    """Return the better line as frames: ``words``, ``seat``, ``board`` and ``arrows`` after each action.

    The first frame is the board before, without words. Where all act together, the other seats act as they did.
    """
    game, before = played.game, played.moments[turning.number]
    position, others = before.position, played.moments[turning.number + 1].actions
    acts = {**others, turning.seat: turning.better.action} if game.simultaneous(position) else None
    shown: list[dict[str, Any]] = [{"words": "", "seat": None, "board": _board(game.occupancy(position)), "arrows": []}]
    seat: int | None = turning.seat
    for action in (turning.better.action, *turning.better.line[:LINE]):
        if seat is None or (acts is None and game.simultaneous(position)):
            break
        try:
            after = game.apply(position, acts or {seat: action})
        except GameError:
            break  # The rest of the line depends on chance or on hidden information.
        step = None if acts else stages.whole(game, position, action)
        shown.append(
            {
                "words": game.words(action),
                "seat": seat,
                "board": _board(after.placed),
                "arrows": told(MADE, ways_of(step)) if step else [],
            }
        )
        position, acts = after.position, None
        seat = None if after.status.over else game.actor(position)
    return shown


def _board(occupancy: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {node: list(stack) for node, stack in occupancy.items()}


def place_in_film(moments: Sequence[Moment], number: int) -> int:
    """Return the scene of a replay (from 0) that shows a moment; removals have extra scenes."""
    return number + sum(1 for moment in moments[1:number] if moment.removed)
