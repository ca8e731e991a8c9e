"""JSON from outside: what the standard parser lets pass is refused, in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.text.json_reader import (
    DEEPEST,
    WHOLE,
    InvalidField,
    InvalidJson,
    Schema,
    check_field,
    check_names,
    maybe,
    read_json,
    read_object,
    seconds,
)
from tests.sentences import sentence

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_json_is_read_as_it_was_written(value: object) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', sentence("a name occurs in it")),
        ('{"a": {"b": 1, "b": 1}}', sentence("a name occurs in it")),
        ("[NaN]", "NaN is no number"),
        ("-Infinity", "-Infinity is no number"),
        ("1e999", sentence("is larger than numbers may", digits="1e999")),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), sentence("brackets stand in brackets more", most=50)),
        ("[" * 100_000, "recursion"),
        ("1" * 5000, "integer string conversion"),
        (b"\xff", "utf-8"),
        ("", "Expecting value"),
        ("{} {}", "Extra data"),
    ],
)
def test_what_is_refused(text: str | bytes, words: str) -> None:
    with pytest.raises(InvalidJson) as refused:
        read_json(text)
    assert words in refused.value.message
    with pytest.raises(InvalidJson, match="expected a JSON object: "):
        read_object(text)


def test_brackets_may_be_as_deep_as_anything_needs() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST)


def test_only_objects() -> None:
    with pytest.raises(InvalidJson, match="expected a JSON object, got list"):
        read_object("[]")


WORD: Schema = {"type": "string", "minLength": 1, "maxLength": 3}
SMALL: Schema = {**WHOLE, "minimum": 1, "maximum": 9}


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        (SMALL, 10, "x: expected a whole number from 1 to 9, got 10"),
        (SMALL, True, "x: expected a whole number from 1 to 9, got true"),
        (SMALL, None, "x: expected a whole number from 1 to 9, got null"),
        (maybe(SMALL), "1", 'x: expected a whole number from 1 to 9, got "1"'),
        (WORD, "", 'x: expected a text, got ""'),
        (WORD, "abcd", "x: expected at most 3 characters, got 4"),
        (WORD, "a\n", "x: expected printable characters only"),
        ({"type": "array", "maxItems": 1, "items": WORD}, ["a", "b"], "x: expected a list of texts"),
        ({"type": "boolean"}, 0, "x: expected true or false, got 0"),
    ],
)
def test_a_field_is_named(schema: Schema, value: object, words: str) -> None:
    with pytest.raises(InvalidField) as refused:
        check_field({"x": value}, "x", schema)
    assert refused.value.message.startswith(words)
    with pytest.raises(InvalidField, match=r"x: expected .*, but it is missing"):
        check_field({}, "x", schema)


def test_null_where_it_may_be() -> None:
    assert check_field({"x": None}, "x", maybe(SMALL)) is None


def test_no_other_names() -> None:
    with pytest.raises(InvalidField, match=r"^z: unknown field, expected x, y$"):
        check_names({"x": 1, "z": 1}, ["x", "y"])


def test_seconds_have_bounds() -> None:
    assert seconds({"t": 3}, "t", 0.0) == 3.0
    for wrong in (-1, 10**400, True, "1"):
        with pytest.raises(InvalidField, match="t: expected a number of seconds from 0 to 1000000000, got"):
            seconds({"t": wrong}, "t", 0.0)
