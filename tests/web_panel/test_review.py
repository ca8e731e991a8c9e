"""The review of the game that has ended at a table: made beside it, given up when the next one starts."""

from __future__ import annotations

from tests.tables import RunningTable
from tests.web_panel.table import Phone, panel, seal_all, sit
from tests.web_panel.test_hints import Scripted


def over(table: RunningTable) -> tuple[Phone, Scripted]:
    """Let one turn be played and somebody resign."""
    search = Scripted("wC2")
    table.runtime.computers.thinker = search
    phones = sit(table, panel(table), "Ann", "Bob")
    seal_all(phones, "wD12", "wC3")
    assert phones[1].post("resign")[0] == 200
    table.wait(0.1)
    return phones[0], search


def test_it_is_made_beside_the_table_and_told_to_everybody(table: RunningTable) -> None:
    ann, search = over(table)
    everybody = Phone(ann.client.application)
    told = everybody.client.get("/api/review").get_json()
    assert (told["state"], told["done"], told["of"]) == ("thinking", 0, 2)
    assert [question.seat for question in search.asked] == [1, 2], "what was revealed, nothing else"
    search.ready = True
    table.wait(0.1)
    told = everybody.client.get("/api/review").get_json()
    assert told["state"] == "ready"
    assert told["lines"][0]["points"][-1] == [2, 1.0]
    (turning,) = told["turning"]
    assert turning["better"] == "White on C2"
    assert turning["frames"][1]["board"] == {"C2": ["w"], "C3" if turning["seat"] == 1 else "D12": ["w"]}


def test_it_is_given_up_when_the_next_game_starts(table: RunningTable) -> None:
    ann, search = over(table)
    assert ann.post("new")[0] == 200
    table.wait(0.1)
    assert search.asked, "in the lobby it goes on"
    from firmware_host.table.events import GameStarted  # noqa: PLC0415

    table.runtime.submit(GameStarted(at=table.runtime.now()))
    table.wait(0.1)
    assert search.asked == []
    assert ann.client.get("/api/review").get_json()["state"] == "none"


def test_there_is_none_before_anything_has_ended(table: RunningTable) -> None:
    ann, _ = sit(table, panel(table), "Ann", "Bob")
    assert ann.client.get("/api/review").get_json()["state"] == "none"
