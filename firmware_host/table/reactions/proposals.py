"""What a table does when players propose something, agree or decline."""

from __future__ import annotations

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.proposal import PAUSE_S, Declined, Proposal
from firmware_host.table.queries.proposals import (
    back_to,
    open_proposal,
    proposed,
    settled,
    still_declined,
    waiting,
    why_not_anew,
)
from firmware_host.table.queries.seals import late
from firmware_host.table.reactions.analysis import call_loop
from firmware_host.text.words import say


def propose(change: Change, event: ev.Proposed) -> None:
    """Ask all others; a person who plays against computers alone needs no agreement."""
    table = change.state
    table.proposal = proposed(table, event.what, event.seat, event.about)
    _carry_out_when_agreed(change, table.proposal)


def on_time(change: Change, _event: ev.Tick) -> None:
    """Do what all others have agreed to, once the objection time of its seat is over; forget old refusals."""
    table = change.state
    table.declined = still_declined(table)
    if table.proposal is not None and table.proposal.due is not None and not table.held:
        _carry_out_when_agreed(change, table.proposal)


def agree(change: Change, event: ev.Agreed) -> None:
    """Count a seat's agreement."""
    table = change.state
    table.proposal = open_proposal(table, event.what).with_vote(event.seat)
    _carry_out_when_agreed(change, table.proposal)


def decline(change: Change, event: ev.Declined) -> None:
    """Drop the proposal: one refusal is enough; its proposer withdraws it the same way.

    A phone that keeps a turn waiting can't prevent that the turn is void, except by opening its seal.
    """
    table = change.state
    gone = open_proposal(table, event.what)
    if gone.what == "void" and event.seat != gone.by and event.seat in late(table):
        raise TableError("bad_proposal", say("the others wait for your phone to open its seal; then nothing is void"))
    until, moments = table.at + PAUSE_S, len(table.ledger.moments)
    table.declined = (*still_declined(table), Declined(gone.what, gone.by, gone.about, moments, until))
    table.proposal = None


def _reseal(change: Change, seat: int) -> None:
    """Let one seat seal again; nothing happens if its phone has woken up meanwhile."""
    table = change.state
    sealing = table.ledger.round
    if sealing is not None and why_not_anew(table, seat) is None:
        change.enter("reseal", {"turn": sealing.turn, "seat": seat})
        change.follow_position()


def void(change: Change, by: str) -> None:
    """Let all seal the turn again: none of its seals counts any more, and no opening is shown."""
    table = change.state
    sealing = table.ledger.round
    if sealing is not None:
        change.enter("reseal", {"turn": sealing.turn, "by": by})
        change.follow_position()


def _carry_out_when_agreed(change: Change, proposal: Proposal) -> None:
    table = change.state
    if waiting(table, proposal) or (proposal.due is not None and table.at < proposal.due):
        return
    table.proposal = None
    if proposal.what == "reseal":
        _reseal(change, proposal.about or proposal.by)
    elif proposal.what == "void":
        void(change, "agreement")
    elif proposal.what == "loop":
        call_loop(change, proposal.nodes, "agreement")
    elif proposal.decision is not None:
        change.enter("decided", settled(table, proposal.decision))
        change.note_result()
        change.follow_position()
    else:
        change.go_back("agreement", back_to(table))
        change.set_up()
