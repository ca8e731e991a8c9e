"""The choice of the machine's network: for the host, and for a guest of its hotspot, who knows its password."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.extension import EXTENSION, attach_care
from firmware_host.extensions.appliance.hotspot import Wifi
from firmware_host.extensions.appliance.network_asks import ANSWER_S
from firmware_host.extensions.appliance.update import Updates
from lodestone.tables import KEY, SimulatedTable
from tests.extensions.appliance.wifi import HOME, FakeWifi
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone
from web_panel.app import create_app
from web_panel.limits import ASKS, Buckets
from web_panel.pages import pages

BODY = {"network": HOME["id"], "password": "12345678", "hidden": False}
OPEN, HIDDEN = {**BODY, "password": ""}, {**BODY, "hidden": True}


class Guest(Phone):
    """A phone in the hotspot."""

    def __init__(self, app: Any, address: str = "10.42.0.7") -> None:
        super().__init__(app)
        self.client.environ_base["REMOTE_ADDR"] = address

    def state(self) -> Any:
        return self.client.get("/api/network").get_json()


def wired(table: SimulatedTable, folder: Path, wifi: Wifi | None, clock: Callable[[], float] = time.monotonic) -> Any:
    care = Care(folder, "1.0", Updates(None, None, "1.0"), wifi)
    counters = Buckets(clock)
    app = create_app(
        table.runtime,
        secret=KEY,
        addresses=[ADDRESS],
        host=FakeHost(),
        attached={EXTENSION: attach_care(care, clock)},
        buckets=counters,
    )
    described(app)
    return app


def test_the_host_and_guests_of_the_hotspot_choose(table: SimulatedTable, tmp_path: Path) -> None:
    wifi = FakeWifi()
    app = wired(table, tmp_path, wifi)
    other, host = Phone(app), host_phone(app)
    assert other.client.get("/api/network").status_code == 403
    for path, body in (("join", BODY), ("look", {})):
        assert other.post(f"network/{path}", body)[1]["error"]["code"] == "not_host"
    told = host.client.get("/api/network").get_json()
    assert (told["networks"], told["confirms"]) == ([HOME], False)
    assert host.client.get("/api/host/care").get_json()["network"] is True
    for body in (BODY, OPEN, HIDDEN):
        assert host.post("network/join", body) == (200, {"ok": True, "code": None})
    assert host.post("network/look", {})[0] == 200
    refused = host.post("network/join", {**BODY, "password": "short"})
    assert (refused[0], refused[1]["error"]["code"]) == (409, "no_wifi")

    there = {"REMOTE_ADDR": "10.42.0.7"}
    assert other.client.get("/network", environ_overrides=there).status_code == 200
    assert other.client.get("/api/network", environ_overrides=there).get_json()["hotspot"] == "Lodestone-ab3d"
    assert other.client.get("/api/network", environ_overrides={"REMOTE_ADDR": "10.4.2.7"}).status_code == 403
    wifi.hotspot = None
    assert other.client.get("/api/network", environ_overrides=there).status_code == 403, "it is closed"
    assert len(wifi.joined) == 3


def test_a_guest_chooses_alone_until_the_table_has_a_host(table: SimulatedTable, tmp_path: Path) -> None:
    wifi = FakeWifi()
    app = wired(table, tmp_path, wifi)
    guest = Guest(app)
    assert guest.state()["confirms"] is False
    assert guest.post("network/join", BODY) == (200, {"ok": True, "code": None})
    assert len(wifi.joined) == 1

    host = host_phone(app)
    assert guest.state()["confirms"] is True
    status, told = guest.post("network/join", BODY)
    assert (status, len(wifi.joined)) == (200, 1), "it waits for the host"
    assert guest.state()["asked"] == told["code"]
    asked = host.client.get("/api/host/state").get_json()["network"]
    assert asked == {"code": told["code"], "name": "Home", "hidden": False, "open": False}
    assert BODY["password"] not in host.client.get("/api/host/state").get_data(as_text=True)
    for phone in (guest, Phone(app)):
        assert phone.post("network/allow", {"code": told["code"]})[1]["error"]["code"] == "not_host"
        assert phone.post("network/refuse", {"code": told["code"]})[1]["error"]["code"] == "not_host"
    assert host.post("network/allow", {"code": "none"})[1]["error"]["code"] == "bad_code"
    wifi.busy = True
    assert host.post("network/allow", {"code": told["code"]})[1]["error"]["code"] == "no_wifi"
    wifi.busy = False
    assert host.post("network/allow", {"code": told["code"]}) == (200, {"ok": True})
    assert wifi.joined[1:] == [("486f6d65", "12345678", False)]
    assert host.post("network/allow", {"code": told["code"]})[1]["error"]["code"] == "bad_code", "once"
    assert guest.state()["asked"] is None


@pytest.mark.parametrize("body", [OPEN, HIDDEN, {**OPEN, "hidden": True}])
def test_open_and_hidden_networks_are_the_hosts_alone(table: SimulatedTable, tmp_path: Path, body: Any) -> None:
    """The table joins them for good: whoever opens one of that name has it from then on."""
    wifi = FakeWifi()
    app = wired(table, tmp_path, wifi)
    guest = Guest(app)
    code = guest.post("network/join", body)[1]["code"]
    assert wifi.joined == []
    host = host_phone(app)
    asked = host.client.get("/api/host/state").get_json()["network"]
    assert (asked["hidden"], asked["open"]) == (body["hidden"], not body["password"])
    assert host.post("network/refuse", {"code": code}) == (200, {"ok": True})
    assert (guest.state()["asked"], wifi.joined) == (None, [])


def test_one_guest_asks_at_a_time_and_what_nobody_answers_is_dropped(table: SimulatedTable, tmp_path: Path) -> None:
    now = [0.0]
    app = wired(table, tmp_path, FakeWifi(), lambda: now[0])
    host, guest, other = host_phone(app), Guest(app), Guest(app, "10.42.0.8")
    first = guest.post("network/join", BODY)[1]["code"]
    assert other.post("network/join", BODY)[1]["error"]["code"] == "too_many"
    second = guest.post("network/join", HIDDEN)[1]["code"]
    assert host.post("network/allow", {"code": first})[1]["error"]["code"] == "bad_code", "it was replaced"
    assert guest.post("network/join", {**BODY, "password": "short"})[1]["error"]["code"] == "no_wifi"
    assert guest.state()["asked"] == second, "what can't be is refused at once"
    now[0] += ANSWER_S
    assert guest.state()["asked"] is None
    assert host.post("network/allow", {"code": second})[1]["error"]["code"] == "bad_code"
    assert other.post("network/join", BODY)[0] == 200
    for _ in range(int(ASKS.burst)):
        status, told = other.post("network/join", BODY)
    assert (status, told["error"]["code"]) == (429, "too_many")


@pytest.mark.parametrize("wifi", [None, Wifi(Path("/nowhere"))])
def test_without_the_service_nothing_is_offered(table: SimulatedTable, tmp_path: Path, wifi: Wifi | None) -> None:
    host = host_phone(wired(table, tmp_path, wifi))
    assert host.client.get("/api/network").get_json()["offered"] is False
    refused = host.post("network/join", {"network": "41", "password": "12345678", "hidden": False})
    assert (refused[0], refused[1]["error"]["code"]) == (409, "no_wifi")
    assert host.client.get("/api/host/care").get_json()["network"] is False


def test_the_host_plays_in_the_own_wifi_and_screens_show_its_code(
    table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(pages, "_qr_svg", lambda text: drawn.append(text) or b"<svg/>")
    wifi = FakeWifi()
    wifi.hotspot = None
    app = wired(table, tmp_path, wifi)
    screen, host = Phone(app), host_phone(app)
    assert screen.client.get("/qr/wifi.svg").status_code == 404
    assert screen.client.get("/api/tickets").get_json()["wifi"] is None
    assert host.client.get("/api/host/state").get_json()["wifi"] == {"own": None}
    assert screen.post("network/hotspot", {"on": True})[1]["error"]["code"] == "not_host"
    assert host.post("network/hotspot", {"on": True}) == (200, {"ok": True})
    assert screen.client.get("/api/tickets").get_json()["wifi"] == "Lodestone-ab3d"
    assert host.client.get("/api/host/state").get_json()["wifi"] == {"own": "Lodestone-ab3d"}
    assert screen.client.get("/qr/wifi.svg").mimetype == "image/svg+xml"
    assert drawn == ["WIFI:T:WPA;S:Lodestone-ab3d;P:hotspot\\;word;;"], "signs are escaped"
    assert host.post("network/hotspot", {"on": False}) == (200, {"ok": True})
    assert screen.client.get("/qr/wifi.svg").status_code == 404


def test_a_table_without_a_hotspot_shows_no_wifi(table: SimulatedTable, tmp_path: Path) -> None:
    app = wired(table, tmp_path, Wifi(tmp_path / "nowhere"))
    host = host_phone(app)
    assert host.client.get("/api/host/state").get_json()["wifi"] is None
    assert host.client.get("/api/tickets").get_json()["wifi"] is None
    assert host.client.get("/qr/wifi.svg").status_code == 404
