"""What all screens see of the table: the view, at once and as server-sent events; the time.

The view is serialised once for each change, not once for each viewer: views differ in ``you`` and ``host`` only.
"""

from __future__ import annotations

from flask import Response, jsonify, request

from firmware_host.table.view import view_form
from firmware_host.text.json_reader import (
    COUNT,
    TEXT,
    Schema,
    components,
    part,
    record,
)
from firmware_host.text.words import say
from web_panel.languages import language
from web_panel.limits import STREAMS_AN_ADDRESS
from web_panel.panel import ALONE, Panel, Screens
from web_panel.refusals import Denied
from web_panel.renderings import Frame
from web_panel.routes import Routes
from web_panel.streams import Stream

STREAMS_A_SEAT = 3
STREAMS_OF_THE_HOST = 8
"""Streams of the host, whose browser may show the big screen, the board and more."""

# -- the view ---------------------------------------------------------------------------------------------------------

routes = Routes("live", components(view_form()))
OF_ALONE: Schema = {
    "name": ALONE, "in": "query", "required": False, "schema": {"type": "string", "enum": ["1"]},
    "description": "Asked by a page of a lesson on its phone alone: what it shows is the lesson, not the table",
}  # fmt: skip
STREAM_WORDS: Schema = {
    "description": "`id` names run, state and beholder. With `Last-Event-ID` of just this state nothing is sent but a "
    "beat; with any other the state. `event: beat` every two seconds; `event: enough` before a stream that gave way "
    "ends.",
    "parameters": [{"name": "Last-Event-ID", "in": "header", "required": False, "schema": TEXT}, OF_ALONE],
}
NOT_CHANGED: Schema = {"description": "Nothing has changed: `ETag` names run, state and beholder"}


@routes.get("/api/state", part("View"), more={"parameters": [OF_ALONE]}, _304=NOT_CHANGED)
def state(screens: Screens) -> Response:
    """The view: everything that may be seen, from this seat."""
    lesson = screens.lesson_alone()
    seat = screens.seats.mine() if lesson is None else lesson.seat
    frame = screens.live_of(lesson).frames.of(seat, language=language(), host=screens.hosting.here())
    response = Response(frame.body, mimetype="application/json")
    # An unchanged view is answered with 304: 200 polling screens would fetch a megabyte a second.
    response.set_etag(frame.id)
    response.headers["Cache-Control"] = "private, no-cache"
    response.make_conditional(request)
    return response


@routes.get("/api/events", str, kind="text/event-stream", more=STREAM_WORDS, _503="Busy")
def events(screens: Screens) -> Response:
    """The same, at once and after every change, as server-sent events."""
    seats, lesson = screens.seats, screens.lesson_alone()
    live, sitting = screens.live_of(lesson), seats.cookie()

    def seat() -> int | None:
        return seats.seat_of(sitting) if lesson is None else lesson.seat

    owner, limit, player = _place(seat(), screens.hosting.here(), request.remote_addr)
    number = live.places.enter(owner, limit, player=player)
    if number is None:
        raise Denied(503, "busy", say("too many screens are watching this table; this one is updated now and then"))
    words, hosting = language(), screens.hosting.cookie()

    def frame(newest: int | None) -> Frame:
        return live.frames.of(seat(), newest, words, host=screens.hosting.holds(hosting))

    known = request.headers.get("Last-Event-ID", "")
    return live.broadcaster.response(
        Stream(frame, known, lambda: live.places.goes_on(owner, number), lambda: live.places.leave(owner, number))
    )


def _place(seat: int | None, is_host: bool, address: str | None) -> tuple[object, int, bool]:
    """Return a stream's owner, the owner's limit, and whether it is a player (a seat or the host)."""
    if seat is not None:
        return ("seat", seat), STREAMS_A_SEAT, True
    if is_host:
        return "host", STREAMS_OF_THE_HOST, True
    return ("address", address), STREAMS_AN_ADDRESS, False


# -- more of the game -------------------------------------------------------------------------------------------------

game_routes = Routes("game")


@game_routes.get("/api/time", record(now=COUNT))
def time(panel: Panel) -> Response:
    """The table's time, milliseconds, by which clocks count."""
    response = jsonify({"now": round(panel.now() * 1000)})
    response.headers["Cache-Control"] = "no-store"
    return response
