"""JSON from outside, read strictly, and its fields checked: for pages, lines of other programs, and files.

The standard parser takes more than JSON (RFC 8259) means: a name that occurs twice (the last one counts, and another
parser may take the first: section 4), ``NaN`` and ``Infinity`` (section 6), and numbers too large for a double, which
become infinite and can't be written again. A value in very many brackets can just be read, but not written into an
answer. All of these are refused here, in sentences for people.

What is expected is told by JSON Schemas (draft 2020-12, as OpenAPI 3.1 uses it), which are made of types, so that a
form is written once: :func:`schema_of` knows ``str``, ``int``, ``float``, ``bool``, ``None``, ``Literal``, unions,
``Sequence``, ``Mapping[str, …]``, typed dictionaries (components under their own names; all keys required, no others),
and ``Annotated`` with the name of a component or with keywords of JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints, is_typeddict

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


# -- schemas, made of types, and values checked by them ----------------------------------------------------------------


Schema = dict[str, Any]

# -- short names -------------------------------------------------------------------------------------------------------

NOTHING: Schema = {"type": "null"}
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
HEX_64: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
CODE: Schema = {"type": "string", "pattern": "^[0-9]{4}$"}
"""A code on two phones, for people to compare."""
TIME: Schema = {"type": "string", "description": "UTC, ISO 8601"}
PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2}


def limits(**keywords: Any) -> tuple[tuple[str, Any], ...]:
    """Return keywords of JSON Schema for ``Annotated``, which needs values that can be hashed."""
    return tuple(keywords.items())


def part(name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


NODE, SEAT = part("Node"), part("Seat")
SHARED: Mapping[str, Schema] = {
    "Node": {"type": "string", "minLength": 1, "maxLength": 40, "description": "A node's name, e.g. D12"},
    "Seat": {"type": "integer", "minimum": 1, "maximum": 64},
}
"""Components of every description, which requests have, too."""


Form = Schema | type
"""A schema, or a type that has one (:func:`schema_of`)."""


def record(**fields: Form) -> Schema:
    """Return an object with exactly these fields. A trailing ``_`` of a name is left out (``from_``)."""
    named = {name.removesuffix("_"): schema_of(field) for name, field in fields.items()}
    return {"type": "object", "properties": named, "required": list(named), "additionalProperties": False}


def rows(item: Form) -> Schema:
    """Return a list of such items."""
    return {"type": "array", "items": schema_of(item)}


def table_of(item: Form) -> Schema:
    """Return an object with any names and such values."""
    return {"type": "object", "additionalProperties": schema_of(item)}


def maybe(item: Form) -> Schema:
    """Return the schema of a value that may be null: "not now"."""
    return {"anyOf": [NOTHING, schema_of(item)]}


def choice(*words: str) -> Schema:
    """Return one of some words."""
    return {"type": "string", "enum": list(words)}


# -- schemas of types --------------------------------------------------------------------------------------------------

_PLAIN: Mapping[Any, Schema] = {str: TEXT, int: WHOLE, float: NUMBER, bool: YES_NO, NoneType: NOTHING, Any: {}}


def components(*kinds: Any) -> dict[str, Schema]:
    """Return name → schema of typed dictionaries and of all that they contain. Raise TypeError for an unknown type."""
    return {kind.__name__: _object(kind) for kind in dict.fromkeys(_typed_dicts_in(kinds))}


def _typed_dicts_in(kinds: Sequence[Any]) -> Iterator[Any]:
    for kind in kinds:
        if is_typeddict(kind):
            yield kind
            yield from _typed_dicts_in(list(get_type_hints(kind, include_extras=True).values()))
        elif get_origin(kind) is not Literal:
            yield from _typed_dicts_in(get_args(kind)[: 1 if get_origin(kind) is Annotated else None])


def _object(kind: Any) -> Schema:
    return record(**{name: schema_of(field) for name, field in get_type_hints(kind, include_extras=True).items()})


def schema_of(kind: Any) -> Schema:
    """Return the schema of a type; a schema is its own. Raise TypeError for an unknown type."""
    if isinstance(kind, dict):
        return kind
    if kind in _PLAIN:
        return _PLAIN[kind]
    return part(kind.__name__) if is_typeddict(kind) else _generic_schema(get_origin(kind), *get_args(kind))


def _generic_schema(origin: Any, *inner: Any) -> Schema:
    """Return the schema of ``Annotated[…]``, ``Literal[…]`` and so on."""
    if origin is Annotated:
        kind, more = inner
        if isinstance(more, str):
            return part(more)
        return schema_of(kind) | {key: list(value) if isinstance(value, tuple) else value for key, value in more}
    if origin is Literal:
        return {"const": True} if inner == (True,) else choice(*inner)
    if origin in {Union, UnionType}:
        kinds = [schema_of(one) for one in inner if one is not NoneType]
        one = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        return maybe(one) if NoneType in inner else one
    if origin in {Sequence, Mapping}:
        return rows(schema_of(inner[0])) if origin is Sequence else table_of(schema_of(inner[1]))
    raise TypeError(f"no schema is known for {origin}")


# -- values ------------------------------------------------------------------------------------------------------------


def check_field(fields: Fields, name: str, schema: Schema) -> Any:
    """Return a field of a request after checking it by a schema. Raise InvalidField.

    Known are texts (printable ones only: they are shown to people), whole numbers, true or false, lists of texts,
    objects, whose fields are not checked, and ``anyOf`` null and one of these.
    """
    if "$ref" in schema:
        schema = SHARED[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        nothing, schema = schema["anyOf"]
        if fields.get(name, ...) is None and nothing == NOTHING:
            return None
    kind = schema.get("type")
    if kind == "integer":
        return whole(fields, name, None, schema["minimum"], schema["maximum"])
    if kind == "boolean":
        return flag(fields, name)
    if kind == "object":
        return mapping(fields, name)
    if kind == "array":
        values = fields.get(name)
        fits = isinstance(values, list) and schema.get("minItems", 0) <= len(values) <= schema["maxItems"]
        if not fits or not all(isinstance(value, str) for value in values or ()):
            raise wrong_field(say("a list of texts"), fields, name)
        for value in values or ():
            _check_text(name, value, schema["items"])
        return values
    value = text(fields, name)
    _check_text(name, value, schema)
    return value


def _check_text(name: str, value: str, schema: Schema) -> None:
    if not schema.get("minLength", 0) <= len(value) <= schema["maxLength"]:
        if not value:
            raise wrong_field(say("a text"), {name: value}, name)
        form = "{field}: expected at most {most} characters, got {count}"
        raise InvalidField(say(form, field=name, most=schema["maxLength"], count=len(value)))
    if not value.isprintable():
        raise InvalidField(say("{field}: expected printable characters only", field=name))
