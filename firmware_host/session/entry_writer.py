"""The only way from a table's entries into the journal, and into the proof of its seals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.archive.journal import Journal, JournalError, utc_now
from firmware_host.archive.proof import Proof
from firmware_host.session.table_setup import SuspendedGame
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table
from firmware_host.text.words import say


class EntryWriter:
    """Appends entries durably. ``proof`` is the proof of the present game, None before any."""

    def __init__(self, journal: Journal) -> None:
        """Begin without a game."""
        self.journal = journal
        self.proof: Proof | None = None

    def write(self, table: Table, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append all entries of one event together: after a kill all of them are there or none. Raise JournalError.

        Entries of a lesson are not written: after a kill the suspended game is there.
        """
        if not entries or table.lesson is not None:
            return
        game_id, stamp = table.ledger.game_id, utc_now()
        try:
            self.journal.append_all([(game_id, kind, data, stamp) for kind, data in entries])
        except (TypeError, ValueError) as error:  # A game's text of its position is invalid.
            raise JournalError(f"entries that can't be written: {error}") from error
        if self.proof is not None and self.proof.game_id == game_id:
            self.proof.feed((kind, data, stamp) for kind, data in entries)

    def told(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal. Raise JournalError."""
        game_id = table.ledger.game_id
        return SuspendedGame(game_id, [(entry.kind, entry.data) for entry in self.journal.trusted_entries(game_id)])

    def proof_of(self, table: Table) -> Proof:
        """Return the proof of a game from its journal."""
        proof = Proof(table.game, table.ledger.game_id, table.ledger.mode)
        proof.feed((entry.kind, entry.data, entry.at) for entry in self.journal.entries(proof.game_id))
        return proof

    def shown(self) -> Mapping[str, Any]:
        """Return every seal of the present game, openings only of revealed turns. Raise TableError."""
        if self.proof is None:
            raise TableError("no_game", say("there is no game at this table yet"))
        return self.proof.shown()
