"""A service that speaks JSON lines: one object a line in, one line of answer out for every line.

Lines are UTF-8 in any locale; answers are ASCII. A refusal names the field, what was expected and what was given, and
the service goes on. Each verb (the line's ``do``) is declared beside its function: :class:`Verbs`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, TypeVar

from firmware_host.games.game import GameError
from firmware_host.text import json_reader
from firmware_host.text.json_reader import Fields, InvalidField, InvalidJson

_log = logging.getLogger(__name__)
Answer = dict[str, Any]
Answering = TypeVar("Answering", bound=Callable[..., Any])

MAX_LINE = 1 << 20
"""Maximum length of a line, bytes: a thousand times what any request needs."""


class Verbs:
    """The verbs of a service: name → function, and the fields that a line with this verb may have."""

    def __init__(self) -> None:
        """Begin without verbs."""
        self.fields: dict[str, tuple[str, ...]] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._older: dict[str, str] = {}

    def verb(self, name: str, *fields: str, older: str = "") -> Callable[[Answering], Answering]:
        """Return a decorator: the function answers lines with this verb and these fields, each a word or several.

        ``older`` is the name that the verb had in earlier releases: such lines are answered, too.
        """

        def add(function: Answering) -> Answering:
            self.fields[name] = tuple(one for some in fields for one in some.split())
            self._functions[name] = function
            if older:
                self._older[older] = name
            return function

        return add

    def of(self, request: Fields) -> tuple[str, Callable[..., Any]]:
        """Return a request's verb and its function, after checking the names of its fields. Raise InvalidField."""
        name = self._older.get(str(request.get("do"))) or json_reader.one_of(request, "do", sorted(self.fields))
        check_names(request, name, self.fields[name])
        return name, self._functions[name]


def check_names(request: Fields, what: str, fields: Collection[str]) -> None:
    """Raise InvalidField for a field that ``what`` does not have; every line may have ``id`` and ``do``."""
    unknown = set(request).difference(fields, ("id", "do"))
    if unknown:
        known = ", ".join(sorted(set(fields))) or "no further field"
        raise InvalidField(f"{min(unknown)[:40]}: {what} does not know this field; expected {known}")


@dataclass(frozen=True)
class Verb:
    """A verb of its own: an entry point of an extension, by its name."""

    name: str
    fields: str
    """The fields of its lines, as words."""
    function: Callable[[Fields], Answer]


class Lines(Protocol):
    """What lines are read from."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or so many bytes of it; nothing at the end, however often."""


class RecordedLines:
    """Lines that are kept in a file while they are read; after a failure it has all up to the last one."""

    def __init__(self, lines: Lines, file: BinaryIO) -> None:
        """``file`` takes what ``lines`` gives."""
        self._lines, self._file = lines, file

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or so many bytes of it. Raise OSError where it can't be kept."""
        line = self._lines.readline(size)
        self._file.write(line)
        self._file.flush()
        return line


def serve(answer_line: Callable[[bytes], str], stdin: Lines, stdout: BinaryIO) -> int:
    """Answer every line until end of file; return the exit code."""
    while line := stdin.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while (rest := stdin.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            answer = _refusal(None, "bad_json", f"expected one JSON object a line, of less than {MAX_LINE} bytes")
        elif line.strip():
            answer = answer_line(line)
        else:
            continue
        stdout.write(f"{answer}\n".encode("ascii"))
        stdout.flush()
    return 0


def answer_to(
    line: str | bytes, answer: Callable[[Fields], Answer], refused: tuple[type[Any], ...] = (GameError,)
) -> str:
    """Return the answer to a line, as a line; malformed lines are refused, never raised.

    ``answer`` returns the fields of the answer to a request. Its errors of the types ``refused``, which have a ``code``
    and a ``message``, become refusals, as InvalidField does. Any other is a fault of ours: it is logged, and the lines
    after it are answered.
    """
    try:
        request = json_reader.read_object(line)
    except InvalidJson as error:
        return _refusal(None, error.code, error.message)
    ident = request.get("id")
    try:
        return json.dumps({"id": ident, "ok": True, **answer(request)})
    except InvalidField as error:
        return _refusal(ident, error.code, error.message)
    except refused as error:
        return _refusal(ident, error.code, str(error.message))
    except Exception as error:  # noqa: BLE001 - the program at the other end still has others to ask
        _log.exception("the request %.200r has failed", line)
        return _refusal(ident, "internal", f"an unexpected error: {type(error).__name__}")


def _refusal(ident: object, code: str, message: str) -> str:
    return json.dumps({"id": ident, "ok": False, "error": {"code": code, "message": message}})
