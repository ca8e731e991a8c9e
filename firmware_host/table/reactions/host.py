"""What the host does with a running table: pausing, taking back, voiding a turn, giving a seat to another phone.

A pause and its end are journalled: what the host paused is still paused after a restart. Requests are not: phones ask
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import PAUSE, RESUME
from firmware_host.table.proposal import OBJECTION_S
from firmware_host.table.queries.proposals import back_to, can_propose
from firmware_host.table.reactions.computers import unseal
from firmware_host.table.reactions.proposals import void
from firmware_host.table.reactions.seals import mark_not_ready
from firmware_host.table.seats import check_seat, same_claim, sitting_on
from firmware_host.table.state import TableState
from firmware_host.text.words import say

MOST_REQUESTS = 8
"""Maximum number of phones that ask for a seat at the same time: more could not be kept apart."""
LONGEST_CODE = 12


def _hold(change: Change, event: ev.GamePaused) -> None:
    table = change.state
    table.held_because = event.reason
    if not table.held:
        change.enter(PAUSE, {})


def _go_on(change: Change, _event: ev.GameResumed) -> None:
    table = change.state
    if not table.held:
        return
    change.enter(RESUME, {})
    table.held_because = None
    table.ready_phones, table.openings = frozenset(), {}  # Phones send everything again.
    if table.ledger.started:
        change.set_up()
    proposal = table.proposal
    if proposal is not None and proposal.due is not None:  # Nobody could object meanwhile.
        table.proposal = replace(proposal, due=table.at + OBJECTION_S)


def _take_back(change: Change, _event: ev.ActionUndone) -> None:
    table = change.state
    reason = can_propose(table, "take-back")
    if reason is not None:
        raise TableError("bad_proposal", reason)
    table.proposal = None
    change.go_back("host", back_to(table))
    change.set_up()


def _void(change: Change, _event: ev.TurnVoided) -> None:
    table = change.state
    reason = can_propose(table, "void")
    if reason is not None:
        raise TableError("bad_proposal", reason)
    void(change, "host")


def _ask(change: Change, event: ev.SeatAsked) -> None:
    table = change.state
    _check_person(table, event.seat)
    if not event.code or len(event.code) > LONGEST_CODE or not event.code.isalnum():
        raise TableError("bad_code", say("code: expected 1 to {longest} letters and digits", longest=LONGEST_CODE))
    if event.code in table.seat_requests:
        raise TableError("bad_code", say("another phone is already asking with this code"))
    if len(table.seat_requests) >= MOST_REQUESTS:
        raise TableError("too_many", say("too many phones are asking for a seat; the host has to answer first"))
    table.seat_requests = {**table.seat_requests, event.code: event.seat}


def _refuse(change: Change, event: ev.AskRefused) -> None:
    table = change.state
    if event.code not in table.seat_requests:
        raise TableError(
            "bad_code", say("no phone is asking with the code {code!r} now", code=event.code[:LONGEST_CODE])
        )
    table.seat_requests = {code: seat for code, seat in table.seat_requests.items() if code != event.code}


def _move(change: Change, event: ev.SeatMoved) -> None:
    table = change.state
    _check_person(table, event.seat)
    if not event.claim or same_claim(table.ledger.sittings[event.seat].claim, event.claim):
        raise TableError("bad_claim", say("seat {seat}: the other phone needs a claim of its own", seat=event.seat))
    was_computer = table.is_computer(event.seat)
    if was_computer:
        unseal(change, event.seat)  # The phone does not hold what the computer has sealed.
    change.enter("moved", {"seat": event.seat, "claim": event.claim})
    table.seat_requests = {code: seat for code, seat in table.seat_requests.items() if seat != event.seat}
    if was_computer and table.phase == "resolving":
        change.follow_position(table.done_stages)  # Hands are bound to what a computer names, and to nothing else now.
    mark_not_ready(change, event.seat)  # Its seal is on the other phone, which can't open anything any more.


def _check_person(table: TableState, seat: int) -> None:
    check_seat(table.ledger, seat)
    if sitting_on(table.ledger, seat).computer and not table.ledger.started:
        raise TableError("bad_seat", say("a computer sits on seat {seat}", seat=seat))


HANDLERS: Mapping[type[ev.Event], Callable[[Change, Any], None]] = {
    ev.GamePaused: _hold,
    ev.GameResumed: _go_on,
    ev.ActionUndone: _take_back,
    ev.TurnVoided: _void,
    ev.SeatAsked: _ask,
    ev.AskRefused: _refuse,
    ev.SeatMoved: _move,
}
"""Handlers of the host's events."""
