"""Checks for all sections of a board file: values of each type, mistakes collected with their lines, typical slips."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from firmware_host.text.words import Refused

Table = Mapping[str, Any]
MAX_PIXELS = 512
MAX_BYTES = 1 << 20
"""Maximum size of a board file, bytes: the largest board takes a twentieth."""


class BoardFileError(Refused, ValueError):
    """An unusable board file; the message has one line ``FILE:LINE: reason, expected …`` per mistake."""


class Checks:
    """The checks of one file, which collect every mistake with its line."""

    def __init__(self, path: Path, text: str, data: Table) -> None:
        """``data`` is the parsed ``text`` of the file ``path``."""
        self.path = path
        self.data = data
        self.text = text
        self.mistakes: list[tuple[int, str]] = []
        self._lines = line_numbers(text)

    def refusal(self) -> BoardFileError:
        """Return the error with all mistakes so far, sorted by line."""
        return BoardFileError("\n".join(f"{self.path}:{line}: {why}" for line, why in sorted(self.mistakes)))

    def section(self, name: str, *, needed: bool = True) -> Table:
        """Return a section of the file, empty if it is missing; that is a mistake if it is ``needed``."""
        section = self.data.get(name)
        if section is None and not needed:
            return {}
        if not isinstance(section, dict):
            self.report("", name, f"[{name}]: expected this section" + (f", got {section!r}" if section else ""))
            return {}
        return section

    def check_keys(self, section: str, table: Table, names: Collection[str], line: str | None = None) -> None:
        """Record a mistake for every key that is not among ``names``."""
        for name in table:
            if name not in names:
                self.report(section, line or name, f"{name}: unknown, expected one of {', '.join(names)}")

    def word(self, section: str, table: Table, name: str) -> str:
        """Return a text; a missing or empty one is a mistake."""
        value = table.get(name)
        if not isinstance(value, str) or not value:
            self.report_value(section, table, name, "a text")
            return ""
        return value

    def choice(self, section: str, table: Table, name: str, choices: Collection[str]) -> str:
        """Return one of ``choices``; any other value is a mistake."""
        value = table.get(name)
        if not isinstance(value, str) or value not in choices:
            self.report_value(section, table, name, f"one of {', '.join(choices)}")
            return next(iter(choices))
        return value

    def whole(
        self, section: str, table: Table, name: str, low: int, high: int, default: int | None = None, line: str = ""
    ) -> int:
        """Return a whole number from ``low`` to ``high``, else a mistake; ``line`` is the entry that contains it."""
        value = table.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.report_value(section, table, name, f"a whole number from {low} to {high}", line)
            return low
        return value

    def real(self, section: str, table: Table, name: str, default: float | None, line: str = "") -> float:
        """Return a length in mm; a value that is no number is a mistake."""
        value = table.get(name, default)
        if not is_number(value):
            self.report_value(section, table, name, "a number (mm)", line)
            return 0.0
        return float(value)

    def report_value(self, section: str, table: Table, name: str, what: str, line: str = "") -> None:
        """Record a mistake: a key is missing or has another value than ``what``."""
        got = f"got {table[name]!r:.60}" if name in table else "but it is missing"
        owner = f"{line}: " if line and line != name else ""
        self.report(section, line or name, f"{owner}{name}: expected {what}, {got}")

    def report(self, section: str, key: str, why: str) -> None:
        """Record a mistake at the line of a key."""
        self.mistakes.append((self.line(section, key), why))

    def has_mistake(self, section: str, key: str) -> bool:
        """Return whether the line of a key has a mistake, so that its consequences need no message."""
        return any(line == self.line(section, key) for line, _ in self.mistakes)

    def line_quoting(self, *words: str) -> int:
        """Return the first line from [drawing] ``lines`` on with these words in quotes, else that of ``lines``."""
        start = self.line("drawing", "lines")
        rest = enumerate(self.text.splitlines()[start - 1 :], start)
        return next((number for number, line in rest if all(f'"{word}"' in line for word in words)), start)

    def line(self, section: str, key: str) -> int:
        """Return the line of a key, else of its section, else 1."""
        return self._lines.get((section, key)) or self._lines.get(("", section)) or self._lines.get(("", key)) or 1


def is_number(value: object) -> bool:
    """Return whether a value is a number between -1e6 and 1e6."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def line_numbers(text: str) -> dict[tuple[str, str], int]:
    """Return (section, key) → line, and ("", section) → line of its header; the first of several counts."""
    found: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line)
        key = re.match(r"""\s*["']?([\w-]+)["']?\s*[.=]""", line)
        if head:
            section = head.group(1)
            found.setdefault(("", section), number)
            parent, _, name = section.rpartition(".")  # [nodes.A1] is also the key A1 of [nodes].
            found.setdefault((parent, name), number)
            found.setdefault(("", parent), number)
        elif key:
            found.setdefault((section, key.group(1)), number)
    return found


# -- text and names ----------------------------------------------------------------------------------------------------


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
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"1: expected a board file of at most {MAX_BYTES >> 20} MB, got a longer one")
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
            return f"{_character_words(got)} for {_character_words(wanted)}"
    return f"{name!r} for {meant!r}"


def _character_words(character: str) -> str:
    return f"the digit {character}" if character.isdigit() else f"the letter {character}"
