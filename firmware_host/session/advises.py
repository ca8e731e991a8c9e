"""What a running table asks of somebody who looks ahead beside it."""

from __future__ import annotations

from typing import Protocol


class Advises(Protocol):
    """Somebody who looks ahead beside the table, and answers through :meth:`Runtime.foreseen`."""

    def ask(self, position: str | None) -> None:
        """Look ahead from this position (None: from nowhere) from now on. Must return at once."""
