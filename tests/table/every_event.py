"""Every event of a table, found by itself; and one of each, with values that say nothing."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from firmware_host.games.game import Analysis
from firmware_host.table import events as ev
from firmware_host.table.subject import events

EVENTS: tuple[type[ev.Event], ...] = tuple(events())
PLAIN: dict[str, Any] = {
    "at": 1e9,
    "analysis": Analysis(None, None),
    "data": {},
    "far": None,
    "pairings": (),
    "sensed_states": (),
    "setting": None,
}
"""Values of fields whose type alone does not give one."""


def one_of(event: type[ev.Event]) -> ev.Event:
    """Return an event of a class, its fields as they are without a choice."""
    hints = get_type_hints(event)
    needed = [field.name for field in fields(event) if field.default is MISSING and field.default_factory is MISSING]
    return event(**{name: PLAIN[name] if name in PLAIN else _plain(hints[name]) for name in needed})


def _plain(kind: Any) -> Any:
    for one, value in ((bool, False), (int, 1), (float, 0.0), (str, "x")):
        if kind is one:
            return value
    return None
