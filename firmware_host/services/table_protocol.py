"""A table without a board: one JSON object a line in, one line of answer out (docs/table-protocol.md).

Another program supplies the sensors' reports, the phones' requests, and the time. Time passes only by its lines, and
nothing is random.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from firmware_host.games.game import GameError
from firmware_host.services import json_lines
from firmware_host.services.json_lines import Answer, BadRequest, Request, answered, flag, number, verb
from firmware_host.services.table_requests import REQUESTS, Opening, opening, sealed_action, sensed_states
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.events import Journal
from firmware_host.table.rounds import opened, ready_phones
from firmware_host.table.sealing import commitment
from firmware_host.table.state import Table
from firmware_host.table.table import handle, restore
from firmware_host.table.view import public_view

TICK_S = 0.02
"""Interval of the table's ticks, as in the runtime."""
LONGEST_WAIT_S = 3600.0
"""Longest time that one line may let pass."""
NONCE = "0" * 32
"""The nonce of all seals: seals of this protocol hide nothing, as one program makes and opens them."""
OF_THE_VIEW = ("tasks", "problem", "message", "stage", "proposal", "notices", "result")
"""Fields of the view (docs/view.md) that each answer repeats."""


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer every line until end of file; return the exit code."""
    return json_lines.serve(TableSession().answer_line, stdin, stdout)


class TableSession:
    """One table, driven by requests."""

    def __init__(self) -> None:
        """Begin without a table: ``open`` makes one."""
        self._table: Table | None = None
        self._entries: list[tuple[str, Mapping[str, Any]]] = []
        self._told = 0
        self._undone: list[str] = []
        self._at = 0.0
        self._sealed: dict[int, str] = {}
        """Seat → the placement that it has sealed last, which its phone would keep."""
        self._view: Mapping[str, Any] | None = None
        """The cached view, None after a change."""

    def answer_line(self, line: str | bytes) -> str:
        """Return the answer to one line of request, in ASCII; malformed lines are refused, never raised."""
        return answered(line, self.answer, (GameError, TableError))

    def answer(self, request: Request) -> Answer:
        """Return the answer to one request. Raise GameError or TableError for a refused one, which changes nothing.

        Exception: the time of a refused request may have passed.
        """
        wanted = verb(request, _FIELDS)
        _VERBS[wanted](self, request)
        answer = self._state()
        if wanted == "look" and flag(request, "view", False):
            answer["view"] = public_view(self._need())
        return answer

    # -- verbs ---------------------------------------------------------------------------------------------------

    def _open(self, request: Request) -> None:
        self._begin(opening(request), number(request, "time", 0.0))

    def _begin(self, new: Opening, at: float) -> None:
        """Make a table, seat all players and start the game."""
        head = {"id": "table", "game": new.game.name, "mode": new.mode}
        table = Table(new.game, "table", new.mode, kind=new.kind, timings=new.timings)
        restore(table, [("game", head)], at)
        entries: list[tuple[str, Mapping[str, Any]]] = [("game", head)]
        for event in new.events(at):
            entries += [(one.kind, one.data) for one in handle(table, event) if isinstance(one, Journal)]
        self._table, self._entries, self._told, self._at = table, entries, len(entries), at
        self._sealed, self._undone, self._view = {}, [], None

    def _sense(self, request: Request) -> None:
        table, at = self._need(), self._time(request)
        given = sensed_states(table, request)
        self._pass(at)
        changed = [(node, sensed) for node, sensed in given.items() if table.watch.tracker.seen[node] != sensed]
        if len(changed) == 1:
            self._happen(ev.SensorChanged(at=at, node=changed[0][0], sensed=changed[0][1]))
        elif changed:
            self._happen(ev.BoardChanged(at=at, sensed_states=tuple(changed)))
        else:
            self._happen(ev.Tick(at=at))

    def _tick(self, request: Request) -> None:
        self._need()
        at = self._time(request)
        self._pass(at)
        self._happen(ev.Tick(at=at))
        self._open_seals(at)

    def _deed(self, request: Request) -> None:
        table, at = self._need(), self._time(request)
        what = json_lines.one_of(request, "what", REQUESTS)
        fields, event_of = REQUESTS[what]
        json_lines.check_fields(request, f"deed {what}", {"id", "do", "time", "what", *fields})
        event = event_of(table, at, request)
        self._pass(at)
        if event is None:
            self._seal(at, *sealed_action(table, request))
        else:
            self._happen(event)
        self._open_seals(at)

    def _restart(self, request: Request) -> None:
        """Make the table again from its journal, as after a power cut; the sensors then report their readings."""
        table, at = self._need(), self._time(request)
        self._pass(at)
        again = Table(table.game, "table", self._entries[0][1]["mode"], kind=table.kind, timings=table.watch.timings)
        restore(again, self._entries, at)
        self._table, self._at, self._view = again, at, None
        seen = tuple((node, sensed) for node, sensed in table.watch.tracker.seen.items() if sensed)
        self._happen(ev.BoardChanged(at=at, sensed_states=seen) if seen else ev.Tick(at=at))
        self._open_seals(at)

    def _look(self, request: Request) -> None:
        self._need()
        flag(request, "view", False)

    # -- seals ---------------------------------------------------------------------------------------------------

    def _seal(self, at: float, seat: int, action: str) -> None:
        """Seal a placement and keep it for the opening."""
        table = self._need()
        sealing = table.ledger.round
        if sealing is None:
            raise TableError("wrong_phase", "nothing is being sealed now")
        table.game.check(table.ledger.now.position, seat, action)
        digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
        self._happen(ev.SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest))
        self._sealed[seat] = action

    def _open_seals(self, at: float) -> None:
        """Open all seals once all seats have sealed, as phones do."""
        table = self._need()
        sealing = table.ledger.round
        if table.phase != "revealing" or table.held or sealing is None:
            return
        for seat in sealing.seats:
            if seat not in ready_phones(table):
                self._happen(ev.SealReady(at=at, seat=seat, turn=sealing.turn))
        for seat in sealing.seats:
            if table.phase != "revealing" or seat in opened(table):
                continue
            self._happen(ev.SealOpened(at=at, seat=seat, turn=sealing.turn, action=self._sealed[seat], nonce=NONCE))

    # -- time and events -----------------------------------------------------------------------------------------

    def _need(self) -> Table:
        if self._table is None:
            raise BadRequest("do: expected open before anything else: there is no table yet")
        return self._table

    def _time(self, request: Request) -> float:
        """Return the time of a request in seconds, by default the present time."""
        return number(request, "time", self._at, self._at, self._at + LONGEST_WAIT_S)

    def _pass(self, at: float) -> None:
        """Let time pass until ``at``, in ticks."""
        while self._at + TICK_S < at - 1e-9:
            self._happen(ev.Tick(at=self._at + TICK_S))
        self._at = at

    def _happen(self, event: ev.Event) -> None:
        table = self._need()
        before = table.ledger.moments
        effects = handle(table, event)
        self._at = max(self._at, event.at)
        if effects:
            self._view = None
        for one in effects:
            if isinstance(one, Journal):
                self._entries.append((one.kind, one.data))
                if one.kind == "correction":
                    gone = [moment for moment in reversed(before[one.data["to"] + 1 :]) if moment.kind == "action"]
                    self._undone += [action for moment in gone for action in moment.actions.values()]

    # -- the answer ----------------------------------------------------------------------------------------------

    def _state(self) -> Answer:
        table = self._need()
        news, self._told = self._entries[self._told :], len(self._entries)
        undone, self._undone = self._undone, []
        if self._view is None:
            self._view = public_view(table)
        view: Mapping[str, Any] = self._view
        return {
            "time": round(self._at, 6),
            "phase": view["phase"],
            "actor": view["resolver"],
            "turn": view["turn"],
            "position": table.game.text(table.ledger.now.position),
            "committed": [data["action"] for kind, data in news if kind == "action"],
            "undone": undone,
            "journal": [{"kind": kind, **data} for kind, data in news],
            "asked": view["question"],
            "lights": {node: light["meaning"] for node, light in view["lights"].items()},
            **{name: view[name] for name in OF_THE_VIEW},
            "masked": sorted(table.ledger.masked),
            "suspects": [one["node"] for one in view["sensors"]["suspects"]],
        }


_VERBS: Mapping[str, Callable[[TableSession, Request], None]] = {
    "open": TableSession._open,
    "sense": TableSession._sense,
    "deed": TableSession._deed,
    "tick": TableSession._tick,
    "restart": TableSession._restart,
    "look": TableSession._look,
}
_FIELDS: Mapping[str, frozenset[str]] = {
    verb: frozenset(fields.split())
    for verb, fields in {
        "open": "time game mode rules kind position seats computers seed timings clocks",
        "sense": "time nodes",
        "deed": "time seat what " + " ".join(sorted({name for names, _ in REQUESTS.values() for name in names})),
        "tick": "time",
        "restart": "time",
        "look": "view",
    }.items()
}


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
