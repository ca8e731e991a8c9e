"""Strict JSON bodies: only well-formed requests of the panel's own pages reach a handler."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from firmware_host.text.words import Text, say
from web_panel.openapi.requests import REQUESTS, fields_of
from web_panel.text.denied import Denied, not_host
from web_panel.text.refusals import own_page

Body = dict[str, Any]
Deed = Callable[[Body], Response]
Fields = Mapping[str, type]
Routes = Mapping[str, Deed]
"""Name of a request (:data:`web_panel.openapi.requests.REQUESTS`) → its handler."""
LONGEST_TEXT = 200
LONGEST_LIST = 16


class BadBody(ValueError):
    """The body has the wrong shape; the message names the field and what was expected."""

    def __init__(self, message: Text) -> None:
        super().__init__(message)
        self.message = message


def done() -> Response:
    """Return the answer to a request that has succeeded."""
    return jsonify({"ok": True})


def as_download(response: Response, name: str) -> Response:
    """Return the response as a file with this name."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _nobody() -> bool:
    return False


def add_routes(
    blueprint: Blueprint, routes: Routes, folder: str = "", *, is_host: Callable[[], bool] = _nobody
) -> None:
    """Add a POST route for each handler; ``folder`` precedes its name in the table of requests.

    A blueprint without a prefix of its own gets the whole path: ``/api/``, folder, name. What the table reserves for
    the host reaches its handler only if ``is_host``: no handler can tell a stranger anything before it has checked.
    """
    before = "/" if blueprint.url_prefix else f"/api/{folder}"
    for name, deed in routes.items():
        path = folder + name
        guarded = _for_host(deed, is_host) if REQUESTS[path].sender == "host" else deed
        blueprint.add_url_rule(before + name, path, _checked(guarded, fields_of(path)), methods=["POST"])


def _for_host(deed: Deed, is_host: Callable[[], bool]) -> Deed:
    def answer(body: Body) -> Response:
        if not is_host():
            raise not_host()
        return deed(body)

    return answer


def _checked(deed: Deed, fields: Fields) -> Callable[[], Response]:
    """Return a Flask view that passes only well-formed requests of the panel's own pages to the handler."""

    def answer() -> Response:
        if not own_page():
            raise Denied(403, "foreign", say("requests of other pages are not taken"))
        if request.mimetype != "application/json":
            raise Denied(415, "bad_request", say("expected Content-Type: application/json"))
        try:
            body = _body(fields)
        except BadBody as error:
            raise Denied(400, "bad_request", error.message) from error
        return deed(body)

    return answer


def json_object() -> Body:
    """Return the JSON object of a request. Raise BadBody for anything else, or for a repeated name."""
    try:
        body = json.loads(request.get_data().decode(), object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except BadBody as error:
        raise BadBody(say("expected a JSON object: {why}", why=error.message)) from error
    except (ValueError, RecursionError) as error:
        raise BadBody(say("expected a JSON object: {why}", why=str(error))) from error
    if not isinstance(body, dict):
        raise BadBody(say("expected a JSON object, got {what}", what=type(body).__name__))
    return body


def _body(fields: Fields) -> Body:
    """Return the checked body. Raise BadBody naming a wrong field."""
    body = json_object()
    wanted = {name.removesuffix("?"): kind for name, kind in fields.items()}
    for name in body:
        if name not in wanted:
            expected = ", ".join(wanted) or say("no fields")
            raise BadBody(say("{field}: unknown field, expected {fields}", field=name[:40], fields=expected))
    for name, kind in fields.items():
        _check_field(body, name, kind)
    return body


def _without_doubles(pairs: list[tuple[str, Any]]) -> Body:
    """Return an object. Raise BadBody for a repeated key: another parser might take the other value."""
    body = dict(pairs)
    if len(body) < len(pairs):
        raise BadBody(say("a name occurs in it twice"))
    return body


def _no_number(word: str) -> Any:
    raise BadBody(say("{word} is no number", word=word))


def _kind(kind: type) -> Text:
    if kind is int:
        return say("a whole number")
    if kind is bool:
        return say("true or false")
    return say("a list of texts") if kind is list else say("a text")


def _check_field(body: Body, name: str, kind: type) -> None:
    field = name.removesuffix("?")
    if field not in body:
        if name.endswith("?"):
            return
        raise BadBody(say("{field}: expected {what}, but it is missing", field=field, what=_kind(kind)))
    value = body[field]
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        got = json.dumps(value)[:60]
        raise BadBody(say("{field}: expected {what}, got {got}", field=field, what=_kind(kind), got=got))
    if isinstance(value, list):
        if len(value) > LONGEST_LIST or not all(isinstance(one, str) for one in value):
            raise BadBody(
                say("{field}: expected {what}, got {got}", field=field, what=_kind(list), got=json.dumps(value)[:60])
            )
        for one in value:
            _check_text(field, one)
    elif isinstance(value, str):
        _check_text(field, value)
    elif isinstance(value, int) and abs(value) > 1_000_000:
        raise BadBody(say("{field}: expected a smaller number", field=field))


def _check_text(field: str, value: str) -> None:
    if len(value) > LONGEST_TEXT:
        form = "{field}: expected at most {most} characters, got {count}"
        raise BadBody(say(form, field=field, most=LONGEST_TEXT, count=len(value)))
    if not value.isprintable():
        raise BadBody(say("{field}: expected printable characters only", field=field))
