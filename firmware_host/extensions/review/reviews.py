"""What is reviewed: games at a table that have ended, the last few older ones that somebody asked for, and a replay's.

The table's last game is reviewed until the next one starts, an older one on request. A review is a row of short
questions, which the search answers when nobody waits for anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_host.analysis.questions import Analyser, Question
from firmware_host.extensions.review.review import NO_REVIEW, FinishedGame, GameReview
from firmware_host.games.game import Game
from firmware_host.replay.player import ReplaySession
from firmware_host.table.ledger import Moment
from firmware_host.table.state import Table

KEPT = 3
"""Maximum number of older games whose reviews are kept or queued."""


class Reviews:
    """Looks at each action of finished games, one game after the other."""

    def __init__(self, analyser: Analyser | None) -> None:
        """Begin with nothing to review."""
        self._analyser = analyser
        self._subject: GameReview | None = None
        """The review of the table's last game."""
        self._older: Mapping[str, GameReview] = {}  # Replaced, never changed: the loop reads it meanwhile.
        self._lock = threading.Lock()

    @property
    def is_possible(self) -> bool:
        """Whether there is a search at this table."""
        return self._analyser is not None

    def questions(self, table: Table | None) -> Sequence[Question]:
        """Return the next questions, without waiting, on the loop's thread. None: the table's game rests."""
        if table is not None:
            self._follow(table)
        if self._analyser is None:
            return ()
        for review in (self._subject, *self._older.values()):
            if review is not None and not review.ready and (questions := review.next_questions(self._analyser)):
                return questions
        return ()

    def view(self) -> Mapping[str, Any]:
        """Return the review of the table's game, or its progress (README.md); on any thread."""
        subject = self._subject
        return NO_REVIEW if subject is None or not self.is_possible else subject.view()

    def of(self, game_id: str) -> Mapping[str, Any]:
        """Return the review of any game, or its progress; state ``none`` if it was not requested. Any thread."""
        review = self._review_of(game_id)
        return NO_REVIEW if review is None or not self.is_possible else review.view()

    def begin(self, game_id: str, game: Game[Any], mode: str, moments: Sequence[Moment]) -> None:
        """Queue the review of a finished game, unless it is queued or made already; on any thread."""
        with self._lock:
            if self._review_of(game_id) is not None:
                return
            older = dict(self._older)
            if len(older) >= KEPT:
                del older[next((name for name, one in older.items() if one.ready), next(iter(older)))]
            self._older = {**older, game_id: GameReview.of(game_id, FinishedGame(game, mode, tuple(moments)))}

    def _follow(self, table: Table) -> None:
        """Begin the review of a game that has ended.

        Once one is played, drop a review that is not ready, and all reviews of this game: its end was taken back.
        """
        ledger, subject = table.ledger, self._subject
        if table.phase == "over":
            if subject is None or subject.id != ledger.game_id:
                finished = FinishedGame(table.game, ledger.mode, tuple(ledger.moments))
                self._subject = GameReview.of(ledger.game_id, finished)
        elif table.phase != "lobby":
            if subject is not None and (not subject.ready or subject.id == ledger.game_id):
                self._subject = None
            if ledger.game_id in self._older:
                with self._lock:
                    self._older = {name: one for name, one in self._older.items() if name != ledger.game_id}

    def _review_of(self, game_id: str) -> GameReview | None:
        subject = self._subject
        return subject if subject is not None and subject.id == game_id else self._older.get(game_id)


def review_film(show: ReplaySession) -> Callable[[], Mapping[str, Any]]:
    """Have the game of a replay reviewed, if it is over and a search runs; return what tells how far that is."""
    film, analyser = show.film, show.analyser
    if analyser is None or not film.over:
        return lambda: NO_REVIEW
    review = GameReview.of(film.header["id"], FinishedGame(film.game, film.header["mode"], film.moments))
    show.search_for(lambda: review.next_questions(analyser))
    return review.view
