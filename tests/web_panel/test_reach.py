"""The host chooses by which of several addresses phones are led to the table; codes, links and screens follow."""

from __future__ import annotations

import pytest

from lodestone.tables import KEY, SimulatedTable
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import host_phone
from web_panel.app import create_app
from web_panel.pages import pages

CABLE, RADIO, LOCAL = "http://192.168.1.5:8000", "http://10.3.141.1:8000", "http://127.0.0.1:8000"


def test_codes_links_and_screens_follow_the_choice(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(pages, "_qr_svg", lambda url: drawn.append(url) or b"<svg/>")
    addresses = [CABLE, RADIO, LOCAL]
    app = create_app(table.runtime, secret=KEY, addresses=addresses, host=FakeHost())
    described(app)
    host = host_phone(app)
    state = host.client.get("/api/host/state").get_json()
    assert state["addresses"] == [CABLE, RADIO], "no phone reaches 127.0.0.1"
    assert state["address"] == CABLE
    assert host.post("host/address", {"address": RADIO}) == (200, {"ok": True})
    state = host.client.get("/api/host/state").get_json()
    assert state["address"] == RADIO
    assert {one["link"].partition("/join")[0] for one in state["tickets"].values()} == {RADIO}
    host.client.get("/qr/lobby.svg")
    assert drawn == [f"{RADIO}/"]
    refused = host.post("host/address", {"address": "http://elsewhere:8000"})
    assert (refused[0], refused[1]["error"]["code"]) == (409, "bad_address")
    addresses.remove(RADIO)
    assert host.client.get("/api/host/state").get_json()["address"] == CABLE, "the cable is what is left"


def test_only_the_host_chooses(table: SimulatedTable) -> None:
    app = create_app(table.runtime, secret=KEY, addresses=[CABLE, RADIO], host=FakeHost())
    guest = app.test_client()
    body = {"address": RADIO}
    assert guest.post("/api/host/address", json=body, headers={"X-Lodestone": "1"}).status_code == 403
