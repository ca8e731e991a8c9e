"""How a table allows and records hints. Their content comes from a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change, by_rules
from firmware_host.table.errors import TableError
from firmware_host.table.queries.hints import check_hint
from firmware_host.table.seats import check_seat
from firmware_host.text.words import say

MOST = 3
"""Highest level of a hint: 1 which piece, 2 which actions, 3 by light."""


def _allow(change: Change, event: ev.HintsAllowed) -> None:
    """Note which seats may ask."""
    ledger = change.state.ledger
    if event.seat is not None:
        check_seat(ledger, event.seat)
    for seat in ledger.all_seats if event.seat is None else (event.seat,):
        if event.on == (seat in ledger.without_hints):
            change.enter("hints", {"seat": seat, "on": event.on})


def _take(change: Change, event: ev.HintTaken) -> None:
    """Record a seat's level of hint as soon as it asks: nothing that depends on a seal is journalled or lit."""
    table = change.state
    if not 1 <= event.told <= MOST:
        raise TableError("bad_hint", say("told: expected 1 to {most}, got {told}", most=MOST, told=event.told))
    check_hint(table, event.seat)
    if event.told == MOST and table.phase != "resolving":
        raise TableError("bad_hint", say("a hint about something that is sealed is told on the phone alone"))
    if event.action is not None and event.told != MOST:
        raise TableError("bad_hint", say("an action is shown on the board with the third tap only"))
    if event.told > table.ledger.hinted.get(event.seat, 0):
        change.enter("hint", {"seat": event.seat, "told": event.told})
    if event.action is not None:
        action = event.action
        by_rules(lambda: table.game.check(table.ledger.now.position, event.seat, action))
        table.wanted = event.action
        change.follow_position(table.done_stages)


HANDLERS: Mapping[type[ev.Event], Callable[[Change, Any], None]] = {
    ev.HintsAllowed: _allow,
    ev.HintTaken: _take,
}
"""Handlers of events about hints."""
