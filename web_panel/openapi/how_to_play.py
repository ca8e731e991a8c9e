"""How to play, in the description: a page for each game, and the data of its pictures."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import COUNT, NODE, SEAT, TEXT, Schema, maybe, part, record, rows, table_of

SEATS = rows(
    record(
        seat=SEAT,
        homes=rows(NODE),
        colour={"type": "integer", "minimum": 1, "maximum": 8},
        plays=maybe(TEXT),
    )
)
TERMS = rows(record(term=TEXT, words=TEXT))
SCHEMAS: dict[str, Schema] = {
    "Terms": record(terms=TERMS),
    "Cover": record(
        pieces=table_of(TEXT),
        tints=table_of(TEXT),
        layout=part("Layout"),
        board=table_of(rows(TEXT)),
        lights=table_of(part("Light")),
        arrows=rows(part("Arrow")),
        seats=SEATS,
    ),
    "HowToPlay": record(
        name=TEXT,
        title=TEXT,
        aim=maybe(TEXT),
        minutes=maybe(rows(COUNT)),
        players=rows(COUNT),
        pictures=rows(
            record(
                words=TEXT,
                layout=maybe(part("Layout")),
                board=table_of(rows(TEXT)),
                lights=table_of(part("Light")),
                arrows=rows(part("Arrow")),
                seats=SEATS,
            )
        ),
        terms=TERMS,
        endings=rows(TEXT),
        scoring=maybe(TEXT),
        pieces=table_of(TEXT),
        tints=table_of(TEXT),
        layout=part("Layout"),
    ),
}


def paths(shows: Callable[..., Schema], in_path: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths; ``shows`` and ``in_path`` write operations and parameters as the document does."""
    named = [in_path("name", {"type": "string", "minLength": 1})]
    pictures = shows("The pictures of how a game is played", "application/json", part("HowToPlay"), _404="Missing")
    terms = shows("What a game's words mean", "application/json", part("Terms"), _404="Missing")
    cover = shows("The picture that stands for a game", "application/json", part("Cover"), _404="Missing")
    return {
        "/how-to-play": {"get": shows("How the game at the table is played", "text/html", TEXT)},
        "/how-to-play/{name}": {
            "get": shows("How a game is played", "text/html", TEXT, _404="Missing"),
            "parameters": named,
        },
        "/api/how-to-play/{name}": {"get": pictures, "parameters": named},
        "/api/how-to-play/{name}/terms": {"get": terms, "parameters": named},
        "/api/how-to-play/{name}/cover": {"get": cover, "parameters": named},
    }
