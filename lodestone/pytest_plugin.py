"""Fixtures of Lodestone's kit, which pytest finds by its entry point: ``lodestone``, ``lodestone_board`` and
``lodestone_server`` (docs/kit.md). What a test opens is closed after it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # What a run of other tests would not need is loaded when a fixture is first used.
    from lodestone.boards import BareBoard
    from lodestone.server import Server
    from lodestone.tables import SimulatedTable


class Kit:
    """What the fixture ``lodestone`` offers."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        """``stack`` closes what is opened."""
        self._stack, self._folder, self._count = stack, folder, 0

    def table(self, game: str, **options: Any) -> SimulatedTable:
        """Open a table; the options are those of :class:`lodestone.tables.SimulatedTable`."""
        from lodestone.tables import SimulatedTable  # noqa: PLC0415

        self._count += 1
        folder = self._folder / f"table-{self._count}"
        folder.mkdir()
        table = SimulatedTable(folder, game=game, **options)
        self._stack.callback(table.close)
        return table


@pytest.fixture
def lodestone(tmp_path: Path) -> Iterator[Kit]:
    """Tables on simulated time, by ``lodestone.table(GAME, ...)``."""
    with ExitStack() as stack:
        yield Kit(stack, tmp_path)


@pytest.fixture
def lodestone_board() -> Iterator[Callable[..., BareBoard]]:
    """Boards without a game, by ``lodestone_board("spokes-45")``."""
    from lodestone.boards import BareBoard  # noqa: PLC0415

    with ExitStack() as stack:

        def opened(board: str = "spokes-45", **options: Any) -> BareBoard:
            one = BareBoard(board, **options)
            stack.callback(one.close)
            return one

        yield opened


@pytest.fixture
def lodestone_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """The running program on a free port, by ``lodestone_server("--mode", "4")``: options of ``lodestone play``."""
    from lodestone.server import Server  # noqa: PLC0415

    with ExitStack() as stack:

        def started(*options: str) -> Server:
            folder = Path(tempfile.mkdtemp(prefix="server-", dir=tmp_path))
            server = Server(folder, "--new", "--sim", *options)  # Never the pins of a Pi on which tests run.
            stack.callback(server.close)
            return server

        yield started
