"""When phones open their seals, and what becomes of the openings.

No phone is asked before every phone that holds a seal has said that it is awake. Openings are kept in memory until the
last one is there; then all are written down together with the reveal. What is journalled before that says only that
phones have begun to open: after a restart they send their openings again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.sealing import Round
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.table.table import Table


@dataclass(frozen=True)
class Opening:
    """What a phone has sent: the placement and the nonce."""

    action: str
    nonce: str


def ready(table: Table, event: ev.SealReady) -> None:
    """Note that a phone is awake and holds its opening. Raise TableError for a seat or turn that is not asked."""
    sealing = _round(table)
    sealing.check_turn(event.seat, event.turn)
    table.awake |= {event.seat}


def take(table: Table, event: ev.SealOpened) -> None:
    """Keep an opening in mind; with the last one all are written down and revealed. Raise TableError for a wrong one.

    One that comes before all phones are awake is not even looked at.
    """
    sealing = _round(table)
    sealing.check_turn(event.seat, event.turn)
    if not may_open(table):
        raise TableError("wrong_phase", say("not all phones are awake yet; keep your placement to yourself"))
    if not sealing.check_opening(event.seat, event.turn, event.action, event.nonce) or event.seat in table.openings:
        return
    table.by_rules(lambda: table.game.check(table.ledger.now.position, event.seat, event.action))
    table.openings = {**table.openings, event.seat: Opening(event.action, event.nonce)}
    reveal_when_open(table)
    if event.seat in table.openings and not sealing.begun:
        table.enter("opens", {"turn": sealing.turn})


def reveal_when_open(table: Table) -> None:
    """Once the last opening is there, write down all of them and what they reveal."""
    sealing = table.ledger.round
    if sealing is None or not sealing.seats or opened(table) != set(sealing.seats):
        return
    before, sent = table.ledger.now.position, dict(table.openings)
    actions = {**sealing.actions, **{seat: opening.action for seat, opening in sent.items()}}
    after = table.by_rules(lambda: table.game.apply(before, actions))
    for seat, opening in sorted(sent.items()):
        data = {"seat": seat, "turn": sealing.turn, "action": opening.action, "nonce": opening.nonce}
        table.enter("opening", data)
    data = {
        "turn": sealing.turn,
        "actions": {str(seat): action for seat, action in sorted(actions.items())},
        "position": table.game.text(after.position),
        "removed": list(after.removed),
    }
    table.enter("reveal", data)
    table.note_result()
    table.watch.aim("placing", table.ledger.now.placed, table.at, table.game.placements(before, actions))


def forget_void(table: Table) -> None:
    """Forget what phones have said and sent of seals that do not lie any more; another seal, and all say so anew."""
    sealing = table.ledger.round
    lying = sealing.commitments if sealing is not None and sealing.sealed else {}
    table.awake = table.awake.intersection(lying)
    table.openings = {seat: one for seat, one in table.openings.items() if seat in lying}


def opened(table: Table) -> set[int]:
    """Return the seats whose phones have opened their seals of this round."""
    sealing = table.ledger.round
    return set() if sealing is None else {*sealing.actions, *table.openings}


def awake(table: Table) -> list[int]:
    """Return the seats whose phones are ready, or that need none."""
    sealing = table.ledger.round
    if sealing is None:
        return []
    said = table.awake | opened(table)
    return [seat for seat in sealing.seats if seat in said or table.is_computer(seat)]


def may_open(table: Table) -> bool:
    """Tell whether openings are asked for: all have sealed, and all are ready or one has been opened already.

    While the host holds the table they stay on the phones.
    """
    sealing = table.ledger.round
    if sealing is None or not sealing.sealed or table.held:
        return False
    return sealing.begun or len(awake(table)) == len(sealing.seats)


def late(table: Table) -> frozenset[int]:
    """Return the people whose phones a sealed round waits for: not awake, or asked and not opened."""
    sealing = table.ledger.round
    if sealing is None or not sealing.sealed:
        return frozenset()
    done = opened(table) if may_open(table) else set(awake(table))
    return frozenset(seat for seat in sealing.seats if seat not in done and not table.is_computer(seat))


def fallen_asleep(table: Table, seat: int) -> None:
    """Note that a seat's phone opens nothing any more."""
    table.awake -= {seat}


def _round(table: Table) -> Round:
    sealing = table.ledger.round
    assert sealing is not None  # noqa: S101 - phase "revealing"
    return sealing
