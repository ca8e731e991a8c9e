"""What a table does with the answers of a search beside it: it keeps them, and ends proved loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.outlook import is_awaited, loop_called
from firmware_host.table.proposals import can_propose
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table


def foresee(table: Table, event: ev.Foreseen) -> None:
    """A search has answered: it is kept while its position stands."""
    position = table.ledger.now.position if table.ledger.started else None
    if not is_awaited(table) or table.game.text(position) != event.position:
        return
    if event.foresight.in_loop:
        loop_called(table, event.foresight.loop_nodes)  # Refused before anything has changed.
    table.outlook.learn(table.ledger.now.position, event.foresight, event.seconds)
    end_proved_loop(table)
    if table.proposal is not None and table.proposal.what == "loop" and can_propose(table, "loop") is not None:
        table.proposal = None  # The search has decided what people were asked.


def end_proved_loop(table: Table) -> None:
    """End the phase where it is known to be a loop."""
    if table.foresight is not None and table.foresight.in_loop and not table.held:
        call_loop(table, table.foresight.loop_nodes, "proof")


def call_loop(table: Table, nodes: Sequence[str], by: str) -> None:
    """End the phase as a loop of these nodes: by ``proof`` or by ``agreement``."""
    after = loop_called(table, nodes).position
    table.enter("loop", {"nodes": list(nodes), "position": table.game.text(after), "by": by})
    table.wanted = None
    table.move_on()


def choose_guidance(table: Table, event: ev.GuidanceChosen) -> None:
    """Note whether a seat wants the best way shown."""
    if event.seat not in table.ledger.sittings:
        raise TableError("bad_seat", say("nobody sits on seat {seat}", seat=event.seat))
    if event.on == (event.seat in table.ledger.unguided):
        table.enter("guidance", {"seat": event.seat, "on": event.on})
