"""Lessons, in the description: the list, with the puzzle of the day."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import TEXT, YES_NO, Schema, maybe, part, record, rows

SCHEMAS: dict[str, Schema] = {
    "Lessons": record(
        game=TEXT,
        title=TEXT,
        first=YES_NO,
        lessons=rows(record(name=TEXT, title=TEXT)),
        puzzle=maybe(part("PuzzleInList")),
    ),
}


def paths(shows: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths; ``shows`` writes operations as the document does."""
    summary = "Lessons and today's puzzle of the game at the table; `first`: no game has been played here yet"
    return {"/api/lessons": {"get": shows(summary, "application/json", part("Lessons"), _503="Busy")}}
