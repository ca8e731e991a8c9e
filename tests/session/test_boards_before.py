"""A table that moves between boards all day keeps only the last one."""

from __future__ import annotations

import gc
import weakref
from contextlib import closing
from pathlib import Path

from tests.hosts import HostedTable


def test_the_board_before_is_gone_at_once(tmp_path: Path) -> None:
    """Python's collector comes by late: until then each board would lie beside the next ones."""
    gc.disable()
    try:
        with closing(HostedTable(tmp_path)) as table:
            old = weakref.ref(table.parts[0].world)
            for board in ("hexhex-7", "go-9x9"):
                table.boards.clear()
                table.parts.clear()
                table.host.new_game(board, "2", [])
            assert old() is None
    finally:
        gc.enable()
