"""The room of a table that can't come back to it yet: its libraries are missing, its file is damaged or in use.

It stands in the place of a :class:`.room.Room`, so that the table is in a room all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from firmware_host.session.table_setup import Entry
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.state import FarTables, Table, know
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.text.words import say

RETRY_S = 10.0
"""How often a table tries again to come back to its room, seconds."""


class ShutRoom:
    """A room that is only waited for: nobody plays on alone, and people are told why."""

    is_opener = False
    wanted_lobby: tuple[str, str] | None = None

    def __init__(self, why: str, retry: Callable[[], bool]) -> None:
        """``retry`` tries to come into the room; it returns whether that has worked."""
        self.why = say(
            "This table can't come into its room with the other tables: {why}. It tries again, and the game waits. To"
            " play on without them, leave the room: host's page, Far tables.",
            why=why,
        )
        self._retry = retry
        self._again: float | None = None
        self._shown_at: Table | None = None

    def act(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Wait; try again now and then."""
        if self._again is None:
            self._again = at + RETRY_S
        if at >= self._again:
            self._again = at + RETRY_S
            if self._retry():
                return
        if self._shown_at is not table or table.far is None:
            self._shown_at = table
            yield FarTablesChanged(at=at, far=self._far(table))

    def use_table(self, table: Table, _entries: Sequence[Entry]) -> None:
        """Let a table wait before anything at it is judged."""
        know(table, self._far(table))

    def _far(self, table: Table) -> FarTables:
        return FarTables(table.far.seats if table.far else {}, waits=self.why)

    def note(self, _table: Table, _entries: Sequence[Entry]) -> None:
        """Nobody can be told."""

    def far_computers(self) -> dict[int, int]:
        """Nobody knows who plays there."""
        return {}

    def stir(self) -> None:
        """Nothing is compared."""

    def stop(self, _why: str) -> None:
        """It stands still already."""

    def note_refusal(self, _event: ev.Event, _error: TableError) -> None:
        """Nothing of others is tried here."""

    def has_played(self, _game_id: str) -> bool:
        """Nobody names a game."""
        return False

    def status(self) -> dict[str, Any]:
        """Return what the host sees, as :meth:`firmware_host.extensions.rooms.room.Room.status` does."""
        known = dict.fromkeys(("name", "broker", "watch", "words"), "")
        return {**known, "connected": False, "link": None, "tables": [], "stopped": self.why}

    def close(self) -> None:
        """Nothing is open."""
