"""The OpenAPI 3.1 description of an app, made of its routes: ``/api/openapi.json``.

Of the panel with the virtual board it is kept as docs/openapi.json, which ``python -m tools.openapi`` writes; tests
compare it with the file, the routes and all their answers. Objects are closed and every field is required: a field too
many is as much a fault as one too few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from firmware_host.table.errors import CODES
from firmware_host.text.json_reader import SHARED, TEXT, Schema, part, record
from web_panel.routes import Answers, Route, Routes


def refusal_of(words: str, *codes: str) -> Schema:
    """Return the response of a refusal with one of these codes; ``words`` describe it."""
    one = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    return {"description": words, "content": {"application/json": {"schema": {"allOf": [part("Refusal"), one]}}}}


def answer_of(schema: str, words: str) -> Schema:
    """Return the response of a request that answers with a component."""
    return {"description": words, "content": {"application/json": {"schema": part(schema)}}}


def _page_or_refusal(words: str) -> Schema:
    """Return the response of a refusal that may be a page as well."""
    content = {"application/json": {"schema": part("Refusal")}, "text/html": {"schema": TEXT}}
    return {"description": words, "content": content}


RESPONSES: dict[str, Schema] = {
    "Done": answer_of("Done", "Done, journalled and shown"),
    "Asked": answer_of("Asked", "The host is asked"),
    "NetworkAsked": answer_of("NetworkAsked", "The network is being joined, or, with a code, the host is asked"),
    "Given": answer_of("Given", "The seat is this phone's"),
    "Why": answer_of("Why", "The rule, if one forbids it"),
    "Hint": answer_of("Hint", "The hint, for this phone alone"),
    "Best": answer_of("Best", "The best actions"),
    "Posed": answer_of("Posed", "The puzzles that were made"),
    "Bad": refusal_of("A broken request, a body of the wrong shape, or a host name that is not the table's",
                    "bad_request", "bad_host", "http"),
    "Misnamed": _page_or_refusal("A broken request, or a host name that is not the table's (bad_host)"),
    "PlainHttp": refusal_of("Plain HTTP, where the table speaks HTTPS", "plain_http"),
    "Foreign": refusal_of("A request of another page", "foreign"),
    "NotYours": refusal_of("A request of another page, or of a phone without a seat", "foreign", "not_seated"),
    "NotHost": refusal_of("A request of another page, or of a phone that is not the host's", "foreign", "not_host"),
    "NoTicket": refusal_of("A request of another page, or a ticket that is not good for the seat",
                         "foreign", "bad_ticket"),
    "NoToken": refusal_of("A request of another page, or not the host's token", "foreign", "bad_token"),
    "Conflict": refusal_of("The table refuses; nothing has changed", *CODES),
    "NotAllowed": refusal_of("The table refuses, or the host has not allowed it: nothing has changed",
                           *CODES, "asked", "undecided", "refused"),
    "BigBody": refusal_of("A body of more than 4096 bytes", "http"),
    "LongUrl": refusal_of("Path and query of more than 1024 characters", "http"),
    "WrongType": refusal_of("Not application/json", "bad_request", "http"),
    "TooMany": {
        **refusal_of("Too many requests of this address or seat", "too_many"),
        "headers": {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer", "minimum": 1}}},
    },
    "BigHeader": refusal_of("Headers of more than 16 KiB", "http"),
    "Busy": refusal_of("The table did not answer in time, or too many screens are watching", "busy"),
    "Withheld": refusal_of("It tells what nobody may know before the game is over", "withheld"),
    "NoBackup": refusal_of("A stack is still hidden, or the journal can't be read", "withheld", "no_journal"),
    "Missing": _page_or_refusal("There is no such page"),
    "Unsuitable": _page_or_refusal("There is no such part of the file"),
}  # fmt: skip
ANY_REQUEST: Answers = {
    "400": "Misnamed", "414": "LongUrl", "421": "PlainHttp", "429": "TooMany", "431": "BigHeader",
}  # fmt: skip
POSTED: Answers = {
    **ANY_REQUEST, "400": "Bad", "403": "Foreign", "409": "Conflict", "413": "BigBody", "415": "WrongType",
    "503": "Busy",
}  # fmt: skip
SENDERS: Mapping[str, tuple[Answers, tuple[str, ...]]] = {
    "player": ({"403": "NotYours"}, ("seat",)),
    "seated": ({"403": "NotYours"}, ("seat",)),
    "learner": ({"403": "NotYours"}, ("lesson", "host")),
    "host": ({"403": "NotHost"}, ("host",)),
    "ticket": ({"403": "NoTicket"}, ()),
    "token": ({"403": "NoToken"}, ()),
    "ask": ({"409": "NotAllowed"}, ()),
    "asking": ({"409": "NotAllowed"}, ("ask",)),
    "hotspot": ({"403": "NotHost"}, ("host",)),
}
"""Sender of a request → what others are answered, and the cookies by which it is known (one of them)."""
OF_LESSONS: Mapping[str, tuple[str, ...]] = {"player": ("Alone",), "learner": ("Alone",)}
"""Sender of a request → the parameter by which it is for a lesson on a phone alone."""
SCHEMAS: Mapping[str, Schema] = {
    **SHARED,
    "Done": record(ok={"const": True}),
    "Refusal": record(ok={"const": False}, error=record(code=TEXT, message={"type": "string", "minLength": 1})),
}
"""Components of every description."""


def document(routes: Iterable[Routes], title: str, words: str) -> Schema:
    """Return the description of some routes; ``words`` tell what they are for."""
    paths: dict[str, Schema] = {}
    schemas = dict(SCHEMAS)
    for some in routes:
        for name, schema in some.schemas.items():
            if schemas.setdefault(name, schema) != schema:
                raise ValueError(f"{name}: expected one schema of this name, got another one")
        for route in some:
            item = paths.setdefault(route.template, {})
            item[route.method] = _operation(route)
            if route.values:
                item["parameters"] = [
                    {"name": name, "in": "path", "required": True, "schema": schema}
                    for name, schema in route.values.items()
                ]
        if some.static:
            paths[f"{some.static}/{{filename}}"] = _files()
    operations = [operation for item in paths.values() for name, operation in item.items() if name != "parameters"]
    used = {answer.get("$ref", "").rpartition("/")[2] for one in operations for answer in one["responses"].values()}
    own = {
        "name": "X-Lodestone",
        "in": "header",
        "required": True,
        "description": "Says that the request is not a foreign page's. Pages of the panel send `Origin` instead.",
        "schema": {"type": "string", "enum": ["1"]},
    }
    alone = {
        "name": "alone",
        "in": "query",
        "required": False,
        "description": "Said by a page of a lesson on its phone alone: the request is for the lesson, not the table.",
        "schema": {"type": "string", "enum": ["1"]},
    }
    cookies = {"seat": "join", "lesson": "lesson/begin", "host": "enter", "ask": "ask"}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1", "description": words},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {name: response for name, response in RESPONSES.items() if name in used},
            "parameters": {"Own": own, "Alone": alone},
            "securitySchemes": {
                name: {"type": "apiKey", "in": "cookie", "name": f"lodestone-{name}", "description": f"Set by {where}"}
                for name, where in cookies.items()
            },
        },
    }


def _operation(route: Route) -> Schema:
    return _request(route) if route.method == "post" else _get_operation(route)


def _get_operation(route: Route) -> Schema:
    """Return the operation of a page, or of data."""
    ok = {"description": route.summary, "content": {route.kind: {"schema": route.answer}}}
    security: Schema = {"security": [{"host": []}]} if route.sender in {"host", "hotspot"} else {}
    of_sender = {"403": "NotHost"} if security else {}
    responses = _answers({**ANY_REQUEST, "200": ok, **of_sender, **route.answers})
    return {"summary": route.summary, "responses": responses, **security, **route.more}


def _request(route: Route) -> Schema:
    """Return the operation of a request with a body."""
    body = {
        "type": "object",
        "properties": {name.removesuffix("?"): schema for name, schema in route.fields.items()},
        "required": [name for name in route.fields if not name.endswith("?")],
        "additionalProperties": False,
    }
    others, cookies = SENDERS.get(route.sender, ({}, ()))
    named = ("Own", *OF_LESSONS.get(route.sender, ()))
    return {
        "summary": route.summary,
        "operationId": route.path.removeprefix("/api/").strip("/").replace("/", "-"),
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in named],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": _answers({**POSTED, "200": route.answer, **others, **route.answers}),
        "security": [{cookie: []} for cookie in cookies],
        **route.more,
    }


def _answers(answers: Answers) -> dict[str, Schema]:
    """Return responses by status."""
    return {
        status: {"$ref": f"#/components/responses/{what}"} if isinstance(what, str) else what
        for status, what in sorted(answers.items())
        if what is not None
    }


def _files() -> Schema:
    """Return the operation of a folder of files."""
    summary = "A file of the pages"
    statuses: Answers = {"404": "Missing", "416": "Unsuitable", "206": {"description": "A part of it"}}
    ok = {"description": summary, "content": {"*/*": {"schema": {}}}}
    responses = _answers({**ANY_REQUEST, **statuses, "200": ok, "304": {"description": "Not changed"}})
    name = {"name": "filename", "in": "path", "required": True, "schema": TEXT}
    return {"get": {"summary": summary, "responses": responses}, "parameters": [name]}
