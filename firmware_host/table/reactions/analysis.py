"""How a table uses search results: it keeps them, and ends proved loops."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.queries.analysis import is_awaited, loop_called
from firmware_host.table.queries.proposals import can_propose


def learn(change: Change, event: ev.Foreseen) -> None:
    """Keep a search's answer while its position stands."""
    table = change.state
    position = table.ledger.now.position if table.ledger.started else None
    if not is_awaited(table) or table.game.text(position) != event.position:
        return
    if event.foresight.in_loop:
        loop_called(table, event.foresight.loop_nodes)  # Refused before anything has changed.
    table.known_analysis.learn(table.ledger.now.position, event.foresight, event.seconds)
    end_proved_loop(change)
    if table.proposal is not None and table.proposal.what == "loop" and can_propose(table, "loop") is not None:
        table.proposal = None  # The search has decided the question that people were asked.


def end_proved_loop(change: Change) -> None:
    """End the phase if it is proved to be a loop."""
    table = change.state
    if table.foresight is not None and table.foresight.in_loop and not table.held:
        call_loop(change, table.foresight.loop_nodes, "proof")


def call_loop(change: Change, nodes: Sequence[str], by: str) -> None:
    """End the phase as a loop of these nodes: by ``proof`` or by ``agreement``."""
    table = change.state
    after = loop_called(table, nodes).position
    change.enter("loop", {"nodes": list(nodes), "position": table.game.text(after), "by": by})
    table.wanted = None
    change.move_on()
