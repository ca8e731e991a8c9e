"""The choice of this machine's network, for the host and for guests of its own hotspot; the page ``/network``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, render_template, request

from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from firmware_host.upkeep.hotspot import Wifi
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, add_routes, done
from web_panel.server.limits import ASKS
from web_panel.text.denied import not_host
from web_panel.text.wording import in_words

if TYPE_CHECKING:
    from firmware_host.table.service import HostService

NONE: dict[str, Any] = {"offered": False, "hotspot": None, "networks": [], "doing": None, "told": None, "good": True}


def blueprint(wifi: Wifi | None, host: HostService | None, keys: Keys) -> Blueprint:
    """Return ``/network`` and its endpoints; without ``wifi`` nothing is offered."""
    api = Blueprint("network", __name__)

    def check() -> None:
        if not (keys.host.here() or (wifi is not None and wifi.is_guest(request.remote_addr))):
            raise not_host()

    def offered() -> Wifi:
        check()
        if wifi is None or not wifi.offered():
            raise TableError("no_wifi", say("this machine's network is not chosen here"))
        return wifi

    def confirms() -> bool:
        """Tell whether the host has to confirm any network that this phone chooses."""
        return not keys.host.here() and host is not None and host.has_owner()

    @api.get("/network")
    def page() -> str:
        return render_template("network.html")

    @api.get("/api/network")
    def told() -> Response:
        check()
        there = wifi is not None and wifi.offered()
        asked = keys.networks.waiting()
        more = {"host": keys.host.here(), "confirms": confirms(), "asked": asked.code if asked else None}
        answer = jsonify(in_words({**({"offered": True, **wifi.state()} if wifi and there else NONE), **more}))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def look(_body: Body) -> Response:
        offered().look()
        return done()

    def join(body: Body) -> Response:
        """Join a network, or ask the host: a guest alone chooses one with a password for a table without an owner."""
        there, wish = offered(), (body["network"], body["password"])
        there.check(*wish)
        if keys.host.here() or not (confirms() or body["hidden"] or not body["password"]):
            there.join(*wish, hidden=body["hidden"])
            return jsonify({"ok": True, "code": None})
        keys.guesses.limited("networks", ASKS)
        asked = keys.networks.ask(*wish, hidden=body["hidden"], address=request.remote_addr)
        return jsonify({"ok": True, "code": asked.code})

    def allow(body: Body) -> Response:
        with keys.networks.answered(body["code"]) as asked:
            offered().join(asked.network, asked.password, hidden=asked.hidden)
        return done()

    def refuse(body: Body) -> Response:
        with keys.networks.answered(body["code"]):
            return done()

    routes = {"look": look, "join": join, "allow": allow, "refuse": refuse}
    add_routes(api, routes, "network/", is_host=keys.host.here)
    del page, told
    return api
