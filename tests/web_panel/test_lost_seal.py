"""A phone is lost after it has sealed: the others agree on the panel, that seat seals anew, and the round goes on."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from firmware_host.games.seals import commitment
from lodestone.tables import SimulatedTable
from tests.web_panel.table import digest, host_phone, nonce_of, sit, wake

NEW = "9" * 32


def test_a_lost_seal_is_made_anew(app: Flask, table: SimulatedTable) -> None:
    ann, bob = sit(table, app, "Ann", "Bob")
    view = ann.view()
    old = digest(view, 2, "bD10")
    for seat, phone, sealed in ((1, ann, digest(view, 1, "wD2")), (2, bob, old)):
        assert phone.post("seal", {"turn": 1, "commitment": sealed})[0] == 200, seat
    assert ann.view()["seats"][1]["may_reseal"] is True
    assert ann.post("propose", {"what": "reseal", "about": 2})[0] == 200
    assert "unless Bob objects" in ann.view()["proposal"]["words"]
    table.wait(20.1)
    assert (ann.view()["seats"][0]["sealed"], ann.view()["seats"][1]["sealed"]) == (True, False)
    lost = {"turn": 1, "action": "bD10", "nonce": nonce_of(2)}
    assert bob.post("open", lost)[1]["error"]["code"] == "wrong_phase", "the old opening opens nothing"
    seal = ann.view()["seal"]
    anew = commitment(seal["game"], 1, 2, seal["history"], "bD7", NEW)
    assert bob.post("seal", {"turn": 1, "commitment": anew})[0] == 200
    wake(ann, bob)
    assert bob.post("open", lost)[1]["error"]["code"] == "seal_mismatch"
    assert bob.post("open", {"turn": 1, "action": "bD7", "nonce": NEW})[0] == 200
    assert ann.post("open", {"turn": 1, "action": "wD2", "nonce": nonce_of(1)})[0] == 200
    assert ann.view()["phase"] == "placing"


def test_the_host_voids_a_turn_that_somebody_does_not_open(app: Flask, table: SimulatedTable) -> None:
    ann, bob = sit(table, app, "Ann", "Bob")
    host = host_phone(app)
    assert host.post("host/void")[1]["error"]["code"] == "bad_proposal", "nothing is sealed yet"
    view = ann.view()
    for seat, phone, placement in ((1, ann, "wD2"), (2, bob, "bD10")):
        assert phone.post("seal", {"turn": 1, "commitment": digest(view, seat, placement)})[0] == 200
    opening = {"turn": 1, "action": "wD2", "nonce": nonce_of(1)}
    assert ann.post("open", opening)[1]["error"]["code"] == "wrong_phase", "Bob's phone is not awake"
    wake(ann, bob)
    assert ann.post("open", opening)[0] == 200
    assert ann.post("host/void")[1]["error"]["code"] == "not_host"
    assert host.post("host/void")[0] == 200
    assert [seat["sealed"] for seat in ann.view()["seats"]] == [False, False]
    shown = ann.client.get("/api/proof").get_json()["turns"][0]["seals"]
    assert [(seal["void_by"], seal["action"], seal["nonce"]) for seal in shown] == [("host", None, None)] * 2
    assert bob.post("open", {"turn": 1, "action": "bD10", "nonce": nonce_of(2)})[1]["error"]["code"] == "wrong_phase"


@pytest.mark.parametrize("about", [0, 3, -1, 99, "2", None, 2.0, [2]])
def test_nobody_elses_seal_is_lost(app: Flask, table: SimulatedTable, about: Any) -> None:
    """A seat that is none, or that has sealed nothing: refused, and nothing changes."""
    ann, _ = sit(table, app, "Ann", "Bob")
    before = {name: value for name, value in table.view.items() if name != "seq"}
    status, answer = ann.post("propose", {"what": "reseal", "about": about})
    assert (status, answer["error"]["code"]) in {(409, "bad_proposal"), (400, "bad_request")}
    assert {name: value for name, value in table.view.items() if name != "seq"} == before
