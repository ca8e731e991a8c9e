"""Decoding of a board file's text, and names that look like others."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from pathlib import Path

ALIKE = str.maketrans("lIoO", "1100")
"""Letters that look like digits in many fonts, each with its digit."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SLIPS = (
    (re.compile("([“”„‟«»‘’‚])"), '{0} is a typographic quotation mark, expected a straight one: "'),
    (re.compile(r"=\s*(-?\d+),(\d+)\b"), "{0},{1} has a decimal comma, expected a point: {0}.{1}"),
    (re.compile(r'=\s*(?:"[^"]*"|[^\s,=\[\]{}]+)\s+([A-Za-z_]\w*)\s*='), "expected a comma before {0}"),
    (re.compile(r'("[^"]*")\s+"'), "expected a comma after {0}"),
    (re.compile(r"=\s*([A-Za-z_][\w-]*)\s*$"), '{0} has no quotation marks, expected "{0}"'),
    (re.compile(r"\{[^}]*$"), "a brace is open, expected }} at the end of the line"),
)
"""Slips in a line, each with its words, the likeliest first."""
SAVE_AS = "save the file as UTF-8 in your editor"


def board_file_text(path: Path) -> str:
    """Return the text of a board file without a byte order mark.

    Raise OSError when it can't be read, ValueError ``LINE: reason`` when it is not UTF-8.
    """
    data = path.read_bytes()
    if data.startswith(UTF_16):
        raise ValueError(f"1: expected a file in UTF-8, got UTF-16: {SAVE_AS}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        shown = bytes([byte]).decode("latin-1")
        meant = f" ({shown!r} in Latin-1)" if shown.isprintable() else ""
        raise ValueError(f"{line}: expected a file in UTF-8, got the byte {byte:#04x}{meant}: {SAVE_AS}") from error


def slip(line: str) -> str:
    """Return the usual slip in a line that is no TOML, with what is expected; empty for any other."""
    value = line.partition("#")[0]
    found = ((pattern.search(value), words) for pattern, words in SLIPS)
    return next((words.format(*match.groups()) for match, words in found if match), "")


def alike(name: str, names: Collection[str]) -> str | None:
    """Return the only one of ``names`` that differs just in letters that look like digits, or in case; else None."""
    looks = name.translate(ALIKE)
    found = [other for other in names if other != name and other.translate(ALIKE) == looks]
    found = found or [other for other in names if other != name and other.casefold() == name.casefold()]
    return found[0] if len(found) == 1 else None


def difference(name: str, meant: str) -> str:
    """Return the first difference between a name and a similar one: ``the letter l for the digit 1``."""
    for got, wanted in zip(name, meant, strict=False):
        if got != wanted:
            return f"{_called(got)} for {_called(wanted)}"
    return f"{name!r} for {meant!r}"


def _called(character: str) -> str:
    return f"the digit {character}" if character.isdigit() else f"the letter {character}"
