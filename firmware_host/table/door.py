"""The door through which the panel reaches the running table; the runtime stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from firmware_host.table.events import Event

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""


class Door(Protocol):
    """Thread-safe. Everything a phone can do or see goes through here."""

    def now(self) -> float:
        """Return the time to stamp on events, seconds."""
        ...

    def submit(self, event: Event) -> None:
        """Hand an event to the table and return when it is journalled and shown.

        Raise TableError (with its message for the person) when the table refuses it.
        """
        ...

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) as seen from a seat, or by anybody (None)."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after`` or ``timeout`` seconds have passed; return it."""
        ...

    def closing(self) -> bool:
        """Tell whether the table is being closed: streams end."""
        ...

    def claim(self, seat: int) -> str | None:
        """Return the claim of whoever sits there, None for an open seat."""
        ...

    def new_game(self, seat: int | None, mode: str | None = None) -> None:
        """After the end: open a lobby for the next game, people keep their seats where the mode has them.

        Raise TableError while a game is running.
        """
        ...


class ProvingDoor(Door, Protocol):
    """A door of a table at which something may be sealed."""

    def proof(self) -> View:
        """Return every seal of the game at the table, as :meth:`firmware_host.table.proof.Proof.shown` has them.

        No opening is among them before its turn was revealed.
        """
        ...
