"""Reading board files: TOML in, a checked BoardDescription out, or an error with line and reason of each mistake."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from firmware_host.boardfile.checks import BoardFileError, Checks, alike, board_file_text, difference, slip
from firmware_host.boardfile.sections import KEYS as DRAWING_KEYS
from firmware_host.boardfile.sections import (
    check_coded,
    check_fit,
    read_calibration,
    read_circles,
    read_lights,
    read_lines,
    read_nodes,
    read_paths,
    read_sensors,
    read_sizes,
    read_style,
    read_supply,
    read_tiles,
)
from hw.ports import BOARD_KINDS, CODED, BoardDescription
from hw.registry import back_end_names

SECTIONS = ("board", "sensors", "lights", "drawing", "tiles", "supply", "nodes", "calibration")

__all__ = ["BoardFileError", "board_of", "check_layout", "find_board", "load_board", "shipped_boards"]


def find_board(name: str, option: str = "--board", *, sim: bool = False) -> Path:
    """Return the path of a board file, by it or a shipped board's name. Raise BoardFileError for an ``option``."""
    shipped = {board.stem: board for board in shipped_boards()}
    if name in shipped or Path(name).is_file():
        return shipped.get(name, Path(name))
    if name.endswith(".toml") or "/" in name:
        raise BoardFileError(f"{name}: there is no such file")
    others = f"{'sim, ' if sim else ''}a file, or one of {', '.join(shipped)}"
    raise BoardFileError(f"{option}: expected {others}; got {name!r}")


def shipped_boards() -> list[Path]:
    """Return the paths of the shipped board files, by name: ours, and those of our extensions."""
    program = Path(str(importlib.resources.files("firmware_host")))
    found = (*program.glob("boards/*.toml"), *program.glob("extensions/*/boards/*.toml"))
    return sorted(found, key=lambda path: path.name)


def load_board(path: Path, *, backend: str | None = None, kind: str | None = None) -> BoardDescription:
    """Read and check a board file; ``backend`` and ``kind`` override its own. Raise BoardFileError."""
    try:
        text = board_file_text(path)
    except OSError as error:
        raise BoardFileError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise BoardFileError(f"{path}:{error}") from error
    return board_of(path, text, backend=backend, kind=kind)


def board_of(path: Path, text: str, *, backend: str | None = None, kind: str | None = None) -> BoardDescription:
    """Check the text of a board file, as :func:`load_board` does; ``path`` is only named. Raise BoardFileError."""
    try:
        data = tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # Very long numbers and deep nesting raise no TOMLDecodeError.
        raise BoardFileError(_syntax(path, text, str(error))) from error
    description = _Reader(path, text, data).read()
    for name, value, choices in (("backend", backend, back_end_names()), ("kind", kind, BOARD_KINDS)):
        if value is not None and value not in choices:
            raise BoardFileError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
    if kind is not None and (kind == CODED) != (description.kind == CODED):
        has = "nine sensors in a well" if description.kind == CODED else "one sensor a node"
        others = ", ".join(repr(one) for one in BOARD_KINDS if one != CODED)
        only = "only 'coded' (leave --kind out)" if description.kind == CODED else f"only one of {others}"
        raise BoardFileError(f"kind: {description.name} is wired with {has}: it can't be {kind!r}, {only}")
    return replace(description, backend=backend or description.backend, kind=kind or description.kind)


def check_layout(description: BoardDescription, names: Collection[str], wells: Collection[str] | None = None) -> None:
    """Raise BoardFileError if the nodes are not ``names``, or the wells among them not ``wells`` (None: any)."""
    missing = [name for name in names if name not in description.nodes]
    unknown = [name for name in description.nodes if name not in names]
    problems = []
    for name in tuple(unknown):
        meant = alike(name, missing)
        if meant is not None:
            problems.append(f"{name} has {difference(name, meant)}: expected {meant}")
            unknown.remove(name)
            missing.remove(meant)
    if missing:
        problems.append(f"nodes missing: {', '.join(missing)}")
    if unknown:
        problems.append(f"nodes that {description.game} does not have: {', '.join(unknown)}")
    has = [name for name, node in description.nodes.items() if node.well and name in names]
    if wells is not None and set(has) != set(wells):
        wrong = sorted(set(has) ^ set(wells))
        problems.append(f"expected just these wells (well = true): {', '.join(sorted(wells))}; see {', '.join(wrong)}")
    if problems:
        raise BoardFileError(f"board {description.name!r} does not fit {description.game}: {'; '.join(problems)}")


def _syntax(path: Path, text: str, message: str) -> str:
    """Return tomllib's message as ``PATH:LINE: reason``; for a key (a node) given twice, name it and its first line."""
    where = re.search(r"\(at line (\d+), column \d+\)", message)
    line = int(where.group(1)) if where else text.count("\n") + 1
    reason = re.sub(r" \(at [^)]*\)", "", message)
    if "overwrite" in reason:
        key = text.splitlines()[line - 1].partition("=")[0].strip()
        keys = [found.partition("=")[0].strip() for found in text.splitlines()]
        first = keys.index(key) + 1 if key in keys else 1
        reason = f"{key} is named twice (first in line {first}), expected each name once"
    else:
        reason = slip("".join(text.splitlines()[line - 1 : line])) or reason
    return f"{path}:{line}: {reason}"


class _Reader(Checks):
    """The checks of one file, in the order of its sections."""

    def read(self) -> BoardDescription:
        self.check_keys("", self.data, SECTIONS)
        board, sensors = (self.section(name) for name in ("board", "sensors"))
        lights, drawing = (self.section(name, needed=False) for name in ("lights", "drawing"))
        self.check_keys("board", board, ("name", "game", "backend", "node_mm", "well_mm"))
        self.check_keys("drawing", drawing, DRAWING_KEYS)
        sensing = read_sensors(self, sensors)
        lighting = read_lights(self, lights, sensing.taken)
        nodes = read_nodes(self, lighting, sensing.kind)
        check_coded(self, sensing, nodes)
        tiles = read_tiles(self, sensing.kind)
        description = BoardDescription(
            name=self.word("board", board, "name"),
            game=self.word("board", board, "game"),
            backend=self.choice("board", board, "backend", back_end_names()),
            kind=sensing.kind,
            scheme=sensing.scheme.name,
            nodes=nodes,
            pins=sensing.pins,
            options=sensing.options,
            lights=lighting,
            scan_hz=sensing.scan_hz,
            lines=read_lines(self, drawing, nodes),
            circles_mm=read_circles(self, drawing),
            paths_mm=read_paths(self, drawing),
            style=read_style(self, drawing),
            sizes=read_sizes(self, drawing),
            node_mm=self.real("board", board, "node_mm", 22.0),
            well_mm=self.real("board", board, "well_mm", 56.0),
            bands=sensing.bands,
            calibration=read_calibration(self, [name for name, node in nodes.items() if not node.ring]),
            tiles=tiles,
            supply=read_supply(self, tiles),
            disabled_channels=sensing.disabled_channels,
            part=sensing.part,
            magnet=sensing.magnet,
        )
        check_fit(self, sensing, description)
        if self.mistakes:
            raise self.refusal()
        return description
