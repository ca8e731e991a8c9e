"""What all players can agree on with their phones: taking a move back, sealing a turn anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_host.table.table import Table

WORDS = {
    "take-back": "taking the last action back",
    "reseal": "sealing this turn anew",
}


@dataclass(frozen=True)
class Proposal:
    """An open question to all: ``what`` a key of WORDS, ``by`` the seat that asks, ``agreed`` the seats that do."""

    what: str
    by: int
    agreed: frozenset[int]

    @property
    def words(self) -> str:
        """Say what is proposed."""
        return WORDS[self.what]

    def with_vote(self, seat: int) -> Proposal:
        """Return the proposal with one more seat that agrees."""
        return replace(self, agreed=self.agreed | {seat})

    def waiting(self, table: Table) -> tuple[int, ...]:
        """Return the seats that still have to agree: people who have not resigned. Computers agree to everything."""
        return tuple(
            seat
            for seat, sitting in sorted(table.ledger.sittings.items())
            if not sitting.computer and seat not in table.ledger.resigned and seat not in self.agreed
        )


def can_propose(table: Table, what: str) -> str | None:
    """Return None when this can be proposed now, else why not, in words."""
    ledger = table.ledger
    if what == "take-back":
        if len(ledger.moments) < 2:
            return "nothing has been played yet that could be taken back"
        if ledger.round is not None and ledger.round.commitments:
            return "somebody has sealed already: the turn has to be played"
        return None
    if what == "reseal":
        if ledger.round is None or not ledger.round.commitments:
            return "nobody has sealed anything in this turn"
        return None
    return f"what: expected one of {', '.join(WORDS)}, got {what[:40]!r}"
