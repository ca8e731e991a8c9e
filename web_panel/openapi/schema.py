"""Short names for JSON Schema."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
NOTHING: Schema = {"type": "null"}


def part(name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def refused(words: str, *codes: str) -> Schema:
    """Return the response of a refusal with one of these codes; ``words`` describe it."""
    one = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    schema = {"allOf": [part("Refusal"), one]}
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def record(**fields: Schema) -> Schema:
    """Return an object with exactly these fields. A trailing ``_`` of a name is left out (``from_``)."""
    named = {name.removesuffix("_"): field for name, field in fields.items()}
    return {"type": "object", "properties": named, "required": list(named), "additionalProperties": False}


def rows(item: Schema) -> Schema:
    """Return a list of such items."""
    return {"type": "array", "items": item}


def table_of(item: Schema) -> Schema:
    """Return an object with any names and such values."""
    return {"type": "object", "additionalProperties": item}


def maybe(item: Schema) -> Schema:
    """Return the schema of a value that may be null: "not now"."""
    return {"anyOf": [NOTHING, item]}


def one_of(*words: str) -> Schema:
    """Return one of some words."""
    return {"type": "string", "enum": list(words)}


TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
HEX_64: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TIME: Schema = {"type": "string", "description": "UTC, ISO 8601"}
NODE, SEAT = part("Node"), part("Seat")
PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2}
POINT: Schema = {**PAIR, "items": NUMBER}
