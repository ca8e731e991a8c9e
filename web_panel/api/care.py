"""The machine's upkeep, for the host: warnings, a backup and the log as files, restart and shutdown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, Response, jsonify

from firmware_host.table.errors import TableError
from firmware_host.table.service import HostService
from firmware_host.text.words import say
from firmware_host.upkeep.care import Care
from firmware_host.upkeep.update import Updates
from web_panel.api.bodies import Body, add_routes, as_download, done
from web_panel.text.denied import Denied, not_host
from web_panel.text.wording import in_words

ALL = 1_000_000


def blueprint(
    care: Care | None, host: HostService | None, is_host: Callable[[], bool], plays: Callable[[], bool]
) -> Blueprint:
    """Return the host's endpoints for upkeep; without ``care`` there are no warnings, no backup and no power switch.

    ``plays`` returns whether a game is running.
    """
    api = Blueprint("care", __name__, url_prefix="/api/host")

    def check() -> HostService:
        if host is None or not is_host():
            raise not_host()
        return host

    @api.get("/care")
    def told() -> Response:
        can_repair = check().can_repair()
        offered = care is not None and care.power()
        warnings, update = (care.warnings(), care.updates.state()) if care else ([], None)
        network = care is not None and care.wifi is not None and care.wifi.offered()
        state = {
            "files": care is not None,
            "power": offered,
            "update": update,
            "network": network,
            "repair": can_repair,
        }
        return jsonify(in_words({"warnings": warnings, **state}))

    @api.get("/log.txt")
    def log() -> Response:
        check()
        return _file(care.log().encode() if care else b"", "text/plain", "log", "txt")

    @api.get("/backup.zip")
    def backup() -> Response:
        games = check().games(0, ALL)["games"]
        if care is None:
            raise Denied(409, "no_journal", say("this table keeps nothing"))
        if any(game["withheld"] for game in games):
            words = say("A game that is not over has a hidden stack, and a backup tells its order: finish it first.")
            raise Denied(409, "withheld", words)
        with care.backup() as made:
            return _file(made.read_bytes(), "application/zip", "backup", "zip")

    def power(body: Body) -> Response:
        if care is None:
            raise TableError("no_power", say("only a Raspberry Pi that runs Lodestone as a service does this"))
        care.switch(body["what"])
        return done()

    def repair(_body: Body) -> Response:
        check().repair()
        return done()

    def updates() -> Updates:
        if care is None:
            raise TableError("no_update", say("this table keeps nothing"))
        return care.updates

    def look(_body: Body) -> Response:
        updates().look()
        return done()

    def update(body: Body) -> Response:
        if not body["confirmed"] and plays():
            raise TableError("wrong_phase", say("a game is still being played"))
        updates().ask()
        return done()

    routes = {"power": power, "repair": repair, "look-for-update": look, "update": update}
    add_routes(api, routes, "host/", is_host=is_host)
    del told, log, backup
    return api


def _file(content: bytes, kind: str, name: str, ending: str) -> Response:
    name = f"lodestone-{name}-{datetime.now():%Y-%m-%d}.{ending}"
    response = as_download(Response(content, mimetype=kind), name)
    response.headers["Cache-Control"] = "no-store"
    return response
