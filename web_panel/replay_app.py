"""The panel of a replay: one page for phones and big screens, its stream, and the screens' commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from flask import Blueprint, Flask, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from firmware_host.table.service import TableService
from firmware_host.text.words import say
from web_panel.access.seats import Seats
from web_panel.api.bodies import json_object
from web_panel.openapi import document as openapi
from web_panel.openapi import replay as openapi_replay
from web_panel.pages import how_to_play, icons, scripts
from web_panel.server import live
from web_panel.server.guard import guard
from web_panel.server.lean import send_lean
from web_panel.server.limits import Buckets
from web_panel.text.denied import Denied
from web_panel.text.refusals import own_page
from web_panel.text.wording import in_words, speak


class ReplayDoor(TableService, Protocol):
    """A table service that shows a recorded game."""

    def order(self, order: Mapping[str, Any]) -> None:
        """Execute a screen's command. Raise ValueError naming a wrong field."""
        ...


def create_replay_app(
    door: ReplayDoor,
    *,
    secret: bytes,
    addresses: Sequence[str],
    extra: Sequence[Blueprint] = (),
    buckets: Buckets | None = None,
) -> Flask:
    """Return the panel of a replay; the parameters are those of :func:`web_panel.app.create_app`."""
    app = Flask("web_panel")
    app.register_blueprint(_pages(door))
    # A replay has no seats. A cookie of a table on the same host may arrive: it is read, but opens no seat.
    seats = Seats(door, secret)
    app.register_blueprint(live.blueprint(door, seats, live.Streams()))
    app.register_blueprint(icons.blueprint())
    app.register_blueprint(scripts.blueprint())
    app.register_blueprint(how_to_play.blueprint(door))
    app.register_blueprint(openapi.blueprint(openapi_replay.document))
    for more in extra:
        app.register_blueprint(more)
    speak(app)
    send_lean(app)
    guard(app, seats, addresses, Buckets() if buckets is None else buckets, what="replay")
    return app


def _pages(door: ReplayDoor) -> Blueprint:
    pages = Blueprint("replay", __name__)

    @pages.get("/")
    def begin() -> AnyResponse:
        return redirect(url_for("replay.replay"))

    @pages.get("/replay")
    def replay() -> str:
        return render_template("replay.html")

    @pages.get("/favicon.ico")
    def icon() -> Response:
        return Response(status=204)

    @pages.get("/api/review")
    def review() -> Response:
        return jsonify(in_words(door.review()))

    @pages.post("/api/replay")
    def order() -> Response:
        if not own_page():
            raise Denied(403, "foreign", say("requests of other pages are not taken"))
        if request.mimetype != "application/json":
            raise Denied(415, "bad_request", say("expected Content-Type: application/json"))
        try:
            door.order(json_object())
        except ValueError as error:
            raise Denied(400, "bad_request", error.args[0]) from error
        return jsonify({"ok": True})

    del begin, replay, icon, review, order
    return pages
