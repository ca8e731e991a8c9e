"""A table without a board: a simulated hand moves all pieces, and people play on their phones alone.

Sentences say there what to choose and who is waited for; never what hands would do, what sensors tell, or what the
lights show. Rules, views and the pieces' paths are those of every table.
"""

from __future__ import annotations

from firmware_host.table.change import Change
from firmware_host.table.events import ANY, Event, event
from firmware_host.table.guide import next_fixes
from firmware_host.table.stages import chosen_step
from firmware_host.table.state import Table
from firmware_host.table.subject import State, Subject
from firmware_host.text.words import Text, say

HELD = say("The host has paused the game.")
MOVED = say("The pieces are being moved: one moment.")
FIRST = say("the pieces are being moved")
"""Why something can't be proposed meanwhile."""
_MOVING = frozenset({"setup", "placing", "clearing"})
STATE: State[bool] = State(False)
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


def sentence(table: Table) -> Text | None:
    """Return the sentence for everybody where the usual one would speak of a board; None for the usual one."""
    if not without_board(table) or table.phase in {"lobby", "over"}:
        return None
    if table.phase in _MOVING or next_fixes(table):
        return MOVED
    if table.phase != "resolving" or table.waits_for_tables is not None:
        return None
    actor, step = table.actor or 0, chosen_step(table)
    name = table.ledger.name(actor)
    if step is not None:
        return say("{name}: {step}.", name=name, step=step.words)
    if table.is_played_for(actor):
        return say("{name} is thinking.", name=name)
    return say("{name} chooses on the phone.", name=name)


def own_sentence(table: Table) -> dict[int, Text]:
    """Return the sentence for the phone of who chooses."""
    chooses = table.phase == "resolving" and chosen_step(table) is None and not next_fixes(table)
    if not without_board(table) or not chooses or table.actor is None or table.is_played_for(table.actor):
        return {}
    return {table.actor: say("Your turn: choose what to do.")}


SUBJECT = Subject()
