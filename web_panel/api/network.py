"""The choice of this machine's network, for the host and for guests of its own hotspot; the page ``/network``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from firmware_host.upkeep.wifi.asked import Wifi
from web_panel.api.bodies import Body, add_routes, done
from web_panel.text.denied import not_host
from web_panel.text.wording import in_words

NONE: dict[str, Any] = {"offered": False, "hotspot": None, "networks": [], "doing": None, "told": None, "good": True}


def blueprint(wifi: Wifi | None, is_host: Callable[[], bool]) -> Blueprint:
    """Return ``/network`` and its endpoints; without ``wifi`` nothing is offered."""
    api = Blueprint("network", __name__)

    def check() -> None:
        if not (is_host() or (wifi is not None and wifi.is_guest(request.remote_addr))):
            raise not_host()

    def offered() -> Wifi:
        check()
        if wifi is None or not wifi.offered():
            raise TableError("no_wifi", say("this machine's network is not chosen here"))
        return wifi

    @api.get("/network")
    def page() -> str:
        return render_template("network.html")

    @api.get("/api/network")
    def told() -> Response:
        check()
        there = wifi is not None and wifi.offered()
        answer = jsonify(in_words({"offered": True, **wifi.state()} if wifi and there else NONE))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def look(_body: Body) -> Response:
        offered().look()
        return done()

    def join(body: Body) -> Response:
        offered().join(body["network"], body["password"], hidden=body["hidden"])
        return done()

    joining = Blueprint("network_api", __name__, url_prefix="/api/network")
    add_routes(joining, {"look": look, "join": join}, "network/")
    api.register_blueprint(joining)
    del page, told
    return api
