"""Checks of the virtual board's requests: their origin and their bodies, as strict as the panel's (not importable)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from flask import request

LONGEST_NAME = 40
MOST_PIECES = 32
LARGEST_BODY = 4096


class BadBody(ValueError):
    """The JSON has the wrong shape; the message names the field and what was expected."""


def own_page() -> bool:
    """Return whether a request comes from our page: its Origin is our host or, without Origin, it has our header."""
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("X-Lodestone") == "1"
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.scheme in {"http", "https"} and found.netloc.casefold() == request.host.casefold()


def body_of(fields: set[str]) -> dict[str, Any]:
    """Return the JSON object of a request. Raise BadBody for anything else, and for fields not in ``fields``."""
    request.max_content_length = LARGEST_BODY
    try:
        text = request.get_data().decode()
        body = json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except BadBody:
        raise
    except (ValueError, RecursionError) as error:
        raise BadBody(f"expected a JSON object: {error}") from error
    if not isinstance(body, dict):
        raise BadBody(f"expected a JSON object, got {type(body).__name__}")
    for name in body:
        if name not in fields:
            raise BadBody(f"{name[:40]}: unknown, expected {', '.join(sorted(fields))}")
    return body


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    if len(body) < len(pairs):
        raise BadBody("expected a JSON object: a name occurs in it twice")
    return body


def _no_number(word: str) -> Any:
    raise BadBody(f"expected a JSON object: {word} is no number")


_REQUIRED: Any = object()


def text_of(body: dict[str, Any], name: str, default: Any = _REQUIRED) -> Any:
    """Return a text field, or ``default`` where it is missing; with default None it may also be null. Raise BadBody."""
    if name not in body or (body[name] is None and default is None):
        if default is _REQUIRED:
            raise BadBody(f"{name}: expected a text, but it is missing")
        return default
    value = body[name]
    if not isinstance(value, str) or not value:
        raise BadBody(f"{name}: expected a text, got {json.dumps(value)[:40]}")
    if len(value) > LONGEST_NAME:
        raise BadBody(f"{name}: expected a text of {LONGEST_NAME} characters at most, got {len(value)}")
    if not value.isprintable():
        raise BadBody(f"{name}: expected printable characters only")
    return value


def pieces_of(body: dict[str, Any], is_piece: Callable[[str], bool], kinds: str) -> list[str] | None:
    """Return the field ``pieces``, None where it is missing; ``kinds`` lists all pieces for messages. Raise BadBody."""
    pieces = body.get("pieces")
    if pieces is None:
        return None
    if not isinstance(pieces, list) or not 1 <= len(pieces) <= MOST_PIECES or not all(_are(pieces, is_piece)):
        raise BadBody(f"pieces: expected a list of {kinds}, got {json.dumps(pieces)[:40]}")
    return pieces


def _are(pieces: list[Any], is_piece: Callable[[str], bool]) -> list[bool]:
    return [isinstance(piece, str) and is_piece(piece) for piece in pieces]
