"""The room in which a table meets others, as the loop sees it: an extension makes one (``extensions/rooms``).

All is called on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from firmware_host.session.table_setup import Entry
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table


class SharedRoom(Protocol):
    """What other tables do comes in as events, and they are told what happens here."""

    wanted_lobby: tuple[str, str] | None
    """The game that the others play, and its mode, where this table is to come along; set back when it does."""

    @property
    def is_opener(self) -> bool:
        """Return whether this table opens the games."""
        ...

    def use_table(self, table: Table, entries: Sequence[Entry], /) -> None:
        """Take up a table that another one has made way for, with what its ledger has written."""
        ...

    def note(self, table: Table, entries: Sequence[Entry], /) -> None:
        """Be told what the ledger has just written."""
        ...

    def act(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Yield what other tables do; called in each round. Each event is handled before the next one is asked for."""
        ...

    def refused(self, event: ev.Event, error: TableError, /) -> None:
        """Be told that the table has refused an event."""
        ...

    def has_played(self, game_id: str, /) -> bool:
        """Return whether this table has played in a game of the room."""
        ...

    def far_computers(self) -> dict[int, int]:
        """Return seat → level of the computers that play at other tables."""
        ...

    def stir(self) -> None:
        """Let the next round compare at once."""
        ...

    def stop(self, why: str, /) -> None:
        """Stop the game between the tables."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Return what the host sees."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...
