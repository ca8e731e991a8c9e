"""The proof that seals were kept: its page, and every seal of the game."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from flask import Response, jsonify, render_template

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.extensions.proof.proof import Proof
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table
from firmware_host.text.json_reader import COUNT, HEX_64, SEAT, TIME, Schema, choice, maybe, part, record, rows
from firmware_host.text.words import say
from web_panel.languages import in_words
from web_panel.panel import PanelContext
from web_panel.routes import Routes

_NONCE: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
_SEED: Schema = {"type": "string", "pattern": "^([0-9]{1,10}|[0-9a-f]{32})$"}
routes = Routes("proof", {
    "Sealed": record(
        seat=SEAT, commitment=HEX_64, at=TIME, n=COUNT, action=maybe(str), nonce=maybe(_NONCE), opened=maybe(TIME),
        opened_n=maybe(COUNT), lost=maybe(TIME), resigned=maybe(TIME), void=maybe(TIME),
        void_by=maybe(choice("agreement", "host")),
    ),
    "Proof": record(
        game=str, title=str, secrets=bool,
        deal=maybe(record(tag=str, commitment=HEX_64, at=TIME, seed=maybe(_SEED), position=maybe(str))),
        lots=maybe(
            record(
                link=str, lot=str, at=TIME, pieces=rows(str), sealed=rows(record(seat=SEAT, commitment=HEX_64)),
                opened=rows(record(seat=SEAT, number=HEX_64)),
            )
        ),
        tag=str, first=HEX_64, seats=rows(record(seat=SEAT, name=str, computer=bool)),
        turns=rows(
            record(
                turn=int, history=HEX_64, seals=rows(part("Sealed")), revealed=maybe(TIME), after=maybe(HEX_64),
                taken_back=maybe(TIME),
            )
        ),
    ),
}, static="/static/proof")  # fmt: skip


class Seals:
    """The seals of the game at a table, out of its journal. Thread-safe."""

    def __init__(self, runtime: Runtime, journal: Journal) -> None:
        """Begin with nothing read."""
        self._runtime, self._journal = runtime, journal
        self._lock = threading.Lock()
        self._table: Table | None = None
        self._proof: Proof | None = None
        self._read = 0
        """The event in the journal that was read last."""

    def account(self) -> dict[str, Any]:
        """Return every seal, openings only of revealed turns. Raise TableError."""
        with self._lock:
            table = self._runtime.table()
            if table is not self._table or self._proof is None:
                self._table, self._read = table, 0
                self._proof = Proof(table.game, table.ledger.game_id, table.ledger.mode)
            try:
                entries = self._journal.entries(self._proof.game_id, self._read)
            except JournalError as error:
                raise TableError(
                    "no_journal", say("the journal's file can't be read: {reason}", reason=error.reason)
                ) from error
            self._proof.feed((entry.kind, entry.data, entry.at) for entry in entries)
            self._read = entries[-1].seq if entries else self._read
            return self._proof.to_dict()


@dataclass(frozen=True)
class Proving(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    seals: Seals


@routes.get("/proof")
def page(_here: Proving) -> str:
    """The proof that seals were kept, for players."""
    return render_template("proof.html")


@routes.get("/api/proof", part("Proof"))
def proof(here: Proving) -> Response:
    """Every seal of the game; openings of what was revealed only."""
    shown, view = here.seals.account(), here.panel.view
    seats = [{name: seat[name] for name in ("seat", "name", "computer")} for seat in view["seats"]]
    return jsonify({**shown, "title": in_words(view["game"]["title"]), "seats": seats})
