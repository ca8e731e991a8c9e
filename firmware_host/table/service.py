"""What screens ask of what they show: a running table, or a replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""


class Viewed(Protocol):
    """What a screen follows. Thread-safe."""

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat, or for people without one (None)."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after`` or ``timeout`` seconds have passed; return it."""
        ...

    def closing(self) -> bool:
        """Return whether it is being closed: streams end."""
        ...


class Shown(Viewed, Protocol):
    """What all screens follow: a running table, or a replay."""

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        ...

    def review(self) -> View:
        """Return the review of the finished game, or its progress: docs/view.md."""
        ...
