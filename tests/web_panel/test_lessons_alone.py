"""A lesson on one phone alone: nobody else sees it, the table goes on, and several phones may learn at once."""

from __future__ import annotations

import gc
import inspect
from pathlib import Path

import pytest
from flask import Flask

from firmware_host.session.lessons import LessonAlone
from lodestone.tables import SimulatedTable
from tests.e2e.program import eventually
from tests.web_panel.table import Phone, Screen, host_phone, panel, sit
from web_panel.api import play
from web_panel.renderings import Live

FIRST = {"name": "01-homes", "phone": True}
ALONE = "?alone=1"


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    return panel(table)


def alone(phone: Phone) -> dict[str, object]:
    found: dict[str, object] = phone.client.get(f"/api/state{ALONE}").get_json()
    return found


def lesson(phone: Phone) -> dict[str, object]:
    found = alone(phone)["lesson"]
    assert isinstance(found, dict)
    return found


def test_a_game_goes_on_while_others_learn_each_on_a_phone_of_their_own(app: Flask, table: SimulatedTable) -> None:
    ann, _ = sit(table, app, "Ann", "Bob")
    before = ann.view()
    carol, dora = Phone(app), Phone(app)
    assert carol.post("lesson/begin", FIRST) == (200, {"ok": True})
    assert dora.post("lesson/begin", FIRST) == (200, {"ok": True})
    table.wait(1.0)
    assert lesson(carol)["exercise"] == 1
    assert alone(carol)["you"] == {"seat": 1, "claim_ok": True}
    assert carol.post(f"choose{ALONE}", {"action": "C2-D3-3"})[0] == 200
    table.wait(2.0)
    assert (lesson(carol)["done"], lesson(dora)["done"]) == (True, False)
    assert carol.post(f"why{ALONE}", {"from": "C2", "to": "A1"})[0] == 200
    assert carol.post(f"lesson/next{ALONE}") == (200, {"ok": True})
    assert lesson(carol)["exercise"] == 2
    for phone in (ann, carol):
        view = phone.view()
        assert (view["lesson"], view["phase"], view["board"]) == (None, before["phase"], before["board"])
    assert carol.view()["you"] is None, "a page of the table shows the table"
    assert carol.post(f"lesson/stop{ALONE}") == (200, {"ok": True})
    assert alone(carol)["lesson"] is None
    status, answer = carol.post(f"choose{ALONE}", {"action": "C2-D3-3"})
    assert (status, answer["error"]["code"]) == (409, "wrong_phase"), (
        "what was meant for a lesson never reaches the game"
    )
    assert lesson(dora)["exercise"] == 1


def test_nothing_keeps_the_lessons_that_have_ended(app: Flask, table: SimulatedTable) -> None:
    """A table at which somebody learns all day keeps the lessons that go on, with their streams."""

    def kept() -> int:
        gc.collect()
        return sum(isinstance(one, LessonAlone | Live) for one in gc.get_objects())

    before, goes_on = kept(), Phone(app)
    assert goes_on.post("lesson/begin", FIRST)[0] == 200
    table.wait(1.0)
    assert lesson(goes_on)["exercise"] == 1
    for _ in range(3):
        phone = Phone(app)
        assert phone.post("lesson/begin", FIRST)[0] == 200
        table.wait(1.0)
        assert lesson(phone)["exercise"] == 1
        assert phone.post(f"lesson/stop{ALONE}")[0] == 200
        table.wait(1.0)
    assert kept() <= before + 4, "the one that goes on, and the one that has just ended"
    assert lesson(goes_on)["exercise"] == 1


def test_who_plays_is_waited_for_and_begins_none(app: Flask, table: SimulatedTable) -> None:
    ann, _ = sit(table, app, "Ann", "Bob")
    status, answer = ann.post("lesson/begin", FIRST)
    assert (status, answer["error"]["code"]) == (409, "wrong_phase")


def test_people_in_the_lobby_keep_it(app: Flask, table: SimulatedTable) -> None:
    ann, guest = Phone(app), Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    assert guest.post("lesson/begin", FIRST) == (200, {"ok": True}), "nobody is asked: nothing is taken from them"
    assert (ann.view()["phase"], ann.view()["lesson"]) == ("lobby", None)
    assert guest.join(2, "Bob")[0] == 200
    assert lesson(guest)["exercise"] == 1


def test_the_host_learns_beside_a_lesson_on_the_board(app: Flask, table: SimulatedTable) -> None:
    guest, host = Phone(app), host_phone(app)
    assert guest.post("lesson/begin", {"name": "01-homes"})[0] == 200
    assert host.post("lesson/begin", {"name": "02-pull", "phone": True})[0] == 200
    assert lesson(host)["name"] == "02-pull"
    assert guest.view()["lesson"]["name"] == "01-homes"
    assert host.post(f"lesson/stop{ALONE}")[0] == 200
    assert guest.view()["lesson"]["name"] == "01-homes", "its stop is its own"


def test_the_stream_is_that_of_the_lesson(app: Flask, table: SimulatedTable) -> None:
    carol = Phone(app)
    assert carol.post("lesson/begin", FIRST)[0] == 200
    mine, tables = Screen(carol.client, f"/api/events{ALONE}"), Screen(Phone(app).client)
    assert carol.post(f"lesson/show{ALONE}") == (200, {"ok": True})
    eventually(lambda: b"C2 pushes D3 to 3" in mine.sent[-1], "the phone is told at once")
    assert not any(b"01-homes" in data for data in tables.sent)
    assert carol.post(f"lesson/stop{ALONE}") == (200, {"ok": True})
    eventually(lambda: mine.over, "the stream ends with the lesson")
    assert not tables.over
    tables.left = True


def test_the_lights_and_sensors_of_the_board_have_no_part(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, kind="level")
    phone = Phone(panel(table))
    assert phone.post("lesson/begin", FIRST)[0] == 200
    table.wait(1.0)
    dark = {table.pixel(node) for node in ("C2", "D3", "A1")}
    table.hand.put("A1", "b")
    table.wait(0.5)
    assert alone(phone)["problem"] is None
    assert dark == {(0, 0, 0)}
    table.close()


def test_what_a_lesson_alone_is_asked_never_reaches_the_table() -> None:
    """Who learns on a phone alone has a seat there, and none at the table: such a handler must not touch it."""
    players = [route for route in play.routes if route.sender == "player"]
    assert players
    for route in players:
        assert "panel.table" not in inspect.getsource(route.handler), route.path


@pytest.mark.parametrize("path", ["hint", "hurry", "rematch", "new"])
def test_what_only_the_table_does_is_refused_to_who_learns_alone(app: Flask, table: SimulatedTable, path: str) -> None:
    sit(table, app, "Ann", "Bob")
    carol = Phone(app)
    assert carol.post("lesson/begin", FIRST) == (200, {"ok": True})
    before = carol.view()["log"]
    status, answer = carol.post(f"{path}{ALONE}", {"level": 1} if path == "hint" else {})
    assert (status, answer["error"]["code"]) == (403, "not_seated")
    assert carol.view()["log"] == before
