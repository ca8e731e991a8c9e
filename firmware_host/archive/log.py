"""The program's own log: some hundred kilobytes in the data folder, without secrets.

Secrets are removed before a line is written, so that the file can be shared as it is: tokens, cookies, tickets,
nonces, keys and sealed placements. An error's message is left out if it may quote the input.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from firmware_host import platform

FOLDER, FILE = "log", "lodestone.log"
LARGEST = 256 << 10
"""Maximum size of one file, bytes; there are two, the newer and the older."""
TELLING = ("firmware_host.link", "firmware_host.extensions")
"""What tells in the file more than warnings: what other tables have sent."""
GONE = "[removed]"
LONGEST_LINE = 4000
"""Maximum length of a line, characters; what others send may stand in one."""
OPEN_WORDS = frozenset(
    {
        "OSError",
        "FileNotFoundError",
        "PermissionError",
        "BlockingIOError",
        "TimeoutError",
        "HardwareError",
        "JournalError",
        "Refused",
        "BoardFileError",
        "RecordError",
    }
)
"""Errors whose messages mention files and parts, never sealed placements."""

_NAMES = (
    r"action|placement|nonce|opening|openings|ticket|token|claim|secret|cookie|password|key|commitment|seal|seals"
    r"|sealed|host_token|set-cookie|authorization"
)
_QUOTED = r"""\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|b?"(?:[^"\\]|\\.)*"|b?'(?:[^'\\]|\\.)*'"""
_COOKIES = re.compile(r"(?i)\b((?:set-)?cookie|authorization)\s*:[^\n]*")
_NAME = rf"""(?i)(["']?\b(?:\w+_)?(?:{_NAMES})s?["']?\s*[=:]\s*)"""
_NAMED = re.compile(rf"{_NAME}(?:{_QUOTED})")
_NAMED_WORD = re.compile(_NAME + r"""[^\s,;(){}\[\]"'=]+""")
_COOKIE = re.compile(r"\b(lodestone-\w+=)[^\s;,]+")
_LONG = re.compile(r"(?<![A-Za-z0-9_/-])([A-Za-z0-9_-]{20,})(?:[.][A-Za-z0-9_-]+)*")
_DRAWN = re.compile(r"[0-9]|[a-z_-](?=[A-Z])|[A-Z](?=[a-z_-])")
"""In a long word: no sentence has digits there, or small letters beside capitals."""
_LINK = re.compile(r"(/(?:host|join/\d+|qr/seat/\d+)[#/])[A-Za-z0-9_-]+")
_PLACE = re.compile(r"^ +(?:File \"| {2,}[^|+ ])")
_RAISED = re.compile(r"^\s*(?:\| )?([\w.]+)(?::.*)?$")


def scrub(text: str) -> str:
    """Return a text without its secrets."""
    text = "\n".join(_without_quotes(text.splitlines()))
    text = _COOKIES.sub(rf"\1: {GONE}", text)
    for pattern in (_NAMED, _NAMED_WORD, _COOKIE, _LINK):
        text = pattern.sub(rf"\1{GONE}", text)
    return _LONG.sub(lambda found: GONE if _DRAWN.search(found[1]) else found[0], text)


def _without_quotes(lines: list[str]) -> Iterator[str]:
    """Yield the lines; of a traceback only places, errors' names, and messages that are known to be harmless."""
    part = "words"
    for line in lines:
        if "Traceback (most recent call last)" in line:
            part = "places"
            yield line
        elif part == "words" or (part == "places" and _PLACE.match(line)):
            yield line
        elif part == "places" and (raised := _RAISED.match(line)):
            part = "message"
            yield line if raised[1].rpartition(".")[2] in OPEN_WORDS else f"{raised[1]}: {GONE}"
        elif line.startswith(("During handling of", "The above exception was")):
            yield line


class _Scrubbing(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).splitlines()
        return scrub("\n".join(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in lines))


class _Handler(RotatingFileHandler):
    """Writes files that only their owner can read; a failure to write is ignored."""

    def _open(self) -> TextIOWrapper:
        descriptor = platform.open_file(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="replace")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Ignore the error: a game is worth more than its log."""


@contextmanager
def kept_log(data: Path) -> Iterator[None]:
    """Write the program's log into a data folder during a block; warnings go to standard error as before."""
    root = logging.getLogger()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    handlers[0].setLevel(logging.WARNING)
    try:
        (data / FOLDER).mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = _Handler(data / FOLDER / FILE, maxBytes=LARGEST, backupCount=1, delay=True)
        kept.setFormatter(_Scrubbing("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        handlers.append(kept)
    except OSError:
        logging.getLogger(__name__).warning("The log can't be kept in %s.", data / FOLDER)
    for handler in handlers:
        root.addHandler(handler)
    levels = {name: logging.getLogger(name).level for name in TELLING}
    for name in TELLING:
        logging.getLogger(name).setLevel(logging.INFO)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
