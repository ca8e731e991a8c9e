"""Computers at the table: handing a seat to a computer while a game runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.levels import checked_level
from firmware_host.table.sealing import why_not_resealed
from firmware_host.table.seats import sitting_on
from firmware_host.text.words import say


def unseal(change: Change, seat: int) -> None:
    """Let the next player of a seat seal again: the present seal can't be opened any more.

    Raise TableError once phones have begun to open: then only the whole turn can be void.
    """
    sealing = change.state.ledger.round
    if sealing is None or seat not in sealing.commitments:
        return
    reason = why_not_resealed(sealing, seat)
    if reason is not None:
        raise TableError("wrong_phase", reason)
    change.enter("reseal", {"turn": sealing.turn, "seat": seat})


def _seat_computer(change: Change, event: ev.ComputerSeated) -> None:
    """Let a computer play a seat at a level: a computer's seat, or in a running game that of an absent person."""
    table = change.state
    sitting = sitting_on(table.ledger, event.seat)
    level = checked_level(table.game, event.level)
    if not table.ledger.started and not sitting.computer:
        words = say("seat {seat} is taken by {name}; choose another", seat=event.seat, name=sitting.name)
        raise TableError("seat_taken", words)
    if not sitting.computer:
        unseal(change, event.seat)
    change.enter("seat", table.ledger.seat_entry(event.seat, claim="", computer=True, level=level))
    table.seat_requests = {code: seat for code, seat in table.seat_requests.items() if seat != event.seat}
    if not sitting.computer and table.phase == "resolving":
        table.wanted = None
        change.follow_position(table.done_stages)


def _think(change: Change, event: ev.Thinking) -> None:
    change.state.thinking = event.seat


HANDLERS: Mapping[type[ev.Event], Callable[[Change, Any], None]] = {
    ev.ComputerSeated: _seat_computer,
    ev.Thinking: _think,
}
"""Handlers of events about computers."""
