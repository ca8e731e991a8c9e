"""What a table does when its players propose something to each other, agree or decline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_host.table import events as ev
from firmware_host.table.foreseeing import call_loop
from firmware_host.table.proposals import Proposal, open_proposal, proposed, settled, why_seal_stands
from firmware_host.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table

LAPSED = "proposal"
LAPSED_S = 8.0
"""How long people are told that a proposal is off."""


def propose(table: Table, event: ev.Proposed) -> None:
    """Ask all others; whoever plays with computers alone has nobody to ask."""
    table.proposal = proposed(table, event.what, event.seat, event.about)
    _carry_out_when_agreed(table, table.proposal)


def carry_out_due(table: Table) -> None:
    """Do what all others have agreed to, once the seat that it is about has had time to object."""
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
    """Drop the proposal: one who declines is enough, its proposer withdraws it the same way."""
    open_proposal(table, event.what)
    table.proposal = None


def reseal(table: Table, seat: int | None) -> None:
    """Let one seat seal anew, or (None) all; nothing happens where its phone has woken up meanwhile."""
    sealing = table.ledger.round
    if sealing is None or (seat is not None and why_seal_stands(table, seat) is not None):
        return
    table.enter("reseal", {"turn": sealing.turn} if seat is None else {"turn": sealing.turn, "seat": seat})
    table.follow_position()


def _carry_out_when_agreed(table: Table, proposal: Proposal) -> None:
    if proposal.waiting(table) or (proposal.due is not None and table.at < proposal.due):
        return
    table.proposal = None
    if proposal.what == "reseal":
        reseal(table, proposal.about)
    elif proposal.what == "loop":
        call_loop(table, proposal.nodes, "agreement")
    elif proposal.decision is not None:
        table.enter("decided", settled(table, proposal.decision))
        table.note_result()
        table.follow_position()
    else:
        table.go_back("agreement")
        table.set_up()
