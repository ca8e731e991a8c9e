"""The machine's upkeep on the host's page: only for the host, and without secrets."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import host_token
from firmware_host.extensions.appliance import systemd
from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.extension import EXTENSION, attach_care
from firmware_host.extensions.appliance.publisher import PublishedRelease
from firmware_host.extensions.appliance.update import REQUEST, Installation, Updates, update
from firmware_host.games.clocks import ClockSetting
from firmware_host.table.subjects.timekeeping import ClocksChosen
from firmware_host.text.words import Refused
from lodestone.tables import KEY, SimulatedTable
from tests.extensions.appliance.installed import Publisher, installed, tiny_source
from tests.sentences import is_in
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone, sit
from web_panel.app import create_app


def test_the_host_alone_downloads_and_asks(
    table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "lights.json").write_text("{}")
    token = host_token(tmp_path)
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "lodestone.log").write_text("a line\n")
    fake = FakeHost()
    app = create_app(
        table.runtime,
        secret=KEY,
        addresses=[ADDRESS],
        host=fake,
        attached={EXTENSION: attach_care(Care(tmp_path, "1.0", Updates(None, None, "1.0")))},
    )
    described(app)
    other, host = Phone(app), host_phone(app)
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

    hidden = fake.games(0, 1)
    hidden["games"][0]["withheld"] = True
    monkeypatch.setattr(fake, "games", lambda *_: hidden)
    refused = host.client.get("/api/host/backup.zip")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "withheld")


def test_a_backup_tells_no_seal_that_the_table_has_drawn_for_a_late_seat(tmp_path: Path) -> None:
    """Its number is in the journal, and whoever is the host may play."""
    table = SimulatedTable(tmp_path, game="spokes")
    care = attach_care(Care(tmp_path, "1.0", Updates(None, None, "1.0")))
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached={EXTENSION: care})
    host = host_phone(described(app))
    table.runtime.submit(ClocksChosen(at=table.runtime.now(), setting=ClockSetting(main=1, strict=True)))
    sit(table, app, "Ann", "Bob")[0].post("seal", {"turn": 1, "commitment": "0" * 64})
    assert host.client.get("/api/host/backup.zip").status_code == 200
    table.wait(2)
    assert [one["late"] for one in table.view["clocks"]["seats"]] == [False, True]
    assert table.view["phase"] in {"sealing", "revealing"}
    refused = host.client.get("/api/host/backup.zip")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "withheld")
    table.close()


def test_power_is_for_a_pi_with_a_service(
    table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(
        table.runtime,
        secret=KEY,
        addresses=[ADDRESS],
        host=FakeHost(),
        attached={EXTENSION: attach_care(Care(tmp_path, "1.0", Updates(None, None, "1.0")))},
    )
    host = host_phone(described(app))
    assert host.post("host/power", {"what": "restart"})[1]["error"]["code"] == "no_power"
    switched: list[str] = []
    monkeypatch.setattr(systemd, "power_offered", lambda: True)
    monkeypatch.setattr(systemd, "switch", switched.append)
    assert host.client.get("/api/host/care").get_json()["power"] is True
    assert host.post("host/power", {"what": "shutdown"}) == (200, {"ok": True})
    assert switched == ["shutdown"]


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    made = installed(tiny_source(tmp_path / "one", "0.1.0"), tmp_path / "root")
    Publisher(tmp_path / "releases").trusted_by(made)
    return made


def looked(updates: Updates) -> dict[str, object]:
    updates.look()
    for thread in threading.enumerate():
        if thread.name == "look for updates":
            thread.join()
    state = updates.state()
    assert state is not None
    return state


def test_the_host_looks_for_an_update_and_has_it_made(
    table: SimulatedTable, tmp_path: Path, here: Installation
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    updates = Updates(here, runtime, "0.1.0")
    care = Care(tmp_path, "0.1.0", updates)
    app = described(
        create_app(
            table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached={EXTENSION: attach_care(care)}
        )
    )
    other, host = Phone(app), host_phone(app)
    assert other.post("host/update", {"confirmed": True})[0] == other.post("host/look-for-update", {})[0] == 403
    assert is_in("The list of releases can't", str(looked(updates)["message"]))
    assert host.post("host/update", {"confirmed": True})[1]["error"]["code"] == "no_update"

    publisher = Publisher(tmp_path / "others")
    publisher.trusted_by(here)
    publisher.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    assert host.post("host/look-for-update", {}) == (200, {"ok": True})
    assert looked(updates) == {"version": "0.1.0", "found": "0.2.0", "doing": None, "message": None, "good": True}
    assert host.client.get("/api/host/care").get_json()["update"]["found"] == "0.2.0"
    sit(table, app, "Ann", "Bob")
    assert host.post("host/update", {"confirmed": False})[1]["error"]["code"] == "wrong_phase"
    assert not (runtime / REQUEST).exists()
    assert host.post("host/update", {"confirmed": True}) == (200, {"ok": True})
    assert (runtime / REQUEST).read_bytes() == b"", "what is taken is not the table's affair"
    assert host.client.get("/api/host/care").get_json()["update"]["doing"] is not None
    assert host.post("host/update", {"confirmed": True})[1]["error"]["code"] == "no_update"


def test_why_there_is_no_update_is_told_in_the_reader_s_language(
    table: SimulatedTable, tmp_path: Path, here: Installation
) -> None:
    updates = Updates(here, tmp_path, "0.1.0")
    care = Care(tmp_path, "0.1.0", updates)
    app = described(
        create_app(
            table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached={EXTENSION: attach_care(care)}
        )
    )
    host = host_phone(app)

    def told() -> str:
        german = host.client.get("/api/host/care", headers={"Accept-Language": "de"})
        return str(german.get_json()["update"]["message"])

    with pytest.raises(Refused, match=r"0\.1\.0 is installed, and 0\.0\.9 is not newer"):
        update(here, lambda: PublishedRelease("0.0.9", "", ""), lambda _: None)
    assert "0.1.0 ist installiert, und 0.0.9 ist nicht neuer" in told(), "the updater is another process"
    looked(updates)
    assert "lässt sich nicht lesen" in told()
    here.save_state(reason="plain words of an older release")
    assert "plain words" in str(Updates(here, tmp_path, "0.1.0").state())


def test_how_an_update_does_is_told_by_what_runs(tmp_path: Path, here: Installation) -> None:
    def told(version: str) -> tuple[object, object, object]:
        state = Updates(here, tmp_path, version).state()
        assert state is not None
        return state["doing"], state["message"], state["good"]

    before = here.current()
    assert told("0.1.0") == (None, None, True)
    with here.lock():
        here.save_state(step="build", version="0.2.0", after="0.2.0-two")
        assert "Building the update" in str(told("0.1.0")[0])
    assert told("0.1.0") == (None, "The update failed: it was interrupted. Everything is as before.", False)
    here.save_state(step="switch")
    (here.releases / "0.2.0-two").mkdir()
    here.try_out("0.2.0-two")
    assert "Starting the new release" in str(told("0.1.0")[0])
    here.trial.unlink()
    assert told("0.2.0") == (None, "Lodestone 0.2.0 runs now.", True)
    here.switch(before)
    assert told("0.1.0")[2] is False
    (here.settings / "updates").unlink()
    assert Updates(here, tmp_path, "0.1.0").state() is None
