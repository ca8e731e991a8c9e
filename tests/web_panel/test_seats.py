"""Seats that phones take and give up in the lobby."""

from __future__ import annotations

import pytest

from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, panel


@pytest.mark.parametrize("name", ["x" * 25, "  "])
def test_who_is_refused_another_seat_keeps_the_one_held(table: SimulatedTable, name: str) -> None:
    ann = Phone(panel(table))
    assert ann.join(1, "Ann")[0] == 200
    wanted = {"seat": 2, "name": name, "ticket": ann.ticket(2), "move": True}
    status, answer = ann.post("join", wanted)
    assert (status, answer["error"]["code"]) == (409, "bad_name")
    view = ann.view()
    assert view["you"] == {"seat": 1, "claim_ok": True}
    assert [seat["taken"] for seat in view["seats"]] == [True, False]
    assert ann.post("join", {**wanted, "name": "Ann"})[0] == 200
    assert ann.view()["you"] == {"seat": 2, "claim_ok": True}
