"""What a table does when parts of its board fail, are masked, and work again."""

from __future__ import annotations

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

MOST_BY_PLAYERS = 3
"""Maximum number of sensors that players may have ignored: more is the host's decision, as the board sees little."""


def lose_board(change: Change, event: ev.BoardLost) -> None:
    """Stop judging until the board is back."""
    table = change.state
    table.paused = event.reason


def regain_board(change: Change, _event: ev.BoardBack) -> None:
    """Go on from the present sensed state."""
    table = change.state
    table.paused = None
    table.watch.begin_anew(table.at)


def notice(change: Change, event: ev.Noticed) -> None:
    """Show a fault of a part to people, or remove it."""
    table = change.state
    others = {what: text for what, text in table.notices.items() if what != event.what}
    table.notices = others if event.text is None else {**others, event.what: event.text}


def mask(change: Change, event: ev.SensorMasked) -> None:
    """Ignore a sensor. Raise TableError if players have had too many ignored already."""
    table = change.state
    masked = table.ledger.masked
    if event.node not in table.watch.tracker.seen:
        raise TableError("bad_node", say("node: {node} is not on this board", node=repr(event.node[:20])))
    if event.node in masked:
        return
    by_players = sum(mask.reason == "player" for mask in masked.values())
    if event.seat is not None and by_players >= MOST_BY_PLAYERS:
        words = say("players can have {most} sensors ignored at a time; the host can add more", most=MOST_BY_PLAYERS)
        raise TableError("too_many", words)
    if event.seat is None and event.fault is not None:
        change.enter("mask", {"node": event.node, "reason": event.fault, "words": event.reason})
    else:
        change.enter("mask", {"node": event.node, "reason": "host" if event.seat is None else "player"})
    table.watch.mask(table.ledger.masked, table.at)


def unmask(change: Change, event: ev.SensorUnmasked) -> None:
    """Use a sensor again."""
    table = change.state
    if event.node not in table.ledger.masked:
        raise TableError("bad_node", say("node: the sensor of {node} is not masked", node=repr(event.node[:20])))
    change.enter("unmask", {"node": event.node})
    table.watch.mask(table.ledger.masked, table.at)
