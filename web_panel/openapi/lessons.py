"""Lessons, in the description: the list."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import TEXT, YES_NO, Schema, part, record, rows

SCHEMAS: dict[str, Schema] = {
    "Lessons": record(game=TEXT, title=TEXT, first=YES_NO, lessons=rows(record(name=TEXT, title=TEXT))),
}


def paths(shows: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths; ``shows`` writes operations as the document does."""
    summary = "The lessons of the game at the table; `first`: no game has been played here yet"
    return {"/api/lessons": {"get": shows(summary, "application/json", part("Lessons"), _503="Busy")}}
