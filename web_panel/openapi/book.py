"""The household's book, in the description: its page, and its data."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import (
    COUNT,
    NUMBER,
    SEAT,
    TEXT,
    TIME,
    YES_NO,
    Schema,
    maybe,
    one_of,
    part,
    record,
    rows,
    table_of,
)

_TALLY = {"won": COUNT, "drawn": COUNT, "lost": COUNT}

SCHEMAS: dict[str, Schema] = {
    "BookLine": record(
        game=TEXT,
        title=TEXT,
        **_TALLY,
        rating=maybe(record(points=NUMBER, deviation=NUMBER, volatility=NUMBER)),
        modes=rows(record(mode=TEXT, **_TALLY)),
        opponents=rows(record(name=TEXT, **_TALLY)),
    ),
    "BookGame": record(
        id=TEXT,
        game=TEXT,
        mode=TEXT,
        started=TIME,
        ended=TIME,
        seats=rows(
            record(
                seat=SEAT,
                side=COUNT,
                name=TEXT,
                computer=YES_NO,
                level=maybe(COUNT),
                result=one_of("won", "drawn", "lost"),
            )
        ),
    ),
    "Book": record(
        book=COUNT,
        people=rows(record(name=TEXT, last=TIME, games=rows(part("BookLine")))),
        games=rows(part("BookGame")),
        puzzles=rows(record(name=TEXT, solved=COUNT, streak=COUNT, best=table_of(COUNT))),
    ),
}


def paths(shows: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths; ``shows`` writes an operation as the document does."""
    return {
        "/book": {"get": shows("The household's book", "text/html", TEXT)},
        "/api/standing": {
            "get": shows(
                "How those stand who have met last, and the game by which they do; null where it is none of two sides",
                "application/json",
                record(game=maybe(TEXT), words=rows(TEXT)),
            )
        },
        "/api/book.json": {"get": shows("The whole book", "application/json", part("Book"), _409="Conflict")},
        "/api/book.csv": {"get": shows("A row for each seat of each game", "text/csv", TEXT, _409="Conflict")},
    }
