"""Board files that commands name, and results written into them: only values change, comments and all else stay."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from firmware_host.archive.contents import refuse_kept
from firmware_host.archive.files import check_output, reason_of
from firmware_host.boardfile.checks import board_file_text
from firmware_host.boardfile.load import BoardFileError, board_of, find_board, load_board
from firmware_host.text.words import Refused
from hw.ports import BoardDescription, NodeLevels


def named_board(name: str, option: str = "board") -> BoardDescription:
    """Return the board of a file, or of a shipped one's name, that a command line names. Raise Refused."""
    return load_board(find_board(name, option))


def target_of(named: str, out: str | Path | None, path: Path) -> Path:
    """Return the path for a changed board file: ``out``, the named file itself, or (shipped board) the current folder.

    ``named`` is what the command line names, ``path`` the file that it stands for. Raise Refused if nothing can be
    written there, or if another file than a board's is there.
    """
    own = path if path == Path(named) else Path.cwd() / path.name
    target = own if out is None else Path(out)
    check_output(target, None)
    if target.exists() and not target.samefile(path):
        refuse_kept(target)
        try:
            load_board(target)
        except BoardFileError as error:
            raise Refused(f"{target}: is there already, and is no board file; name another with --out") from error
    return target


def write_wiring(source: Path, target: Path, nodes: Mapping[str, tuple[int | tuple[int, ...], int]]) -> None:
    """Write the board file ``source`` to ``target`` with new node → (channel or nine, pixel). Raise BoardFileError."""
    document = _read(source)
    for name, (channel, pixel) in nodes.items():
        entry: Any = document["nodes"][name]
        if isinstance(channel, int):
            _set(entry, "channel", channel)
        elif list(entry["channels"]) != list(channel):
            entry["channels"] = list(channel)
        if "lights" in document:
            _set(entry, "pixel", pixel)
    _write(document, target)


def write_sensors(source: Path, target: Path, values: Mapping[str, str]) -> None:
    """Write the board file ``source`` to ``target`` with these lines of [sensors]. Raise BoardFileError."""
    document = _read(source)
    sensors: Any = document["sensors"]
    for key, value in values.items():
        sensors[key] = value
    _write(document, target)


def write_calibration(source: Path, target: Path, levels: Mapping[str, NodeLevels]) -> None:
    """Write the board file ``source`` to ``target`` with new levels of these nodes. Raise BoardFileError."""
    document = _read(source)
    width = max(map(len, levels), default=0)
    fresh: Any = tomlkit.parse(
        "[calibration]\n# What each linear sensor reads (0 to 255): written by lodestone hardware calibrate\n"
        + "".join(f"{_key(name):<{width}} = {_inline(one)}\n" for name, one in levels.items())
    )["calibration"]
    table: Any = document.get("calibration")
    if table is None:
        document.add(tomlkit.nl())
        document["calibration"] = fresh
    else:
        for name in levels:
            if name in table:  # Comments of the line stay.
                fresh[name].trivia.comment_ws = table[name].trivia.comment_ws
                fresh[name].trivia.comment = table[name].trivia.comment
            table[name] = fresh[name]
    _write(document, target)


def _inline(one: NodeLevels) -> str:
    ambiguous_stacks = "" if one.stacks else ", stacks = false"
    numbers = (one.rest, one.north, one.south, one.stack)
    named = zip(("rest", "north", "south", "stack"), numbers, strict=True)
    return f"{{ {', '.join(f'{key} = {number:>3}' for key, number in named)}{ambiguous_stacks} }}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _set(entry: Any, key: str, value: int) -> None:
    """Set a number, and keep columns aligned if there is room."""
    before = entry.get(key)
    entry[key] = value
    if before is None or before == value:
        return
    wider = len(str(value)) - len(str(before))
    for name, _ in entry.value.body:
        if name is not None and name.key == key:
            text = name.sep.rstrip(" ")
            room = len(name.sep) - len(text)
            name.sep = text + " " * max(min(room, 1), room - wider)


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(board_file_text(path))
    except (OSError, ValueError, TOMLKitError) as error:
        raise BoardFileError(f"{path}: can't be read: {reason_of(error)}") from error


def _write(document: tomlkit.TOMLDocument, target: Path) -> None:
    """Replace ``target`` as a whole, after the new text has passed all checks of a board file."""
    text = tomlkit.dumps(document)
    board_of(target, text)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.stem, suffix=".toml")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise BoardFileError(f"{target}: can't be written: {error.strerror}") from error
