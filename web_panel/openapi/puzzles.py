"""Puzzles, in the description: a page for each game, its list, and the position after tried actions."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import (
    COUNT,
    NODE,
    SEAT,
    TEXT,
    YES_NO,
    Schema,
    maybe,
    one_of,
    part,
    record,
    rows,
    table_of,
)

_GRADE: Schema = {"type": "integer", "minimum": 1, "maximum": 5}
_SUMMARY = {"id": TEXT, "kind": TEXT, "title": TEXT, "grade": _GRADE, "on_board": YES_NO, "least": COUNT}

SCHEMAS: dict[str, Schema] = {
    "PuzzleInList": record(**_SUMMARY),
    "Puzzles": record(
        today=maybe(part("PuzzleInList")),
        day=TEXT,
        today_by=rows(record(name=TEXT, seconds=COUNT)),
        puzzles=rows(part("PuzzleInList")),
    ),
    "Puzzle": record(
        **_SUMMARY,
        game=TEXT,
        goals=YES_NO,
        asked=TEXT,
        seat=SEAT,
        state=one_of("open", "solved", "wrong"),
        words=TEXT,
        ends=COUNT,
        looked=COUNT,
        layout=part("Layout"),
        board=table_of(rows(TEXT)),
        pieces=table_of(TEXT),
        tints=table_of(TEXT),
        lights=table_of(part("Light")),
        arrows=rows(part("Arrow")),
        supply=maybe(record(piece=TEXT, left=COUNT)),
        stage=rows(TEXT),
        steps=rows(part("Step")),
        choices=rows(record(action=TEXT, words=TEXT)),
        seats=rows(record(seat=SEAT, name=TEXT, homes=rows(NODE), colour=COUNT, plays=maybe(TEXT))),
    ),
    "PuzzleSolution": record(actions=rows(TEXT), words=rows(TEXT)),
}


def paths(shows: Callable[..., Schema], in_path: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths; ``shows`` and ``in_path`` write operations and parameters as the document does."""
    named = in_path("name", {"type": "string", "minLength": 1})
    one = in_path("puzzle", {"type": "string", "minLength": 1})
    words: Schema = {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 40}
    tried = shows(
        "A puzzle after some actions of its seat", "application/json", part("Puzzle"), _404="Missing", _409="Conflict"
    )
    tried["parameters"] = [
        {"name": "do", "in": "query", "description": "The seat's actions, in order", "schema": words},
        {"name": "stage", "in": "query", "description": "The next action's first stage", "schema": words},
    ]
    answer = shows("The answer of a puzzle", "application/json", part("PuzzleSolution"), _404="Missing")
    return {
        "/puzzles": {"get": shows("Puzzles of the game at the table", "text/html", TEXT)},
        "/puzzles/{name}": {
            "get": shows("Puzzles of a game", "text/html", TEXT, _404="Missing"),
            "parameters": [named],
        },
        "/api/puzzles/{name}": {
            "get": shows("All puzzles of a game, and today's", "application/json", part("Puzzles"), _404="Missing"),
            "parameters": [named],
        },
        "/api/puzzles/{name}/{puzzle}": {"get": tried, "parameters": [named, one]},
        "/api/puzzles/{name}/{puzzle}/solution": {"get": answer, "parameters": [named, one]},
    }
