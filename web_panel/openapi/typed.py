"""JSON Schemas made of types, so that a form is written once: for mypy, and for the description of the panel's paths.

Known are ``str``, ``int``, ``float``, ``bool``, ``None``, ``Literal``, unions, ``Sequence``, ``Mapping[str, …]``, typed
dictionaries (components under their own names; all keys required, no others), and ``Annotated`` with the name of a
component or with keywords of JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from web_panel.openapi.schema import (
    NOTHING,
    NUMBER,
    TEXT,
    WHOLE,
    YES_NO,
    Schema,
    maybe,
    one_of,
    part,
    record,
    rows,
    table_of,
)

_PLAIN: Mapping[Any, Schema] = {str: TEXT, int: WHOLE, float: NUMBER, bool: YES_NO, NoneType: NOTHING}


def components(*kinds: Any) -> dict[str, Schema]:
    """Return name → schema of typed dictionaries and of all that they contain. Raise TypeError for an unknown type."""
    return {kind.__name__: _record(kind) for kind in dict.fromkeys(_contained(kinds))}


def _contained(kinds: Sequence[Any]) -> Iterator[Any]:
    for kind in kinds:
        if is_typeddict(kind):
            yield kind
            yield from _contained(list(get_type_hints(kind, include_extras=True).values()))
        elif get_origin(kind) is not Literal:
            yield from _contained(get_args(kind)[: 1 if get_origin(kind) is Annotated else None])


def _record(kind: Any) -> Schema:
    return record(**{name: _schema(field) for name, field in get_type_hints(kind, include_extras=True).items()})


def _schema(kind: Any) -> Schema:
    if kind in _PLAIN:
        return _PLAIN[kind]
    return part(kind.__name__) if is_typeddict(kind) else _composed(get_origin(kind), *get_args(kind))


def _composed(origin: Any, *inner: Any) -> Schema:
    """Return the schema of ``Annotated[…]``, ``Literal[…]`` and so on."""
    if origin is Annotated:
        kind, more = inner
        if isinstance(more, str):
            return part(more)
        return _schema(kind) | {key: list(value) if isinstance(value, tuple) else value for key, value in more}
    if origin is Literal:
        return {"const": True} if inner == (True,) else one_of(*inner)
    if origin in {Union, UnionType}:
        kinds = [_schema(one) for one in inner if one is not NoneType]
        one = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        return maybe(one) if NoneType in inner else one
    if origin in {Sequence, Mapping}:
        return rows(_schema(inner[0])) if origin is Sequence else table_of(_schema(inner[1]))
    raise TypeError(f"no schema is known for {origin}")
