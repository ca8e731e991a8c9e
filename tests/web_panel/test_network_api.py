"""The choice of the machine's network: for the host, and for a guest of its hotspot, who knows its password."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_host.table.errors import TableError
from firmware_host.upkeep.asked_update import Updates
from firmware_host.upkeep.care import Care
from firmware_host.upkeep.wifi.asked import Wifi
from tests.tables import KEY, RunningTable
from tests.web_panel.described import described
from tests.web_panel.host_door import FakeHostDoor
from tests.web_panel.table import ADDRESS, Phone, the_host
from web_panel.app import create_app

HOME = {"id": "486f6d65", "name": "Home", "signal": 80, "kind": "psk", "in_use": False}


class FakeWifi(Wifi):
    """The service behind the socket: tests/upkeep/test_wifi.py has the real one."""

    def __init__(self) -> None:
        super().__init__(Path("/nowhere"))
        self.hotspot: str | None = "Lodestone-ab3d"
        self.joined: list[tuple[str, str, bool]] = []

    def offered(self) -> bool:
        return True

    def state(self) -> dict[str, Any]:
        return {"hotspot": self.hotspot, "networks": [HOME], "doing": None, "told": None, "good": True}

    def look(self) -> None: ...

    def join(self, ssid: str, password: str, *, hidden: bool) -> None:
        if len(password) < 8:
            raise TableError("no_wifi", "a Wi-Fi password has 8 to 63 characters")
        self.joined.append((ssid, password, hidden))


def wired(table: RunningTable, folder: Path, wifi: Wifi | None) -> Any:
    care = Care(folder, "1.0", Updates(None, None, "1.0"), wifi)
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHostDoor(), care=care)
    described(app)
    return app


def test_the_host_and_guests_of_the_hotspot_choose(table: RunningTable, tmp_path: Path) -> None:
    wifi = FakeWifi()
    app = wired(table, tmp_path, wifi)
    body = {"network": HOME["id"], "password": "12345678", "hidden": False}
    other, host = Phone(app), the_host(app)
    assert other.client.get("/api/network").status_code == 403
    assert other.post("network/join", body)[0] == 403
    assert host.client.get("/api/network").get_json()["networks"] == [HOME]
    assert host.client.get("/api/host/care").get_json()["network"] is True
    assert host.post("network/join", body)[0] == 200
    assert host.post("network/look", {})[0] == 200
    refused = host.post("network/join", {**body, "password": "short"})
    assert (refused[0], refused[1]["error"]["code"]) == (409, "no_wifi")

    there = {"REMOTE_ADDR": "10.42.0.7"}
    assert other.client.get("/network", environ_overrides=there).status_code == 200
    assert other.client.get("/api/network", environ_overrides=there).get_json()["hotspot"] == "Lodestone-ab3d"
    assert other.client.get("/api/network", environ_overrides={"REMOTE_ADDR": "10.4.2.7"}).status_code == 403
    wifi.hotspot = None
    assert other.client.get("/api/network", environ_overrides=there).status_code == 403, "it is closed"
    assert wifi.joined == [("486f6d65", "12345678", False)]


@pytest.mark.parametrize("wifi", [None, Wifi(Path("/nowhere"))])
def test_without_the_service_nothing_is_offered(table: RunningTable, tmp_path: Path, wifi: Wifi | None) -> None:
    host = the_host(wired(table, tmp_path, wifi))
    assert host.client.get("/api/network").get_json()["offered"] is False
    refused = host.post("network/join", {"network": "41", "password": "12345678", "hidden": False})
    assert (refused[0], refused[1]["error"]["code"]) == (409, "no_wifi")
    assert host.client.get("/api/host/care").get_json()["network"] is False
