"""Every request of the machine with every wrong shape, from everybody who may not: each refusal says why."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.extension import EXTENSION, attach_care
from firmware_host.extensions.appliance.update import Updates
from lodestone.tables import KEY, SimulatedTable
from tests.extensions.appliance.wifi import FakeWifi
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, OWN, Phone, unhurried
from tests.web_panel.test_wrong_shapes import BAD_SHAPES, RIGHT
from web_panel.app import create_app

FIELDS: dict[str, dict[str, type]] = {
    "host/power": {"what": str},
    "host/look-for-update": {},
    "host/update": {"confirmed": bool},
    "network/look": {},
    "network/join": {"network": str, "password": str, "hidden": bool},
    "network/hotspot": {"on": bool},
    "network/allow": {"code": str},
    "network/refuse": {"code": str},
}


@pytest.fixture
def app(table: SimulatedTable, tmp_path: Path) -> Any:
    attached = {EXTENSION: attach_care(Care(tmp_path, "1.0", Updates(None, None, "1.0"), FakeWifi()))}
    host = FakeHost()
    return described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=host, buckets=unhurried(), attached=attached)
    )


def test_the_list_above_is_complete() -> None:
    every = chain.from_iterable(EXTENSION.routes)
    assert {one.path.removeprefix("/api/") for one in every if one.method == "post"} == set(FIELDS)


def test_each_wrong_shape_is_refused(app: Any) -> None:
    for name, fields in FIELDS.items():
        right = {field: RIGHT[kind] for field, kind in fields.items()}
        for body in BAD_SHAPES:
            answer = app.test_client().post(f"/api/{name}", data=body, headers=OWN, content_type="application/json")
            assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad_request"), (name, body)
        for field, kind in fields.items():
            for value in (None, 1.5, {}, [], "a\x00b", "y" * 201) if kind is str else (None, 1, "x", []):
                status, answer = Phone(app).post(name, {**right, field: value})
                assert (status, answer["error"]["code"]) == (400, "bad_request"), (name, value)
                assert answer["error"]["message"].startswith(f"{field}: expected")
        assert Phone(app).post(name, {**right, "<b>": 1})[1]["error"]["message"].startswith("<b>: unknown field")
        long = json.dumps({"x": "y" * 5000})
        answer = app.test_client().post(f"/api/{name}", data=long, headers=OWN, content_type="application/json")
        assert answer.status_code == 413
        assert (
            app.test_client().post(f"/api/{name}", data="{}", headers=OWN, content_type="text/plain").status_code == 415
        )


def test_only_the_host_rules(app: Any) -> None:
    for name, fields in FIELDS.items():
        status, answer = Phone(app).post(name, {field: RIGHT[kind] for field, kind in fields.items()})
        assert (status, answer["error"]["code"]) == (403, "not_host"), name
