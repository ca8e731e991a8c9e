"""The fields of the entries that tables of a room share: what an entry from outside has to have.

No library of a room is needed for them: the verb of ``lodestone table`` checks them, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

LONGEST_TEXT = 4000
"""Maximum length of a text in an entry, characters; positions have some hundreds."""


def _is_text(value: Any) -> bool:
    """Return whether a value is a text that can be kept and told: neither very long nor with halves of characters."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and not _HALF.search(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _by_seat(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, dict) and all(map(_SEAT.fullmatch, value)) and all(map(is_one, value.values()))
    )


def _texts(count: int) -> Callable[[Any], bool]:
    return lambda value: _are_texts(value) and len(value) == count


_HALF = re.compile("[\ud800-\udfff]")
_SEAT = re.compile(r"[1-9][0-9]?")
_SEAT_AND_POSITION = {"seat": _is_whole, "position": _is_text}
FIELDS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "start": {
        "mode": _is_text,
        "position": _is_text,
        "given": lambda value: value is True,
        "seed": lambda value: _is_text(value) or _is_whole(value),
        "deal": _is_text,
        "lots": _by_seat(_is_text),
        "seats": _by_seat(_texts(2)),
    },
    "lot": {**_SEAT_AND_POSITION, "number": _is_text},
    "action": {**_SEAT_AND_POSITION, "action": lambda value: _is_text(value) and value != ""},
    "reveal": {"seals": _by_seat(_texts(3)), "position": _is_text},
    "loop": {"nodes": _are_texts, "by": _is_text, "position": _is_text},
    "decided": {"winner": _is_whole, "position": _is_text},
    "draw": {"position": _is_text},
    "resign": _SEAT_AND_POSITION,
    "correction": {"to": _is_whole, "by": _is_text, "position": _is_text},
    "reseal": {"turn": _is_whole, "seat": _is_whole, "by": _is_text},
}
"""The fields of each kind of entry, and what their values are; what a journal's entry need not have is left out."""
_LEFT_OUT: Mapping[str, Collection[str]] = {
    "start": {"mode", "given", "seed", "deal", "lots", "seats"},
    "reseal": {"seat", "by"},
}
"""The fields that an entry of a kind may lack."""


def wrong_field(kind: str, data: Mapping[str, Any]) -> str | None:
    """Return the first field of an entry of a known kind that is unknown or wrong; None if there is none."""
    return next((name for name in data if name not in FIELDS[kind] or not FIELDS[kind][name](data[name])), None)


def missing_field(kind: str, data: Mapping[str, Any]) -> str | None:
    """Return the first field that an entry of a known kind lacks and may not lack; None if there is none."""
    return next((name for name in FIELDS[kind] if name not in data and name not in _LEFT_OUT.get(kind, ())), None)
