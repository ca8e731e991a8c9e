"""A board file's text, however an editor has saved it, and names that only look like others."""

from __future__ import annotations

import codecs
from collections.abc import Collection
from pathlib import Path

ALIKE = str.maketrans("lIoO", "1100")
"""Letters that pass for digits in many fonts."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAVE_AS = "save the file as UTF-8 in your editor"


def board_file_text(path: Path) -> str:
    """Return the text of a board file; a byte order mark before it is no part of it.

    Raise OSError when it can't be read, ValueError ``LINE: reason`` when it is saved in another encoding.
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


def alike(name: str, names: Collection[str]) -> str | None:
    """Return the one of ``names`` that differs from a name only by letters that look like digits, or by its case."""
    looks = name.translate(ALIKE)
    found = [other for other in names if other != name and other.translate(ALIKE) == looks]
    found = found or [other for other in names if other != name and other.casefold() == name.casefold()]
    return found[0] if len(found) == 1 else None


def difference(name: str, meant: str) -> str:
    """Return in what a name differs from the one it looks like: ``a letter l for the digit 1``."""
    for got, wanted in zip(name, meant, strict=False):
        if got != wanted:
            return f"{_called(got)} for {_called(wanted)}"
    return f"{name!r} for {meant!r}"


def _called(character: str) -> str:
    return f"the digit {character}" if character.isdigit() else f"the letter {character}"
