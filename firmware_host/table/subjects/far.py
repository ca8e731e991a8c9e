"""The other tables of one game: which seats are played there, and what people see of it.

Who brings the tables together (an extension) says here what it knows. The table then takes no action of a far seat from
hands, and waits where it has to.
"""

from __future__ import annotations

from dataclasses import replace

from firmware_host.table.change import Change
from firmware_host.table.events import ANY, PLAYING, Event, event
from firmware_host.table.state import FarTables, Table, know, notice
from firmware_host.table.subject import Subject
from firmware_host.table.subjects.resolving import leave_game
from firmware_host.text.words import list_of, say_many

WAITS = "far"
"""The notice about other tables."""
RESIGNS = "resigns"
"""The notice that somebody's resignation is under way to another table."""


@event(ANY)
class FarTablesChanged(Event):
    """The other tables of the room have changed; None: this table is in no room. Not journalled."""

    far: FarTables | None

    def happen(self, change: Change) -> None:
        """Know the other tables anew; what hands have done while they had to wait is judged now."""
        table, before, now = change.table, change.table.far, self.far
        waited = table.waits_for_tables is not None
        wishes = before.resigning if before is not None and table.phase in PLAYING else frozenset()
        begins = before is not None and before.begins and table.phase == "lobby"
        know(table, now and replace(now, resigning=frozenset() if now.writes else wishes, begins=begins))
        for seat in wishes if table.writes else ():
            leave_game(change, seat)
        _tell(table)
        if (before.seats if before else {}) != (now.seats if now else {}) and table.phase == "resolving":
            change.follow_position(table.done_stages)
        if waited and table.waits_for_tables is None:
            table.watch.begin_anew(table.at)


def _tell(table: Table) -> None:
    """Show what people have to know of the other tables."""
    leaving = sorted(table.far.resigning - table.ledger.resigned) if table.far is not None else []
    words = None
    if leaving:
        names = list_of(map(table.ledger.name, leaving))
        words = say_many(
            "{names} resigns as soon as the other table knows it.",
            "{names} resign as soon as the other table knows it.",
            len(leaving),
            names=names,
        )
    notice(table, WAITS, table.far.waits if table.far is not None else None)
    notice(table, RESIGNS, words)


SUBJECT = Subject()
