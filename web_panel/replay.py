"""The panel of a replay: one page for phones and big screens, its stream, and the orders that screens give."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from firmware_host.table.door import Door
from web_panel import live
from web_panel.app import LARGEST_BODY, LONGEST_URL
from web_panel.headers import SAFE
from web_panel.limits import Buckets, limit
from web_panel.refusals import host_name, is_address, own_page, refusal
from web_panel.seats import Seats
from web_panel.wording import speak


class ReplayDoor(Door, Protocol):
    """A door that shows a record instead of a table."""

    def order(self, order: Mapping[str, Any]) -> None:
        """Follow an order of a screen. Raise ValueError naming the field for what is none."""
        ...


def create_replay_app(
    door: ReplayDoor, *, secret: bytes, addresses: Sequence[str], extra: Sequence[Blueprint] = ()
) -> Flask:
    """Return the panel of a replay; ``addresses`` and ``extra`` are those of :func:`web_panel.app.create_app`."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.register_blueprint(_pages(door))
    # Nobody sits at a replay, but a cookie of a table on the same host may come along: it is read, and not believed.
    seats = Seats(door, secret)
    app.register_blueprint(live.blueprint(door, seats, live.Streams()))
    for more in extra:
        app.register_blueprint(more)
    speak(app)
    _guard(app, seats, {host_name(urlsplit(address).netloc) for address in addresses} | {"localhost"})
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

    @pages.post("/api/replay")
    def order() -> tuple[Response, int]:
        if not own_page():
            return jsonify(refusal("foreign", "requests of other pages are not taken")), 403
        if request.mimetype != "application/json":
            return jsonify(refusal("bad_request", "expected Content-Type: application/json")), 415
        try:
            body = json.loads(request.get_data())
        except (ValueError, RecursionError) as error:
            return jsonify(refusal("bad_request", f"expected a JSON object: {error}")), 400
        if not isinstance(body, dict):
            return jsonify(refusal("bad_request", f"expected a JSON object, got {type(body).__name__}")), 400
        try:
            door.order(body)
        except ValueError as error:
            return jsonify(refusal("bad_request", str(error))), 400
        return jsonify({"ok": True}), 200

    del begin, replay, icon, order
    return pages


def _guard(app: Flask, seats: Seats, hosts: set[str]) -> None:
    """Answer to the printed names only, with the headers and the refusals of every page of the panel."""

    @app.before_request
    def check_host() -> tuple[Response, int] | None:
        name = host_name(request.host)
        if name and (name in hosts or is_address(name)):
            return None
        return jsonify(refusal("bad_host", "this replay does not answer to that name; use the printed address")), 400

    @app.before_request
    def check_url() -> tuple[Response, int] | None:
        if len(request.path) + len(request.query_string) <= LONGEST_URL:
            return None
        return jsonify(refusal("http", "414: no path here is that long")), 414

    limit(app, seats, Buckets())

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(SAFE)
        response.headers.setdefault("Cache-Control", "no-store" if request.path.startswith("/api/") else "no-cache")
        return response

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[Response | str, int]:
        code = error.code or 500
        if request.path.startswith(("/api/", "/sim/")):
            return jsonify(refusal("http", f"{code}: {error.name}")), code
        return render_template("error.html", code=code, name=error.name), code

    del check_host, check_url, add_headers, failed
