"""The panel's OpenAPI 3.1 description: ``/api/openapi.json``, kept as docs/openapi.json.

``python -m web_panel.openapi.document`` prints it; tests compare it with the file, the routes and all their answers.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping

from flask import Blueprint, Flask, Response, current_app

from web_panel.openapi import book as openapi_book
from web_panel.openapi import host as openapi_host
from web_panel.openapi import how_to_play as openapi_how_to_play
from web_panel.openapi import lessons as openapi_lessons
from web_panel.openapi import puzzles as openapi_puzzles
from web_panel.openapi import records as openapi_records
from web_panel.openapi import simulation as openapi_simulation
from web_panel.openapi.requests import REQUESTS, WORD
from web_panel.openapi.schema import COUNT, TEXT, Schema, part, record, refused
from web_panel.openapi.view import COMPONENTS

CONFLICTS = (
    "already_sealed", "bad_action", "bad_board", "bad_claim", "bad_clock", "bad_code", "bad_colour", "bad_game",
    "bad_hint", "bad_lesson", "bad_level", "bad_lights", "bad_mode", "bad_name", "bad_node", "bad_proposal",
    "bad_puzzle",
    "bad_record", "bad_rule", "bad_seal", "bad_seat", "held", "internal", "lesson", "no_book", "no_game", "no_hints",
    "no_journal", "no_power", "no_update", "no_wifi", "not_kept", "not_your_turn", "seal_mismatch", "seat_taken",
    "time_up", "too_many", "too_soon", "wrong_phase",
)  # fmt: skip
"""Codes of the table's own refusals: :class:`firmware_host.table.errors.TableError`."""


FORBIDDEN = {
    "player": "NotYours",
    "learner": "NotYours",
    "host": "NotHost",
    "ticket": "NoTicket",
    "token": "NoToken",
    "ask": "Foreign",
    "guest": "Foreign",
    "hotspot": "NotHost",
}
"""Sender of a request → response (of status 403) to other senders."""
COOKIES = {
    "player": ("seat",),
    "learner": ("lesson", "host"),
    "host": ("host",),
    "collect": ("ask",),
    "hotspot": ("host",),
}
GIVEN = {"ask": "Asked", "collect": "Given", "why": "Why", "hint": "Hint", "network/join": "NetworkAsked"}
"""Requests whose answer is more than "done"."""


def _paged(words: str) -> Schema:
    content = {"application/json": {"schema": part("Refusal")}, "text/html": {"schema": TEXT}}
    return {"description": words, "content": content}


RESPONSES: dict[str, Schema] = {
    "Done": {"description": "Done, journalled and shown", "content": {"application/json": {"schema": part("Done")}}},
    "Asked": {"description": "The host is asked", "content": {"application/json": {"schema": part("Asked")}}},
    "NetworkAsked": {
        "description": "The network is being joined, or, with a code, the host is asked",
        "content": {"application/json": {"schema": part("NetworkAsked")}},
    },
    "Given": {"description": "The seat is this phone's", "content": {"application/json": {"schema": part("Given")}}},
    "Why": {"description": "The rule, if one forbids it", "content": {"application/json": {"schema": part("Why")}}},
    "Hint": {
        "description": "The hint, for this phone alone",
        "content": {"application/json": {"schema": part("Hint")}},
    },
    "Bad": refused("A broken request, a body of the wrong shape, or a host name that is not the table's",
                    "bad_request", "bad_host", "http"),
    "Misnamed": refused("A broken request, or a host name that is not the table's", "bad_host", "http"),
    "Foreign": refused("A request of another page", "foreign"),
    "NotYours": refused("A request of another page, or of a phone without a seat", "foreign", "not_seated"),
    "NotHost": refused("A request of another page, or of a phone that is not the host's", "foreign", "not_host"),
    "NoTicket": refused("A request of another page, or a ticket that is not good for the seat",
                         "foreign", "bad_ticket"),
    "NoToken": refused("A request of another page, or not the host's token", "foreign", "bad_token"),
    "Conflict": refused("The table refuses; nothing has changed", *CONFLICTS),
    "NotAllowed": refused("The table refuses, or the host has not allowed it: nothing has changed",
                           *CONFLICTS, "asked", "undecided", "refused"),
    "BigBody": refused("A body of more than 4096 bytes", "http"),
    "LongUrl": refused("Path and query of more than 1024 characters", "http"),
    "WrongType": refused("Not application/json", "bad_request", "http"),
    "TooMany": {
        **refused("Too many requests of this address or seat", "too_many"),
        "headers": {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer", "minimum": 1}}},
    },
    "BigHeader": refused("Headers of more than 16 KiB", "http"),
    "Busy": refused("The table did not answer in time, or too many screens are watching", "busy"),
    "Withheld": refused("It tells what nobody may know before the game is over", "withheld"),
    "NoBackup": refused("A stack is still hidden, or the journal can't be read", "withheld", "no_journal"),
    "Missing": _paged("There is no such page"),
    "Unsuitable": _paged("There is no such part of the file"),
}  # fmt: skip


def _answers(**named: str) -> dict[str, Schema]:
    """Return responses by status: the given ones (``_404="Missing"``), and those of any request."""
    always = {"_400": "Misnamed", "_414": "LongUrl", "_429": "TooMany", "_431": "BigHeader"}
    refs = {name.lstrip("_"): {"$ref": f"#/components/responses/{what}"} for name, what in {**always, **named}.items()}
    return dict(sorted(refs.items()))


def _shows(summary: str, kind: str, schema: Schema, **more: str) -> Schema:
    ok = {"description": summary, "content": {kind: {"schema": schema}}}
    return {"summary": summary, "responses": {"200": ok, **_answers(**more)}}


def _deed(name: str) -> Schema:
    summary, fields, who = REQUESTS[name]
    body = {
        "type": "object",
        "properties": {field.removesuffix("?"): kind for field, kind in fields.items()},
        "required": [field for field in fields if not field.endswith("?")],
        "additionalProperties": False,
    }
    answers = _answers(
        _200=GIVEN.get(name, "Done"), _400="Bad", _403=FORBIDDEN[who],
        _409="NotAllowed" if who == "ask" else "Conflict", _413="BigBody", _415="WrongType", _503="Busy",
    )  # fmt: skip
    return {
        "summary": summary,
        "operationId": name.replace("/", "-"),
        "parameters": [{"$ref": "#/components/parameters/Own"}],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": answers,
        "security": [{cookie: []} for cookie in COOKIES.get(name, COOKIES.get(who, ()))],
    }


def _language() -> Schema:
    """Return the operation that sets a browser's language; the table is not involved."""
    operation = _deed("leave")
    body = {"type": "object", "properties": {"language": WORD}, "required": ["language"], "additionalProperties": False}
    answers = {status: found for status, found in operation["responses"].items() if status not in {"409", "503"}}
    return {
        **operation,
        "summary": "Choose the language of this browser",
        "operationId": "language",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {**answers, "403": {"$ref": "#/components/responses/Foreign"}},
        "security": [],
    }


def _in_path(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _paths() -> dict[str, Schema]:
    view = _shows("The view: everything that may be seen, from this seat", "application/json", part("View"))
    view["responses"]["304"] = {"description": "Nothing has changed: `ETag` names run, state and beholder"}
    stream = _shows("The same, at once and after every change, as server-sent events", "text/event-stream",
                    TEXT, _503="Busy")  # fmt: skip
    stream["description"] = (
        "`id` names run, state and beholder. With `Last-Event-ID` of just this state nothing is sent but a beat; with "
        "any other the state. `event: beat` every ten seconds; `event: enough` before a stream that gave way ends."
    )
    stream["parameters"] = [{"name": "Last-Event-ID", "in": "header", "required": False, "schema": TEXT}]
    seat_of = _in_path("seat", {"type": "integer", "minimum": 0})
    static = _shows("A file of the pages", "*/*", {}, _404="Missing", _416="Unsuitable")
    static["responses"].update({"206": {"description": "A part of it"}, "304": {"description": "Not changed"}})
    words = _shows("All words of the pages, in the reader's language", "text/javascript", TEXT)
    words["responses"]["304"] = {"description": "Not changed"}
    script = _shows("A module of the pages with all that it imports", "text/javascript", TEXT, _404="Missing")
    script["responses"]["304"] = {"description": "Not changed"}
    code = "A code to scan that leads to "
    return {
        "/api/state": {"get": view},
        "/api/events": {"get": stream},
        "/api/time": {
            "get": _shows(
                "The table's time, milliseconds, by which clocks count", "application/json", record(now=COUNT)
            )
        },
        "/api/hardware": {"get": _shows("What the sensors read last", "application/json", part("Readings"))},
        "/api/proof": {
            "get": _shows(
                "Every seal of the game; openings of what was revealed only", "application/json", part("Proof")
            )
        },
        "/api/review": {
            "get": _shows(
                "How the game that has ended went, or how far its review is", "application/json", part("Review")
            )
        },
        "/api/openapi.json": {"get": _shows("This description", "application/json", {"type": "object"})},
        **{f"/api/{name}": {"post": _deed(name)} for name in REQUESTS},
        "/api/language": {"post": _language()},
        "/words.js": {"get": words},
        "/script/{name}": {"get": script, "parameters": [_in_path("name", TEXT)]},
        "/app.webmanifest": {"get": _shows("The panel as an app on a home screen", "application/manifest+json", {})},
        **openapi_host.paths(_shows, _in_path),
        "/": {"get": _shows("The lobby", "text/html", TEXT)},
        "/play": {"get": _shows("The phone's page", "text/html", TEXT)},
        "/tv": {"get": _shows("The big screen", "text/html", TEXT)},
        "/proof": {"get": _shows("The proof that seals were kept, for players", "text/html", TEXT)},
        "/hardware": {"get": _shows("The sensors' page", "text/html", TEXT)},
        "/join/{seat}": {"get": _shows("Taking a seat", "text/html", TEXT, _404="Missing"), "parameters": [seat_of]},
        "/qr/seat/{seat}/{ticket}.svg": {
            "get": _shows(f"{code}a seat with its ticket", "image/svg+xml", TEXT, _404="Missing"),
            "parameters": [seat_of, _in_path("ticket", TEXT)],
        },
        "/qr/lobby.svg": {"get": _shows(f"{code}the lobby", "image/svg+xml", TEXT)},
        "/favicon.ico": {
            "get": {"summary": "No icon", "responses": {"204": {"description": "No icon"}, **_answers()}},
        },
        "/static/{filename}": {"get": static, "parameters": [_in_path("filename", TEXT)]},
        "/sim/static/{filename}": {"get": static, "parameters": [_in_path("filename", TEXT)]},
        **openapi_how_to_play.paths(_shows, _in_path),
        **openapi_puzzles.paths(_shows, _in_path),
        **openapi_book.paths(_shows),
        **openapi_lessons.paths(_shows),
        **openapi_simulation.paths(_shows, _answers),
        **openapi_records.paths(_shows),
    }


def _apart(*kinds: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return all schemas by their names. Raise ValueError where one name stands for two different ones."""
    found: dict[str, Schema] = {}
    for name, schema in (item for kind in kinds for item in kind.items()):
        if found.setdefault(name, schema) != schema:
            raise ValueError(f"{name}: expected one schema of this name, got another one")
    return found


def document() -> Schema:
    """Return the whole description."""
    own = {
        "name": "X-Lodestone",
        "in": "header",
        "required": True,
        "description": "Says that the request is not a foreign page's. Pages of the panel send `Origin` instead.",
        "schema": {"type": "string", "enum": ["1"]},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lodestone's panel",
            "version": "1",
            "description": "How phones and screens speak to a table. docs/view.md tells what the view means. Other "
            "methods than the ones named are answered 405, other paths 404, in the form of a refusal under /api/.",
        },
        "paths": _paths(),
        "components": {
            "schemas": _apart(
                COMPONENTS,
                openapi_host.SCHEMAS,
                openapi_how_to_play.SCHEMAS,
                openapi_puzzles.SCHEMAS,
                openapi_book.SCHEMAS,
                openapi_lessons.SCHEMAS,
                openapi_records.SCHEMAS,
                openapi_simulation.SCHEMAS,
            ),
            "responses": RESPONSES,
            "parameters": {"Own": own},
            "securitySchemes": {
                "seat": {"type": "apiKey", "in": "cookie", "name": "lodestone-seat", "description": "Set by join"},
                "lesson": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "lodestone-lesson",
                    "description": "Set by lesson/begin",
                },
                "host": {"type": "apiKey", "in": "cookie", "name": "lodestone-host", "description": "Set by enter"},
                "ask": {"type": "apiKey", "in": "cookie", "name": "lodestone-ask", "description": "Set by ask"},
            },
        },
    }


def template(rule: str) -> str:
    """Return a Flask rule as a path of the description: ``/join/<int:seat>`` → ``/join/{seat}``."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def served(app: Flask, whole: Schema) -> Schema:
    """Return the part of a description that is about this app's own routes: without the sensors' page, for example."""
    there = {template(str(rule)) for rule in app.url_map.iter_rules()}
    return {**whole, "paths": {path: item for path, item in whole["paths"].items() if path in there}}


def blueprint(whole: Callable[[], Schema] = document) -> Blueprint:
    """Return ``/api/openapi.json``, made at the first request: routes do not change afterwards."""
    pages = Blueprint("openapi", __name__)
    making = threading.Lock()
    made: list[bytes] = []

    @pages.get("/api/openapi.json")
    def description() -> Response:
        with making:  # Requests that come together wait for the first: it takes a while.
            if not made:
                made.append(json.dumps(served(current_app, whole()), separators=(",", ":")).encode())
        return Response(made[0], mimetype="application/json")

    del description
    return pages


if __name__ == "__main__":
    print(json.dumps(document(), indent=1))
