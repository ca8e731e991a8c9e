"""Board files: TOML in, a checked BoardDescription out; a wrong file is refused with the line and the reason."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hw import backends
from hw.ports import KINDS, BoardDescription, LevelBands, NodeWiring

SCHEMES = ("74hc165",)
PINS = {"74hc165": (("load", "clock", "data"), ("inhibit",))}
"""For each scheme the pins that it needs, and those that it can do without."""
ORDERS = ("RGB", "GRB", "BRG", "GBR", "RBG", "BGR")
MOST_CHANNELS = 512

Table = Mapping[str, Any]


class BoardFileError(ValueError):
    """A board file that can't be used; the message is ``FILE:LINE: reason, expected …``, a line for each mistake."""


def find_board(name: str) -> Path:
    """Return the path of a board file: a path, or the name of a shipped board. Raise BoardFileError listing those."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        if not path.is_file():
            raise BoardFileError(f"{name}: there is no such file")
        return path
    shipped = sorted(
        Path(str(entry)) for entry in importlib.resources.files("boards").iterdir() if entry.name.endswith(".toml")
    )
    for board in shipped:
        if board.stem == name:
            return board
    raise BoardFileError(
        f"--board: expected sim, a file, or one of {', '.join(board.stem for board in shipped)}; got {name!r}"
    )


def load_board(path: Path, *, backend: str | None = None, kind: str | None = None) -> BoardDescription:
    """Read and check a board file; ``backend`` and ``kind`` override what it says. Raise BoardFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BoardFileError(f"{path}: can't be read: {error}") from error
    try:
        data = tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # Numbers of thousands of digits and deep nests are no TOMLDecodeErrors.
        raise BoardFileError(_syntax(path, text, str(error))) from error
    description = _Reader(path, text, data).read()
    for name, value, choices in (("backend", backend, backends.names()), ("kind", kind, KINDS)):
        if value is not None and value not in choices:
            raise BoardFileError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
    return replace(description, backend=backend or description.backend, kind=kind or description.kind)


def check_layout(description: BoardDescription, names: Collection[str]) -> None:
    """Refuse a board whose nodes are not those of its game."""
    missing = [name for name in names if name not in description.nodes]
    unknown = [name for name in description.nodes if name not in names]
    problems = []
    if missing:
        problems.append(f"nodes missing: {', '.join(missing)}")
    if unknown:
        problems.append(f"nodes that {description.game} does not have: {', '.join(unknown)}")
    if problems:
        raise BoardFileError(f"board {description.name!r} does not fit {description.game}: {'; '.join(problems)}")


def _syntax(path: Path, text: str, message: str) -> str:
    """Reshape tomllib's message; a key given twice (a node named twice) is named."""
    where = re.search(r"\(at line (\d+), column \d+\)", message)
    line = int(where.group(1)) if where else text.count("\n") + 1
    reason = re.sub(r" \(at [^)]*\)", "", message)
    if "overwrite" in reason:
        key = text.splitlines()[line - 1].partition("=")[0].strip()
        first = _find_line(text, lambda found: found == key)
        reason = f"{key} is named twice (first in line {first}), expected each name once"
    return f"{path}:{line}: {reason}"


def _find_line(text: str, wanted: Callable[[str], bool]) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if wanted(line.partition("=")[0].strip()):
            return number
    return 1


class _Reader:
    """One file being checked; collects every mistake with its line."""

    def __init__(self, path: Path, text: str, data: Table) -> None:
        self._path = path
        self._data = data
        self._text = text
        self._lines = _line_numbers(text)
        self._mistakes: list[tuple[int, str]] = []

    def read(self) -> BoardDescription:
        self._known("", self._data, ("board", "sensors", "lights", "drawing", "nodes"))
        board, sensors, lights = (self._section(name) for name in ("board", "sensors", "lights"))
        drawing = self._section("drawing", needed=False)
        self._known("board", board, ("name", "game", "backend", "node_mm"))
        self._known("sensors", sensors, ("scheme", "kind", "scan_hz", "pins", "rest", "single", "double"))
        self._known("lights", lights, ("pin", "length", "order", "max_current_ma"))
        self._known("drawing", drawing, ("circles_mm", "lines"))
        scheme = self._choice("sensors", sensors, "scheme", SCHEMES)
        length = self._whole("lights", lights, "length", 1, MOST_CHANNELS)
        nodes = self._nodes(length)
        pins = self._pins(sensors, scheme)
        description = BoardDescription(
            name=self._word("board", board, "name"),
            game=self._word("board", board, "game"),
            backend=self._choice("board", board, "backend", backends.names()),
            kind=self._choice("sensors", sensors, "kind", KINDS),
            scheme=scheme,
            nodes=nodes,
            pins=pins,
            strip_pin=self._strip_pin(lights, pins),
            strip_length=length,
            pixel_order=self._choice("lights", lights, "order", ORDERS),
            max_current_ma=self._whole("lights", lights, "max_current_ma", 1, 100_000),
            scan_hz=self._whole("sensors", sensors, "scan_hz", 1, 1000, 50),
            lines=self._drawn_lines(drawing, nodes),
            circles_mm=self._circles(drawing),
            node_mm=self._real("board", board, "node_mm", 22.0),
            bands=self._bands(sensors),
        )
        if self._mistakes:
            raise BoardFileError("\n".join(f"{self._path}:{line}: {why}" for line, why in sorted(self._mistakes)))
        return description

    # -- the parts -----------------------------------------------------------------------------------------------

    def _nodes(self, pixels: int) -> dict[str, NodeWiring]:
        table = self._section("nodes")
        if not table and "nodes" in self._data:
            self._wrong("nodes", "", "there are no nodes, expected at least one")
        nodes: dict[str, NodeWiring] = {}
        channels: dict[int, str] = {}
        used: dict[int, str] = {}
        for name, entry in table.items():
            if not isinstance(entry, dict):
                self._wrong("nodes", name, f"{name}: expected {{ channel, pixel, x, y }}, got {entry!r}")
                continue
            self._known("nodes", entry, ("channel", "pixel", "x", "y"), name)
            channel = self._whole("nodes", entry, "channel", 0, MOST_CHANNELS - 1, line=name)
            pixel = self._whole("nodes", entry, "pixel", 0, max(0, pixels - 1), line=name)
            for number, what, taken in ((channel, "channel", channels), (pixel, "pixel", used)):
                other = taken.setdefault(number, name)
                if other != name and what in entry:
                    where = self._line("nodes", other)
                    self._wrong("nodes", name, f"{name}: {what} {number} is {other}'s (line {where}), expected its own")
            x, y = (self._real("nodes", entry, axis, None, line=name) for axis in "xy")
            nodes[name] = NodeWiring(name, channel, pixel, x, y)
        highest = max(channels, default=-1)
        if not self._mistakes and highest >= len(nodes):
            name = channels[highest]
            self._wrong("nodes", name, f"{name}: channel {highest}: expected 0 to {len(nodes) - 1}, without gaps")
        return nodes

    def _pins(self, sensors: Table, scheme: str) -> dict[str, int]:
        pins = sensors.get("pins")
        needed, optional = PINS.get(scheme, ((), ()))
        if not isinstance(pins, dict):
            self._wrong("sensors", "pins", f"pins: expected {{ {', '.join(needed)} }} with BCM numbers, got {pins!r}")
            return {}
        self._known("sensors", pins, (*needed, *optional), "pins")
        found: dict[str, int] = {}
        for name in (*needed, *(name for name in optional if name in pins)):
            number = self._whole("sensors", pins, name, 0, 27, line="pins")
            other = next((known for known, taken in found.items() if taken == number), None)
            if other is not None and name in pins:
                self._wrong("sensors", "pins", f"{name}: pin {number} is {other}'s already, expected its own")
            found[name] = number
        return found

    def _strip_pin(self, lights: Table, pins: Mapping[str, int]) -> str:
        pin = self._word("lights", lights, "pin")
        number = re.fullmatch(r"D(\d|1\d|2[0-7])", pin)
        if pin and number is None:
            self._expected("lights", lights, "pin", "D0 to D27")
        owner = next((name for name, taken in pins.items() if number and taken == int(number.group(1))), None)
        if owner is not None:
            self._wrong("lights", "pin", f"pin: {pin} is the sensors' {owner} already, expected its own")
        return pin

    def _drawn_lines(self, drawing: Table, nodes: Collection[str]) -> tuple[tuple[str, ...], ...]:
        lines = drawing.get("lines", [])
        if not isinstance(lines, list):
            self._wrong("drawing", "lines", f"lines: expected lists of two or more nodes, got {lines!r:.60}")
            return ()
        drawn: list[tuple[str, ...]] = []
        for line in lines:
            names = line if isinstance(line, list) else [line]
            words = [name for name in names if isinstance(name, str)]
            if names is not line or len(names) < 2:
                why = f"lines: expected two or more nodes a line, got {line!r:.60}"
                self._mistakes.append((self._quoted(*words), why))
            for name in names:
                if name not in words or name not in nodes:
                    where = (name,) if name in words else words
                    self._mistakes.append((self._quoted(*where), f"lines: {name!r:.60} is not among the nodes"))
            drawn.append(tuple(words))
        return tuple(drawn)

    def _circles(self, drawing: Table) -> tuple[float, ...]:
        circles = drawing.get("circles_mm", [])
        if not isinstance(circles, list) or not all(_is_number(radius) and radius > 0 for radius in circles):
            self._wrong("drawing", "circles_mm", f"circles_mm: expected a list of radii in mm, got {circles!r:.60}")
            return ()
        return tuple(map(float, circles))

    def _bands(self, sensors: Table) -> LevelBands:
        usual = LevelBands()
        rest, single, double = (
            self._whole("sensors", sensors, name, 1, 127, getattr(usual, name)) for name in ("rest", "single", "double")
        )
        if not rest < single < double:
            self._wrong("sensors", "rest", f"expected rest < single < double, got {rest}, {single}, {double}")
        return LevelBands(rest, single, double)

    # -- kinds of values -----------------------------------------------------------------------------------------

    def _section(self, name: str, *, needed: bool = True) -> Table:
        section = self._data.get(name)
        if section is None and not needed:
            return {}
        if not isinstance(section, dict):
            self._wrong("", name, f"[{name}]: expected this section" + (f", got {section!r}" if section else ""))
            return {}
        return section

    def _known(self, section: str, table: Table, names: Collection[str], line: str | None = None) -> None:
        for name in table:
            if name not in names:
                self._wrong(section, line or name, f"{name}: unknown, expected one of {', '.join(names)}")

    def _word(self, section: str, table: Table, name: str) -> str:
        value = table.get(name)
        if not isinstance(value, str) or not value:
            self._expected(section, table, name, "a text")
            return ""
        return value

    def _choice(self, section: str, table: Table, name: str, choices: Collection[str]) -> str:
        value = table.get(name)
        if not isinstance(value, str) or value not in choices:
            self._expected(section, table, name, f"one of {', '.join(choices)}")
            return next(iter(choices))
        return value

    def _whole(
        self, section: str, table: Table, name: str, low: int, high: int, default: int | None = None, line: str = ""
    ) -> int:
        value = table.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self._expected(section, table, name, f"a whole number from {low} to {high}", line)
            return low
        return value

    def _real(self, section: str, table: Table, name: str, default: float | None, line: str = "") -> float:
        value = table.get(name, default)
        if not _is_number(value):
            self._expected(section, table, name, "a number (mm)", line)
            return 0.0
        return float(value)

    def _expected(self, section: str, table: Table, name: str, what: str, line: str = "") -> None:
        got = f"got {table[name]!r:.60}" if name in table else "but it is missing"
        owner = f"{line}: " if line and line != name else ""
        self._wrong(section, line or name, f"{owner}{name}: expected {what}, {got}")

    def _wrong(self, section: str, key: str, why: str) -> None:
        self._mistakes.append((self._line(section, key), why))

    def _quoted(self, *words: str) -> int:
        """Return the first line where these words stand in quotes, else that of the printed lines."""
        start = self._line("drawing", "lines")
        rest = enumerate(self._text.splitlines()[start - 1 :], start)
        return next((number for number, line in rest if all(f'"{word}"' in line for word in words)), start)

    def _line(self, section: str, key: str) -> int:
        return self._lines.get((section, key)) or self._lines.get(("", section)) or self._lines.get(("", key)) or 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def _line_numbers(text: str) -> dict[tuple[str, str], int]:
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
