"""Lessons over the panel: the list, who begins one, and the cookie that gives back the seat in the game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from lodestone.tables import SimulatedTable
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import Phone, host_phone, panel
from web_panel.access import LESSON_COOKIE, SEAT_COOKIE


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, kind="level")
    yield here
    here.close()


def test_the_list_is_in_the_readers_language(table: SimulatedTable) -> None:
    phone = Phone(panel(table))
    told = phone.client.get("/api/lessons", headers={"Accept-Language": "de"}).get_json()
    assert told["game"] == "spokes"
    assert told["lessons"][0] == {"name": "01-homes", "title": "Worum es geht"}


def test_a_learner_keeps_the_seat_in_the_lobby(table: SimulatedTable) -> None:
    app = panel(table)
    phone = Phone(app)
    ticket = phone.client.get("/api/tickets").get_json()["tickets"]["2"]
    assert phone.post("join", {"seat": 2, "name": "Ann", "ticket": ticket})[0] == 200
    seat = phone.cookie(SEAT_COOKIE)
    assert phone.post("lesson/begin", {"name": "01-homes"}) == (200, {"ok": True})
    assert phone.cookie(LESSON_COOKIE)
    assert phone.cookie(SEAT_COOKIE) == seat
    assert phone.view()["you"] == {"seat": 1, "claim_ok": True}
    assert phone.view()["lesson"]["exercise"] == 1
    other = Phone(app)
    assert other.post("lesson/begin", {"name": "02-pull"})[0] == 409
    assert other.post("lesson/stop")[0] == 403
    assert phone.post("lesson/stop") == (200, {"ok": True})
    assert phone.view()["you"] == {"seat": 2, "claim_ok": True}
    assert phone.view()["phase"] == "lobby"


def test_the_host_ends_a_lesson(table: SimulatedTable) -> None:
    app = panel(table)
    Phone(app).post("lesson/begin", {"name": "01-homes"})
    host = Phone(app)
    host.post("host/enter", {"token": TOKEN})
    for deed in ("show", "back", "next", "stop"):
        assert host.post(f"lesson/{deed}") == (200, {"ok": True})
    assert host.view()["lesson"] is None


def test_a_lesson_that_the_host_has_stopped_stays_so_until_the_host_allows_it(table: SimulatedTable) -> None:
    app = panel(table)
    phone, host = Phone(app), host_phone(app)

    def is_open() -> bool:
        return bool(host.client.get("/api/host/state").get_json()["lessons"])

    assert phone.post("lesson/begin", {"name": "01-homes"})[0] == 200
    assert phone.post("lesson/stop")[0] == 200
    assert is_open()
    for body in ({"name": "01-homes"}, {"name": "02-pull"}):
        assert phone.post("lesson/begin", body)[0] == 200
        assert host.post("lesson/stop")[0] == 200
        assert not is_open()
        refused = phone.post("lesson/begin", body)
        assert (refused[0], refused[1]["error"]["code"]) == (409, "wrong_phase")
        assert phone.post("host/allow-lessons")[1]["error"]["code"] == "not_host"
        assert host.post("host/allow-lessons") == (200, {"ok": True})
        assert is_open()
    assert host.post("lesson/begin", {"name": "01-homes"})[0] == 200
    assert host.post("lesson/stop")[0] == 200
    assert is_open(), "it was the host's own"


def test_no_such_lesson(table: SimulatedTable) -> None:
    status, answer = Phone(panel(table)).post("lesson/begin", {"name": "x"})
    assert (status, answer["error"]["code"]) == (409, "bad_lesson")


def test_who_waits_in_the_lobby_is_not_passed_over_unasked(app: Flask, table: SimulatedTable) -> None:
    ann, guest = Phone(app), Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    status, answer = guest.post("lesson/begin", {"name": "01-homes"})
    assert (status, answer["error"]["code"]) == (409, "people_wait")
    assert "Ann" in answer["error"]["message"]
    assert ann.post("lesson/begin", {"name": "01-homes"})[0] == 200, "nobody but her waits"
    assert ann.post("lesson/stop")[0] == 200
    assert guest.post("lesson/begin", {"name": "01-homes", "sure": True})[0] == 200
    assert guest.post("lesson/stop")[0] == 200
    assert [seat["name"] for seat in ann.view()["seats"] if seat["taken"]] == ["Ann"], "she has kept her seat"
