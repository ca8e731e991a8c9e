"""What a table does when its players propose something to each other, agree or decline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.foreseeing import call_loop
from firmware_host.table.opening import late
from firmware_host.table.proposals import (
    PAUSE_S,
    Declined,
    Proposal,
    open_proposal,
    proposed,
    settled,
    still_declined,
    why_not_anew,
)
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table

LAPSED = "proposal"
LAPSED_S = 8.0
"""How long people are told that a proposal is off."""


def propose(table: Table, event: ev.Proposed) -> None:
    """Ask all others; whoever plays with computers alone has nobody to ask."""
    table.proposal = proposed(table, event.what, event.seat, event.about)
    _carry_out_when_agreed(table, table.proposal)


def on_time(table: Table) -> None:
    """Do what all others have agreed to, once the seat that it is about has had time to object; forget old refusals."""
    table.declined = still_declined(table)
    if table.proposal is not None and table.proposal.due is not None and not table.held:
        _carry_out_when_agreed(table, table.proposal)


def drop_lapsed(table: Table) -> None:
    """Drop a proposal about a moment that is gone, with a sentence that stays for a while."""
    if table.proposal is not None and table.proposal.moment is not table.ledger.now:
        table.notices[LAPSED] = say(
            "The game has gone on: the proposal of {name} is off.", name=table.ledger.name(table.proposal.by)
        )
        table.lapsed_until = table.at + LAPSED_S
        table.proposal = None
    elif table.lapsed_until is not None and table.at >= table.lapsed_until:
        table.lapsed_until = None
        table.notices.pop(LAPSED, None)


def agree(table: Table, event: ev.Agreed) -> None:
    """Count a seat that agrees."""
    table.proposal = open_proposal(table, event.what).with_vote(event.seat)
    _carry_out_when_agreed(table, table.proposal)


def decline(table: Table, event: ev.Declined) -> None:
    """Drop the proposal: one who declines is enough, its proposer withdraws it the same way.

    A phone that keeps a turn waiting can't hold up that the turn is void: it opens its seal, or it does not.
    """
    gone = open_proposal(table, event.what)
    if gone.what == "void" and event.seat != gone.by and event.seat in late(table):
        raise TableError("bad_proposal", say("the others wait for your phone to open its seal; then nothing is void"))
    until, moments = table.at + PAUSE_S, len(table.ledger.moments)
    table.declined = (*still_declined(table), Declined(gone.what, gone.by, gone.about, moments, until))
    table.proposal = None


def reseal(table: Table, seat: int) -> None:
    """Let one seat seal anew; nothing happens where its phone has woken up meanwhile."""
    sealing = table.ledger.round
    if sealing is not None and why_not_anew(table, seat) is None:
        table.enter("reseal", {"turn": sealing.turn, "seat": seat})
        table.follow_position()


def void(table: Table, by: str) -> None:
    """Let all seal the turn anew: no seal of it counts any more, and no opening is told."""
    sealing = table.ledger.round
    if sealing is not None:
        table.enter("reseal", {"turn": sealing.turn, "by": by})
        table.follow_position()


def drop_outlived(table: Table) -> None:
    """Drop a proposal about seals that do not lie any more: a turn that is over has nothing to be sealed anew."""
    sealing = table.ledger.round
    about_seals = table.proposal is not None and table.proposal.what in {"reseal", "void"}
    if about_seals and (sealing is None or not sealing.commitments):
        table.proposal = None


def _carry_out_when_agreed(table: Table, proposal: Proposal) -> None:
    if proposal.waiting(table) or (proposal.due is not None and table.at < proposal.due):
        return
    table.proposal = None
    if proposal.what == "reseal":
        reseal(table, proposal.about or proposal.by)
    elif proposal.what == "void":
        void(table, "agreement")
    elif proposal.what == "loop":
        call_loop(table, proposal.nodes, "agreement")
    elif proposal.decision is not None:
        table.enter("decided", settled(table, proposal.decision))
        table.note_result()
        table.follow_position()
    else:
        table.go_back("agreement")
        table.set_up()
