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
import re
from collections.abc import Mapping

from firmware_host.games.positions import Seed

TAG = "lodestone-seal-v1"
FIRST_HISTORY = hashlib.sha256(b"lodestone-history-v1").hexdigest()
"""The history before any round."""

HASH = re.compile(r"[0-9a-f]{64}")


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


# -- deals: shuffled games ---------------------------------------------------------------------------------------------


DEAL_TAG = "lodestone-deal-v1"
HEX = re.compile(r"[0-9a-f]{32}")


def is_seed(value: object) -> bool:
    """Return whether a value can be the seed of a new game: 32 lower-case hex digits."""
    return isinstance(value, str) and HEX.fullmatch(value) is not None


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
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def lot_of(game_id: str, number: int, opened: Mapping[int, str]) -> int:
    """Return a lot, from 1: a number of 256 bits that follows from the secret numbers of all tables.

    ``opened`` maps the first seat of each table to its secret number. While one of them is unknown so is the lot.
    """
    fields = (LOT_TAG, game_id, str(number), *(f"{seat} {opened[seat]}" for seat in sorted(opened)))
    return int(hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest(), 16)
