"""Positions set up by hand, as requests: wrong shapes, who may do what, and what is no position."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from firmware_host.extensions.positions.extension import EXTENSION, attach_positions
from lodestone.tables import KEY, SimulatedTable
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone, sit, unhurried
from web_panel.app import create_app

GOOD: dict[str, Any] = {"mode": "2", "board": {"C2": ["w"], "D3": ["w"]}, "chosen": {"seat": "1"}}
WRONG: list[dict[str, Any]] = [
    {},
    {**GOOD, "more": 1},
    {**GOOD, "mode": 2},
    {**GOOD, "board": ["C2"]},
    {**GOOD, "board": {"C2": "w"}},
    {**GOOD, "board": {"C2": [1]}},
    {**GOOD, "board": {"C2": ["w"] * 5}},
    {**GOOD, "board": {f"X{number}": ["w"] for number in range(200)}},
    {**GOOD, "chosen": {"seat": 1}},
    {**GOOD, "chosen": "1"},
]


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    attached, host = {EXTENSION: attach_positions()}, FakeHost()
    return described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=host, buckets=unhurried(), attached=attached)
    )


def test_wrong_shapes_are_refused_and_said_so(app: Flask) -> None:
    phone, host = Phone(app), host_phone(app)
    for body in WRONG:
        for sender, what in ((phone, "check"), (phone, "best"), (host, "play")):
            status, answer = sender.post(f"position/{what}", body)
            assert (status, answer["error"]["code"]) == (400, "bad_request"), (what, body)
            assert answer["error"]["message"]


def test_only_the_host_begins_a_game(app: Flask) -> None:
    assert Phone(app).post("position/play", GOOD)[1]["error"]["code"] == "not_host"


def test_other_pages_are_refused(app: Flask) -> None:
    answer = Phone(app).client.post("/api/position/check", json=GOOD)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "foreign")


def test_what_is_no_position_is_told_why(app: Flask) -> None:
    phone = Phone(app)
    assert phone.post("position/check", GOOD) == (200, {"ok": True})
    status, answer = phone.post("position/check", {**GOOD, "board": {"Z1": ["w"]}})
    assert (status, answer["error"]["code"], answer["error"]["message"]) == (
        409,
        "bad_position",
        "the board has no node Z1",
    )
    assert phone.client.get("/api/position").get_json()["starts"] == {"2": {}, "4": {}, "2v2": {}}


def test_while_a_game_is_played_the_board_is_its_own(app: Flask, table: SimulatedTable) -> None:
    sit(table, app, "Ann", "Bob")
    assert Phone(app).client.get("/api/position/lying").get_json()["error"]["code"] == "wrong_phase"
    assert host_phone(app).post("position/play", GOOD)[1]["error"]["code"] == "wrong_phase"
