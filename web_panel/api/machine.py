"""The machine and the board under the host's hands: upkeep, updates, the network, and the check of the board."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import Response, abort, jsonify, render_template, request

from firmware_host.table.errors import TableError
from firmware_host.table.events import Word
from firmware_host.text.json_schema import COUNT, maybe, one_of, part, record, rows, table_of
from firmware_host.text.words import say
from firmware_host.upkeep.hotspot import Wifi
from firmware_host.upkeep.update import Updates
from web_panel.api.play import CODE
from web_panel.limits import ASKS
from web_panel.pages import pages
from web_panel.panel import Panel
from web_panel.refusals import Denied, not_host
from web_panel.routes import Routes, as_download
from web_panel.wording import in_words

if TYPE_CHECKING:
    from firmware_host.session.workshop import Workshop

ALL = 1_000_000

_STEP = record(
    do=one_of("wait", "colour", "put", "wrong", "off"), node=maybe(str), felt=rows(str), words=str, hint=maybe(str),
    done=COUNT, of=COUNT, choices=rows(one_of("red", "green", "blue", "dark", "skip", "undo", "go")),
)  # fmt: skip
_ITEM = record(node=str, state=one_of("ok", "bad", "unproven"), words=str)
_NETWORK = record(id=str, name=str, signal=COUNT, kind=one_of("open", "psk", "sae", "other"), in_use=bool)
routes = Routes("machine", {
    "Care": record(
        warnings=rows(str), files=bool, power=bool, network=bool, repair=bool,
        update=maybe(
            record(version=str, found=maybe(str), doing=maybe(str), message=maybe(str), told=maybe(str), good=bool)
        ),
    ),
    "Network": record(
        offered=bool, hotspot=maybe(str), networks=rows(_NETWORK), doing=maybe(str), message=maybe(str), good=bool,
        host=bool, confirms=bool, asked=maybe(CODE),
    ),
    "NetworkAsked": record(ok={"const": True}, code=maybe(CODE)),
    "Workshop": record(
        board=str, refused=table_of(str), what=maybe(one_of("check", "map", "calibrate")), step=maybe(_STEP),
        result=maybe(record(good=bool, words=str, items=rows(_ITEM))),
    ),
})  # fmt: skip


# -- upkeep -----------------------------------------------------------------------------------------------------------


@routes.get("/api/host/care", part("Care"), "host")
def care(panel: Panel) -> Mapping[str, Any]:
    """How the machine does, in words."""
    care = panel.care
    update = care.updates.state() if care else None
    return {
        "warnings": care.warnings() if care else [],
        "files": care is not None,
        "power": care is not None and care.power(),
        # ``told``: the host's page of release 0.1 may be open while its table is updated.
        "update": update and {**update, "told": update["message"]},
        "network": panel.wifi is not None and panel.wifi.is_available(),
        "repair": panel.host.can_repair(),
    }


@routes.get("/api/host/log.txt", str, "host", kind="text/plain", _409="Conflict")
def log(panel: Panel) -> Response:
    """The program's log, without secrets."""
    return _file(panel.care.log().encode() if panel.care else b"", "text/plain", "log", "txt")


@routes.get("/api/host/backup.zip", {}, "host", kind="application/zip", _409="NoBackup", _503="Busy")
def backup(panel: Panel) -> Response:
    """All of the data folder without key and host's token, as `lodestone backup` writes it."""
    games = panel.host.games(0, ALL)["games"]
    if panel.care is None:
        raise Denied(409, "no_journal", say("this table stores no data"))
    if any(game["withheld"] for game in games):
        words = say("A game that is not over has a hidden stack, and a backup tells its order: finish it first.")
        raise Denied(409, "withheld", words)
    with panel.care.backup() as made:
        return _file(made.read_bytes(), "application/zip", "backup", "zip")


def _file(content: bytes, kind: str, name: str, ending: str) -> Response:
    name = f"lodestone-{name}-{datetime.now():%Y-%m-%d}.{ending}"
    response = as_download(Response(content, mimetype=kind), name)
    response.headers["Cache-Control"] = "no-store"
    return response


@routes.post("/api/host/power", "host")
def power(panel: Panel, what: Word) -> None:
    """Restart the machine or shut it down: `restart` or `shutdown`, where it is a Raspberry Pi with a service."""
    if panel.care is None:
        raise TableError("no_power", say("only a Raspberry Pi that runs Lodestone as a service does this"))
    panel.care.switch(what)


@routes.post("/api/host/repair", "host")
def repair(panel: Panel) -> None:
    """Save the undamaged part of a game, in the lobby; then it can be taken up."""
    panel.host.repair()


@routes.post("/api/host/look-for-update", "host")
def look_for_update(panel: Panel) -> None:
    """Look for a newer release where this installation looks for them."""
    _updates(panel).look()


@routes.post("/api/host/update", "host")
def update(panel: Panel, confirmed: bool) -> None:
    """Have the machine run the newer release that was found; `confirmed`: also while a game is running."""
    if not confirmed and panel.view["phase"] not in {"lobby", "over"}:
        raise TableError("wrong_phase", say("a game is still being played"))
    _updates(panel).ask()


def _updates(panel: Panel) -> Updates:
    if panel.care is None:
        raise TableError("no_update", say("this table stores no data"))
    return panel.care.updates


# -- the network ------------------------------------------------------------------------------------------------------


@routes.get("/network")
def network_page(_panel: Panel) -> str:
    """The choice of the machine's network."""
    return render_template("network.html")


@routes.get("/api/network", part("Network"), "hotspot", _409="Conflict", _503="Busy")
def network(panel: Panel) -> Response:
    """The networks in reach, for the host or a guest of the hotspot."""
    state: dict[str, Any] = {"hotspot": None, "networks": [], "doing": None, "message": None, "good": True}
    wifi = panel.wifi
    offered = wifi is not None and wifi.is_available()
    if wifi and offered:
        state = wifi.state()
    asked = panel.networks.waiting()
    here = {"host": panel.hosting.here(), "confirms": _confirms(panel), "asked": asked.code if asked else None}
    answer = jsonify(in_words({"offered": offered, **state, **here}))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@routes.post("/api/network/look", "hotspot")
def look(panel: Panel) -> None:
    """Look for networks where the machine's hotspot is set up."""
    _wifi(panel).look()


@routes.post("/api/network/hotspot", "host")
def hotspot(panel: Panel, on: bool) -> None:
    """Open the machine's own Wi-Fi for playing, or leave it for a network that is known."""
    _wifi(panel).switch(on=on)


@routes.get("/qr/wifi.svg", kind="image/svg+xml", _404="Missing")
def wifi_code(panel: Panel) -> Response:
    """A code to scan that joins the machine's own Wi-Fi, while it is open: whoever sees the screen is in the room."""
    wifi = panel.wifi
    joins = wifi.code() if wifi else None
    if joins is None:
        abort(404)
    return pages.code(joins)


@routes.post("/api/network/join", "hotspot", answer="NetworkAsked")
def join(panel: Panel, network: Word, password: Word, hidden: bool) -> Mapping[str, Any]:
    """Have the machine join a network.

    Its name in hexadecimal, its password. A guest of the hotspot gets a code instead, and the host confirms: always
    for an open or hidden network, and once the table has had a host or a game.
    """
    wifi = _wifi(panel)
    wifi.check(network, password)
    if panel.hosting.here() or not (_confirms(panel) or hidden or not password):
        wifi.join(network, password, hidden=hidden)
        return {"code": None}
    panel.guesses.limit("networks", ASKS)
    return {"code": panel.networks.ask(network, password, hidden=hidden, address=request.remote_addr).code}


@routes.post("/api/network/allow", "host")
def allow(panel: Panel, code: Word) -> None:
    """Join the network that the guest with this code asks for."""
    with panel.networks.answering(code) as asked:
        _wifi(panel).join(asked.network, asked.password, hidden=asked.hidden)


@routes.post("/api/network/refuse", "host")
def refuse(panel: Panel, code: Word) -> None:
    """Refuse the network that the guest with this code asks for."""
    with panel.networks.answering(code):
        pass


def _wifi(panel: Panel) -> Wifi:
    wifi = panel.wifi
    if wifi is None or not wifi.is_available():
        raise TableError("no_wifi", say("this machine's network is not chosen here"))
    return wifi


def _confirms(panel: Panel) -> bool:
    """Tell whether the host has to confirm any network that this phone chooses."""
    return not panel.hosting.here() and panel.host_service is not None and panel.host_service.has_owner()


# -- the check of the board -------------------------------------------------------------------------------------------


@routes.get("/api/host/workshop", part("Workshop"), "host", _503="Busy")
def workshop(panel: Panel) -> Mapping[str, Any]:
    """The check of the board: what to do now, and what it has found."""
    return _workshop(panel).state()


@routes.post("/api/host/workshop/begin", "host")
def begin(panel: Panel, what: Word, pause: bool) -> None:
    """Take the board from the table to `check`, `map` or `calibrate` it; `pause`: a game that runs is paused."""
    _workshop(panel).begin(what, pause=pause)


@routes.post("/api/host/workshop/answer", "host")
def answer(panel: Panel, choice: Word) -> None:
    """Answer a step: skip, undo or go (on with what lies there)."""
    _workshop(panel).answer(choice)


@routes.post("/api/host/workshop/stop", "host")
def stop(panel: Panel) -> None:
    """End the check; the table gets the board back."""
    _workshop(panel).stop()


def _workshop(panel: Panel) -> Workshop:
    if panel.workshop is None:
        raise not_host()
    return panel.workshop
