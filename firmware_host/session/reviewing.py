"""Reviews in progress: of the game finished at the table until the next one starts, and of older games.

Older games are reviewed on request.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.analysis.review import Asked, Played, Turning, frames, place_in_film, review
from firmware_host.analysis.thinker import Answer, Question
from firmware_host.games.game import Game
from firmware_host.session.computer import ComputerPlayers, Thinks
from firmware_host.table.ledger import Moment
from firmware_host.table.state import Table
from firmware_host.text.words import capital, joined

AHEAD = 2
"""Number of questions the search gets at once, so that it never waits for the next one."""
KEPT = 3
"""Maximum number of older games whose reviews are kept or queued."""
NOTHING: Mapping[str, Any] = {"game": None, "state": "none", "done": 0, "of": 0, "lines": [], "turning": []}


@dataclass
class GameReview:
    """A game under review. One thread adds answers; others read them once all are there."""

    id: str
    played: Played
    asked: Sequence[Asked]
    answers: dict[Asked, Answer] = field(default_factory=dict)
    made: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, game_id: str, played: Played) -> GameReview:
        """Return the empty review of a finished game."""
        return cls(game_id, played, played.asked())

    @property
    def ready(self) -> bool:
        """Whether all answers are there."""
        return len(self.answers) == len(self.asked)

    def wanted(self, thinker: Thinks) -> Sequence[Question]:
        """Take the thinker's answers; return the next questions, without waiting."""
        while not self.ready:
            asked = self.asked[len(self.answers)]
            answer = thinker.found(asked.question)
            if answer is None:
                break
            self.answers[asked] = answer
        done = len(self.answers)
        return [asked.question for asked in self.asked[done : done + AHEAD]]

    def shown(self) -> Mapping[str, Any]:
        """Return the review, or its progress (docs/view.md); on any thread."""
        if not self.asked:
            return NOTHING
        told = {"game": self.id, "done": len(self.answers), "of": len(self.asked)}
        if not self.ready:
            return {**NOTHING, **told, "state": "thinking"}
        if self.made is None:
            self.made = _made(self)
        return {**told, "state": "ready", **self.made}


class Reviewing:
    """Lets the computers' thinker look at each action of finished games, one game after the other."""

    def __init__(self, players: ComputerPlayers) -> None:
        """Begin with nothing to review."""
        self._players = players
        self._subject: GameReview | None = None
        self._older: Mapping[str, GameReview] = {}  # Replaced, never changed: the loop reads it meanwhile.
        self._lock = threading.Lock()

    @property
    def possible(self) -> bool:
        """Whether there is a search at this table."""
        return self._players.thinker is not None

    def wanted(self, table: Table) -> Sequence[Question]:
        """Return the next questions, without waiting; on the loop's thread."""
        subject, ledger, thinker = self._subject, table.ledger, self._players.thinker
        if table.phase == "over" and (subject is None or subject.id != ledger.game_id):
            played = Played(table.game, ledger.mode, tuple(ledger.moments))
            subject = self._subject = GameReview.of(ledger.game_id, played)
        elif table.phase not in {"over", "lobby"}:
            self._drop(ledger.game_id)
            subject = self._subject
        if thinker is None:
            return ()
        open_ = (one for one in (subject, *self._older.values()) if one is not None and not one.ready)
        return next((wanted for one in open_ if (wanted := one.wanted(thinker))), ())

    def shown(self) -> Mapping[str, Any]:
        """Return the review of the table's game, or its progress (docs/view.md); on any thread."""
        subject = self._subject
        return NOTHING if subject is None or not self.possible else subject.shown()

    def of(self, game_id: str) -> Mapping[str, Any]:
        """Return the review of any game, or its progress; state ``none`` if it was not requested. Any thread."""
        subject = self._known(game_id)
        return NOTHING if subject is None or not self.possible else subject.shown()

    def begin(self, game_id: str, game: Game[Any], mode: str, moments: Sequence[Moment]) -> None:
        """Queue the review of a finished game; on any thread."""
        with self._lock:
            if self._known(game_id) is not None:
                return
            older = dict(self._older)
            if len(older) >= KEPT:
                del older[next((name for name, one in older.items() if one.ready), next(iter(older)))]
            self._older = {**older, game_id: GameReview.of(game_id, Played(game, mode, tuple(moments)))}

    def _drop(self, playing: str) -> None:
        """Drop a review that is not ready, and all reviews of the game that is played: its end was taken back."""
        subject = self._subject
        if subject is not None and (not subject.ready or subject.id == playing):
            self._subject = None
        if playing in self._older:
            with self._lock:
                self._older = {name: one for name, one in self._older.items() if name != playing}

    def _known(self, game_id: str) -> GameReview | None:
        subject = self._subject
        return subject if subject is not None and subject.id == game_id else self._older.get(game_id)


def _made(subject: GameReview) -> Mapping[str, Any]:
    played = subject.played
    found = review(played, subject.answers)
    teams = played.game.teams(played.mode)
    return {
        "lines": [
            {"seats": list(team), "points": [[at, round(value, 3)] for at, value in line]}
            for team, line in zip(teams, found.lines, strict=True)
        ],
        "turning": [_turning(played, one) for one in found.turning],
    }


def _turning(played: Played, one: Turning) -> Mapping[str, Any]:
    game = played.game
    return {
        "moment": one.number + 1,
        "scene": place_in_film(played.moments, one.number + 1),
        "turn": game.turn(played.moments[one.number].position),
        "seat": one.seat,
        "played": capital(game.words(one.played)),
        "better": capital(game.words(one.better.action)),
        "why": joined(one.better.reasons[:2], " "),
        "before": round(one.before, 3),
        "after": round(one.before - one.lost, 3),
        "frames": frames(played, one),
    }
