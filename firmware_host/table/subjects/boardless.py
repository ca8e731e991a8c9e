"""A table without a board: a simulated hand moves all pieces, and people play on their phones alone.

Sentences say there what to choose and who is waited for; never what hands would do, what sensors tell, or what lights
show (view.py). Rules, views and the pieces' paths are those of every table.
"""

from __future__ import annotations

from firmware_host.table.change import Change
from firmware_host.table.events import ANY, Event, event
from firmware_host.table.state import Table
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.text.words import say

HELD = say("The host has paused the game.")
MOVED = say("The pieces are being moved: one moment.")
FIRST = say("the pieces are being moved")
"""Why something can't be proposed meanwhile."""
STATE: SubjectState[bool] = SubjectState(False)
"""Whether nobody has a board."""


@event(ANY)
class HandsLent(Event):
    """A simulated hand moves ``everybody``'s pieces from now on, so that nobody has a board; or no longer.

    Not journalled: who lends the hand says it again.
    """

    everybody: bool

    def happen(self, change: Change) -> None:
        STATE.put(change.table, self.everybody)


def without_board(table: Table) -> bool:
    """Return whether nobody has a board."""
    return STATE.of(table)


SUBJECT = Subject()
