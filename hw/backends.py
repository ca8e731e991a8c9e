"""Board back ends, found by the name in the board file among the entry points ``lodestone.boards``."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from typing import Any

from hw.ports import BoardDescription, HardwareError, OpenBoard

GROUP = "lodestone.boards"


@cache
def _entries() -> importlib.metadata.EntryPoints:
    """Return the installed back ends. The search takes longer than reading a board file, so it is done once."""
    return importlib.metadata.entry_points(group=GROUP)


def names() -> list[str]:
    """Return the names of the installed back ends, sorted."""
    return sorted(_entries().names)


def open_board(description: BoardDescription, **options: Any) -> OpenBoard:
    """Open a board with its back end, which gets ``options`` unchanged. Raise HardwareError for an unknown back end."""
    for entry in _entries():
        if entry.name == description.backend:
            board: OpenBoard = entry.load()(description, **options)
            return board
    raise HardwareError(f"backend: expected one of {', '.join(names())}, got {description.backend!r}")
