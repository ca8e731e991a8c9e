"""When phones open their seals: not before every phone that holds one has said that it is awake.

Nothing of this is journalled: after a restart the phones say it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.table import events as ev

if TYPE_CHECKING:
    from firmware_host.table.table import Table

Seals = tuple[int, frozenset[tuple[int, str]]]
"""A turn and its commitments: what a phone was ready to open."""


class Awake:
    """The seats whose phones are ready to open just these seals; another seal, and all say so anew."""

    def __init__(self) -> None:
        """Begin with none."""
        self._seals: Seals | None = None
        self._seats: frozenset[int] = frozenset()

    def add(self, seals: Seals, seat: int) -> None:
        """Note that a seat is ready."""
        self._seats = (self._seats if seals == self._seals else frozenset()) | {seat}
        self._seals = seals

    def remove(self, seat: int) -> None:
        """Note that a seat's phone is not ready any more."""
        self._seats -= {seat}

    def seats(self, seals: Seals) -> frozenset[int]:
        """Return the seats that are ready to open these seals."""
        return self._seats if seals == self._seals else frozenset()


def ready(table: Table, event: ev.SealReady) -> None:
    """Note that a phone is awake and holds its opening. Raise TableError for a seat or turn that is not asked."""
    sealing = table.ledger.round
    assert sealing is not None  # noqa: S101 - phase "revealing"
    sealing.check_turn(event.seat, event.turn)
    table.awake.add(_seals(table), event.seat)


def awake(table: Table) -> list[int]:
    """Return the seats whose phones are ready, or that need none."""
    sealing = table.ledger.round
    if sealing is None:
        return []
    said = table.awake.seats(_seals(table))
    return [seat for seat in sealing.seats if seat in said or seat in sealing.actions or table.is_computer(seat)]


def may_open(table: Table) -> bool:
    """Tell whether openings are asked for: all have sealed, and all are ready or one has been opened already.

    While the host holds the table they stay on the phones.
    """
    sealing = table.ledger.round
    if sealing is None or not sealing.sealed or table.held:
        return False
    return bool(sealing.actions) or len(awake(table)) == len(sealing.seats)


def fallen_asleep(table: Table, seat: int) -> None:
    """Note that a seat's phone opens nothing any more."""
    table.awake.remove(seat)


def _seals(table: Table) -> Seals:
    sealing = table.ledger.round
    return (sealing.turn, frozenset(sealing.commitments.items())) if sealing else (0, frozenset())
