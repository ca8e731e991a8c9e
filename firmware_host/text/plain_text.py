"""Safe output to a terminal: no escape sequences, no marks that change the direction of writing.

Names, boards and reasons come from records and journals that anybody may have written. The program's own messages need
only printable characters and line feeds. Therefore the streams are made safe, not each message.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

_SAFE = frozenset("\n\t")


def plain(text: str, encoding: str | None = None) -> str:
    """Return a text with every character that is not printable, or not in ``encoding``, as a Python escape."""
    if not text.replace("\n", "").isprintable():
        text = "".join(
            one if one.isprintable() or one in _SAFE else one.encode("unicode_escape").decode() for one in text
        )
    return text if encoding is None else text.encode(encoding, "backslashreplace").decode(encoding)


class PlainStream:
    """A text stream that passes plain text only; every other attribute is that of the stream beneath."""

    def __init__(self, beneath: TextIO) -> None:
        """Write to the stream ``beneath``."""
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write a text, escaped where necessary; return its length before that."""
        self.beneath.write(plain(text, self.beneath.encoding))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def plain_terminal() -> Iterator[None]:
    """Make standard output and standard error pass plain text only, in the body of the ``with``."""
    out: Any = PlainStream(sys.stdout)
    error: Any = PlainStream(sys.stderr)
    with redirect_stdout(out), redirect_stderr(error):
        yield


def clear_screen() -> None:
    """Clear the terminal's screen, by the only escape sequence that the program writes."""
    out: Any = sys.stdout
    (out.beneath if isinstance(out, PlainStream) else out).write("\x1b[H\x1b[2J")
