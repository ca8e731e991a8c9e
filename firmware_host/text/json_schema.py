"""JSON Schemas (draft 2020-12, as OpenAPI 3.1 uses it): made of types, so that a form is written once; and values
checked by them.

:func:`schema_of` knows ``str``, ``int``, ``float``, ``bool``, ``None``, ``Literal``, unions, ``Sequence``,
``Mapping[str, …]``, typed dictionaries (components under their own names; all keys required, no others), and
``Annotated`` with the name of a component or with keywords of JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from firmware_host.text import json_reader
from firmware_host.text.json_reader import Fields, InvalidField, wrong_field
from firmware_host.text.words import say

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


def one_of(*words: str) -> Schema:
    """Return one of some words."""
    return {"type": "string", "enum": list(words)}


# -- schemas of types --------------------------------------------------------------------------------------------------

_PLAIN: Mapping[Any, Schema] = {str: TEXT, int: WHOLE, float: NUMBER, bool: YES_NO, NoneType: NOTHING}


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
        return {"const": True} if inner == (True,) else one_of(*inner)
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

    Known are texts (printable ones only: they are shown to people), whole numbers, true or false, lists of texts, and
    ``anyOf`` null and one of these.
    """
    if "$ref" in schema:
        schema = SHARED[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        nothing, schema = schema["anyOf"]
        if fields.get(name, ...) is None and nothing == NOTHING:
            return None
    kind = schema.get("type")
    if kind == "integer":
        return json_reader.whole(fields, name, None, schema["minimum"], schema["maximum"])
    if kind == "boolean":
        return json_reader.flag(fields, name)
    if kind == "array":
        values = fields.get(name)
        fits = isinstance(values, list) and schema.get("minItems", 0) <= len(values) <= schema["maxItems"]
        if not fits or not all(isinstance(value, str) for value in values or ()):
            raise wrong_field(say("a list of texts"), fields, name)
        for value in values or ():
            _check_text(name, value, schema["items"])
        return values
    value = json_reader.text(fields, name)
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
