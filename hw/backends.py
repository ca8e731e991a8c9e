"""Finding a board back end by the name that the board file gives: the entry points ``lodestone.boards``."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from typing import Any

from hw.ports import BoardDescription, HardwareError, OpenBoard

GROUP = "lodestone.boards"


@cache
def _entries() -> importlib.metadata.EntryPoints:
    """Return what is installed; looking for it takes longer than reading a board file."""
    return importlib.metadata.entry_points(group=GROUP)


def names() -> list[str]:
    """Return the back ends that are installed."""
    return sorted(_entries().names)


def open_board(description: BoardDescription, **options: Any) -> OpenBoard:
    """Open a board by its back end; ``options`` go to it as they are. Raise HardwareError for an unknown one."""
    for entry in _entries():
        if entry.name == description.backend:
            board: OpenBoard = entry.load()(description, **options)
            return board
    raise HardwareError(f"backend: expected one of {', '.join(names())}, got {description.backend!r}")
