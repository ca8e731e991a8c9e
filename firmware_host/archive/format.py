"""The form of a game record: JSON Lines, a header and one event a line, each line chained to the one before.

A line is the canonical JSON of its fields (ASCII, sorted keys, no spaces), so that every byte of it counts. ``hash``
is the SHA-256 of the hash of the line before, a line feed, and the line without ``hash``. Any other form is refused;
nothing is guessed. The tables at the end define the fields (formats.md, 'Game record').

The chain reveals later changes. A forger who writes all lines again is bound only by the rules and the seals, unless
people have noted the hash of the last line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firmware_host.archive.journal_events import canonical
from firmware_host.archive.shapes import (
    NUMBER,
    NUMBERS,
    OBJECT,
    YES_OR_NO,
    Fields,
    Shape,
    all_of,
    by_seat,
    is_number,
    matches,
    misfit,
)
from firmware_host.games.capabilities import CIRCLES
from firmware_host.games.drawing import COLOURS
from firmware_host.games.levels import FIRST_STEPS
from firmware_host.games.seals import is_link, is_seed
from firmware_host.games.thinking import LEVELS
from firmware_host.table.subjects.seats import is_name
from firmware_host.text.json_reader import read_json

FORMAT = 1
"""The format of a game without clocks."""
CLOCKED = 2
"""The format of a game with clocks: the header has their setting, each event their readings."""
FORMATS = (FORMAT, CLOCKED)
FIRST_HASH = hashlib.sha256(b"lodestone-record-v1").hexdigest()
"""The hash before the header's."""


class RecordError(ValueError):
    """A record can't be made, found or verified. ``line`` is the first wrong line, from 1; None if no line is."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


def write_lines(header: Fields, events: Iterable[Fields]) -> Iterator[str]:
    """Yield the lines of a record, without line feeds; events are numbered here."""
    prev = FIRST_HASH
    numbered = ({"n": number, **event} for number, event in enumerate(events, 1))
    for fields in (header, *numbered):
        prev = line_hash(prev, fields)
        yield canonical({**fields, "hash": prev})


def line_hash(prev: str, fields: Fields) -> str:
    """Return the hash of a line from its fields (all but ``hash``) and the hash of the line before."""
    return hashlib.sha256(f"{prev}\n{canonical(fields)}".encode("ascii")).hexdigest()


def read_lines(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, fields) of a record; the first is the header.

    Raise RecordError at the first line that is malformed, was changed, is missing, or is too many.
    """
    prev, announced, number, clocked = FIRST_HASH, 0, 0, False
    for number, line in enumerate(lines, 1):
        fields = _parse(line.removesuffix("\n"), number)
        prev = _check_hash(fields, prev, number)
        if number == 1:
            _check_header(fields)
            announced, clocked = fields["events"], fields["record"] == CLOCKED
        else:
            _check_event(fields, number, clocked=clocked)
            if number - 1 > announced:
                raise RecordError(f"one event too many: the header announces {announced}", number)
        yield number, fields
    if number == 0:
        raise RecordError("expected the header, found nothing: the record is empty", 1)
    if number - 1 < announced:
        raise RecordError(f"the record ends after {number - 1} events, the header announces {announced}", number + 1)


def _parse(line: str, number: int) -> dict[str, Any]:
    try:
        fields = read_json(line)
        text = canonical(fields)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"expected one JSON object, found {line[:40]!r} ({error})", number) from error
    if not isinstance(fields, dict):
        raise RecordError(f"expected one JSON object, found {line[:40]!r}", number)
    if text != line:
        raise RecordError("not written as records are (sorted keys, no spaces, ASCII): it was changed", number)
    return fields


def _check_hash(fields: dict[str, Any], prev: str, number: int) -> str:
    """Remove the hash from the fields and return it. Raise RecordError if it is wrong."""
    found = fields.pop("hash", None)
    expected = line_hash(prev, fields)
    if found != expected:
        raise RecordError(
            f"hash: expected {expected[:12]}…, found {str(found)[:12]!r}: this line or the one before was changed",
            number,
        )
    return expected


def _check_header(fields: Fields) -> None:
    if type(fields.get("record")) is not int or fields["record"] not in FORMATS:
        known = " or ".join(map(str, FORMATS))
        raise RecordError(f"record: expected format {known}, found {str(fields.get('record'))[:20]!r}", 1)
    clocked = fields["record"] == CLOCKED
    _check_shape(fields, {**HEADER, "clocks": _CLOCKS} if clocked else HEADER, 1, "")
    if clocked:
        _check_shape(fields["clocks"], CLOCKS, 1, "clocks.")
    for seat, sitting in fields["seats"].items():
        _check_shape(sitting, SITTING, 1, f"seats.{seat}.")


def _check_event(fields: Fields, number: int, *, clocked: bool) -> None:
    _check_shape(fields, EVENT, number, "")
    if fields["n"] != number - 1:
        raise RecordError(f"n: expected {number - 1}, found {fields['n']}", number)
    shape = DATA.get(fields["kind"])
    if shape is None:
        raise RecordError(f"kind: expected one of {', '.join(DATA)}, found {fields['kind'][:20]!r}", number)
    _check_shape(fields["data"], {**shape, "clock?": _CLOCK} if clocked else shape, number, "data.")


def _check_shape(fields: Fields, shape: Shape, number: int, where: str) -> None:
    if (wrong := misfit(fields, shape, where)) is not None:
        raise RecordError(wrong, number)


# -- the fields --------------------------------------------------------------------------------------------------------


def _is_options(value: object) -> bool:
    return isinstance(value, dict) and all(item is True for item in value.values())


_TEXT = ("a text of printable characters on one line", lambda value: isinstance(value, str) and value.isprintable())
_NAME = ("a name as in the lobby", lambda value: isinstance(value, str) and is_name(value))
_SEED = (
    "32 hex digits, or a whole number below 2 to the 32",
    lambda value: is_seed(value) or (type(value) is int and 0 <= value < 2**32),
)
_NODES = ("a list of nodes", all_of(_TEXT[1]))
_TIME = ("a time, ISO 8601 in UTC", matches(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(\+00:00|Z)"))


def _is_time(value: object) -> bool:
    return type(value) is int and abs(value) < 10**12


def _is_standing(value: object) -> bool:
    names = {"left", "used", "delay"}
    return isinstance(value, dict) and set(value) <= names and all(map(by_seat(_is_time), value.values()))


_CLOCKS = ("an object: how time was kept", lambda value: isinstance(value, dict))
_CLOCK = ("an object: left, used and delay, each seat → milliseconds", _is_standing)
_STINT = ("seal or act", lambda value: value in ("seal", "act"))

HEADER: Shape = {
    "record": ("the number of the format", is_number),
    "id": ("the game's id (letters, digits, - and _)", matches("[A-Za-z0-9_-]{1,64}")),
    "game": _TEXT,
    "mode": _TEXT,
    "rules": ("an object: option → true", _is_options),
    "seats": ("an object: seat → name and computer", by_seat(lambda item: isinstance(item, dict))),
    "board": _TEXT,
    "version": _TEXT,
    "started": ("a time in UTC, or null before the start", lambda value: value is None or _TIME[1](value)),
    "events": NUMBER,
}
_SEATED: Shape = {
    "name": _NAME,
    "computer": YES_OR_NO,
    "level?": (
        f"a level, {FIRST_STEPS} to {LEVELS}",
        lambda value: type(value) is int and FIRST_STEPS <= value <= LEVELS,
    ),
}
SITTING: Shape = {
    **_SEATED,
    "colour?": (f"a colour, 1 to {COLOURS}", lambda value: type(value) is int and 1 <= value <= COLOURS),
    "hints?": ("false", lambda value: value is False),
}
CLOCKS: Shape = {
    "main": ("seconds, or null", lambda value: value is None or is_number(value)),
    "increment": NUMBER,
    "delay": NUMBER,
    "strict": YES_OR_NO,
    "odds": ("an object: seat → seconds", by_seat(is_number)),
}
EVENT: Shape = {"n": NUMBER, "at": _TIME, "kind": _TEXT, "data": OBJECT}
DATA: Mapping[str, Shape] = {
    "start": {
        "position": _TEXT,
        "given?": ("true", lambda value: value is True),
        "seed?": _SEED,
        "deal?": ("64 hex digits", matches("[0-9a-f]{64}")),
        "lots?": ("an object: seat → 64 hex digits", by_seat(is_link)),
    },
    "lot": {"seat": NUMBER, "number": ("64 hex digits", is_link), "position": _TEXT},
    "seat": {"seat": NUMBER, **_SEATED},
    "moved": {"seat": NUMBER},
    "seal": {"seat": NUMBER, "turn": NUMBER, "commitment": ("64 hex digits", matches("[0-9a-f]{64}"))},
    "opening": {
        "seat": NUMBER,
        "turn": NUMBER,
        "action": _TEXT,
        "nonce": ("32 hex digits", matches("[0-9a-f]{32}")),
    },
    "opens": {"turn": NUMBER},
    "reseal": {
        "turn": NUMBER,
        "seat?": NUMBER,
        "by?": ("agreement or host", lambda value: value in ("agreement", "host")),
        "past?": ("true", lambda value: value is True),
    },
    "reveal": {
        "turn": NUMBER,
        "actions": ("an object: seat → action", by_seat(_TEXT[1])),
        "position": _TEXT,
        "removed": _NODES,
    },
    "action": {"seat": NUMBER, "action": _TEXT, "position": _TEXT, "removed": _NODES},
    "loop": {
        "nodes": _NODES,
        "position": _TEXT,
        "by": ("proof, endless, circling or agreement", lambda value: value in ("proof", *CIRCLES, "agreement")),
    },
    "decided": {"winner": NUMBER, "position": _TEXT},
    "draw": {"position": _TEXT},
    "resign": {"seat": NUMBER, "position": _TEXT, "by?": ("time", lambda value: value == "time")},
    "flag": {
        "seat": NUMBER,
        "turn": NUMBER,
        "stint?": _STINT,
        "seed?": ("32 hex digits", matches("[0-9a-f]{32}")),
    },
    "correction": {
        "to": NUMBER,
        "by": ("hand, agreement or host", lambda value: value in ("hand", "agreement", "host")),
        "position": _TEXT,
    },
    "mask": {"node": _TEXT, "reason": _TEXT, "words?": _TEXT},
    "unmask": {"node": _TEXT},
    "guidance": {"seat": NUMBER, "on": YES_OR_NO},
    "hints": {"seat": NUMBER, "on": YES_OR_NO},
    "hint": {"seat": NUMBER, "told": ("1, 2 or 3", lambda value: type(value) is int and 1 <= value <= 3)},
    "result": {
        "reason": ("a text, or null", lambda value: value is None or _TEXT[1](value)),
        "winners": NUMBERS,
        "scores": NUMBERS,
        "tiebreak": NUMBERS,
    },
    "abandoned": {},
}
"""Kind of event → the fields of its data."""
