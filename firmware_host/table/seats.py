"""Who may sit down where, and under which name."""

from __future__ import annotations

from typing import Any

from firmware_host.table.errors import TableError
from firmware_host.table.events import SeatTaken
from firmware_host.table.ledger import Ledger

LONGEST_NAME = 24


def sitting_down(ledger: Ledger, event: SeatTaken) -> dict[str, Any]:
    """Return the entry of somebody sitting down, or raise TableError: no such seat, taken, or not a name."""
    if event.seat not in ledger.all_seats:
        raise TableError("bad_seat", f"seat: expected one of {list(ledger.all_seats)}, got {event.seat}")
    sitting = ledger.sittings.get(event.seat)
    if sitting is not None and (event.computer or sitting.claim != event.claim):
        raise TableError("seat_taken", f"seat {event.seat} is taken by {sitting.name}; choose another")
    name = event.name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise TableError("bad_name", f"name: expected 1 to {LONGEST_NAME} printable characters")
    taken = {other.name.casefold() for seat, other in ledger.sittings.items() if seat != event.seat}
    if name.casefold() in taken:
        raise TableError("bad_name", f"somebody is called {name} already; take another name")
    return {"seat": event.seat, "name": name, "claim": event.claim, "computer": event.computer}
