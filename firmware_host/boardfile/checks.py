"""What every part of a board file is checked with: values of a kind, and mistakes collected with their lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

Table = Mapping[str, Any]
MOST_PIXELS = 512


class BoardFileError(ValueError):
    """A board file that can't be used; the message is ``FILE:LINE: reason, expected …``, a line for each mistake."""


class Checks:
    """One file being checked; collects every mistake with its line."""

    def __init__(self, path: Path, text: str, data: Table) -> None:
        """Check ``data``, which was read from ``text``, the contents of ``path``."""
        self.path = path
        self.data = data
        self.text = text
        self.mistakes: list[tuple[int, str]] = []
        self._lines = line_numbers(text)

    def refusal(self) -> BoardFileError:
        """Return all mistakes found so far, by their lines."""
        return BoardFileError("\n".join(f"{self.path}:{line}: {why}" for line, why in sorted(self.mistakes)))

    def section(self, name: str, *, needed: bool = True) -> Table:
        """Return a section of the file; a missing one is a mistake unless it is not ``needed``."""
        section = self.data.get(name)
        if section is None and not needed:
            return {}
        if not isinstance(section, dict):
            self.wrong("", name, f"[{name}]: expected this section" + (f", got {section!r}" if section else ""))
            return {}
        return section

    def known(self, section: str, table: Table, names: Collection[str], line: str | None = None) -> None:
        """Note every key that is not among ``names``."""
        for name in table:
            if name not in names:
                self.wrong(section, line or name, f"{name}: unknown, expected one of {', '.join(names)}")

    def word(self, section: str, table: Table, name: str) -> str:
        """Return a text that is not empty."""
        value = table.get(name)
        if not isinstance(value, str) or not value:
            self.expected(section, table, name, "a text")
            return ""
        return value

    def choice(self, section: str, table: Table, name: str, choices: Collection[str]) -> str:
        """Return one of ``choices``."""
        value = table.get(name)
        if not isinstance(value, str) or value not in choices:
            self.expected(section, table, name, f"one of {', '.join(choices)}")
            return next(iter(choices))
        return value

    def whole(
        self, section: str, table: Table, name: str, low: int, high: int, default: int | None = None, line: str = ""
    ) -> int:
        """Return a whole number from ``low`` to ``high``; ``line`` names the entry that it stands in."""
        value = table.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.expected(section, table, name, f"a whole number from {low} to {high}", line)
            return low
        return value

    def real(self, section: str, table: Table, name: str, default: float | None, line: str = "") -> float:
        """Return a number, a length in mm."""
        value = table.get(name, default)
        if not is_number(value):
            self.expected(section, table, name, "a number (mm)", line)
            return 0.0
        return float(value)

    def expected(self, section: str, table: Table, name: str, what: str, line: str = "") -> None:
        """Note that a key is missing or not ``what`` was expected."""
        got = f"got {table[name]!r:.60}" if name in table else "but it is missing"
        owner = f"{line}: " if line and line != name else ""
        self.wrong(section, line or name, f"{owner}{name}: expected {what}, {got}")

    def wrong(self, section: str, key: str, why: str) -> None:
        """Note a mistake at the line of a key."""
        self.mistakes.append((self.line(section, key), why))

    def noted(self, section: str, key: str) -> bool:
        """Tell whether a mistake was noted at the line of a key: what follows from it need not be told."""
        return any(line == self.line(section, key) for line, _ in self.mistakes)

    def quoted(self, *words: str) -> int:
        """Return the first line where these words stand in quotes, else that of the printed lines."""
        start = self.line("drawing", "lines")
        rest = enumerate(self.text.splitlines()[start - 1 :], start)
        return next((number for number, line in rest if all(f'"{word}"' in line for word in words)), start)

    def line(self, section: str, key: str) -> int:
        """Return the line of a key, else that of its section."""
        return self._lines.get((section, key)) or self._lines.get(("", section)) or self._lines.get(("", key)) or 1


def is_number(value: object) -> bool:
    """Tell whether a value is a number of a sane size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def line_numbers(text: str) -> dict[tuple[str, str], int]:
    """Return (section, key) → line, and ("", section) → line of its head; the first of several counts."""
    found: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line)
        key = re.match(r"""\s*["']?([\w-]+)["']?\s*[.=]""", line)
        if head:
            section = head.group(1)
            found.setdefault(("", section), number)
            parent, _, name = section.rpartition(".")  # [nodes.A1] is A1 of [nodes], too.
            found.setdefault((parent, name), number)
            found.setdefault(("", parent), number)
        elif key:
            found.setdefault((section, key.group(1)), number)
    return found
