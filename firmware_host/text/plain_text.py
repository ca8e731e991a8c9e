"""What goes to a terminal is text and nothing else: no escape sequence, no mark that turns the direction of writing.

Names, boards and reasons come from records and journals that anybody may have written, and no message of ours needs
more than letters, signs and line feeds. So it is the streams that are made safe, not each message.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

_KEPT = frozenset("\n\t")


def plain(text: str, encoding: str | None = None) -> str:
    """Return a text with everything that is not printable, or not in an encoding, written as Python writes it."""
    if not text.replace("\n", "").isprintable():
        text = "".join(one if one.isprintable() or one in _KEPT else _escaped(one) for one in text)
    return text if encoding is None else text.encode(encoding, "backslashreplace").decode(encoding)


def _escaped(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")


class PlainStream:
    """A text stream to which only plain text gets; all else of it is that of the stream beneath."""

    def __init__(self, beneath: TextIO) -> None:
        """Write to a stream."""
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write a text, escaped where that is needed; return the length of what was given."""
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
    """Let nothing but plain text out for a while, on standard output and standard error."""
    out: Any = PlainStream(sys.stdout)
    error: Any = PlainStream(sys.stderr)
    with redirect_stdout(out), redirect_stderr(error):
        yield


def clear_screen() -> None:
    """Begin a screen anew at a terminal: the one escape sequence that is meant."""
    out: Any = sys.stdout
    (out.beneath if isinstance(out, PlainStream) else out).write("\x1b[H\x1b[2J")
