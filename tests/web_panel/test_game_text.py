"""The running game for whoever follows it, as text and JSON: what every screen shows, and no secret."""

from __future__ import annotations

from pathlib import Path

from firmware_host.archive.notation import read
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, panel, seal_all, seal_one, sit


def test_a_running_game_is_followed_as_text_and_as_json(table: SimulatedTable) -> None:
    app = panel(table)
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
    app = panel(table)
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
    app = panel(table)
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
