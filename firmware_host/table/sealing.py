"""The round of seals of one turn: who has to seal, who has, and whether an opening fits its seal.

What a seal is, and why it binds and hides, is in :mod:`firmware_host.games.seals`.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firmware_host.games.seals import HASH, HEX, commitment
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

OPENING_BEGUN = say("phones have begun to open their seals: only all together can seal again")


def why_not_resealed(sealing: Round, seat: int) -> str | None:
    """Return why a seat can't seal again, in words; None if it can."""
    if seat not in sealing.seats or seat not in sealing.commitments:
        return say("nothing is sealed for this seat in this turn")
    if seat in sealing.actions:
        return say("the seal is open already: nothing is lost")
    return OPENING_BEGUN if sealing.begun else None


@dataclass(frozen=True)
class Round:
    """The seals of one turn: the seats that must seal, those that have, and the openings once they are journalled.

    ``begun`` means that an opening has left its phone: no single seat can seal again. Until the last one arrives,
    openings are in memory only (:mod:`firmware_host.table.subjects.rounds`).
    """

    game: str
    turn: int
    seats: tuple[int, ...]
    history: str
    commitments: Mapping[int, str] = field(default_factory=dict)
    actions: Mapping[int, str] = field(default_factory=dict)
    nonces: Mapping[int, str] = field(default_factory=dict)
    begun: bool = False

    @property
    def is_sealed(self) -> bool:
        """Whether every seat has committed."""
        return len(self.commitments) == len(self.seats)

    def check_commitment(self, seat: int, turn: int, digest: str) -> bool:
        """Raise TableError unless the seat may commit to ``digest`` now; return False for a harmless repetition."""
        self.check_turn(seat, turn)
        if not HASH.fullmatch(digest):
            given = repr(digest[:80])
            raise TableError("bad_seal", say("commitment: expected 64 lower-case hex digits, got {given}", given=given))
        mine = self.commitments.get(seat)
        if mine is not None:
            if hmac.compare_digest(mine, digest):
                return False
            words = say("seat {seat} has sealed turn {turn} already; a seal is final", seat=seat, turn=turn)
            raise TableError("already_sealed", words)
        if digest in self.commitments.values():
            raise TableError("bad_seal", say("this commitment is another seat's; seal your own placement"))
        return True

    def check_opening(self, seat: int, turn: int, action: str, nonce: str) -> bool:
        """Raise TableError unless the opening matches the seat's seal; return False for a harmless repetition."""
        self.check_turn(seat, turn)
        if not self.is_sealed:
            raise TableError("wrong_phase", say("not everybody has sealed yet; keep your placement to yourself"))
        if not HEX.fullmatch(nonce):
            raise TableError("bad_seal", say("nonce: expected 32 lower-case hex digits"))
        if not action.isascii() or len(action) > 16 or "\n" in action:
            given = repr(action[:40])
            raise TableError("bad_seal", say("action: expected at most 16 ASCII characters, got {given}", given=given))
        digest = commitment(self.game, self.turn, seat, self.history, action, nonce)
        if not hmac.compare_digest(digest, self.commitments[seat]):
            words = say("this is not what seat {seat} sealed in turn {turn}", seat=seat, turn=turn)
            raise TableError("seal_mismatch", words)
        return seat not in self.actions

    def with_commitment(self, seat: int, digest: str) -> Round:
        """Return the round with one more seal."""
        return replace(self, commitments={**self.commitments, seat: digest})

    def with_opening(self, seat: int, action: str, nonce: str) -> Round:
        """Return the round with one more opening."""
        actions, nonces = {**self.actions, seat: action}, {**self.nonces, seat: nonce}
        return replace(self, actions=actions, nonces=nonces, begun=True)

    def without_seal(self, seat: int) -> Round:
        """Return the round without one seal, that of a lost phone; what others have opened stays hidden."""
        return replace(self, commitments={other: d for other, d in self.commitments.items() if other != seat})

    def without(self, seat: int) -> Round:
        """Return the round without a seat that has resigned."""

        def rest(items: Mapping[int, str]) -> dict[int, str]:
            return {other: item for other, item in items.items() if other != seat}

        return replace(
            self,
            seats=tuple(other for other in self.seats if other != seat),
            commitments=rest(self.commitments),
            actions=rest(self.actions),
            nonces=rest(self.nonces),
        )

    def check_turn(self, seat: int, turn: int) -> None:
        """Raise TableError unless the seat takes part in this round, and the turn is the present one."""
        if seat not in self.seats:
            raise TableError("bad_seat", say("seat {seat} does not place in this turn", seat=seat))
        if turn != self.turn:
            words = say("turn: expected {turn}, got {given}: that seal is of another turn", turn=self.turn, given=turn)
            raise TableError("bad_seal", words)


@dataclass(frozen=True)
class Opening:
    """The data with which a phone opens a seal: the placement and the nonce."""

    action: str
    nonce: str
