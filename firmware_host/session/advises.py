"""The interface of a running table to the search beside it."""

from __future__ import annotations

from typing import Protocol


class Advises(Protocol):
    """A search beside the table; it answers through :meth:`Runtime.foreseen`."""

    def ask(self, position: str | None) -> None:
        """Search this position from now on (None: search nothing). Must return at once."""
