"""Games as text for whoever asks: what every screen shows of the running one, and no secret; games that are over."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from firmware_host.extensions.notation.extension import EXTENSION
from firmware_host.extensions.notation.notation import read
from firmware_host.extensions.notation.requests import routes
from firmware_host.plug import WITH_PANEL
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import KEY, SimulatedTable
from tests.replay.played import recorded
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.records import Shelf, panel_of
from tests.web_panel.table import ADDRESS, Phone, seal_all, seal_one, sit
from web_panel.app import create_app


def panel_with_text(table: SimulatedTable) -> Flask:
    attached = {EXTENSION: WITH_PANEL}
    return described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached=attached))


def test_a_running_game_is_followed_as_text_and_as_json(table: SimulatedTable) -> None:
    app = panel_with_text(table)
    watcher = Phone(app).client
    assert watcher.get("/api/game.txt").status_code == 404
    ann, bob = sit(table, app, "Ann", "Bob")
    seal_one(ann, "wD12")
    before = watcher.get("/api/game.txt")
    assert before.mimetype == "text/plain"
    assert "wD12" not in before.text + watcher.get("/api/game.json").text, "it is sealed"
    seal_one(bob, "bB3")
    assert "D12" not in watcher.get("/api/game.txt").text, "nobody has opened yet"
    same = watcher.get("/api/game.txt", headers={"If-None-Match": before.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")


def test_what_is_revealed_is_told(table: SimulatedTable) -> None:
    app = panel_with_text(table)
    phones = sit(table, app, "Ann", "Bob")
    seal_all(phones, "wD12", "bB3")
    watcher = Phone(app).client
    text = watcher.get("/api/game.txt").text
    assert text.splitlines()[-1] == "1. wD12 & bB3"
    assert "[Player1 Ann]" in text
    told = watcher.get("/api/game.json").get_json()
    assert told["turns"] == [{"turn": 1, "done": ["wD12 & bB3"]}]
    assert told["players"] == {"1": "Ann", "2": "Bob"}
    assert read(text).acts[0].actions == ((1, "wD12"), (2, "bB3"))
    Phone(app).post("lesson/begin", {"name": "01-homes", "phone": True})
    assert watcher.get("/api/game.txt").text == text, "what others learn meanwhile is no game"


def test_a_hidden_stack_stays_hidden(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, board="octiles-53")
    app = panel_with_text(table)
    for seat, name in ((1, "Ann"), (2, "Bob")):
        table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=seat, name=name, claim=name))
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    watcher = Phone(app).client
    text, told = watcher.get("/api/game.txt").text, watcher.get("/api/game.json").text
    stack = ",".join(map(str, table.runtime.table().ledger.now.position.stack))  # type: ignore[attr-defined]
    assert "[Game octiles]" in text
    assert "Start" not in text
    assert stack not in text + told
    table.close()


def test_everybody_downloads_a_game_that_is_over_and_no_other() -> None:
    over, open_ = recorded("phalanx", "+F2", "+F3", "+G1", resigns=2), recorded("coil", "a1", "pass", "g7")
    shelf = Shelf({"over": over, "open": open_})
    shelf.is_host = False
    client = panel_of(shelf, more=[routes]).test_client()
    text = client.get("/api/records/over.txt")
    assert text.get_data(as_text=True).splitlines()[-2:] == ["1. +F2 +F3 +G1", "2. *resigns:2"]
    assert "over.txt" in text.headers["Content-Disposition"]
    shelf.asked.clear()
    answer = client.get("/api/records/open.txt")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "not_over")
    shelf.is_host = True
    assert client.get("/api/records/open.txt").status_code == 403, "it would tell the host of a hidden stack"
    assert shelf.asked == [], "the record of a running game is not read for others"
