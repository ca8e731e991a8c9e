"""The requests of the table protocol, checked field by field: docs/table-protocol.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.registry import game as find_game
from firmware_host.services.json_lines import MOST_SECONDS, BadRequest, Request, flag, got, mapping, one_of, text, whole
from firmware_host.table import events as ev
from firmware_host.table.clocks import ClockSetting
from firmware_host.table.hypotheses import Timings
from firmware_host.table.state import Table
from firmware_host.text.words import say

KINDS = ("presence", "polarity", "level", "coded")
LARGEST_SEED = 2**128 - 1


@dataclass(frozen=True)
class Opening:
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

    def events(self, at: float) -> list[ev.Event]:
        """Return the events until play begins."""
        seated = zip(self.game.seats(self.mode), self.names, strict=True)
        return [
            *(
                ev.SeatTaken(at=at, seat=seat, name=name, claim=f"seat-{seat}", computer=seat in self.computers)
                for seat, name in seated
            ),
            *([ev.ClocksChosen(at=at, setting=self.clocks)] if self.clocks else []),
            ev.GameStarted(at=at, seed=self.seed, position=self.position),
        ]


def opening(request: Request) -> Opening:
    """Return the fields of ``open``. Raise GameError for a wrong one."""
    game = find_game(text(request, "game"), mapping(request, "rules", {}))
    mode = one_of(request, "mode", game.modes, game.modes[0])
    seats = game.seats(mode)
    return Opening(
        game,
        mode,
        one_of(request, "kind", KINDS, "presence"),
        _names(request, seats),
        _computers(request, seats),
        whole(request, "seed", 0, 0, LARGEST_SEED),
        None if request.get("position") is None else text(request, "position"),
        _timings(request),
        _clocks(request, seats),
    )


def _names(request: Request, seats: tuple[int, ...]) -> tuple[str, ...]:
    given = request.get("seats", [f"Player {seat}" for seat in seats])
    if not isinstance(given, list) or len(given) != len(seats) or not all(isinstance(name, str) for name in given):
        raise BadRequest(f"seats: expected a list of {len(seats)} names, {got(request, 'seats')}")
    return tuple(given)


def _computers(request: Request, seats: tuple[int, ...]) -> frozenset[int]:
    given = request.get("computers", [])
    if not isinstance(given, list) or not all(_is_one_of(seat, seats) for seat in given):
        raise BadRequest(f"computers: expected a list of seats, of {_listed(seats)}, {got(request, 'computers')}")
    return frozenset(given)


def _clocks(request: Request, seats: tuple[int, ...]) -> ClockSetting | None:
    """Return the clocks' setting, None without clocks."""
    if request.get("clocks") is None:
        return None
    given = mapping(request, "clocks")
    usual: Mapping[str, Any] = {"main": None, "increment": 0, "delay": 0, "strict": False, "odds": {}}
    for name in given:
        if name not in usual:
            raise BadRequest(f"clocks: expected some of {', '.join(usual)}, got {name[:40]!r}")
    told = {**usual, **given}
    odds = mapping(told, "odds")
    times = [told["increment"], told["delay"], *odds.values(), *([] if told["main"] is None else [told["main"]])]
    if not all(type(one) is int for one in times) or not set(odds) <= {str(seat) for seat in seats}:
        raise BadRequest(f"clocks: expected whole seconds, and odds by seat, {got(request, 'clocks')}")
    try:
        return ClockSetting.of({**told, "strict": flag(told, "strict", False)})
    except ValueError as error:
        raise BadRequest(f"clocks: {error}") from error


def _timings(request: Request) -> Timings:
    given = mapping(request, "timings", {})
    known = {field.name: bool if field.type == "bool" else float for field in fields(Timings)}
    for name, value in given.items():
        if name not in known:
            raise BadRequest(f"timings: expected some of {', '.join(known)}, got {name[:40]!r}")
        if known[name] is bool and not isinstance(value, bool):
            raise BadRequest(f"timings: {name}: expected true or false, {got(given, name)}")
        if known[name] is float and (
            isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_SECONDS
        ):
            raise BadRequest(f"timings: {name}: expected a number of seconds from 0, {got(given, name)}")
    return Timings(**given)


def sensed_states(table: Table, request: Request) -> dict[str, str]:
    """Return node → reading. Raise BadRequest for an unknown node or a reading that its sensor can't report."""
    given = mapping(request, "nodes")
    for node, sensed in given.items():
        if node not in table.watch.tracker.seen:
            raise BadRequest(f"nodes: expected nodes of this board, got {json.dumps(node)[:40]}")
        known = _readings(table, node)
        if not isinstance(sensed, str) or sensed not in known:
            shown = ", ".join(map(json.dumps, known[:8])) + (", ..." if len(known) > 8 else "")
            raise BadRequest(f"nodes: {node}: expected a {table.kind} reading, one of {shown}, {got(given, node)}")
    return dict(given)


def _readings(table: Table, node: str) -> list[str]:
    """Return all readings that a node's sensor can report."""
    model = table.watch.tracker.model
    pieces = [piece for piece in model.poles if (piece in model.tiles) == (node in model.wells)]
    few = {model.poles[piece]: piece for piece in reversed(pieces)}.values()
    stacks = [(), *((piece,) for piece in pieces), *((one, other) for one in few for other in few)]
    return sorted({"?", *(sensed for stack in stacks for sensed in model.sensed_states(node, stack))})


# -- requests of phones, host and cable --------------------------------------------------------------------------------


def _seat(table: Table, request: Request, name: str = "seat") -> int:
    seats = table.ledger.all_seats
    value = request.get(name)
    if not isinstance(value, int) or not _is_one_of(value, seats):
        raise BadRequest(f"{name}: expected one of {_listed(seats)}, {got(request, name)}")
    return value


def _some_seat(table: Table, request: Request, name: str) -> int | None:
    return None if request.get(name) is None else _seat(table, request, name)


def _is_one_of(value: Any, seats: tuple[int, ...]) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in seats


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(map(str, seats))


def sealed_action(table: Table, request: Request) -> tuple[int, str]:
    """Return the seat that seals, and its action."""
    return _seat(table, request), text(request, "action")


def _no_event(table: Table, _at: float, request: Request) -> None:
    """Check the fields of a seal and return None: the service itself makes the several events of a seal."""
    sealed_action(table, request)


def _said(
    event: Callable[..., ev.Event], **fields: Callable[[Table, Request], Any]
) -> Callable[[Table, float, Request], ev.Event]:
    """Return a function that makes an event of a request; ``fields`` maps the event's fields to their readers."""
    return lambda table, at, request: event(at=at, **{name: of(table, request) for name, of in fields.items()})


def _proposal(_table: Table, request: Request) -> str:
    return text(request, "proposal")


def _action(_table: Table, request: Request) -> str:
    return text(request, "action")


def _node(_table: Table, request: Request) -> str:
    return text(request, "node")


EventOf = Callable[[Table, float, Request], ev.Event | None]

REQUESTS: Mapping[str, tuple[tuple[str, ...], EventOf]] = {
    "seal": (("seat", "action"), _no_event),
    "choose": (("seat", "action"), _said(ev.ActionChosen, seat=_seat, action=_action)),
    "confirm": (("seat", "action"), _said(ev.Confirmed, seat=_seat, action=_action)),
    "resign": (("seat",), _said(ev.Resigned, seat=_seat)),
    "propose": (
        ("seat", "proposal", "about"),
        _said(ev.Proposed, seat=_seat, what=_proposal, about=lambda t, r: _some_seat(t, r, "about")),
    ),
    "agree": (("seat", "proposal"), _said(ev.Agreed, seat=_seat, what=_proposal)),
    "decline": (("seat", "proposal"), _said(ev.Declined, seat=_seat, what=_proposal)),
    "hint": (
        ("seat", "told", "action"),
        _said(
            ev.HintTaken,
            seat=_seat,
            told=lambda _, r: whole(r, "told", None, 1, 3),
            action=lambda _, r: text(r, "action") if "action" in r else None,
        ),
    ),
    "hints": (
        ("seat", "on"),
        _said(ev.HintsAllowed, seat=lambda t, r: _some_seat(t, r, "seat"), on=lambda _, r: flag(r, "on")),
    ),
    "mask": (
        ("seat", "node"),
        _said(
            ev.SensorMasked,
            node=_node,
            seat=lambda t, r: _some_seat(t, r, "seat"),
        ),
    ),
    "unmask": (
        ("seat", "node"),
        _said(ev.SensorUnmasked, node=_node, seat=lambda t, r: _some_seat(t, r, "seat")),
    ),
    "pause": ((), _said(ev.GamePaused)),
    "resume": ((), _said(ev.GameResumed)),
    "take-back": ((), _said(ev.ActionUndone)),
    "void": ((), _said(ev.TurnVoided)),
    "lose-board": (
        (),
        _said(ev.BoardLost, reason=lambda _t, _r: say("The board does not answer: {error}", error="lose-board")),
    ),
    "regain-board": ((), _said(ev.BoardBack)),
}
"""Request of a phone, the host or the board's cable → (its fields, the function that makes its event).

Without ``seat`` the host masks and unmasks; the last six are requests of the host and of the cable.
"""
