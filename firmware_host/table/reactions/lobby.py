"""The lobby: the mode, the seats, names and colours, and the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from firmware_host.games.game import GameError
from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.colours import COLOURS
from firmware_host.table.dealing import deal_seal, is_dealt, starting
from firmware_host.table.errors import TableError
from firmware_host.table.levels import checked_level
from firmware_host.table.seats import called, check_seat, sitting_down, sitting_on
from firmware_host.table.state import TableState
from firmware_host.text.words import say


def _choose_mode(change: Change, event: ev.ModeChosen) -> None:
    table = change.state
    if event.mode not in table.game.modes:
        modes = ", ".join(table.game.modes)
        raise TableError("bad_mode", say("mode: expected one of {modes}, got {mode!r}", modes=modes, mode=event.mode))
    change.enter("mode", {"mode": event.mode})
    table.seat_requests = {code: seat for code, seat in table.seat_requests.items() if seat in table.ledger.sittings}


def _take_seat(change: Change, event: ev.SeatTaken) -> None:
    table = change.state
    if event.computer:
        event = replace(event, level=checked_level(table.game, event.level))
    change.enter("seat", sitting_down(table.ledger, event))


def _leave_seat(change: Change, event: ev.SeatLeft) -> None:
    table = change.state
    sitting_on(table.ledger, event.seat)
    change.enter("left", {"seat": event.seat})
    table.seat_requests = {code: seat for code, seat in table.seat_requests.items() if seat != event.seat}


def _name(change: Change, event: ev.SeatNamed) -> None:
    table = change.state
    sitting = sitting_on(table.ledger, event.seat)
    name = called(table.ledger, event.seat, event.name)
    if name != sitting.name:
        change.enter("seat", table.ledger.seat_entry(event.seat, name=name))


def _colour(change: Change, event: ev.SeatColoured) -> None:
    table = change.state
    check_seat(table.ledger, event.seat)
    if not 1 <= event.colour <= COLOURS:
        raise TableError(
            "bad_colour", say("colour: expected 1 to {most}, got {colour}", most=COLOURS, colour=event.colour)
        )
    if table.ledger.own_colours:
        raise TableError("bad_colour", say("here the colours of the pieces tell the players apart"))
    if table.ledger.colours[event.seat] != event.colour:
        change.enter("colour", {"seat": event.seat, "colour": event.colour})


def _choose_clocks(change: Change, event: ev.ClocksChosen) -> None:
    table = change.state
    setting = event.setting
    for seat in setting.odds if setting else ():
        check_seat(table.ledger, seat)
    if setting != table.ledger.clock_setting:
        change.enter("clocks", setting.told() if setting else {})


def _start(change: Change, event: ev.GameStarted) -> None:
    table = change.state
    open_seats = [seat for seat in table.ledger.all_seats if seat not in table.ledger.sittings]
    if open_seats:
        raise TableError("wrong_phase", say("seats still open: {seats}", seats=", ".join(map(str, open_seats))))
    try:
        entry = _start_entry(table, event)
    except GameError as error:
        raise TableError(error.code, error.message) from error
    change.enter("start", entry)
    change.set_up()


def _start_entry(table: TableState, event: ev.GameStarted) -> dict[str, Any]:
    game, mode = table.game, table.ledger.mode
    if event.position is not None:
        given = {"given": True, "position": event.position}
        return {**given, "position": game.text(starting(game, mode, given))}
    seed = table.seed if event.seed is None else event.seed
    dealt = {"seed": seed} if is_dealt(game) else {}
    position = game.text(starting(game, mode, dealt))
    sealed = {"deal": deal_seal(table.ledger.game_id, seed, position)} if dealt else {}
    return {"position": position, **dealt, **sealed}


HANDLERS: Mapping[type[ev.Event], Callable[[Change, Any], None]] = {
    ev.ModeChosen: _choose_mode,
    ev.SeatTaken: _take_seat,
    ev.SeatLeft: _leave_seat,
    ev.SeatNamed: _name,
    ev.SeatColoured: _colour,
    ev.ClocksChosen: _choose_clocks,
    ev.GameStarted: _start,
}
"""Handlers of events in the lobby."""
