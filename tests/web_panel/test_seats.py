"""Seats that phones take and give up in the lobby."""

from __future__ import annotations

import pytest

from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, host_phone, panel, sit
from web_panel.access import ASK_COOKIE


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


def test_a_phone_gets_the_seat_that_was_given_to_it_after_a_rotation(table: SimulatedTable) -> None:
    """The host gives Ann's seat to her new phone, and before that collects it the seats are changed."""
    app = panel(table)
    host, (_, bob), new, copied = host_phone(app), sit(table, app, "Ann", "Bob"), Phone(app), Phone(app)
    assert bob.post("resign")[0] == 200
    code = new.post("ask", {"seat": 1})[1]["code"]
    copied.client.set_cookie(ASK_COOKIE, str(new.cookie(ASK_COOKIE)))
    assert host.post("host/allow", {"code": code})[0] == 200
    assert bob.post("rematch", {"turned": True})[0] == 200
    assert new.post("collect") == (200, {"ok": True, "seat": 2})
    assert new.view()["you"] == {"seat": 2, "claim_ok": True}
    status, answer = copied.post("collect")
    assert (status, answer["error"]["code"]) == (409, "refused"), "once, whichever number the seat has"
