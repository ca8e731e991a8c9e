"""After the end: another game, with the same seats or with everybody one seat further."""

from __future__ import annotations

from tests.tables import RunningTable
from tests.web_panel.table import panel, sit


def test_again_turns_the_seats_and_each_phone_keeps_its_player(table: RunningTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    assert ann.post("new", {"turned": True}) == (200, {"ok": True})
    view = ann.view()
    assert view["phase"] == "lobby"
    assert [seat["name"] for seat in view["seats"]] == ["Bob", "Ann"]
    assert (ann.view()["you"]["seat"], bob.view()["you"]["seat"]) == (2, 1)
    assert ann.post("name", {"name": "Anna"})[0] == 200
    assert [seat["name"] for seat in bob.view()["seats"]] == ["Bob", "Anna"], "each speaks for its own seat"


def test_the_next_game_keeps_the_seats(table: RunningTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    assert bob.post("new") == (200, {"ok": True})
    assert (ann.view()["you"]["seat"], bob.view()["you"]["seat"]) == (1, 2)
