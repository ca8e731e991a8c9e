"""Texts that people write, in any editor, and name on a command line."""

from __future__ import annotations

from pathlib import Path

from firmware_host.archive.files import reason_of
from firmware_host.text.words import Refused


def read_text(path: Path, expected: str = "a text") -> str:
    """Return the text of a file that somebody has written, without its byte order mark. Raise Refused."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise Refused(f"{path}: can't be read: {reason_of(error)}; expected {expected}") from error
