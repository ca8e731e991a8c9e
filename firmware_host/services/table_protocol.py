"""A table without a board: one JSON object a line in, one line of answer out (docs/table-protocol.md).

Another program supplies the sensors' reports, the phones' requests, and the time. Time passes only by its lines, and
nothing is random.

A request of a phone, the host or the board's cable (a line with ``"do": "request"``) is an event of the table: its
fields, their types and bounds are those of the event's class (:mod:`firmware_host.table.events`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, BinaryIO, get_type_hints

from firmware_host.games.capabilities import rules_of
from firmware_host.games.clocks import ClockSetting
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment, is_link
from firmware_host.services import json_lines
from firmware_host.services.json_lines import Answer, Verbs, answer_to, check_names
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.events import AppendEntry
from firmware_host.table.hypotheses import Timings
from firmware_host.table.state import FarTables, Table, know
from firmware_host.table.subject import events
from firmware_host.table.subjects import masks
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.resolving import BoardChanged, SensorChanged
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, open_seats, ready_phones
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from firmware_host.table.table import handle, restore
from firmware_host.table.view import public_view
from firmware_host.text.json_reader import (
    SEAT,
    Fields,
    InvalidField,
    check_field,
    flag,
    mapping,
    maybe,
    one_of,
    schema_of,
    seconds,
    text,
    whole,
    wrong_field,
)

TICK_S = 0.02
"""Interval of the table's ticks, as in the runtime."""
MAX_WAIT_S = 3600.0
"""Longest time that one line may let pass."""
NONCE = "0" * 32
"""The nonce of all seals: seals of this protocol hide nothing, as one program makes and opens them."""
OF_THE_VIEW = ("tasks", "problem", "message", "stage", "proposal", "notices", "result")
"""Fields of the view (docs/view.md) that each answer repeats."""
KINDS = ("presence", "polarity", "level", "coded")
MAX_SEED = 2**128 - 1

_VERBS = Verbs()


# -- opening a table, and its sensors --------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableSetup:
    """The fields of ``open``: a table with its players."""

    game: Game[Any]
    mode: str
    kind: str
    names: tuple[str, ...]
    computers: frozenset[int]
    seed: int
    position: str | None
    timings: Timings
    clocks: ClockSetting | None
    far: FarTables | None = None
    lots: Mapping[int, str] | None = None
    """First seat of each table → what it has sealed for the lots that draw the stack."""
    id: str = "table"
    """The game's id, by which lots are proved."""

    def events(self, at: float) -> list[ev.Event]:
        """Return the events until play begins."""
        seated = zip(self.game.seats(self.mode), self.names, strict=True)
        return [
            *(
                SeatTaken(at=at, seat=seat, name=name, claim=f"seat-{seat}", computer=seat in self.computers)
                for seat, name in seated
            ),
            *([ClocksChosen(at=at, setting=self.clocks)] if self.clocks else []),
            *([FarTablesChanged(at=at, far=self.far)] if self.far else []),
            GameStarted(at=at, seed=self.seed, position=self.position, lots=self.lots, together=True),
        ]


def read_setup(request: Fields) -> TableSetup:
    """Return the fields of ``open``. Raise GameError for a wrong one."""
    game = find_game(text(request, "game"), mapping(request, "rules", {}))
    mode = one_of(request, "mode", game.modes, game.modes[0])
    seats = game.seats(mode)
    return TableSetup(
        game,
        mode,
        one_of(request, "kind", KINDS, "presence"),
        _names(request, seats),
        _computers(request, seats),
        whole(request, "seed", 0, 0, MAX_SEED),
        None if request.get("position") is None else text(request, "position"),
        _timings(request),
        _clocks(request, seats),
        _far(request, seats),
        _lots(request, seats),
        text(request, "of", "table"),
    )


def _far(request: Fields, seats: tuple[int, ...]) -> FarTables | None:
    """Return the far tables of ``open`` or ``far``, None for a table by itself. Raise InvalidField."""
    if request.get("far") is None:
        return None
    given = mapping(request, "far")
    _check_some("far", given, ("seats", "writes", "waits"))
    played = _by_seat(given, "seats", seats, "far: ")
    return FarTables(played, flag(given, "writes", False), _WAITS if flag(given, "waits", False) else None)


_WAITS = "The game waits for another table."


def _lots(request: Fields, seats: tuple[int, ...]) -> Mapping[int, str] | None:
    if request.get("lots") is None:
        return None
    lots = _by_seat(request, "lots", seats)
    if not all(map(is_link, lots.values())):
        raise wrong_field("64 hex digits by seat", request, "lots")
    return lots


def _by_seat(fields: Fields, name: str, seats: tuple[int, ...], place: str = "") -> dict[int, str]:
    given = mapping(fields, name)
    known = {str(seat): seat for seat in seats}
    if not set(given) <= set(known) or not all(isinstance(value, str) for value in given.values()):
        raise wrong_field(f"texts by seat, of {_seats_text(seats)}", fields, name, place)
    return {known[seat]: value for seat, value in given.items()}


def _names(request: Fields, seats: tuple[int, ...]) -> tuple[str, ...]:
    given = request.get("seats", [f"Player {seat}" for seat in seats])
    if not isinstance(given, list) or len(given) != len(seats) or not all(isinstance(name, str) for name in given):
        raise wrong_field(f"a list of {len(seats)} names", request, "seats")
    return tuple(given)


def _computers(request: Fields, seats: tuple[int, ...]) -> frozenset[int]:
    given = request.get("computers", [])
    if not isinstance(given, list) or not all(type(seat) is int and seat in seats for seat in given):
        raise wrong_field(f"a list of seats, of {_seats_text(seats)}", request, "computers")
    return frozenset(given)


def _clocks(request: Fields, seats: tuple[int, ...]) -> ClockSetting | None:
    """Return the clocks' setting, None without clocks."""
    if request.get("clocks") is None:
        return None
    given = mapping(request, "clocks")
    usual: Fields = {"main": None, "increment": 0, "delay": 0, "strict": False, "odds": {}}
    _check_some("clocks", given, usual)
    setting = {**usual, **given}
    odds = mapping(setting, "odds")
    times = [
        setting["increment"],
        setting["delay"],
        *odds.values(),
        *([] if setting["main"] is None else [setting["main"]]),
    ]
    if not all(type(one) is int for one in times) or not set(odds) <= {str(seat) for seat in seats}:
        raise wrong_field("whole seconds, and odds by seat", request, "clocks")
    try:
        return ClockSetting.from_dict({**setting, "strict": flag(setting, "strict", False)})
    except ValueError as error:
        raise InvalidField(f"clocks: {error}") from error


def _timings(request: Fields) -> Timings:
    given = mapping(request, "timings", {})
    kinds = get_type_hints(Timings)
    _check_some("timings", given, kinds)
    for name in given:
        if kinds[name] is bool:
            flag(given, name, place="timings: ")
        else:
            seconds(given, name, 0.0, place="timings: ")
    return Timings(**given)


def _check_some(what: str, given: Fields, known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise InvalidField(f"{what}: expected some of {', '.join(known)}, got {name[:40]!r}")


def sensed_states(table: Table, request: Fields) -> dict[str, str]:
    """Return node → reading. Raise InvalidField for an unknown node or a reading that its sensor can't report."""
    given = mapping(request, "nodes")
    for node, sensed in given.items():
        if node not in table.watch.tracker.sensed:
            raise InvalidField(f"nodes: expected nodes of this board, got {json.dumps(node)[:40]}")
        known = _readings(table, node)
        if not isinstance(sensed, str) or sensed not in known:
            shown = ", ".join(map(json.dumps, known[:8])) + (", ..." if len(known) > 8 else "")
            raise wrong_field(f"a {table.kind} reading, one of {shown}", given, node, "nodes: ")
    return dict(given)


def _readings(table: Table, node: str) -> list[str]:
    """Return all readings that a node's sensor can report."""
    model = table.watch.tracker.model
    pieces = [piece for piece in model.poles if (piece in model.tiles) == (node in model.wells)]
    few = {model.poles[piece]: piece for piece in reversed(pieces)}.values()
    stacks = [(), *((piece,) for piece in pieces), *((one, other) for one in few for other in few)]
    return sorted({"?", *(sensed for stack in stacks for sensed in model.sensed_states(node, stack))})


# -- requests of phones, host and cable ------------------------------------------------------------------------------

_RENAMED = {"proposal": "what"}
"""Fields of a line that the event calls otherwise."""
_NAMES = {field: name for name, field in _RENAMED.items()}


@dataclass(frozen=True)
class EventRequest:
    """A request: its event, and the fields of the line."""

    event: type[ev.Event]
    fields: tuple[str, ...]

    def make(self, table: Table, at: float, request: Fields) -> ev.Event:
        """Return the event of a line. Raise InvalidField for a field that is missing or wrong."""
        kinds = get_type_hints(self.event, include_extras=True)
        optional = {field.name for field in fields(self.event) if field.default is not MISSING}
        values: dict[str, Any] = {**self.event.always}
        for name in self.fields:
            field = _RENAMED.get(name, name)
            if name in request or field not in optional:
                values[field] = _value(table, request, name, schema_of(kinds[field]))
        return self.event(at=at, **values)

    def values(self, event: ev.Event) -> Answer:
        """Return the fields of the line of such an event."""
        return {name: getattr(event, _RENAMED.get(name, name)) for name in self.fields}


def _value(table: Table, request: Fields, name: str, schema: Any) -> Any:
    if schema == maybe(SEAT) and request[name] is None:
        return None
    return _seat(table, request, name) if schema in (SEAT, maybe(SEAT)) else check_field(request, name, schema)


def _seat(table: Table, request: Fields, name: str = "seat") -> int:
    value, seats = request.get(name), table.ledger.all_seats
    if type(value) is not int or value not in seats:
        raise wrong_field(f"one of {_seats_text(seats)}", request, name)
    return value


def _seats_text(seats: tuple[int, ...]) -> str:
    return ", ".join(map(str, seats))


def _event_requests(lines: Mapping[str, type[ev.Event]]) -> dict[str, EventRequest]:
    """Return name → request of lines as events declare them: a name, and fields."""
    named = sorted((line.split(), event) for line, event in lines.items())
    return {name: EventRequest(of, tuple(_NAMES.get(field, field) for field in has)) for (name, *has), of in named}


EVENT_REQUESTS: Mapping[str, EventRequest] = {
    "seal": EventRequest(SealCommitted, ("seat", "action")),  # The service makes the several events of a seal.
    **_event_requests({event.line: event for event in events() if event.line}),
}
"""Without ``seat`` the host masks and unmasks."""
EVENT_VERBS: Mapping[str, EventRequest] = _event_requests({event.verb: event for event in events() if event.verb})
"""What is no request of a person: each has a verb of its own."""


def opening_line(table: Table, start: Mapping[str, Any]) -> Answer:
    """Return the line ``open``, without its time, of a game that has begun; its players are called ``Player 1``, …

    ``start`` is the journal's entry. The line has the seed of a shuffled game only: in others the table draws from it
    for seats whose time is up. Where tables draw a stack together, their lots are proved by the game's own id.
    """
    ledger, seed = table.ledger, start.get("seed")
    dealt = {} if seed is None else {"seed": int(seed, 16) if isinstance(seed, str) else seed}
    drawn = {"of": ledger.game_id, "lots": start["lots"]} if "lots" in start else {}
    return {
        "do": "open",
        "game": table.game.name,
        "mode": ledger.mode,
        "rules": rules_of(table.game),
        "kind": table.kind,
        "position": start["position"] if "given" in start else None,
        "computers": [seat for seat, sitting in ledger.sittings.items() if sitting.computer],
        "clocks": None if ledger.clock_setting is None else ledger.clock_setting.to_dict(),
        **dealt,
        **drawn,
        **({} if table.far is None else {"far": far_tables(table.far)}),
    }


def far_tables(far: FarTables | None) -> Answer | None:
    """Return the field ``far``: who plays elsewhere. The other tables are called ``Far table 2``, …"""
    if far is None:
        return None
    names = {name: f"Far table {number}" for number, name in enumerate(dict.fromkeys(far.seats.values()), 2)}
    seats = {str(seat): names[name] for seat, name in far.seats.items()}
    return {"seats": seats, "writes": far.writes, "waits": far.waits is not None}


OF_SEALS = frozenset({"reveal", "reseal"})
"""Entries that follow from seals, which the lines have only when all of them are open."""


def seal_line(seat: int, action: str) -> Answer:
    """Return the line by which a seat seals, without its time."""
    return {"do": "request", "what": "seal", "seat": seat, "action": action}


def line_of(event: ev.Event) -> Answer | None:
    """Return the line of an event, without its time; None for one that follows from others, or that has no line."""
    if isinstance(event, SensorChanged):
        return {"do": "sense", "nodes": {event.node: event.sensed}}
    if isinstance(event, BoardChanged):
        return {"do": "sense", "nodes": dict(event.sensed_states)}
    if isinstance(event, ev.Tick):
        return {"do": "tick"}
    for verb, own in EVENT_VERBS.items():
        if type(event) is own.event:
            values = own.values(event)
            return None if values.get("kind") in OF_SEALS else {"do": verb, **values}
    for what, request in EVENT_REQUESTS.items():
        if type(event) is request.event and what != "seal":
            values = request.values(event)
            return {
                "do": "request",
                "what": what,
                **{name: value for name, value in values.items() if value is not None},
            }
    return None


# -- the service -----------------------------------------------------------------------------------------------------


def serve(stdin: json_lines.Lines, stdout: BinaryIO) -> int:
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
        return answer_to(line, self.answer, (GameError, TableError))

    def answer(self, request: Fields) -> Answer:
        """Return the answer to one request. Raise GameError or TableError for a refused one, which changes nothing.

        Exception: the time of a refused request may have passed.
        """
        verb, function = _VERBS.of(request)
        function(self, request)
        answer = self._state()
        if verb == "look" and flag(request, "view", False):
            answer["view"] = public_view(self._need())
        return answer

    # -- verbs ---------------------------------------------------------------------------------------------------

    @_VERBS.verb("open", "time game mode rules kind position seats computers seed timings clocks far lots of")
    def _open(self, request: Fields) -> None:
        self._begin(read_setup(request), seconds(request, "time", 0.0))

    def _begin(self, new: TableSetup, at: float) -> None:
        """Make a table, seat all players and start the game."""
        head = {"id": new.id, "game": new.game.name, "mode": new.mode}
        table = Table(new.game, new.id, new.mode, kind=new.kind, timings=new.timings)
        restore(table, [("game", head)], at)
        entries: list[tuple[str, Mapping[str, Any]]] = [("game", head)]
        for event in new.events(at):
            entries += [(one.kind, one.data) for one in handle(table, event) if isinstance(one, AppendEntry)]
        self._table, self._entries, self._told, self._at = table, entries, len(entries), at
        self._sealed, self._undone, self._view = {}, [], None

    @_VERBS.verb("sense", "time nodes")
    def _sense(self, request: Fields) -> None:
        table, at = self._need(), self._time(request)
        given = sensed_states(table, request)
        self._pass(at)
        changed = [(node, sensed) for node, sensed in given.items() if table.watch.tracker.sensed[node] != sensed]
        if len(changed) == 1:
            self._happen(SensorChanged(at=at, node=changed[0][0], sensed=changed[0][1]))
        elif changed:
            self._happen(BoardChanged(at=at, sensed_states=tuple(changed)))
        else:
            self._happen(ev.Tick(at=at))

    @_VERBS.verb("tick", "time")
    def _tick(self, request: Fields) -> None:
        self._need()
        at = self._time(request)
        self._pass(at)
        self._happen(ev.Tick(at=at))
        self._open_seals(at)

    @_VERBS.verb(
        "request", "time what told", *(name for one in EVENT_REQUESTS.values() for name in one.fields), older="deed"
    )
    def _event_request(self, request: Fields) -> None:
        table, at = self._need(), self._time(request)
        what = one_of(request, "what", EVENT_REQUESTS)
        if what == "hint" and "told" in request and "level" not in request:  # Its name in release 0.1.
            request = {**{name: value for name, value in request.items() if name != "told"}, "level": request["told"]}
        if what == "hint":  # In earlier releases it could choose an action, too.
            request = {name: value for name, value in request.items() if name != "action"}
        check_names(request, f"request {what}", ("time", "what", *EVENT_REQUESTS[what].fields))
        if what == "seal":
            seat, action = _seat(table, request), text(request, "action")
            self._pass(at)
            self._seal(at, seat, action)
        else:
            event = EVENT_REQUESTS[what].make(table, at, request)
            self._pass(at)
            self._happen(event)
        self._open_seals(at)

    @_VERBS.verb("far", "time far")
    def _far_tables(self, request: Fields) -> None:
        """Other tables play along, or do not any more."""
        table, at = self._need(), self._time(request)
        far = _far(request, table.ledger.all_seats)
        self._pass(at)
        self._happen(FarTablesChanged(at=at, far=far))

    def _event_verb(self, request: Fields) -> None:
        """Let an event happen that has a verb of its own."""
        table, at = self._need(), self._time(request)
        event = EVENT_VERBS[request["do"]].make(table, at, request)
        self._pass(at)
        self._happen(event)
        self._open_seals(at)

    @_VERBS.verb("restart", "time")
    def _restart(self, request: Fields) -> None:
        """Make the table again from its journal, as after a power cut; the sensors then report their readings."""
        table, at = self._need(), self._time(request)
        self._pass(at)
        head = self._entries[0][1]
        again = Table(table.game, head["id"], head["mode"], kind=table.kind, timings=table.watch.timings)
        restore(again, self._entries, at)
        know(again, table.far)
        self._table, self._at, self._view = again, at, None
        seen = tuple((node, sensed) for node, sensed in table.watch.tracker.sensed.items() if sensed)
        self._happen(BoardChanged(at=at, sensed_states=seen) if seen else ev.Tick(at=at))
        self._open_seals(at)

    @_VERBS.verb("look", "view")
    def _look(self, request: Fields) -> None:
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
        self._happen(SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest))
        self._sealed[seat] = action

    def _open_seals(self, at: float) -> None:
        """Open all seals once all seats have sealed, as phones do."""
        table = self._need()
        sealing = table.ledger.round
        if table.phase != "revealing" or table.paused or sealing is None:
            return
        for seat in sealing.seats:
            if seat not in ready_phones(table):
                self._happen(SealReady(at=at, seat=seat, turn=sealing.turn))
        for seat in sealing.seats:
            if table.phase != "revealing" or seat in open_seats(table):
                continue
            self._happen(SealOpened(at=at, seat=seat, turn=sealing.turn, action=self._sealed[seat], nonce=NONCE))

    # -- time and events -----------------------------------------------------------------------------------------

    def _need(self) -> Table:
        if self._table is None:
            raise InvalidField("do: expected open before anything else: there is no table yet")
        return self._table

    def _time(self, request: Fields) -> float:
        """Return the time of a request in seconds, by default the present time."""
        return seconds(request, "time", self._at, self._at, self._at + MAX_WAIT_S)

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
            if isinstance(one, AppendEntry):
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
            "masked": sorted(masks.KEPT.of(table.ledger)),
            "suspects": [one["node"] for one in view["sensors"]["suspects"]],
        }


for _verb, _event in EVENT_VERBS.items():
    _VERBS.verb(_verb, "time", *_event.fields)(TableSession._event_verb)

if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
