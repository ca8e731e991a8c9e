"""What a phone may send (docs/view.md): strict bodies, clear refusals, nothing half-done."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from firmware_host.table import events as ev
from firmware_host.table.door import Door
from firmware_host.table.errors import TableError
from web_panel.refusals import own_page, refusal
from web_panel.seats import Seats

Body = dict[str, Any]
LONGEST_TEXT = 200


class BadBody(ValueError):
    """The body has the wrong shape; the message names the field and what was expected."""


class NotSeated(Exception):
    """Only a player may do this."""


def blueprint(door: Door, seats: Seats) -> Blueprint:
    """Return the POST endpoints."""
    api = Blueprint("api", __name__, url_prefix="/api")

    def seat() -> int:
        mine = seats.mine()
        if mine is None:
            raise NotSeated
        return mine

    def join(body: Body) -> Response:
        number, name = body["seat"], body["name"]
        known = seats.cookie()
        mine = seats.mine()
        if mine is not None and mine != number:
            raise TableError("seat_taken", f"this phone sits on seat {mine} already; leave that first")
        claim = known[1] if mine is not None and known is not None else secrets.token_urlsafe(16)
        door.submit(ev.SeatTaken(at=door.now(), seat=number, name=name, claim=claim))
        response = _done()
        seats.give(response, (number, claim))
        return response

    def leave(_body: Body) -> Response:
        door.submit(ev.SeatLeft(at=door.now(), seat=seat()))
        response = _done()
        seats.take(response)
        return response

    def computer(body: Body) -> Response:
        number = body["seat"]
        name = f"Computer {number}"
        door.submit(ev.SeatTaken(at=door.now(), seat=number, name=name, claim="", computer=True))
        return _done()

    def dismiss(body: Body) -> Response:
        """Take a computer off its seat."""
        number = body["seat"]
        _, view = door.view(None)
        if not any(other["seat"] == number and other["computer"] for other in view["seats"]):
            raise TableError("bad_seat", f"no computer sits on seat {number}")
        door.submit(ev.SeatLeft(at=door.now(), seat=number))
        return _done()

    def tell(make: Callable[[Body], ev.Event]) -> Callable[[Body], Response]:
        def answer(body: Body) -> Response:
            door.submit(make(body))
            return _done()

        return answer

    def new(body: Body) -> Response:
        door.new_game(seat(), body.get("mode"))
        return _done()

    now = door.now
    routes: Mapping[str, tuple[Callable[[Body], Response], Mapping[str, type]]] = {
        "join": (join, {"seat": int, "name": str}),
        "leave": (leave, {}),
        "computer": (computer, {"seat": int}),
        "dismiss": (dismiss, {"seat": int}),
        "mode": (tell(lambda b: ev.ModeChosen(at=now(), mode=b["mode"])), {"mode": str}),
        "start": (tell(lambda _: ev.GameStarted(at=now(), seat=seats.mine())), {}),
        "seal": (
            tell(lambda b: ev.SealCommitted(at=now(), seat=seat(), turn=b["turn"], commitment=b["commitment"])),
            {"turn": int, "commitment": str},
        ),
        "ready": (tell(lambda b: ev.SealReady(at=now(), seat=seat(), turn=b["turn"])), {"turn": int}),
        "open": (
            tell(lambda b: ev.SealOpened(at=now(), seat=seat(), turn=b["turn"], action=b["action"], nonce=b["nonce"])),
            {"turn": int, "action": str, "nonce": str},
        ),
        "choose": (tell(lambda b: ev.ActionChosen(at=now(), seat=seat(), action=b["action"])), {"action": str}),
        "confirm": (tell(lambda b: ev.Confirmed(at=now(), seat=seat(), action=b["action"])), {"action": str}),
        "guidance": (tell(lambda b: ev.GuidanceChosen(at=now(), seat=seat(), on=b["on"])), {"on": bool}),
        "resign": (tell(lambda _: ev.Resigned(at=now(), seat=seat())), {}),
        "propose": (
            tell(lambda b: ev.Proposed(at=now(), seat=seat(), what=b["what"], about=b.get("about"))),
            {"what": str, "about?": int},
        ),
        "agree": (tell(lambda b: ev.Agreed(at=now(), seat=seat(), what=b["what"])), {"what": str}),
        "decline": (tell(lambda b: ev.Declined(at=now(), seat=seat(), what=b["what"])), {"what": str}),
        "mask": (
            tell(lambda b: ev.SensorMasked(at=now(), node=b["node"], reason="a player says so", seat=seat())),
            {"node": str},
        ),
        "unmask": (tell(lambda b: ev.SensorUnmasked(at=now(), node=b["node"], seat=seat())), {"node": str}),
        "new": (new, {"mode?": str}),
    }
    for name, (deed, fields) in routes.items():
        api.add_url_rule(f"/{name}", name, _checked(deed, fields), methods=["POST"])
    return api


def _done() -> Response:
    return jsonify({"ok": True})


def _checked(deed: Callable[[Body], Response], fields: Mapping[str, type]) -> Callable[[], tuple[Response, int]]:
    """Return a view that lets only well-formed requests of our own pages through to the deed."""

    def answer() -> tuple[Response, int]:
        if not own_page():
            return jsonify(refusal("foreign", "requests of other pages are not taken")), 403
        if request.mimetype != "application/json":
            return jsonify(refusal("bad_request", "expected Content-Type: application/json")), 415
        try:
            return deed(_body(fields)), 200
        except BadBody as error:
            return jsonify(refusal("bad_request", str(error))), 400
        except NotSeated:
            return jsonify(refusal("not_seated", "this phone holds no seat; join first")), 403

    return answer


def _body(fields: Mapping[str, type]) -> Body:
    """Return the body, its fields checked; ``name?`` marks an optional field."""
    try:
        body = json.loads(request.get_data().decode(), object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadBody(f"expected a JSON object: {error}") from error
    if not isinstance(body, dict):
        raise BadBody(f"expected a JSON object, got {type(body).__name__}")
    wanted = {name.removesuffix("?"): kind for name, kind in fields.items()}
    for name in body:
        if name not in wanted:
            expected = ", ".join(wanted) or "no fields"
            raise BadBody(f"{name[:40]}: unknown field, expected {expected}")
    for name, kind in fields.items():
        _check_field(body, name, kind)
    return body


def _without_doubles(pairs: list[tuple[str, Any]]) -> Body:
    """Return an object. One that says a thing twice means one thing to us and perhaps another to whoever checked it."""
    body = dict(pairs)
    if len(body) < len(pairs):
        raise ValueError("a name stands in it twice")
    return body


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _check_field(body: Body, name: str, kind: type) -> None:
    field = name.removesuffix("?")
    word = {int: "a whole number", bool: "true or false"}.get(kind, "a text")
    if field not in body:
        if name.endswith("?"):
            return
        raise BadBody(f"{field}: expected {word}, but it is missing")
    value = body[field]
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise BadBody(f"{field}: expected {word}, got {json.dumps(value)[:60]}")
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise BadBody(f"{field}: expected at most {LONGEST_TEXT} characters, got {len(value)}")
    if isinstance(value, str) and not value.isprintable():
        raise BadBody(f"{field}: expected printable characters only")
    if isinstance(value, int) and abs(value) > 1_000_000:
        raise BadBody(f"{field}: expected a smaller number")
