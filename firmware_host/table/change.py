"""A change of a table as a transaction: it stands as a whole, or nothing of it does."""

from __future__ import annotations

from collections.abc import Iterable


class Snapshot:
    """What some objects held at a moment, by reference.

    It is enough to keep references, because what these objects hold is replaced and never changed in place: their
    attributes are annotated as read-only (``Mapping``, ``Sequence``, ``frozenset``), which mypy holds.
    """

    def __init__(self, parts: Iterable[object]) -> None:
        """Keep what the parts hold now."""
        self._held = [(part, vars(part).copy()) for part in parts]

    def restore(self) -> None:
        """Let every part hold again what it held then."""
        for part, held in self._held:
            now = vars(part)
            now.clear()
            now.update(held)
