"""What options of commands take; each refusal says what was expected."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from contextlib import suppress
from math import inf
from os.path import realpath
from pathlib import Path
from socket import inet_aton
from typing import Any, TypeVar

from firmware_host.archive.contents import refuse_kept
from firmware_host.text.words import Refused

MAX_PORT = 65535
N = TypeVar("N", int, float)


def number(kind: Callable[[str], N], what: str, low: float = -inf, high: float = inf) -> Callable[[str], N]:
    """Return the ``type`` of an option that takes a number between bounds (as far as it has some), and no NaN."""
    bounds = (f" from {low:.10g}" if low > -inf else "") + (f" to {high:.10g}" if high < inf else "")

    def read(text: str) -> N:
        with suppress(ValueError):
            if low <= (value := kind(text)) <= high:
                return value
        raise argparse.ArgumentTypeError(f"expected {what}{bounds}, got {text[:20]!r}")

    return read


def whole(low: float = -inf, high: float = inf) -> Callable[[str], int]:
    """Return the ``type`` of an option that takes a whole number."""
    return number(int, "a whole number", low, high)


def host_word(text: str) -> str:
    """Return the name or IPv4 address of a machine that an option gives. Raise ArgumentTypeError."""
    with suppress(ValueError, OSError):
        if not text.strip("0123456789."):  # Name servers would be asked for half a minute.
            return text if inet_aton(text) else ""
        if re.fullmatch(r"[\w.-]+", text.encode("idna").decode()):
            return text
    raise argparse.ArgumentTypeError(f"expected an IPv4 address such as 127.0.0.1, or a name, got {text[:40]!r}")


# -- files that are written --------------------------------------------------------------------------------------------


def add_output(verb: argparse.ArgumentParser, option: str, **more: Any) -> None:
    """Add an option that names a file to write (:func:`firmware_host.archive.files.write_output`)."""
    added = verb.add_argument(option, type=Path, metavar="FILE", **more)
    verb.set_defaults(outputs=(*(verb.get_default("outputs") or ()), added.dest))


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise Refused if a command's result would take the place of what it reads, or of what a data folder keeps."""
    given = dict(vars(arguments))
    for name in given.pop("outputs", ()):
        path = given.pop(name)  # So that of two outputs the one is held against the other.
        if path is None or (path.exists() and not path.is_file()):
            continue
        refuse_kept(path)
        values = [one for some in given.values() for one in (some if isinstance(some, list) else [some])]
        same = [one for one in values if isinstance(one, str | Path) and realpath(one) == realpath(path)]
        if any(path.is_file() or isinstance(one, Path) for one in same):
            raise Refused(f"{path}: the command reads this file, or writes it, too: name another one")
