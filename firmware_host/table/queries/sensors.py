"""Sensors that may be stuck: only people can decide."""

from __future__ import annotations

from firmware_host.table import view_form as form
from firmware_host.table.queries.pieces import noun
from firmware_host.table.state import TableState
from firmware_host.text.words import fill, say


def suspects(table: TableState) -> list[form.Suspect]:
    """Return the nodes whose sensor may be stuck, with a question in words."""
    seen = table.watch.tracker.seen

    def words(node: str) -> str:
        shown = noun(table.game, [node]).a if seen[node] else say("nothing")
        stuck = _SUSPECT_ON_CHANNEL if node in table.channels else _SUSPECT
        return fill(stuck, node=node, shown=shown, channel=table.channels.get(node))

    return [
        {"node": node, "words": words(node)}
        for node in table.watch.suspects
        if table.phase not in {"lobby", "over"} and table.paused is None and not table.held
    ]


_SUSPECT = say("The sensor of {node} shows {shown}. If that is wrong, it is stuck: play on without it.")
_SUSPECT_ON_CHANNEL = say(
    "The sensor of {node} (channel {channel}) shows {shown}. If that is wrong, it is stuck: play on without it."
)
