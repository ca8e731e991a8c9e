"""The requests of reviews: of the game that has ended at a table or is shown by a replay, and of any older one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from firmware_host.extensions.review.reviews import Reviews
from firmware_host.table.errors import TableError
from firmware_host.table.events import Word
from firmware_host.text.json_reader import COUNT, NUMBER, PAIR, SEAT, choice, maybe, part, record, rows, table_of
from firmware_host.text.words import say
from web_panel.api.records import MISSING, GameId, check_id
from web_panel.limits import Rate
from web_panel.panel import PanelContext, Screens
from web_panel.refusals import Denied
from web_panel.routes import Routes, Sender

BEGUN = Rate(10, 10 / 60)
"""Reviews that one address begins: of each the game is read and played through, and a minute of the search follows."""
_FRAME = record(words=str, seat=maybe(SEAT), board=table_of(rows(str)), arrows=rows(part("Arrow")))
_TURNING = record(
    moment=COUNT, scene=COUNT, turn=int, seat=SEAT, played=str, better=str, why=str, before=float, after=float,
    frames=rows(_FRAME),
)  # fmt: skip
_REVIEW = record(
    game=maybe(str),
    state=choice("none", "thinking", "ready"),
    done=COUNT,
    of=COUNT,
    lines=rows(record(seats=rows(SEAT), points=rows({**PAIR, "items": NUMBER}))),
    turning=rows(_TURNING),
)
of_now = Routes("review", {"Review": _REVIEW}, static="/static/review")
"""Of the game at the table, or of the one that a replay shows."""
of_records = Routes("reviews")


@dataclass(frozen=True)
class Reviewing(PanelContext):
    """What the requests of a table are given (:class:`web_panel.routes.Context`)."""

    reviews: Reviews

    def view(self) -> Mapping[str, Any]:
        """Return the review of the game that has ended."""
        return self.reviews.view()


@dataclass(frozen=True)
class ReviewingFilm:
    """What the request of a replay is given: its review, or how far that is."""

    screens: Screens
    view: Callable[[], Mapping[str, Any]]

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:
        """Admit whom the replay admits."""
        return self.screens.admit(sender)


@of_now.get("/api/review", part("Review"))
def review(here: Reviewing | ReviewingFilm) -> Mapping[str, Any]:
    """How the game that has ended went, or how far its review is."""
    return here.view()


@of_records.get("/api/replay/<game_id>/review", part("Review"), _404=MISSING)
def review_of(here: Reviewing, game_id: GameId) -> Mapping[str, Any]:
    """How it went, or how far its review is; nothing before somebody has asked."""
    check_id(game_id)
    return here.reviews.of(game_id)


@of_records.post("/api/review/begin", "guest")
def begin(here: Reviewing, game: Word) -> None:
    """Have a game that is over reviewed beside the table."""
    here.panel.guesses.limit("reviews", BEGUN)
    films = here.panel.films
    try:
        check_id(game)
        film = films.newest(game).film if films.is_over(game) else None
    except Denied as denied:  # As every refusal of what somebody wants to be done.
        raise TableError(denied.code, denied.message) from denied
    if film is None:
        raise TableError("wrong_phase", say("this game is not over: it can be reviewed once it is"))
    here.reviews.begin(game, film.game, film.header["mode"], film.moments)
