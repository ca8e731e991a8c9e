"""Shapes of the fields that files hold: what each field has to be, as a test and in words.

:data:`LIFE` has the fields of the journal's entries that its lists and its resuming read. Those of a record, which has
to be told from every other text, are in ``format.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Fields = Mapping[str, Any]
Test = Callable[[Any], bool]
Shape = Mapping[str, tuple[str, Test]]
"""Field → (the expectation in words, the test). ``name?`` is a field that may be missing."""


def misfit(fields: Fields, shape: Shape, place: str = "", *, others: bool = False) -> str | None:
    """Return in words what is wrong with fields, None if they have the shape. ``place`` is what they are in.

    ``others``: there may be other fields as well.
    """
    for entry, (words, fits) in shape.items():
        name = entry.removesuffix("?")
        if name not in fields:
            if name == entry:
                return f"{place}{name}: expected {words}, found nothing"
        elif not fits(fields[name]):
            return f"{place}{name}: expected {words}, found {str(fields[name])[:40]!r}"
    for name in () if others else fields:
        if name not in shape and f"{name}?" not in shape:
            return f"{place}{repr(name[:40])[1:-1]}: there is no such field here"
    return None


# -- tests -------------------------------------------------------------------------------------------------------------


def is_number(value: object) -> bool:
    """Tell whether a value is a whole number from 0, and not larger than any count here."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000


def is_object(value: object) -> bool:
    """Tell whether a value is an object of JSON."""
    return isinstance(value, dict)


def is_text(value: object) -> bool:
    """Tell whether a value is a text."""
    return isinstance(value, str)


def matches(pattern: str) -> Test:
    """Return the test for a text of a form."""
    form = re.compile(pattern)
    return lambda value: isinstance(value, str) and form.fullmatch(value) is not None


def all_of(fits: Test) -> Test:
    """Return the test for a list of values that pass a test."""
    return lambda value: isinstance(value, list) and all(fits(item) for item in value)


def by_seat(fits: Test) -> Test:
    """Return the test for an object, seat → a value that passes a test."""
    is_seat = matches("[1-9][0-9]?")
    return lambda value: isinstance(value, dict) and all(is_seat(key) and fits(item) for key, item in value.items())


NUMBER = ("a whole number, 0 or more", is_number)
NUMBERS = ("a list of whole numbers", all_of(is_number))
YES_OR_NO = ("true or false", lambda value: isinstance(value, bool))
OBJECT = ("an object", is_object)

# -- the journal's entries ---------------------------------------------------------------------------------------------

_ANY_TEXT = ("a text", is_text)
LIFE: Mapping[str, Shape] = {
    "game": {"game": _ANY_TEXT, "mode": _ANY_TEXT, "rules": OBJECT, "board": _ANY_TEXT},
    "mode": {"mode": _ANY_TEXT},
    "seat": {"seat": NUMBER, "name": _ANY_TEXT, "computer": YES_OR_NO, "claim": _ANY_TEXT, "level?": NUMBER},
    "left": {"seat": NUMBER},
    "moved": {"seat": NUMBER, "claim": _ANY_TEXT},
    "start": {"position?": _ANY_TEXT},
    "reveal": {"turn?": NUMBER, "position?": _ANY_TEXT},
    "action": {"position?": _ANY_TEXT},
    "correction": {"position?": _ANY_TEXT},
    "resign": {"seat": NUMBER},
    "result": {"winners": NUMBERS, "reason": ("a text, or null", lambda value: value is None or is_text(value))},
}
"""Kind of entry → the fields that are read whatever game it is of; every release has written them so, and others."""
