"""The board file into which a table's workshop writes: the household's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from firmware_host.boardfile.load import find_board, shipped_boards
from firmware_host.session.game_selection import LaunchRequest, own_copy


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
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    mine = writable and path not in {shipped.resolve() for shipped in shipped_boards()}
    return OwnFile(path, path if mine else own_copy(path, data))
