"""The requests of phones (docs/view.md): sitting down and leaving, sealing, choosing, proposing, asking for hints."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import Any

from flask import Response, jsonify

from firmware_host.games.capabilities import Attempt
from firmware_host.plug import added_fields, added_values
from firmware_host.table.errors import TableError
from firmware_host.table.events import Seat, Word
from firmware_host.table.subjects.hints import HintLevel, HintTaken
from firmware_host.table.subjects.seats import SeatAsked, SeatClaim, SeatLeft, SeatNamed, SeatTaken, name_key
from firmware_host.text.json_reader import CODE, NODE, SEAT, Schema, maybe, record, rows, table_of
from firmware_host.text.words import say
from web_panel.limits import ASKS, TICKET_GUESSES
from web_panel.panel import Panel
from web_panel.routes import Routes, success

TICKET: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"}

_CHOICE = record(action=str, words=str, leads=str, nodes=rows(NODE))
routes = Routes("api", {
    "Asked": record(ok={"const": True}, code=CODE),
    "Given": record(ok={"const": True}, seat=SEAT),
    "Tickets": record(
        shown=bool, tickets=table_of(TICKET),
        **added_fields(lambda one: one.lobby_fields),
    ),
    "Why": record(ok={"const": True}, why=maybe(str)),
    "Hint": record(
        ok={"const": True},
        hint=maybe(record(
            level=int, told=int, drawn=bool, words=str, nodes=rows(NODE), choices=rows(_CHOICE), ways=rows(rows(NODE)),
            puts=rows(record(node=NODE, piece=str)),
        )),
    ),
})  # fmt: skip


def check_name(view: Mapping[str, Any], own: Collection[int], name: str) -> None:
    """Raise TableError if a name looks like that of another than one's own seats. The table itself checks the rest."""
    for one in view["seats"]:
        if one["taken"] and one["seat"] not in own and name_key(one["name"]) == name_key(name):
            taken = say("somebody is already called {name}; choose another name", name=one["name"])
            raise TableError("bad_name", taken)


# -- seats ------------------------------------------------------------------------------------------------------------


@routes.post("/api/join", "ticket", event=SeatTaken)
def join(panel: Panel, seat: Seat, name: Word, ticket: Word, move: bool = False) -> Response:
    """Take an open seat with its ticket; the answer sets the cookie that holds it. `move`: instead of the one held."""
    held = panel.seats.held()
    mine = held.seat if held is not None else None
    if mine is not None and mine != seat and not move:
        raise _has_seat(mine)
    check_name(panel.view, {seat, mine or seat}, name)
    if held is not None and mine == seat:  # A repeated request: the first answer was lost, or a double tap.
        panel.submit(SeatTaken(at=panel.now(), seat=seat, name=name, claim=held.claim), held)
        return success()
    taken = SeatClaim(seat, secrets.token_urlsafe(16))
    with panel.guesses.count("tickets", TICKET_GUESSES), panel.tickets.using(seat, ticket):
        panel.submit(SeatTaken(at=panel.now(), seat=seat, name=name, claim=taken.claim, leaves=mine), held)
    response = success()
    panel.seats.give(response, taken)
    return response


@routes.post("/api/leave", "player", event=SeatLeft)
def leave(panel: Panel, by: SeatClaim) -> Response:
    """Give the seat up in the lobby."""
    panel.submit(SeatLeft(at=panel.now(), seat=by.seat), by)
    response = success()
    panel.seats.take(response)
    return response


@routes.post("/api/name", "player", event=SeatNamed)
def rename(panel: Panel, by: SeatClaim, name: Word) -> None:
    """Rename yourself, in the lobby."""
    check_name(panel.view, {by.seat}, name)
    panel.submit(SeatNamed(at=panel.now(), seat=by.seat, name=name), by)


@routes.post("/api/ask", "ask", answer="Asked", event=SeatAsked)
def ask(panel: Panel, seat: Seat) -> Response:
    """Ask the host for a seat that another phone holds; the answer has the code to show."""
    mine = panel.seats.mine()
    if mine is not None:
        raise _has_seat(mine)
    panel.guesses.limit("asks", ASKS)
    asked = panel.asks.ask(seat)
    response = jsonify({"ok": True, "code": asked.code})
    panel.asks.give(response, asked)
    return response


@routes.post("/api/collect", "asking", answer="Given")
def collect(panel: Panel) -> Response:
    """Take the seat that the host has allowed; the answer sets its cookie."""
    given = panel.asks.collect()
    response = jsonify({"ok": True, "seat": given.seat})
    panel.seats.give(response, given)
    panel.asks.take(response)
    return response


def _has_seat(mine: int) -> TableError:
    return TableError("seat_taken", say("this phone already has seat {seat}; leave that first", seat=mine))


@routes.get("/api/tickets", {"$ref": "#/components/schemas/Tickets"})
def tickets(panel: Panel) -> Mapping[str, Any]:
    """The tickets of free seats: for everybody or, if the host has chosen so, for the host alone."""
    shown = panel.tickets.are_shown()
    live = panel.tickets.live() if shown or panel.hosting.here() else {}
    return {
        "shown": shown,
        "tickets": {str(seat): ticket for seat, ticket in live.items()},
        **added_values(lambda one: one.lobby_fields, panel.attached, lambda one: one.lobby_state()),
    }


# -- a game -----------------------------------------------------------------------------------------------------------


@routes.post("/api/hint", "seated", answer="Hint", former={"told": "level"}, event=HintTaken)
def hint(panel: Panel, by: SeatClaim, level: HintLevel) -> Mapping[str, Any]:
    """Ask for a hint: 1 which piece, 2 which actions, 3 drawn as well; null while it is thought about: ask again."""
    found = panel.table.hint(by.seat, level, by)
    return {"hint": found and {**found, "told": found["level"]}}  # ``told``: for open pages of release 0.1.


@routes.post("/api/why", "player", answer="Why")
def why(
    panel: Panel, by: SeatClaim, from_: Word | None = None, to: Word | None = None, piece: Word | None = None
) -> Mapping[str, Any]:
    """Ask by which rule a piece can't go from a node (or the supply) to a node; nothing is done."""
    return {"why": panel.place.why_not(Attempt(from_, to, piece), by)}


@routes.post("/api/hurry", "seated")
def hurry(panel: Panel, by: SeatClaim) -> None:
    """Make the computer move now."""
    panel.table.hurry(by)


@routes.post("/api/rematch", "seated")
def rematch(panel: Panel, by: SeatClaim, game: Word | None = None, turned: bool | None = None) -> None:
    """After the end (of `game`), begin it again at once; `turned`: everybody moves on by one seat, or as usual."""
    panel.table.rematch(after=game, turned=turned, by=by)


@routes.post("/api/new", "seated")
def new(panel: Panel, by: SeatClaim, game: Word | None = None, turned: bool = False) -> None:
    """After the end (of `game`), open the next lobby of the same game; `turned`: everybody moves on by one seat."""
    panel.table.new_game(after=game, turned=turned, by=by)
