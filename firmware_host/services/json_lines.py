"""A service that speaks JSON lines: one object a line in, one line of answer out for every line.

Lines are UTF-8 in any locale; answers are ASCII. A refusal names the field, what was expected and what was given, and
the service goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from math import isfinite
from typing import Any, BinaryIO, NoReturn

from firmware_host.games.game import GameError

Request = Mapping[str, Any]
Answer = dict[str, Any]

LONGEST_LINE = 1 << 20
"""Maximum length of a line, bytes: a thousand times what any request needs."""
DEEPEST = 50
"""Maximum depth of brackets in brackets: ten times what any request needs."""
MOST_SECONDS = 1e9
_SHOWN = 60
"""Maximum length of a wrong value in a message, characters."""


class BadRequest(GameError):
    """The request's shape is wrong: a field is missing, unknown or of the wrong type."""


def serve(answer_line: Callable[[bytes], str], stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer every line until end of file; return the exit code."""
    while line := stdin.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            _pass_over(stdin)
            answer = _refusal(None, "bad_json", f"expected one JSON object a line, of less than {LONGEST_LINE} bytes")
        elif line.strip():
            answer = answer_line(line)
        else:
            continue
        stdout.write(f"{answer}\n".encode("ascii"))
        stdout.flush()
    return 0


def _pass_over(stdin: BinaryIO) -> None:
    """Skip the rest of a line."""
    while (rest := stdin.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def answered(
    line: str | bytes, answer: Callable[[Request], Answer], refused: tuple[type[Any], ...] = (GameError,)
) -> str:
    """Return the answer to a line, as a line; malformed lines are refused, never raised.

    ``answer`` returns the fields of the answer to a request. Its errors of the types ``refused``, which have a ``code``
    and a ``message``, become refusals.
    """
    try:
        given = line.decode("utf-8") if isinstance(line, bytes) else line
        request = json.loads(given, parse_constant=_no_constant, parse_float=_finite)
        if _is_deeper(request, DEEPEST):
            raise ValueError(f"brackets stand in brackets more than {DEEPEST} deep")
    except (ValueError, RecursionError) as error:
        return _refusal(None, "bad_json", f"expected one JSON object a line: {error}")
    if not isinstance(request, dict):
        return _refusal(None, "bad_json", f"expected a JSON object, got {type(request).__name__}")
    ident = request.get("id")
    try:
        return json.dumps({"id": ident, "ok": True, **answer(request)})
    except refused as error:
        return _refusal(ident, error.code, str(error.message))


def _is_deeper(value: object, most: int) -> bool:
    """Return whether brackets stand in brackets so deep that what can be read might not be written into an answer."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_is_deeper(one, most - 1) for one in inner)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    """Return a number. Raise ValueError for one like 1e999, which no answer could repeat in JSON."""
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits[:40]} is larger than numbers may be")
    return number


def _refusal(ident: object, code: str, message: str) -> str:
    return json.dumps({"id": ident, "ok": False, "error": {"code": code, "message": message}})


# -- fields: each raises BadRequest, naming the field, what was expected and what was given ----------------------------


def verb(request: Request, fields: Mapping[str, Collection[str]]) -> str:
    """Return a request's verb (``do``) after checking its fields; ``fields`` maps each verb to its possible fields."""
    wanted = one_of(request, "do", sorted(fields))
    check_fields(request, wanted, {"id", "do", *fields[wanted]})
    return wanted


def check_fields(request: Request, what: str, known: Collection[str]) -> None:
    """Raise BadRequest for an unknown field."""
    unknown = set(request).difference(known)
    if unknown:
        expected = ", ".join(sorted(set(known) - {"id", "do"})) or "no further field"
        raise BadRequest(f"{min(unknown)[:40]}: {what} does not know this field; expected {expected}")


def text(request: Request, name: str, default: str | None = None) -> str:
    """Return a text."""
    value = request.get(name, default)
    if not isinstance(value, str):
        raise BadRequest(f"{name}: expected a text, {got(request, name)}")
    return value


def one_of(request: Request, name: str, known: Collection[str], default: str | None = None) -> str:
    """Return one of some texts."""
    value = text(request, name, default)
    if value not in known:
        raise BadRequest(f"{name}: expected one of {', '.join(known)}, {got(request, name)}")
    return value


def whole(request: Request, name: str, default: int | None, low: int, high: int) -> int:
    """Return a whole number within bounds."""
    value = request.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadRequest(f"{name}: expected a whole number from {low} to {high}, {got(request, name)}")
    return value


def number(request: Request, name: str, default: float, low: float = 0.0, high: float = MOST_SECONDS) -> float:
    """Return a number of seconds within bounds."""
    value = request.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise BadRequest(f"{name}: expected a number of seconds from {low:.10g} to {high:.10g}, {got(request, name)}")
    return float(value)


def flag(request: Request, name: str, default: bool | None = None) -> bool:
    """Return true or false."""
    value = request.get(name, default)
    if not isinstance(value, bool):
        raise BadRequest(f"{name}: expected true or false, {got(request, name)}")
    return value


def mapping(request: Request, name: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return an object."""
    value = request.get(name, default)
    if not isinstance(value, dict):
        raise BadRequest(f"{name}: expected an object, {got(request, name)}")
    return value


def got(request: Request, name: str) -> str:
    """Return the end of a message: the value that a field has, or that it is missing."""
    return f"got {json.dumps(request[name])[:_SHOWN]}" if name in request else "but it is missing"
