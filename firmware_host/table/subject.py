"""A subject of the table: one object in one file of :mod:`firmware_host.table.subjects`, collected from there.

A subject has all that is its own: its events, declared at their classes, and what they change; its entries in the
journal, and how the ledger folds them; its state; what time changes; and its part of the view, typed beside it. Table,
ledger, view, panel and table service only collect, so whoever adds a file adds a subject. An extension offers one as an
entry point of the group ``lodestone.subjects`` (docs/adding-an-extension.md). Nothing here knows what a table, a change
or a ledger is.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from firmware_host.table.events import EVENTS, Event
from hw.plugins import Plugins

S = TypeVar("S")
Entry = tuple[str, dict[str, Any]]
"""A kind of entry, and its data."""


class Holder(Protocol):
    """What has states: a table has those that a power cut may take, a ledger those that the journal gives back."""

    states: Mapping[SubjectState[Any], Any]


class SubjectState(Generic[S]):
    """A subject's own value in each table or ledger: frozen, and replaced by its subject alone."""

    def __init__(self, initial: S) -> None:
        """Begin with a value everywhere."""
        self._initial = initial

    def of(self, holder: Holder) -> S:
        """Return the value in a table or ledger."""
        found: S = holder.states.get(self, self._initial)
        return found

    def put(self, holder: Holder, value: S) -> None:
        """Replace the value."""
        holder.states = {**holder.states, self: value}


@dataclass(frozen=True)
class Subject:
    """What is collected of a subject; ``SUBJECT`` in its file."""

    entries: Mapping[str, Callable[[Any, Mapping[str, Any]], None]] = field(default_factory=dict)
    """Kind of entry → how it is folded: (ledger, data)."""
    moved: Callable[[Any], None] = lambda _ledger: None
    """What is different once the game has moved on, or back: (ledger)."""
    entered: Callable[[Any, str], None] = lambda _change, _kind: None
    """What else an entry changes, by its kind: (change, kind)."""
    settled: Callable[[Any], None] = lambda _change: None
    """What is different once an event has happened, or the board has been judged: (change)."""
    next_game: Callable[[Any, Mapping[int, int]], Iterable[Entry]] = lambda _ledger, _goes: ()
    """The entries by which the next game begins: (this game's ledger, seat here → seat there)."""
    restored: Callable[[Any], None] = lambda _table: None
    """What is to be done once the ledger has come back from the journal: (table)."""
    waits: Callable[[Any], object] = lambda _table: False
    """Whether time alone will change something: (table)."""
    on_time: Callable[[Any], None] = lambda _change: None
    """What time changes: (change)."""
    pictured: Callable[[Any], object] = lambda _table: None
    """What people see of it that frequent events may change: (table)."""
    view: Callable[[Any], Mapping[str, object]] = lambda _table: {}
    """Its part of the view: (table). The type that the core's functions return is its form in the description."""
    seat_view: Callable[[Any, int], Mapping[str, object]] = lambda _table, _seat: {}
    """Its part of what the view says of a seat: (table, seat)."""
    leads: Mapping[type[Event], Mapping[str, str]] = field(default_factory=dict)
    """An extension's events that change the phase → phase → the phases to which they may lead."""

    def shape_error(self) -> str | None:
        """Return why it can't be an extension's."""
        wrong = [kind for kind in self.entries if not kind.startswith(OTHERS)]
        return f"its entries {', '.join(wrong)} have to begin with {OTHERS}" if wrong else None


OTHERS = "x-"
"""Kinds of entries of extensions begin so: records leave them out, a table without the extension passes over them."""
ADDED: Plugins[Subject] = Plugins("lodestone.subjects", "subject", Subject)
"""Subjects of extensions."""


@cache
def own_subjects() -> tuple[Subject, ...]:
    """Return the core's subjects, in the order of their files' names."""
    package = importlib.import_module("firmware_host.table.subjects")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."))
    return tuple(importlib.import_module(name).SUBJECT for name in names)


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the core's subjects, and those of extensions that can be used."""
    return (*own_subjects(), *ADDED.usable().values())


def events() -> Sequence[type[Event]]:
    """Return all events, by name."""
    subjects()
    return sorted(EVENTS, key=lambda event: event.__name__)
