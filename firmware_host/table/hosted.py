"""What the host does with a running table: pausing it, taking back, voiding a turn, letting another phone have a seat.

Nothing of pausing and asking is journalled: after a restart the table is not held, and phones ask anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmware_host.table import agreeing, guide, opening
from firmware_host.table import events as ev
from firmware_host.table.computers import unseal
from firmware_host.table.errors import TableError
from firmware_host.table.phases import DEEDS
from firmware_host.table.proposals import OBJECTION_S, can_propose
from firmware_host.table.seats import check_seat, same_claim, sitting_on
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table

MOST_ASKS = 8
"""So many phones may ask at once: more than that nobody can keep apart."""
LONGEST_CODE = 12


def check_held(table: Table, event: ev.Event) -> None:
    """Refuse what players do while the host holds the table."""
    if table.held and isinstance(event, DEEDS):
        raise TableError("held", say("the host has paused the game"))


def lamps(table: Table) -> guide.Lamps:
    """Return what the lights mean: nothing while the table is held, as nobody looks at the board then."""
    return {} if table.held else guide.lamps(table)


def tasks(table: Table) -> list[dict[str, Any]]:
    """Return what hands should do now: nothing while the table is held."""
    return [] if table.held else guide.tasks(table)


def asked(table: Table) -> list[dict[str, Any]]:
    """Return the phones that ask for a seat, as everybody sees them."""
    return [{"seat": seat, "code": code, "name": table.ledger.name(seat)} for code, seat in table.asks.items()]


def _hold(table: Table, event: ev.Held) -> None:
    table.held, table.held_because = True, event.reason


def _go_on(table: Table, _event: ev.GoneOn) -> None:
    if not table.held:
        return
    table.held, table.held_because = False, None
    table.awake, table.openings = set(), {}  # Phones may have fallen asleep; they say and send all anew.
    if table.ledger.started:
        table.set_up()
    proposal = table.proposal
    if proposal is not None and proposal.due is not None:  # Nobody could object meanwhile.
        table.proposal = replace(proposal, due=table.at + OBJECTION_S)


def _take_back(table: Table, _event: ev.TakenBack) -> None:
    reason = can_propose(table, "take-back")
    if reason is not None:
        raise TableError("bad_proposal", reason)
    table.proposal = None
    table.go_back("host")
    table.set_up()


def _void(table: Table, _event: ev.TurnVoided) -> None:
    reason = can_propose(table, "void")
    if reason is not None:
        raise TableError("bad_proposal", reason)
    agreeing.void(table, "host")


def _ask(table: Table, event: ev.SeatAsked) -> None:
    _check_person(table, event.seat)
    if not event.code or len(event.code) > LONGEST_CODE or not event.code.isalnum():
        raise TableError("bad_code", say("code: expected 1 to {longest} letters and digits", longest=LONGEST_CODE))
    if event.code in table.asks:
        raise TableError("bad_code", say("another phone is already asking with this code"))
    if len(table.asks) >= MOST_ASKS:
        raise TableError("too_many", say("too many phones are asking for a seat; the host has to answer first"))
    table.asks[event.code] = event.seat


def _refuse(table: Table, event: ev.AskRefused) -> None:
    if event.code not in table.asks:
        raise TableError(
            "bad_code", say("no phone is asking with the code {code!r} now", code=event.code[:LONGEST_CODE])
        )
    del table.asks[event.code]


def _move(table: Table, event: ev.SeatMoved) -> None:
    _check_person(table, event.seat)
    if not event.claim or same_claim(table.ledger.sittings[event.seat].claim, event.claim):
        raise TableError("bad_claim", say("seat {seat}: the other phone needs a claim of its own", seat=event.seat))
    was_computer = table.is_computer(event.seat)
    if was_computer:
        unseal(table, event.seat)  # The phone does not hold what the computer has sealed.
    table.enter("moved", {"seat": event.seat, "claim": event.claim})
    table.asks = {code: seat for code, seat in table.asks.items() if seat != event.seat}
    if was_computer and table.phase == "resolving":
        table.follow_position(table.done_stages)  # Hands are bound to what a computer names, and to nothing else now.
    opening.fallen_asleep(table, event.seat)  # Its seal is on the other phone, which opens nothing any more.


def _check_person(table: Table, seat: int) -> None:
    check_seat(table.ledger, seat)
    if sitting_on(table.ledger, seat).computer and not table.ledger.started:
        raise TableError("bad_seat", say("a computer sits on seat {seat}", seat=seat))


REACTIONS: Mapping[type[ev.Event], Callable[[Table, Any], None]] = {
    ev.Held: _hold,
    ev.GoneOn: _go_on,
    ev.TakenBack: _take_back,
    ev.TurnVoided: _void,
    ev.SeatAsked: _ask,
    ev.AskRefused: _refuse,
    ev.SeatMoved: _move,
}
"""What a table does at the host's word."""
