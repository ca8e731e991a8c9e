"""The results of searches for a table, and the position that needs a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import GameError, Transition
from firmware_host.table.analysis import is_settled
from firmware_host.table.errors import TableError
from firmware_host.table.state import TableState
from firmware_host.text.words import say


def open_question(table: TableState) -> str | None:
    """Return the text of the position that a search should look at now, None if none needs one."""
    if not is_awaited(table):
        return None
    position = table.ledger.now.position
    known = table.known_analysis.at(position)
    return table.game.text(position) if known is None or not is_settled(known) else None


def is_awaited(table: TableState) -> bool:
    """Return whether the present position is being resolved, or will be as soon as its stones lie on the board."""
    ledger = table.ledger
    return ledger.started and not ledger.over and not table.game.simultaneous(ledger.now.position)


def loop_called(table: TableState, nodes: Sequence[str]) -> Transition[Any]:
    """Return the transition if the present position is called a loop of these nodes. Raise TableError if it is none."""
    search = capabilities_of(table.game).analysis
    if search is None:
        raise TableError("bad_action", say("{game} knows no loops that could be called", game=table.game.title))
    try:
        return search.call_loop(table.ledger.now.position, nodes)
    except GameError as error:
        raise TableError("bad_action", error.message) from error
