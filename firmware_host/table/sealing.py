"""Seals: nobody can change, and nobody can know before the time, what a phone has placed or a shuffle has dealt.

Both are *commitments* (Blum, "Coin flipping by telephone", 1981; Naor, "Bit commitment using pseudorandomness", 1991):
a hash is published at once, and what it is a hash of later. It binds, as nobody finds another text with the same
SHA-256; it hides, as 128 random bits stand beside the few possible placements, all of which could be hashed without.

A *placement's* seal is made on the phone (:func:`commitment`); the table keeps hashes alone until every seat has
committed. The nonce is drawn by the phone, so that the person who runs the table can't open it. Each round is bound to
all rounds before it by ``history``, so that an old seal can't be used again. A *deal's* seal (:func:`deal_seal`) is
shown in the lobby, when the seed is drawn. Until the game is over the seed is in the journal and in the table's memory,
and on no page. Where several tables play one game nobody deals: all draw *lots* for the pieces of the stack, one by one
(:func:`chain_of`). The fields of every pre-image are joined by line feeds, which no field can contain.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firmware_host.games.positions import Seed
from firmware_host.table.errors import TableError
from firmware_host.text.words import say

TAG = "lodestone-seal-v1"
FIRST_HISTORY = hashlib.sha256(b"lodestone-history-v1").hexdigest()
"""The history before any round."""

OPENING_BEGUN = say("phones have begun to open their seals: only all together can seal again")

_HASH = re.compile(r"[0-9a-f]{64}")
_NONCE = re.compile(r"[0-9a-f]{32}")


def commitment(game: str, turn: int, seat: int, history: str, action: str, nonce: str) -> str:
    """Return the 64 hex digits that a phone sends for a placement.

    The fields are joined by line feeds; no field can contain one (the alphabets are fixed), so no two different seals
    have the same pre-image.
    """
    fields = (TAG, game, str(turn), str(seat), history, action, nonce)
    return hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest()


def next_history(history: str, turn: int, actions: Mapping[int, str], nonces: Mapping[int, str]) -> str:
    """Return the history after a round: a hash of the last history and everything the round revealed, in seat order."""
    fields = [history, str(turn), *(f"{seat} {actions[seat]} {nonces[seat]}" for seat in sorted(actions))]
    return hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest()


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
        if not _HASH.fullmatch(digest):
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
        if not _NONCE.fullmatch(nonce):
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


# -- deals: shuffled games ---------------------------------------------------------------------------------------------


DEAL_TAG = "lodestone-deal-v1"


_HEX = re.compile(r"[0-9a-f]{32}")


def is_seed(value: object) -> bool:
    """Return whether a value can be the seed of a new game: 32 lower-case hex digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def deal_seal(game_id: str, seed: Seed, position: str) -> str:
    """Return the seal of a deal, 64 hex digits: of the seed, and of the text of the position in which the game begins.

    The fields are joined by line feeds, as those of a placement's seal are; none of them can contain one.
    """
    return hashlib.sha256("\n".join((DEAL_TAG, game_id, str(seed), position)).encode("ascii")).hexdigest()


def shown_short(seal: str) -> str:
    """Return the beginning of a seal, as people compare it: five groups of four digits."""
    return " ".join(seal[at : at + 4] for at in range(0, 20, 4))


# -- lots: a stack that nobody deals -----------------------------------------------------------------------------------


LINK_TAG, LOT_TAG = "lodestone-link-v1", "lodestone-stack-v1"


def chain_of(game_id: str, secret: str, lots: int) -> tuple[str, ...]:
    """Return a table's commitment to so many secret numbers, and the numbers in the order in which they are opened.

    Each is the hash of the next one (Lamport, "Password authentication with insecure communication", 1981): one
    commitment binds the table to all of them, each proves itself by the one before, and none tells the next. The last
    one is ``secret``, 64 random hex digits.
    """
    found = [secret]
    for _ in range(lots):
        found.append(link_before(game_id, found[-1]))
    return tuple(reversed(found))


def link_before(game_id: str, number: str) -> str:
    """Return what a table has published before it opens this secret number."""
    return hashlib.sha256(f"{LINK_TAG}\n{game_id}\n{number}".encode("ascii")).hexdigest()


def is_link(value: object) -> bool:
    """Return whether a value can be a commitment to lots, or a secret number of one: 64 lower-case hex digits."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def lot_of(game_id: str, number: int, opened: Mapping[int, str]) -> int:
    """Return a lot, from 1: a number of 256 bits that follows from the secret numbers of all tables.

    ``opened`` maps the first seat of each table to its secret number. While one of them is unknown so is the lot.
    """
    fields = (LOT_TAG, game_id, str(number), *(f"{seat} {opened[seat]}" for seat in sorted(opened)))
    return int(hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest(), 16)
