"""Who has sealed, whose phones are ready, and whose have opened."""

from __future__ import annotations

from firmware_host.table.queries.clocks import sealed_for
from firmware_host.table.state import TableState


def opened(table: TableState) -> set[int]:
    """Return the seats whose seals of this round are open, or can be opened by the table without a phone."""
    sealing = table.ledger.round
    if sealing is None:
        return set()
    return {*sealing.actions, *table.openings, *(sealed_for(table) if sealing.sealed else ())}


def ready_phones(table: TableState) -> list[int]:
    """Return the seats whose phones are ready, or that need none."""
    sealing = table.ledger.round
    if sealing is None:
        return []
    said = table.ready_phones | opened(table)
    return [seat for seat in sealing.seats if seat in said or table.is_computer(seat)]


def may_open(table: TableState) -> bool:
    """Return whether openings are requested: all have sealed, and all are ready or one has been opened already.

    While the host has paused the table they stay on the phones.
    """
    sealing = table.ledger.round
    if sealing is None or not sealing.sealed or table.held:
        return False
    return sealing.begun or len(ready_phones(table)) == len(sealing.seats)


def late(table: TableState) -> frozenset[int]:
    """Return the people whose phones a sealed round waits for: not awake, or asked but not yet opened."""
    sealing = table.ledger.round
    if sealing is None or not sealing.sealed:
        return frozenset()
    done = opened(table) if may_open(table) else set(ready_phones(table))
    return frozenset(seat for seat in sealing.seats if seat not in done and not table.is_computer(seat))
