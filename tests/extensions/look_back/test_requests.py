"""A phone steps back through the running game: it gets what everybody has seen, and nothing that is sealed now."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, panel, seal_all, sit


def test_a_phone_steps_back_through_what_everybody_has_seen(tmp_path: Path) -> None:
    with closing(SimulatedTable(tmp_path)) as table:
        app = panel(table)
        watcher = Phone(app)
        assert watcher.client.get("/api/past/0").status_code == 404
        people = sit(table, app, "Ann", "Bob")
        assert watcher.client.get("/api/past/0").get_json()["in_all"] == 1
        seal_all(people, "wD2", "bD9")
        for task in list(table.view["tasks"]):  # type: ignore[attr-defined]
            table.hand.put(task["node"], task["piece"])
        table.wait(2)
        first, newest = (watcher.client.get(f"/api/past/{at}").get_json() for at in (0, 99))
        assert (first["board"], first["at"]) == ({}, 0)
        assert (newest["board"], newest["at"], newest["in_all"]) == ({"D2": ["w"], "D9": ["b"]}, 1, 2)
        assert newest["words"] == "Ann places white on D2; Bob places black on D9."
        assert table.view["phase"] == "sealing"
        assert people[0].post("seal", {"turn": 2, "commitment": "0" * 64})[0] == 200
        told = [json.dumps(watcher.client.get(f"/api/past/{at}").get_json()) for at in (0, 1, 2)]
        assert told[2] == told[1] == json.dumps(newest), "what is sealed is no moment yet"
