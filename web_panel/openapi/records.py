"""Replays in the description: a recorded game's film and its moments, of the panel and of ``lodestone replay``."""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.replay.view_form import Film, Moments, Shown
from web_panel.openapi.schema import COUNT, TEXT, Schema, part, refused
from web_panel.openapi.typed import components

SCHEMAS = components(Film, Moments)
SHOWN = components(Shown)["Shown"]
"""What every screen of ``lodestone replay`` sees."""


def paths(shows: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths of the panel; ``shows`` writes operations as its own."""
    names = {
        "game_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "version": {"type": "string", "minLength": 1, "pattern": "^[0-9a-f]+$"},
        "first": COUNT,
    }
    where = {name: {"name": name, "in": "path", "required": True, "schema": schema} for name, schema in names.items()}
    page = shows("A recorded game, stepped through by the host", "text/html", TEXT)
    whole = shows("What is the same at all its moments", "application/json", part("Film"))
    some = shows("Some moments, from this one on", "application/json", part("Moments"))
    page["responses"] |= {"403": _page("Not the host's phone"), "404": _page("There is no such game")}
    for operation in (whole, some):
        operation["responses"] |= {
            "403": refused("Not the host's phone", "not_host"),
            "404": refused("There is no such game or moment", "no_game", "no_moment", "http"),
            "409": refused("The record can't be read, or the game has been played on", "bad_record", "gone_on"),
        }
    for operation in (page, whole, some):
        operation["responses"] = dict(sorted(operation["responses"].items()))
        operation["security"] = [{"host": []}]
    page_of, whole_of, some_of = (_for_all(one) for one in (page, whole, some))
    page_of["responses"].pop("403")
    record_of = _for_all(whole) | {"summary": "Download the record of a game that is over"}
    ok = {"description": record_of["summary"], "content": {"application/x-ndjson": {"schema": TEXT}}}
    record_of["responses"] = {**record_of["responses"], "200": ok}
    review = _for_all(shows("How it went, or how far its review is", "application/json", part("Review")))
    return {
        "/api/replay/{game_id}/review": {"get": review, "parameters": [where["game_id"]]},
        "/replay/{game_id}": {"get": page_of, "parameters": [where["game_id"]]},
        "/api/replay/{game_id}": {"get": whole_of, "parameters": [where["game_id"]]},
        "/api/replay/{game_id}/{version}/{first}": {"get": some_of, "parameters": list(where.values())},
        "/api/records/{game_id}.jsonl": {"get": record_of, "parameters": [where["game_id"]]},
        "/host/replay/{game_id}": {"get": page, "parameters": [where["game_id"]]},
        "/api/host/replay/{game_id}": {"get": whole, "parameters": [where["game_id"]]},
        "/api/host/replay/{game_id}/{version}/{first}": {"get": some, "parameters": list(where.values())},
    }


def _for_all(operation: Schema) -> Schema:
    """Return an operation as it is for everybody: about a game that is over."""
    responses = {**operation["responses"], "403": refused("The game is not over", "not_over")}
    return {
        **operation,
        "summary": f"{operation['summary']}: a game that is over",
        "responses": responses,
        "security": [],
    }


def _page(words: str) -> Schema:
    return {"description": words, "content": {"text/html": {"schema": TEXT}}}
