"""The machine under the host's hands: its care, updates, and the network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Response, abort, jsonify, render_template, request

from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.hotspot import Wifi
from firmware_host.extensions.appliance.network_asks import NetworkAsks
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES, Word
from firmware_host.text.json_reader import CODE, COUNT, choice, maybe, part, record, rows
from firmware_host.text.words import say
from web_panel.languages import in_words
from web_panel.limits import ASKS
from web_panel.pages import pages
from web_panel.panel import PanelContext
from web_panel.refusals import Denied
from web_panel.routes import Routes, Sender, as_download

ALL = 1_000_000

_NETWORK = record(id=str, name=str, signal=COUNT, kind=choice("open", "psk", "sae", "other"), in_use=bool)
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
}, static="/static/appliance")  # fmt: skip


@dataclass(frozen=True)
class Machine(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    care: Care
    networks: NetworkAsks

    @contextmanager
    def admit(self, sender: Sender) -> Iterator[Mapping[str, Any]]:
        """Admit whom the panel admits, and to the choice of a network also a guest of the machine's own Wi-Fi."""
        wifi = self.care.wifi
        if sender == "hotspot" and wifi is not None and wifi.is_guest(request.remote_addr):
            yield {}
            return
        with super().admit("host" if sender == "hotspot" else sender) as given:
            yield given


# -- care --------------------------------------------------------------------------------------------------------------


@routes.get("/api/host/care", part("Care"), "host")
def care(machine: Machine) -> Mapping[str, Any]:
    """How the machine does, in words."""
    care = machine.care
    update = care.updates.state()
    return {
        "warnings": care.warnings(),
        "files": True,
        "power": care.power(),
        # ``told``: the host's page of release 0.1 may be open while its table is updated.
        "update": update and {**update, "told": update["message"]},
        "network": care.wifi is not None and care.wifi.is_available(),
        "repair": machine.panel.host.can_repair(),
    }


@routes.get("/api/host/log.txt", str, "host", kind="text/plain", _409="Conflict")
def log(machine: Machine) -> Response:
    """The program's log, without secrets."""
    return _file(machine.care.log().encode(), "text/plain", "log", "txt")


@routes.get("/api/host/backup.zip", {}, "host", kind="application/zip", _409="NoBackup", _503="Busy")
def backup(machine: Machine) -> Response:
    """All of the data folder without key and host's token, as `lodestone backup` writes it."""
    games = machine.panel.host.games(0, ALL)["games"]
    if any(game["withheld"] for game in games):
        words = say("A game that is not over has a hidden stack, and a backup tells its order: finish it first.")
        raise Denied(409, "withheld", words)
    view = machine.panel.view
    clocks = view["clocks"] if view["phase"] in {"sealing", "revealing"} else None
    if clocks is not None and any(one["late"] for one in clocks["seats"]):
        # The journal has the number from which it follows, as a restart has to open the same one.
        words = say("A seal was drawn by lot, and a backup tells it: wait until the seals are open.")
        raise Denied(409, "withheld", words)
    with machine.care.backup() as made:
        return _file(made.read_bytes(), "application/zip", "backup", "zip")


def _file(content: bytes, kind: str, name: str, ending: str) -> Response:
    name = f"lodestone-{name}-{datetime.now():%Y-%m-%d}.{ending}"
    response = as_download(Response(content, mimetype=kind), name)
    response.headers["Cache-Control"] = "no-store"
    return response


@routes.post("/api/host/power", "host")
def power(machine: Machine, what: Word) -> None:
    """Restart the machine or shut it down: `restart` or `shutdown`, where it is a Raspberry Pi with a service."""
    machine.care.switch(what)


@routes.post("/api/host/look-for-update", "host")
def look_for_update(machine: Machine) -> None:
    """Look for a newer release where this installation looks for them."""
    machine.care.updates.look()


@routes.post("/api/host/update", "host")
def update(machine: Machine, confirmed: bool) -> None:
    """Have the machine run the newer release that was found; `confirmed`: also while a game is running."""
    if not confirmed and machine.panel.view["phase"] not in BETWEEN_GAMES:
        raise TableError("wrong_phase", say("a game is still being played"))
    machine.care.updates.ask()


# -- the network ------------------------------------------------------------------------------------------------------


@routes.get("/network")
def network_page(_machine: Machine) -> str:
    """The choice of the machine's network."""
    return render_template("network.html")


@routes.get("/api/network", part("Network"), "hotspot", _409="Conflict", _503="Busy")
def network(machine: Machine) -> Response:
    """The networks in reach, for the host or a guest of the hotspot."""
    state: dict[str, Any] = {"hotspot": None, "networks": [], "doing": None, "message": None, "good": True}
    wifi = machine.care.wifi
    offered = wifi is not None and wifi.is_available()
    if wifi and offered:
        state = wifi.state()
    asked = machine.networks.waiting()
    here = {
        "host": machine.panel.hosting.here(),
        "confirms": _confirms(machine),
        "asked": asked.code if asked else None,
    }
    answer = jsonify(in_words({"offered": offered, **state, **here}))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@routes.post("/api/network/look", "hotspot")
def look(machine: Machine) -> None:
    """Look for networks where the machine's hotspot is set up."""
    _wifi(machine).look()


@routes.post("/api/network/hotspot", "host")
def hotspot(machine: Machine, on: bool) -> None:
    """Open the machine's own Wi-Fi for playing, or leave it for a network that is known."""
    _wifi(machine).switch(on=on)


@routes.get("/qr/wifi.svg", kind="image/svg+xml", _404="Missing")
def wifi_code(machine: Machine) -> Response:
    """A code to scan that joins the machine's own Wi-Fi, while it is open: whoever sees the screen is in the room."""
    wifi = machine.care.wifi
    joins = wifi.code() if wifi else None
    if joins is None:
        abort(404)
    return pages.code(joins)


@routes.post("/api/network/join", "hotspot", answer="NetworkAsked")
def join(machine: Machine, network: Word, password: Word, hidden: bool) -> Mapping[str, Any]:
    """Have the machine join a network.

    Its name in hexadecimal, its password. A guest of the hotspot gets a code instead, and the host confirms: always
    for an open or hidden network, and once the table has had a host or a game.
    """
    wifi = _wifi(machine)
    wifi.check(network, password)
    if machine.panel.hosting.here() or not (_confirms(machine) or hidden or not password):
        wifi.join(network, password, hidden=hidden)
        return {"code": None}
    machine.panel.guesses.limit("networks", ASKS)
    return {"code": machine.networks.ask(network, password, hidden=hidden, address=request.remote_addr).code}


@routes.post("/api/network/allow", "host")
def allow(machine: Machine, code: Word) -> None:
    """Join the network that the guest with this code asks for."""
    with machine.networks.answering(code) as asked:
        _wifi(machine).join(asked.network, asked.password, hidden=asked.hidden)


@routes.post("/api/network/refuse", "host")
def refuse(machine: Machine, code: Word) -> None:
    """Refuse the network that the guest with this code asks for."""
    with machine.networks.answering(code):
        pass


def _wifi(machine: Machine) -> Wifi:
    wifi = machine.care.wifi
    if wifi is None or not wifi.is_available():
        raise TableError("no_wifi", say("this machine's network is not chosen here"))
    return wifi


def _confirms(machine: Machine) -> bool:
    """Tell whether the host has to confirm any network that this phone chooses."""
    return not machine.panel.hosting.here() and (host := machine.panel.host_service) is not None and host.has_owner()
