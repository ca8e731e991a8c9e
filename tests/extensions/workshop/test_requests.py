"""The workshop's requests: for the host alone, and each refusal says why."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.extensions.workshop.extension import EXTENSION, attach_workshop
from firmware_host.extensions.workshop.service import Workshop
from lodestone.tables import KEY, SimulatedTable
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone, unhurried
from tests.web_panel.test_wrong_shapes import RIGHT
from web_panel.app import create_app

FIELDS: dict[str, dict[str, type]] = {
    "host/workshop/begin": {"what": str, "pause": bool},
    "host/workshop/answer": {"choice": str},
    "host/workshop/stop": {},
}


@pytest.fixture
def app(table: SimulatedTable) -> Any:
    attached = {EXTENSION: attach_workshop(Workshop(table.runtime))}
    host, buckets = FakeHost(), unhurried()
    return described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=host, buckets=buckets, attached=attached)
    )


def test_the_list_above_is_complete() -> None:
    posts = {one.path.removeprefix("/api/") for routes in EXTENSION.routes for one in routes if one.method == "post"}
    assert posts == set(FIELDS)


def test_each_wrong_shape_is_refused(app: Any) -> None:
    for name, fields in FIELDS.items():
        right = {field: RIGHT[kind] for field, kind in fields.items()}
        for field, kind in fields.items():
            for value in (None, 1.5, {}, [], "a\x00b", "y" * 201) if kind is str else (None, 1, "x", []):
                status, answer = Phone(app).post(name, {**right, field: value})
                assert (status, answer["error"]["code"]) == (400, "bad_request"), (name, value)
                assert answer["error"]["message"].startswith(f"{field}: expected")
        assert Phone(app).post(name, {**right, "<b>": 1})[1]["error"]["message"].startswith("<b>: unknown field")


def test_only_the_host_takes_the_board(app: Any) -> None:
    other, host = Phone(app), host_phone(app)
    for name, fields in FIELDS.items():
        status, answer = other.post(name, {field: RIGHT[kind] for field, kind in fields.items()})
        assert (status, answer["error"]["code"]) == (403, "not_host"), name
    assert other.client.get("/api/host/workshop").status_code == 403
    assert host.client.get("/api/host/workshop").get_json()["what"] is None
    assert host.post("host/workshop/begin", {"what": "check", "pause": False})[0] == 200
    state = host.client.get("/api/host/workshop").get_json()
    assert (state["what"], state["step"]["do"]) == ("check", "wait")
    assert host.post("host/workshop/answer", {"choice": "sideways"})[1]["error"]["code"] == "bad_action"
    assert host.post("host/workshop/answer", {"choice": "sideways", "done": 0})[1]["error"]["code"] == "bad_action"
    assert host.post("host/workshop/answer", {"choice": "sideways", "done": 7}) == (200, {"ok": True}), "another step"
    assert host.post("host/workshop/answer", {"choice": "skip", "done": "7"})[1]["error"]["code"] == "bad_request"
    assert host.post("host/workshop/stop", {})[0] == 200
    assert host.client.get("/api/host/workshop").get_json()["step"] is None
