"""The machine's upkeep on the host's page: only for the host, and without secrets."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from firmware_host.session.host_token import host_token
from firmware_host.upkeep import power
from firmware_host.upkeep.care import Care
from tests.tables import KEY, RunningTable
from tests.web_panel.described import described
from tests.web_panel.host_door import FakeHostDoor
from tests.web_panel.table import ADDRESS, Phone, the_host
from web_panel.app import create_app


def test_the_host_alone_downloads_and_asks(
    table: RunningTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "lights.json").write_text("{}")
    token = host_token(tmp_path)
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "lodestone.log").write_text("a line\n")
    door = FakeHostDoor()
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=door, care=Care(tmp_path, "1.0"))
    described(app)
    other, host = Phone(app), the_host(app)
    for path in ("care", "log.txt", "backup.zip"):
        assert other.client.get(f"/api/host/{path}").status_code == 403
    assert other.post("host/power", {"what": "restart"})[0] == 403

    told = host.client.get("/api/host/care").get_json()
    assert (told["files"], told["power"]) == (True, False)
    assert host.client.get("/api/host/log.txt").get_data(as_text=True) == "a line\n"
    answer = host.client.get("/api/host/backup.zip")
    assert "attachment" in answer.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert {"journal.sqlite", "lights.json"} < set(archive.namelist())
        assert not {"key", "host"} & set(archive.namelist())
        assert not any(token.encode() in archive.read(name) for name in archive.namelist())
    assert not list(tmp_path.glob(".backup-*"))

    hidden = door.games(0, 1)
    hidden["games"][0]["withheld"] = True
    monkeypatch.setattr(door, "games", lambda *_: hidden)
    refused = host.client.get("/api/host/backup.zip")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "withheld")


def test_power_is_for_a_pi_with_a_service(table: RunningTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHostDoor(), care=Care(tmp_path, "1.0"))
    host = the_host(described(app))
    assert host.post("host/power", {"what": "restart"})[1]["error"]["code"] == "no_power"
    switched: list[str] = []
    monkeypatch.setattr(power, "power_offered", lambda: True)
    monkeypatch.setattr(power, "switch", switched.append)
    assert host.client.get("/api/host/care").get_json()["power"] is True
    assert host.post("host/power", {"what": "shutdown"}) == (200, {"ok": True})
    assert switched == ["shutdown"]


def test_a_panel_that_keeps_nothing_offers_nothing(table: RunningTable) -> None:
    host = the_host(described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHostDoor())))
    assert host.client.get("/api/host/care").get_json() == {"warnings": [], "files": False, "power": False}
    assert host.client.get("/api/host/backup.zip").get_json()["error"]["code"] == "no_journal"
    assert host.post("host/power", {"what": "restart"})[1]["error"]["code"] == "no_power"
