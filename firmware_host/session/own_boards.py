"""A household's own board files: copies of files that may not be written, mapped or calibrated at the table.

A copy is kept in the data folder and named after the text of its original. So a table that is opened with
that file again uses the copy, and another file of the same name does not.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from firmware_host.boardfile.load import BoardFileError, find_board
from firmware_host.session.game_selection import LaunchRequest

FOLDER = "boards"


class OwnFile(NamedTuple):
    """A board file to read, and the file to which changes are written."""

    source: Path
    target: Path


def own_file(request: LaunchRequest, data: Path) -> OwnFile | None:
    """Return the files for changes to a board; None if no board was named.

    Changes go into the file itself, unless it is shipped or read-only: then into a copy in the data folder.
    """
    if not request.names_board:
        return None
    path = find_board(request.board or "").resolve()
    shipped = Path(str(importlib.resources.files("boards"))).resolve()
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return OwnFile(path, path if writable and path.parent != shipped else _copy(path, data))


def with_own_board(request: LaunchRequest, data: Path) -> LaunchRequest:
    """Return the request with the household's own copy of its board file, if there is one."""
    if not request.names_board:
        return request
    try:
        copy = _copy(find_board(request.board or ""), data)
    except (BoardFileError, OSError):  # Opening the board reports the fault.
        return request
    return replace(request, board=str(copy)) if copy.is_file() else request


def _copy(path: Path, data: Path) -> Path:
    """Return the path of a board file's copy, whether or not it exists. Raise OSError."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return data / FOLDER / f"{path.stem}-{digest[:8]}.toml"
