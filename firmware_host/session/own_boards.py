"""Board files of a household's own: copies of files that may not be written, mapped or calibrated at the table.

A copy is kept in the data folder and named after the very text that it was made of. So a table that is opened with
that file again takes the copy, and another file of the same name has nothing to do with it.
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
    """A board file to read, and the one to write what is learned into."""

    source: Path
    target: Path


def own_file(request: LaunchRequest, data: Path) -> OwnFile | None:
    """Return where what is learned of a board goes; None where no board was named.

    Into the file itself, unless it is a shipped one or may not be written: then into a copy in the data folder.
    """
    if not request.names_board:
        return None
    path = find_board(request.board or "").resolve()
    shipped = Path(str(importlib.resources.files("boards"))).resolve()
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return OwnFile(path, path if writable and path.parent != shipped else _copy(path, data))


def with_own_board(request: LaunchRequest, data: Path) -> LaunchRequest:
    """Return the same request, of the household's own copy of its board file where there is one."""
    if not request.names_board:
        return request
    try:
        copy = _copy(find_board(request.board or ""), data)
    except (BoardFileError, OSError):  # What is wrong is told when the board is opened.
        return request
    return replace(request, board=str(copy)) if copy.is_file() else request


def _copy(path: Path, data: Path) -> Path:
    """Return where the copy of a board file is, or would be. Raise OSError."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return data / FOLDER / f"{path.stem}-{digest[:8]}.toml"
