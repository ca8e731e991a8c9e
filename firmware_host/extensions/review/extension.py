"""What the review adds to the program: questions for a table's or a replay's search, requests, parts of three pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from firmware_host.plug import Attached, Extension, Parts

if TYPE_CHECKING:
    from firmware_host.analysis.questions import Question
    from firmware_host.extensions.review.reviews import Reviews
    from firmware_host.replay.player import ReplaySession
    from firmware_host.replay.scenes import Film
    from firmware_host.session.runtime import Runtime
    from web_panel.panel import Panel, Screens
    from web_panel.routes import Context, Routes


class ReviewExtension(Extension):
    """What the players' search says of the actions of a game that is over."""

    name = "review"
    is_portable = True
    scripts = {"play/play.js": "phone.js", "replay/replay.js": "film.js", "tv/tv.js": "screen.js"}  # noqa: RUF012
    film_fields = {"reviews": bool}  # noqa: RUF012 - read only, both

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the requests of a table."""
        from firmware_host.extensions.review.requests import of_now, of_records  # noqa: PLC0415 - of the panel

        return (of_now, of_records)

    @property
    def replay_routes(self) -> Sequence[Routes]:
        """Return the one of a replay."""
        from firmware_host.extensions.review.requests import of_now  # noqa: PLC0415 - of the panel

        return (of_now,)

    def attach(self, parts: Parts) -> Attached:
        """Review the games of any table."""
        return attach_review(parts.runtime)

    def attach_replay(self, show: ReplaySession) -> Attached:
        """Review the game of a replay."""
        from firmware_host.extensions.review.reviews import review_film  # noqa: PLC0415 - of tables and replays

        view = review_film(show)

        def context(screens: Screens) -> Context:
            from firmware_host.extensions.review.requests import ReviewingFilm  # noqa: PLC0415 - of the panel

            return ReviewingFilm(screens, view)

        return Attached(context)


def attach_review(runtime: Runtime) -> Attached:
    """Have the games of a table reviewed, and return what is added to it."""
    from firmware_host.extensions.review.reviews import Reviews  # noqa: PLC0415 - of tables

    reviews = Reviews(runtime.computers.analyser)

    def questions() -> Sequence[Question]:
        table = runtime.table()
        return reviews.questions(None if table.lesson else table)

    runtime.search_for(questions, idle=True)
    return show_reviews(reviews)


def show_reviews(reviews: Reviews) -> Attached:
    """Return what is added to a table with these reviews."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.review.requests import Reviewing  # noqa: PLC0415 - of the panel

        return Reviewing(panel, reviews)

    def film_state(film: Film) -> Mapping[str, Any]:
        return {"reviews": film.over and reviews.is_possible}

    return Attached(context, film_state=film_state)


EXTENSION = ReviewExtension()
