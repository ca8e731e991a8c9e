"""Clocks through the panel: what the host may choose, what everybody sees, and that records tell it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from lodestone.tables import SimulatedTable
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import Phone, host_phone, panel

FAMILY = {"main": 600, "increment": 10, "delay": 0, "strict": False}


def ok(phone: Phone, path: str, **body: Any) -> None:
    assert phone.post(f"host/{path}", body) == (200, {"ok": True}), path


def code(phone: Phone, path: str, **body: Any) -> str:
    status, answer = phone.post(f"host/{path}", body)
    assert status == 409
    return str(answer["error"]["code"])


def clocks(phone: Phone) -> Any:
    return phone.view()["clocks"]


def test_the_host_chooses_clocks_and_odds_in_the_lobby(app: Flask) -> None:
    host = host_phone(app)
    assert clocks(host) is None
    ok(host, "clocks", **FAMILY)
    assert clocks(host)["words"] == "10:00 for each player, 10 s more after each turn, gentle"
    ok(host, "odds", seat=2, main=1200)
    ok(host, "clocks", **FAMILY | {"main": 300, "strict": True})
    assert [seat["main"] for seat in clocks(host)["seats"]] == [300, 1200], "odds stay"
    ok(host, "odds", seat=2, main=0)
    assert [seat["main"] for seat in clocks(host)["seats"]] == [300, 300]
    ok(host, "no-clocks")
    assert clocks(host) is None


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("clocks", FAMILY | {"main": 100_000}),
        ("clocks", FAMILY | {"main": -1}),
        ("clocks", FAMILY | {"increment": 601}),
        ("clocks", FAMILY | {"delay": -1}),
        ("odds", {"seat": 1, "main": 300}),
    ],
)
def test_what_no_clock_can_be_is_refused(app: Flask, path: str, body: dict[str, Any]) -> None:
    host = host_phone(app)
    assert code(host, path, **body) == "bad_clock"
    assert clocks(host) is None


def test_the_host_sets_the_lights(table: SimulatedTable) -> None:
    fake = FakeHost()
    host = host_phone(panel(table, fake))
    wish = {"brightness": 40, "night": True, "off": False, "sleep": 5, "show": True}
    ok(host, "lights", **wish)
    assert host.client.get("/api/host/state").get_json()["rest"] == wish
    assert code(host, "lights", **wish | {"brightness": 0}) == "bad_lights"


def test_only_the_host_chooses_and_only_before_the_game(app: Flask, table: SimulatedTable) -> None:
    assert Phone(app).post("host/clocks", FAMILY)[0] == 403
    host = host_phone(app)
    ok(host, "clocks", **FAMILY)
    assert code(host, "odds", seat=9, main=60) == "bad_seat"
    for seat in (1, 2):
        ok(host, "computer", seat=seat)
    ok(host, "start")
    assert code(host, "clocks", **FAMILY) == "wrong_phase"


def test_phones_can_work_out_what_a_clock_shows(app: Flask, table: SimulatedTable) -> None:
    ann, host = Phone(app), host_phone(app)
    ok(host, "clocks", **FAMILY)
    assert ann.join(1, "Ann")[0] == 200
    ok(host, "computer", seat=2)
    ok(host, "start")
    table.wait(7.0)
    view = ann.view()
    mine = view["clocks"]["seats"][0]
    now = ann.client.get("/api/time").get_json()["now"]
    assert now == round(table.clock.now * 1000)
    passed = now - view["clocks"]["at"]
    assert mine["runs"]
    assert 590_000 < mine["left"] - passed < 594_000
    assert view["seq"] == ann.view()["seq"], "no view was sent for it"


def test_a_restart_goes_on_with_what_stood_when_the_program_ended(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path)
    host = host_phone(panel(table))
    ok(host, "clocks", **FAMILY)
    ok(host, "computer", seat=2)
    assert Phone(panel(table)).join(1, "Ann")[0] == 200
    ok(host, "start")
    table.wait(5.0)
    before = table.runtime._table
    assert before is not None
    assert before.ledger.clocks is not None
    table.runtime.stop()
    stood = before.ledger.clocks
    table.close()
    again = SimulatedTable(tmp_path, resume=True)
    after = again.runtime._table
    assert after is not None
    assert after.ledger.clocks == stood
    assert stood.used[1] > 4000
    again.close()


def test_the_next_game_has_the_same_clocks(app: Flask, table: SimulatedTable) -> None:
    host = host_phone(app)
    ok(host, "clocks", **FAMILY)
    ok(host, "odds", seat=2, main=1200)
    for seat in (1, 2):
        ok(host, "computer", seat=seat)
    ok(host, "start")
    shown = clocks(host)
    running = table.runtime._table
    assert running is not None
    table.runtime.new_lobby("2")
    assert clocks(host)["words"] == shown["words"]
    assert [seat["main"] for seat in clocks(host)["seats"]] == [600, 1200]
