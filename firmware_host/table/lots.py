"""What the table draws for a seat whose time is up: it follows from a seed, so that everybody can draw it again."""

from __future__ import annotations

import hashlib
from random import Random

from firmware_host.table.clocks import Stint
from firmware_host.table.dealing import Seed
from firmware_host.table.ledger import Ledger
from firmware_host.table.sealing import Opening


def lot_seed(table_seed: Seed, game_id: str, stint: Stint, seat: int, number: int) -> str:
    """Return the seed of the seat's draw, 32 hex digits: it can't be guessed without the table's own seed."""
    fields = ("lodestone-lot-v1", str(table_seed), game_id, *map(str, stint), str(seat), str(number))
    return hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest()[:32]


def drawn_placement(ledger: Ledger, seat: int, seed: str) -> Opening:
    """Return the placement to seal for a seat, and the nonce of its seal."""
    action = ledger.game.random_action(ledger.now.position, seat, Random(seed))
    return Opening(action, hashlib.sha256(f"nonce {seed}".encode("ascii")).hexdigest()[:32])


def drawn_step(ledger: Ledger, seat: int, seed: str) -> str:
    """Return the action drawn for a seat."""
    return ledger.game.random_action(ledger.now.position, seat, Random(f"{seed} {len(ledger.moments)}"))
