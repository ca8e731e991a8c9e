"""The OpenAPI description of ``lodestone replay``; paths that it shares with the panel are taken from there."""

from __future__ import annotations

from typing import Any

from firmware_host.replay.cursor import LONGEST_S, SHORTEST_S
from web_panel.openapi import document as openapi
from web_panel.openapi.records import SCHEMAS, SHOWN
from web_panel.openapi.schema import COUNT, Schema, one_of, part, record

_PLAIN = ("first", "back", "play", "pause", "on", "last")
ORDER: Schema = {
    "oneOf": [
        record(do=one_of(*_PLAIN)),
        record(do=one_of("to"), moment=COUNT),
        record(do=one_of("pace"), seconds={"type": "number", "minimum": SHORTEST_S, "maximum": LONGEST_S}),
    ]
}
"""A screen's command."""

SHARED = (
    "/api/events",
    "/api/how-to-play/{name}",
    "/api/how-to-play/{name}/cover",
    "/api/how-to-play/{name}/terms",
    "/api/language",
    "/api/openapi.json",
    "/api/review",
    "/app.webmanifest",
    "/board",
    "/favicon.ico",
    "/how-to-play",
    "/how-to-play/{name}",
    "/script/{name}",
    "/static/{filename}",
    "/words.js",
)
"""Paths that are the same at a table, as are the virtual board's."""


def document() -> Schema:
    """Return the whole description."""
    whole = openapi.document()
    paths = whole["paths"]
    page, state, order = paths["/play"]["get"], paths["/api/state"]["get"], paths["/api/leave"]["post"]
    shared = {path: item for path, item in paths.items() if path in SHARED or path.startswith("/sim/")}
    begin = {"description": "To the page", "headers": {"Location": {"schema": {"type": "string"}}}}
    answers = {status: found for status, found in order["responses"].items() if status not in {"409", "503"}}
    components = whole["components"]
    return {
        **whole,
        "info": {
            **whole["info"],
            "title": "Lodestone's replay",
            "description": "A recorded game, shown to all screens at once. Any screen may give orders.",
        },
        "paths": {
            **shared,
            "/": {"get": {"summary": "To the page", "responses": {**_without_ok(page), "302": begin}}},
            "/replay": {"get": {**page, "summary": "The page of all screens"}},
            "/api/state": {"get": _with_schema(state, "The moment that is shown", part("Shown"))},
            "/api/replay": {
                "post": {
                    **order,
                    "summary": "Move the replay: for all screens",
                    "operationId": "replay",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": ORDER}}},
                    "responses": {**answers, "403": {"$ref": "#/components/responses/Foreign"}},
                    "security": [],
                }
            },
        },
        "components": {**components, "schemas": {**components["schemas"], **SCHEMAS, "Shown": SHOWN, "View": SHOWN}},
    }


def _without_ok(operation: Schema) -> dict[str, Any]:
    return {status: found for status, found in operation["responses"].items() if status != "200"}


def _with_schema(operation: Schema, summary: str, schema: Schema) -> Schema:
    ok = {"description": summary, "content": {"application/json": {"schema": schema}}}
    return {**operation, "summary": summary, "responses": {**operation["responses"], "200": ok}}
