"""What a phone may ask about the rules, and what of a secret choice it never has to ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.table.subjects.seats import GameStarted
from lodestone.tables import SimulatedTable
from tests.sentences import sentence
from tests.web_panel.table import Phone, panel, sit


@pytest.fixture
def phones(tmp_path: Path) -> Iterator[list[Phone]]:
    """Two people and somebody who watches, before the first action of a game of Phalanx."""
    with closing(SimulatedTable(tmp_path, board="go-9x9")) as table:
        app = panel(table)
        people = [Phone(app) for _ in range(3)]
        for seat, (phone, name) in enumerate(zip(people[:2], ("Ann", "Bob"), strict=True), 1):
            assert phone.join(seat, name)[0] == 200
        table.runtime.submit(GameStarted(at=table.runtime.now()))
        table.wait(0.5)
        for task in list(table.view["tasks"]):  # type: ignore[call-overload]
            table.hand.put(task["node"], task["piece"])
        table.wait(1)
        yield people


def test_the_rule_is_told_in_the_language_of_the_request(phones: list[Phone]) -> None:
    ann = phones[0]
    assert ann.post("why", {"from": "B8"}) == (200, {"ok": True, "why": "the hoplite on B8 is White's"})
    assert ann.post("why", {"from": "G3", "to": "J3"}) == (200, {"ok": True, "why": None})
    status, german = ann.post("why", {"from": "B8"}, **{"Accept-Language": "de"})
    assert status == 200
    assert "Weiß" in german["why"]


def test_who_may_ask_and_about_what(phones: list[Phone]) -> None:
    ann, _, watcher = phones
    assert watcher.post("why", {"from": "B8"})[0] == 403
    for body, code in (({"to": "Z9"}, "bad_node"), ({"to": "E5", "piece": "q"}, "bad_action")):
        status, answer = ann.post("why", body)
        assert (status, answer["error"]["code"]) == (409, code)
    before = ann.view()
    assert ann.post("why", {})[1]["why"] is None
    assert ann.view() == before, "nothing is done"


def test_what_is_chosen_in_secret_is_told_beforehand_and_not_asked(tmp_path: Path) -> None:
    with closing(SimulatedTable(tmp_path)) as table:
        ann, _ = sit(table, panel(table), "Ann", "Bob")
        closed = ann.view()["seal"]["closed"]
        assert set(closed) == {str(home) for home in range(1, 17)}
        assert closed["5"] == sentence("is a home: new", node=5)
        assert ann.post("why", {"to": "5"}) == (200, {"ok": True, "why": None})
