"""A table without a board: one JSON object a line in, one line of answer out (docs/table-protocol.md).

Whoever wants to hold hands of their own against the table says what the sensors report, what phones send, and what time
it is. Nothing else passes time, and nothing is random.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TextIO

from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.table import events as ev
from firmware_host.table.effects import Journal
from firmware_host.table.errors import TableError
from firmware_host.table.sealing import commitment
from firmware_host.table.table import Table
from firmware_host.table.timing import Timings
from firmware_host.table.view import public_view

Request = Mapping[str, Any]
Answer = dict[str, Any]

KINDS = ("presence", "polarity", "level", "coded")
NONCE = "0" * 32
"""Seals of this protocol hide nothing: they are opened by the same hand that made them."""
MOST_TICKS = 100_000
LONGEST_LINE = 1_000_000


class BadRequest(GameError):
    """The request's shape is wrong: a field is missing, unknown or of the wrong type."""


class TableService:
    """One table, driven by requests."""

    def __init__(self) -> None:
        """Begin without a table: ``open`` makes one."""
        self._table: Table | None = None
        self._entries: list[tuple[str, Mapping[str, Any]]] = []
        self._told = 0
        self._at = 0.0
        self._sealed: dict[int, str] = {}

    def answer_line(self, line: str) -> str:
        """Return the answer to one line of request; never raises for what a line holds."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return _refusal(None, "bad_json", f"expected one JSON object a line: {error}")
        if not isinstance(request, dict):
            return _refusal(None, "bad_json", f"expected a JSON object, got {type(request).__name__}")
        try:
            return json.dumps({"id": request.get("id"), "ok": True, **self.answer(request)})
        except (GameError, TableError) as error:
            return _refusal(request.get("id"), error.code, str(error.message))

    def answer(self, request: Request) -> Answer:
        """Return the answer to one request. Raise GameError or TableError, and change nothing, for a refused one."""
        verb = _text(request, "do")
        if verb not in _VERBS:
            raise BadRequest(f"do: expected one of {', '.join(sorted(_VERBS))}, got {verb[:40]!r}")
        allowed, work = _VERBS[verb]
        unknown = set(request) - allowed - {"id", "do"}
        if unknown:
            expected = ", ".join(sorted(allowed)) or "no further field"
            raise BadRequest(f"{min(unknown)[:40]}: {verb} does not know this field; expected {expected}")
        work(self, request)
        return self._state()

    # -- verbs ---------------------------------------------------------------------------------------------------

    def _open(self, request: Request) -> None:
        game = find_game(_text(request, "game"), _object(request, "rules", {}))
        mode = _text(request, "mode", game.modes[0])
        kind = _one_of(request, "kind", KINDS, "presence")
        seats = game.seats(mode)
        names = request.get("seats", [f"Player {seat}" for seat in seats])
        if not isinstance(names, list) or len(names) != len(seats) or not all(isinstance(n, str) for n in names):
            raise BadRequest(f"seats: expected {len(seats)} names, {_got(request, 'seats')}")
        computers = request.get("computers", [])
        if not isinstance(computers, list) or any(seat not in seats for seat in computers):
            raise BadRequest(f"computers: expected seats of {list(seats)}, {_got(request, 'computers')}")
        at, position = _number(request, "time", 0.0), request.get("position")
        seed = request.get("seed", 0)
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise BadRequest(f"seed: expected a whole number from 0, {_got(request, 'seed')}")
        if position is not None:
            position = _text(request, "position")
        head = {"id": "table", "game": game.name, "mode": mode}
        table = Table(game, "table", mode, kind=kind, timings=_timings(request))
        table.open([("game", head)], at)
        entries: list[tuple[str, Mapping[str, Any]]] = [("game", head)]
        events: list[ev.Event] = [
            ev.SeatTaken(at=at, seat=seat, name=name, claim=f"seat-{seat}", computer=seat in computers)
            for seat, name in zip(seats, names, strict=True)
        ]
        for event in (*events, ev.GameStarted(at=at, seed=seed, position=position)):
            entries += [(one.kind, one.data) for one in table.handle(event) if isinstance(one, Journal)]
        self._table, self._entries, self._told, self._at, self._sealed = table, entries, len(entries), at, {}

    def _sense(self, request: Request) -> None:
        table, at = self._need(), self._time(request)
        nodes = _object(request, "nodes", None)
        seen = table.watch.tracker.seen
        for node, sight in nodes.items():
            if node not in seen:
                raise BadRequest(f"nodes: {node[:20]!r} is not on this board")
            if not isinstance(sight, str) or not _can_be_sensed(table, node, sight):
                raise BadRequest(f"nodes: {node}: a {table.kind} sensor does not report {json.dumps(sight)[:20]}")
        changed = [(node, sight) for node, sight in nodes.items() if seen[node] != sight]
        if len(changed) == 1:
            self._happen(ev.SensorChanged(at=at, node=changed[0][0], sight=changed[0][1]))
        elif changed:
            self._happen(ev.BoardChanged(at=at, sights=tuple(changed)))

    def _tick(self, request: Request) -> None:
        self._need()
        at = self._time(request)
        every = _number(request, "every", max(at - self._at, 1e-9))
        if every <= 0 or (at - self._at) / every > MOST_TICKS:
            raise BadRequest(f"every: expected seconds, at most {MOST_TICKS} ticks, {_got(request, 'every')}")
        while self._at < at - 1e-9:
            self._happen(ev.Tick(at=min(at, self._at + every)))
        self._happen(ev.Tick(at=at))

    def _deed(self, request: Request) -> None:
        at = self._time(request)
        table, what = self._need(), _one_of(request, "what", tuple(_DEEDS), None)
        if what in _SEATED:
            seat = request.get("seat")
            if seat not in table.ledger.all_seats:
                raise BadRequest(f"seat: expected one of {list(table.ledger.all_seats)}, {_got(request, 'seat')}")
        if what == "seal":
            self._seal(at, request["seat"], _text(request, "action"))
            return
        self._happen(_DEEDS[what](at, request))

    def _seal(self, at: float, seat: int, action: str) -> None:
        """Seal, and open all seals with the last one."""
        table = self._need()
        sealing = table.ledger.round
        if sealing is None:
            raise TableError("wrong_phase", "nothing is being sealed now")
        table.game.check(table.ledger.now.position, seat, action)
        digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
        self._happen(ev.SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest))
        self._sealed[seat] = action
        if table.phase != "revealing":
            return
        sealed, self._sealed = self._sealed, {}
        for one in sealed:
            self._happen(ev.SealReady(at=at, seat=one, turn=sealing.turn))
        for one, placed in sealed.items():
            self._happen(ev.SealOpened(at=at, seat=one, turn=sealing.turn, action=placed, nonce=NONCE))

    def _restart(self, request: Request) -> None:
        """Make the table anew from what it has journalled, as after a power cut; the sensors report what they see."""
        table, at = self._need(), self._time(request)
        again = Table(table.game, "table", table.ledger.mode, kind=table.kind, timings=table.watch.timings)
        again.open(self._entries, at)
        changed = tuple((node, sight) for node, sight in table.watch.tracker.seen.items() if sight)
        self._table, self._sealed = again, {}
        if changed:
            self._happen(ev.BoardChanged(at=at, sights=changed))

    def _look(self, _request: Request) -> None:
        self._need()

    # -- helpers -------------------------------------------------------------------------------------------------

    def _need(self) -> Table:
        if self._table is None:
            raise BadRequest("do: expected open before anything else")
        return self._table

    def _time(self, request: Request) -> float:
        at = _number(request, "time", self._at)
        if at < self._at:
            raise BadRequest(f"time: expected {self._at:g} or later, got {at:g}: time does not run backwards")
        return at

    def _happen(self, event: ev.Event) -> None:
        effects = self._need().handle(event)
        self._at = max(self._at, event.at)
        self._entries += [(one.kind, one.data) for one in effects if isinstance(one, Journal)]

    def _state(self) -> Answer:
        table = self._need()
        news, self._told = self._entries[self._told :], len(self._entries)
        view = public_view(table)
        return {
            "time": round(self._at, 6),
            "phase": view["phase"],
            "actor": view["resolver"],
            "turn": view["turn"],
            "position": table.game.text(table.ledger.now.position),
            "committed": [data["action"] for kind, data in news if kind == "action"],
            "undone": sum(kind == "correction" for kind, _ in news),
            "journal": [{"kind": kind, **data} for kind, data in news],
            "lights": {node: light["meaning"] for node, light in view["lights"].items()},
            **{name: view[name] for name in ("tasks", "question", "problem", "message", "stage", "proposal", "result")},
            "masked": sorted(table.ledger.masked),
            "suspects": [one["node"] for one in view["sensors"]["suspects"]],
        }


def serve(stdin: TextIO, stdout: TextIO) -> int:
    """Answer every line until end of file; return the exit code."""
    service = TableService()
    while line := stdin.readline(LONGEST_LINE):
        if len(line) >= LONGEST_LINE and not line.endswith("\n"):
            while (rest := stdin.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
            stdout.write(_refusal(None, "bad_json", f"expected at most {LONGEST_LINE} characters a line") + "\n")
        elif line.strip():
            stdout.write(service.answer_line(line) + "\n")
        stdout.flush()
    return 0


# -- fields ------------------------------------------------------------------------------------------------------------


def _refusal(ident: object, code: str, message: str) -> str:
    return json.dumps({"id": ident, "ok": False, "error": {"code": code, "message": message}})


def _got(request: Request, name: str) -> str:
    return f"got {json.dumps(request[name])[:60]}" if name in request else "but it is missing"


def _text(request: Request, name: str, default: str | None = None) -> str:
    value = request.get(name, default)
    if not isinstance(value, str):
        raise BadRequest(f"{name}: expected a text, {_got(request, name)}")
    return value


def _one_of(request: Request, name: str, known: tuple[str, ...], default: str | None) -> str:
    value = _text(request, name, default)
    if value not in known:
        raise BadRequest(f"{name}: expected one of {', '.join(known)}, {_got(request, name)}")
    return value


def _number(request: Request, name: str, default: float) -> float:
    value = request.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise BadRequest(f"{name}: expected a number of seconds, {_got(request, name)}")
    return float(value)


def _object(request: Request, name: str, default: dict[str, Any] | None) -> dict[str, Any]:
    value = request.get(name, default)
    if not isinstance(value, dict):
        raise BadRequest(f"{name}: expected an object, {_got(request, name)}")
    return value


def _flag(request: Request, name: str) -> bool:
    value = request.get(name)
    if not isinstance(value, bool):
        raise BadRequest(f"{name}: expected true or false, {_got(request, name)}")
    return value


def _timings(request: Request) -> Timings:
    given = _object(request, "timings", {})
    kinds = {field.name: bool if field.type == "bool" else float for field in fields(Timings)}
    for name, value in given.items():
        if name not in kinds:
            raise BadRequest(f"timings: {name[:20]!r} is none of {', '.join(kinds)}")
        if isinstance(value, bool) != (kinds[name] is bool) or not isinstance(value, int | float) or value < 0:
            raise BadRequest(f"timings: {name}: expected {kinds[name].__name__}, got {json.dumps(value)[:20]}")
    return Timings(**given)


def _can_be_sensed(table: Table, node: str, sight: str) -> bool:
    """Tell whether the sensor of a node can report this."""
    senses = table.watch.tracker.senses.at(node)
    pieces = [piece for piece in senses.poles if (piece in senses.tiles) == bool(senses.takes_tiles)]
    stacks = [None, *((piece,) for piece in pieces), *((one, other) for one in pieces[:2] for other in pieces[:2])]
    return sight == "?" or any(senses.fits(stack, sight) for stack in stacks)


_DEEDS: Mapping[str, Callable[[float, Request], ev.Event]] = {
    "seal": lambda _at, _: ev.Tick(at=_at),
    "choose": lambda at, r: ev.ActionChosen(at=at, seat=r["seat"], action=_text(r, "action")),
    "confirm": lambda at, r: ev.Confirmed(at=at, seat=r["seat"], action=_text(r, "action")),
    "resign": lambda at, r: ev.Resigned(at=at, seat=r["seat"]),
    "propose": lambda at, r: ev.Proposed(at=at, seat=r["seat"], what=_text(r, "proposal"), about=r.get("about")),
    "agree": lambda at, r: ev.Agreed(at=at, seat=r["seat"], what=_text(r, "proposal")),
    "decline": lambda at, r: ev.Declined(at=at, seat=r["seat"], what=_text(r, "proposal")),
    "guidance": lambda at, r: ev.GuidanceChosen(at=at, seat=r["seat"], on=_flag(r, "on")),
    "pause": lambda at, _: ev.Held(at=at),
    "resume": lambda at, _: ev.GoneOn(at=at),
    "take-back": lambda at, _: ev.TakenBack(at=at),
    "mask": lambda at, r: ev.SensorMasked(at=at, node=_text(r, "node"), reason="a player says so"),
    "unmask": lambda at, r: ev.SensorUnmasked(at=at, node=_text(r, "node")),
    "lose-board": lambda at, _: ev.BoardLost(at=at, reason="the sensors do not answer"),
    "regain-board": lambda at, _: ev.BoardBack(at=at),
}
_SEATED = frozenset({"seal", "choose", "confirm", "resign", "propose", "agree", "decline", "guidance"})

_VERBS: Mapping[str, tuple[frozenset[str], Callable[[TableService, Request], None]]] = {
    "open": (
        frozenset({"game", "mode", "rules", "kind", "position", "seats", "computers", "seed", "time", "timings"}),
        TableService._open,
    ),
    "sense": (frozenset({"time", "nodes"}), TableService._sense),
    "tick": (frozenset({"time", "every"}), TableService._tick),
    "deed": (
        frozenset({"time", "seat", "what", "action", "proposal", "about", "on", "node"}),
        TableService._deed,
    ),
    "restart": (frozenset({"time"}), TableService._restart),
    "look": (frozenset(), TableService._look),
}
