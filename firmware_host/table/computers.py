"""Computers at the table: how a seat goes to a computer while a game runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.levels import checked_level
from firmware_host.table.sealing import why_not_resealed
from firmware_host.table.seats import sitting_on
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table


def unseal(table: Table, seat: int) -> None:
    """Let whoever sits on a seat from now on seal anew: the seal that lies there can't be opened any more.

    Raise TableError once phones have begun to open: then only the whole turn can be void.
    """
    sealing = table.ledger.round
    if sealing is None or seat not in sealing.commitments:
        return
    reason = why_not_resealed(sealing, seat)
    if reason is not None:
        raise TableError("wrong_phase", reason)
    table.enter("reseal", {"turn": sealing.turn, "seat": seat})


def _seat_computer(table: Table, event: ev.ComputerSeated) -> None:
    """Let a computer play a seat at a level: it is one already, or, once the game has begun, a person is away."""
    sitting = sitting_on(table.ledger, event.seat)
    level = checked_level(table.game, event.level)
    if not table.ledger.started and not sitting.computer:
        words = say("seat {seat} is taken by {name}; choose another", seat=event.seat, name=sitting.name)
        raise TableError("seat_taken", words)
    if not sitting.computer:
        unseal(table, event.seat)
    table.enter("seat", table.ledger.seat_entry(event.seat, claim="", computer=True, level=level))
    table.asks = {code: seat for code, seat in table.asks.items() if seat != event.seat}
    if not sitting.computer and table.phase == "resolving":
        table.wanted = None
        table.follow_position(table.done_stages)


def _think(table: Table, event: ev.Thinking) -> None:
    table.thinking = event.seat


REACTIONS: Mapping[type[ev.Event], Callable[[Table, Any], None]] = {
    ev.ComputerSeated: _seat_computer,
    ev.Thinking: _think,
}
"""What a table does about computers."""
