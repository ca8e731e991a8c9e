"""Sealing, and when phones open their seals.

No phone is asked to open before every phone that holds a seal has reported ready. Openings are kept in memory until the
last one has arrived; then all are journalled together with the reveal. Until then the journal says only that
phones have begun to open: after a restart they send their openings again.
"""

from __future__ import annotations

from firmware_host.table import events as ev
from firmware_host.table.change import Change, by_rules
from firmware_host.table.errors import TableError
from firmware_host.table.lots import drawn_placement
from firmware_host.table.queries.clocks import sealed_for
from firmware_host.table.queries.seals import may_open, opened
from firmware_host.table.sealing import Opening, Round, commitment
from firmware_host.text.words import say


def seal(change: Change, event: ev.SealCommitted) -> None:
    """Record a seat's seal."""
    table = change.state
    if _round(change).check_commitment(event.seat, event.turn, event.commitment):
        change.enter("seal", {"seat": event.seat, "turn": event.turn, "commitment": event.commitment})
        if not table.is_computer(event.seat):
            change.follow_position()  # From the first person's seal on the last step can't be taken back by hand.


def ready(change: Change, event: ev.SealReady) -> None:
    """Note that a phone is ready and holds its opening. Raise TableError for an unexpected seat or turn."""
    _round(change).check_turn(event.seat, event.turn)
    change.state.ready_phones |= {event.seat}


def take(change: Change, event: ev.SealOpened) -> None:
    """Keep an opening in memory; journal and reveal all with the last one. Raise TableError for a wrong opening.

    An opening that comes before all phones are ready is refused without a look at it.
    """
    table, sealing = change.state, _round(change)
    sealing.check_turn(event.seat, event.turn)
    if not may_open(table):
        raise TableError("wrong_phase", say("not all phones are awake yet; keep your placement to yourself"))
    if not sealing.check_opening(event.seat, event.turn, event.action, event.nonce) or event.seat in table.openings:
        return
    by_rules(lambda: table.game.check(table.ledger.now.position, event.seat, event.action))
    table.openings = {**table.openings, event.seat: Opening(event.action, event.nonce)}
    reveal_when_open(change)
    if event.seat in table.openings and not sealing.begun:
        change.enter("opens", {"turn": sealing.turn})


def reveal_when_open(change: Change) -> None:
    """Journal all openings and what they reveal once the last one is there."""
    table, sealing = change.state, change.state.ledger.round
    if sealing is None or not sealing.seats or opened(table) != set(sealing.seats):
        return
    before = table.ledger.now.position
    drawn = {seat: drawn_placement(table.ledger, seat, seed) for seat, seed in sealed_for(table).items()}
    sent = {**table.openings, **drawn}
    actions = {**sealing.actions, **{seat: opening.action for seat, opening in sent.items()}}
    after = by_rules(lambda: table.game.apply(before, actions))
    for seat, opening in sorted(sent.items()):
        data = {"seat": seat, "turn": sealing.turn, "action": opening.action, "nonce": opening.nonce}
        change.enter("opening", data)
    data = {
        "turn": sealing.turn,
        "actions": {str(seat): action for seat, action in sorted(actions.items())},
        "position": table.game.text(after.position),
        "removed": list(after.removed),
    }
    change.enter("reveal", data)
    table.reason = None  # It was about a step of the turn before.
    change.note_result()
    table.watch.aim("placing", table.ledger.now.placed, table.at, table.game.placements(before, actions))


def seal_by_lot(change: Change, seat: int, seed: str) -> None:
    """Seal for a seat whose time is up; the table opens that seal when phones open theirs."""
    table, sealing = change.state, _round(change)
    drawn = drawn_placement(table.ledger, seat, seed)
    digest = commitment(sealing.game, sealing.turn, seat, sealing.history, drawn.action, drawn.nonce)
    change.enter("seal", {"seat": seat, "turn": sealing.turn, "commitment": digest})
    change.follow_position()


def mark_not_ready(change: Change, seat: int) -> None:
    """Note that a seat's phone opens nothing any more."""
    change.state.ready_phones -= {seat}


def _round(change: Change) -> Round:
    sealing = change.state.ledger.round
    assert sealing is not None  # noqa: S101 - phase "sealing" or "revealing"
    return sealing
