"""JSON from outside, read strictly, and its fields checked: for pages, lines of other programs, and files.

The standard parser takes more than JSON (RFC 8259) means: a name that occurs twice (the last one counts, and another
parser may take the first: section 4), ``NaN`` and ``Infinity`` (section 6), and numbers too large for a double, which
become infinite and can't be written again. A value in very many brackets can just be read, but not written into an
answer. All of these are refused here, in sentences for people.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NoReturn

from firmware_host.text.words import say

Fields = Mapping[str, Any]
"""A JSON object."""

DEEPEST = 50
"""Maximum depth of brackets in brackets: ten times what any request or record needs."""
MAX_SECONDS = 1e9
_SHOWN = 60
"""Maximum length of a wrong value in a message, characters."""


class InvalidJson(ValueError):
    """A text that is not JSON, or not a JSON object. ``message`` can be translated."""

    code = "bad_json"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidField(InvalidJson):
    """A field is missing, unknown, of the wrong type or out of bounds; the message begins with its name."""

    code = "bad_request"


def read_json(text: bytes | str) -> Any:
    """Return the value of a JSON text (bytes: UTF-8). Raise InvalidJson with the reason."""
    try:
        value = _DECODER.decode(text.decode() if isinstance(text, bytes) else text)
    except InvalidJson:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidJson(str(error)) from error
    if _is_deeper(value, DEEPEST):
        raise InvalidJson(say("brackets stand in brackets more than {most} deep", most=DEEPEST))
    return value


def read_object(text: bytes | str) -> dict[str, Any]:
    """Return the JSON object of a text (bytes: UTF-8). Raise InvalidJson for anything else."""
    try:
        value = read_json(text)
    except InvalidJson as error:
        raise InvalidJson(say("expected a JSON object: {why}", why=error.message)) from error
    if not isinstance(value, dict):
        raise InvalidJson(say("expected a JSON object, got {what}", what=type(value).__name__))
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidJson(say("a name occurs in it twice"))
    return fields


def _no_constant(word: str) -> NoReturn:
    raise InvalidJson(say("{word} is no number", word=word))


def _finite_number(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise InvalidJson(say("{digits} is larger than numbers may be", digits=digits[:40]))
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_no_constant, parse_float=_finite_number)


def _is_deeper(value: object, most: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_is_deeper(one, most - 1) for one in inner if isinstance(one, dict | list))


# -- fields: each function raises InvalidField, with the name, what was expected and what was given --------------------


def wrong_field(what: str, fields: Fields, name: str, place: str = "") -> InvalidField:
    """Return the error of a field that is not ``what`` (words), or is missing; ``place`` is what the field is in."""
    if name not in fields:
        return InvalidField(say("{field}: expected {what}, but it is missing", field=place + name, what=what))
    got = json.dumps(fields[name])[:_SHOWN]
    return InvalidField(say("{field}: expected {what}, got {got}", field=place + name, what=what, got=got))


def check_names(fields: Fields, known: Collection[str]) -> None:
    """Refuse a field with another name than the known ones."""
    for name in fields:
        if name not in known:
            some = ", ".join(known) or say("no fields")
            raise InvalidField(say("{field}: unknown field, expected {fields}", field=name[:40], fields=some))


def text(fields: Fields, name: str, default: str | None = None) -> str:
    """Return a text."""
    value = fields.get(name, default)
    if not isinstance(value, str) or _has_half_a_character(value):
        raise wrong_field(say("a text"), fields, name)
    return value


def _has_half_a_character(value: str) -> bool:
    """Tell whether a lone surrogate is in a text: JSON can name one, and nothing can write it."""
    return any("\ud800" <= character <= "\udfff" for character in value)


def one_of(fields: Fields, name: str, known: Collection[str], default: str | None = None) -> str:
    """Return one of some texts."""
    value = text(fields, name, default)
    if value not in known:
        raise wrong_field(say("one of {known}", known=", ".join(known)), fields, name)
    return value


def whole(fields: Fields, name: str, default: int | None, low: int, high: int) -> int:
    """Return a whole number within bounds."""
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise wrong_field(say("a whole number from {low} to {high}", low=low, high=high), fields, name)
    return value


def seconds(
    fields: Fields, name: str, default: float, low: float = 0.0, high: float = MAX_SECONDS, place: str = ""
) -> float:
    """Return a number of seconds within bounds."""
    value = fields.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        words = say("a number of seconds from {low} to {high}", low=f"{low:.10g}", high=f"{high:.10g}")
        raise wrong_field(words, fields, name, place)
    return float(value)


def flag(fields: Fields, name: str, default: bool | None = None, place: str = "") -> bool:
    """Return true or false."""
    value = fields.get(name, default)
    if not isinstance(value, bool):
        raise wrong_field(say("true or false"), fields, name, place)
    return value


def mapping(fields: Fields, name: str, default: Fields | None = None) -> Fields:
    """Return an object."""
    value = fields.get(name, default)
    if not isinstance(value, dict):
        raise wrong_field(say("an object"), fields, name)
    return value
