"""The requests of phones (docs/view.md): strict bodies, clear refusals, no partial changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from flask import Blueprint, Response, jsonify

from firmware_host.games.offers import Attempt
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.service import TableService
from firmware_host.text.words import say
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, Deed, Routes, add_routes, done
from web_panel.api.names import check_name
from web_panel.server.limits import ASKS, TICKET_GUESSES
from web_panel.text.denied import not_seated
from web_panel.text.wording import in_words


def blueprint(door: TableService, keys: Keys) -> Blueprint:
    """Return the POST endpoints of phones, and ``/api/tickets``, ``/api/review`` and ``/api/time``."""
    api = Blueprint("api", __name__, url_prefix="/api")
    add_routes(api, {**_sitting(door, keys), **_moving(keys), **_lobby(door, keys), **_play(door, keys)})

    @api.get("/tickets")
    def shown() -> Response:
        """Return the tickets of free seats, to everybody or, if the host has chosen so, to the host alone."""
        tickets = keys.tickets
        live = tickets.live() if (shown := tickets.shown()) or keys.host.here() else {}
        return jsonify({"shown": shown, "tickets": {str(seat): ticket for seat, ticket in live.items()}})

    @api.get("/review")
    def review() -> Response:
        """Return the review of the game that has ended, or its progress."""
        return jsonify(in_words(door.review()))

    @api.get("/time")
    def time() -> Response:
        """Return the table's time, milliseconds: pages compute running clocks from it."""
        response = jsonify({"now": round(door.now() * 1000)})
        response.headers["Cache-Control"] = "no-store"
        return response

    del shown, review, time
    return api


def _seat(keys: Keys) -> int:
    """Return the seat of the requesting phone. Raise Denied if it has none."""
    mine = keys.seats.mine()
    if mine is None:
        raise not_seated()
    return mine


def _sits(mine: int) -> TableError:
    return TableError("seat_taken", say("this phone already has seat {seat}; leave that first", seat=mine))


def _sitting(door: TableService, keys: Keys) -> Routes:
    """Return the requests to take and to leave a seat."""
    now, seats = door.now, keys.seats

    def join(body: Body) -> Response:
        number, name = body["seat"], body["name"]
        mine, known = seats.mine(), seats.cookie()
        if mine is not None and mine != number:
            raise _sits(mine)
        check_name(door.view(None)[1], number, name)
        if mine is not None and known is not None:  # A repeated request: the first answer was lost, or a double tap.
            door.submit(ev.SeatTaken(at=now(), seat=number, name=name, claim=known[1]))
            return done()
        claim = secrets.token_urlsafe(16)
        with keys.guesses.counted("tickets", TICKET_GUESSES), keys.tickets.used(number, body["ticket"]):
            door.submit(ev.SeatTaken(at=now(), seat=number, name=name, claim=claim))
        response = done()
        seats.give(response, (number, claim))
        return response

    def leave(_body: Body) -> Response:
        door.submit(ev.SeatLeft(at=now(), seat=_seat(keys)))
        response = done()
        seats.take(response)
        return response

    return {"join": join, "leave": leave}


def _moving(keys: Keys) -> Routes:
    """Return the requests by which a phone gets a seat that another phone holds."""

    def ask(body: Body) -> Response:
        mine = keys.seats.mine()
        if mine is not None:
            raise _sits(mine)
        keys.guesses.limited("asks", ASKS)
        asked = keys.asks.ask(body["seat"])
        response = jsonify({"ok": True, "code": asked.code})
        keys.asks.give(response, asked)
        return response

    def collect(_body: Body) -> Response:
        got = keys.asks.collect()
        response = jsonify({"ok": True, "seat": got.seat})
        keys.seats.give(response, (got.seat, got.claim))
        keys.asks.take(response)
        return response

    return {"ask": ask, "collect": collect}


def _tell(door: TableService, make: Callable[[Body], ev.Event]) -> Deed:
    """Return a handler that submits the event made of a body."""

    def answer(body: Body) -> Response:
        door.submit(make(body))
        return done()

    return answer


def _lobby(door: TableService, keys: Keys) -> Routes:
    """Return a seated player's requests before and after a game."""
    now = door.now

    def seat() -> int:
        return _seat(keys)

    def new(body: Body) -> Response:
        """Open the next lobby after the end, of the same game in the same mode."""
        seat()
        door.new_game(turned=body.get("turned", False))
        return done()

    def name(body: Body) -> Response:
        mine = seat()
        check_name(door.view(None)[1], mine, body["name"])
        door.submit(ev.SeatNamed(at=now(), seat=mine, name=body["name"]))
        return done()

    return {
        "name": name,
        "colour": _tell(door, lambda b: ev.SeatColoured(at=now(), seat=seat(), colour=b["colour"])),
        "new": new,
    }


def _play(door: TableService, keys: Keys) -> Routes:
    """Return the players' requests in a game."""
    now = door.now

    def seat() -> int:
        return _seat(keys)

    def tell(make: Callable[[Body], ev.Event]) -> Deed:
        return _tell(door, make)

    def why(body: Body) -> Response:
        """Return the rule that forbids an attempted move; nothing changes."""
        seat()
        reason = door.why_not(Attempt(body.get("from"), body.get("to"), body.get("piece")))
        return jsonify({"ok": True, "why": in_words(reason)})

    def hurry(_body: Body) -> Response:
        """Make a thinking computer act soon."""
        seat()
        door.hurry()
        return done()

    def hint(body: Body) -> Response:
        """Return a hint for this phone's seat; null while it is being computed."""
        return jsonify({"ok": True, "hint": in_words(door.hint(seat(), body["told"]))})

    return {
        "why": why,
        "hint": hint,
        "seal": tell(lambda b: ev.SealCommitted(at=now(), seat=seat(), turn=b["turn"], commitment=b["commitment"])),
        "ready": tell(lambda b: ev.SealReady(at=now(), seat=seat(), turn=b["turn"])),
        "open": tell(
            lambda b: ev.SealOpened(at=now(), seat=seat(), turn=b["turn"], action=b["action"], nonce=b["nonce"])
        ),
        "choose": tell(lambda b: ev.ActionChosen(at=now(), seat=seat(), action=b["action"])),
        "confirm": tell(lambda b: ev.Confirmed(at=now(), seat=seat(), action=b["action"])),
        "hurry": hurry,
        "resign": tell(lambda _: ev.Resigned(at=now(), seat=seat())),
        "propose": tell(lambda b: ev.Proposed(at=now(), seat=seat(), what=b["what"], about=b.get("about"))),
        "agree": tell(lambda b: ev.Agreed(at=now(), seat=seat(), what=b["what"])),
        "decline": tell(lambda b: ev.Declined(at=now(), seat=seat(), what=b["what"])),
        "mask": tell(lambda b: ev.SensorMasked(at=now(), node=b["node"], reason=say("a player says so"), seat=seat())),
        "unmask": tell(lambda b: ev.SensorUnmasked(at=now(), node=b["node"], seat=seat())),
    }
