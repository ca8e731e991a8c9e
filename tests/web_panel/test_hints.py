"""Hints over the panel: for the phone that asked alone, and nothing else that leaves the table depends on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.analysis.engine_process import AnalysisProcess
from lodestone.chance import Drawn
from lodestone.tables import SimulatedTable
from tests.analysers import ScriptedAnalyser
from tests.e2e.program import eventually
from tests.web_panel.table import Phone, digest, host_phone, panel, seal_all, sit


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("D12-D13-D14")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, analyser=search)
    yield here
    here.close()


def hint(phone: Phone, told: int) -> Any:
    status, answer = phone.post("hint", {"level": told})
    assert status == 200, answer
    return answer["hint"]


def resolving(table: SimulatedTable) -> tuple[list[Phone], Phone]:
    """Two white stones lie side by side; return the phones, the one that resolves first."""
    phones = sit(table, panel(table), "Ann", "Bob")
    seal_all(phones, "wD12", "wD13")
    table.hand.put("D12", "w")
    table.hand.put("D13", "w")
    table.wait(1.0)
    view = phones[0].view()
    assert view["phase"] == "resolving"
    order = sorted(phones, key=lambda phone: phone.view()["you"]["seat"] != view["resolver"])
    return order, Phone(phones[0].client.application)


def test_a_hint_is_thought_about_and_then_told_tap_by_tap(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    (actor, other), watcher = resolving(table)
    assert hint(actor, 1) is None
    table.wait(0.1)
    assert [question.ranked for question in search.asked] == [True]
    search.ready = True
    assert hint(actor, 1)["words"] == "Look at the stone on D13."
    assert actor.view()["wanted"] is None
    assert [one["action"] for one in hint(actor, 2)["choices"]] == ["D12-D13-D14", "wA1"]
    third = hint(actor, 3)
    assert (third["level"], third["ways"], third["puts"]) == (3, [["D13", "D14"]], [])
    assert actor.post("hint", {"told": 1})[1]["hint"]["told"] == 1, "a page of release 0.1 that is still open"
    table.wait(0.1)
    assert (watcher.view()["wanted"], watcher.view()["tasks"]) == (None, []), "hands have nothing to do for a hint"
    assert sum(table.pixel("D14")) == 0
    assert other.post("hint", {"level": 1})[1]["error"]["code"] == "not_your_turn"
    assert watcher.post("hint", {"level": 1})[1]["error"]["code"] == "not_seated"
    kinds = [entry.kind for entry in table.journal.entries(actor.view()["game"]["id"])]
    assert kinds.count("hint") == 3


def test_the_host_says_who_may_ask(table: SimulatedTable) -> None:
    app = panel(table)
    ann, bob = sit(table, app, "Ann", "Bob")
    host = host_phone(app)
    assert ann.post("host/hints", {"on": False})[0] == 403
    assert host.post("host/hints", {"on": False, "seat": 1})[0] == 200
    assert ann.post("hint", {"level": 1})[1]["error"]["code"] == "no_hints"
    assert hint(bob, 1) is None
    assert host.post("host/hints", {"on": True})[0] == 200
    assert hint(ann, 1) is None


def test_where_nobody_searches_there_are_none_and_none_is_written_down(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path)
    ann, _ = sit(table, panel(table), "Ann", "Bob")
    before = ann.view()["log"]
    assert ann.post("hint", {"level": 1})[1]["error"]["code"] == "no_hints"
    assert ann.view()["log"] == before
    table.close()


def everything_public(folder: Path, placement: str) -> str:
    """Return all that leaves a table while Ann asks what to seal, is told a placement, and seals that one."""
    search = ScriptedAnalyser(placement)
    table = SimulatedTable(folder, draw=Drawn("the same"), analyser=search)
    try:
        ann, bob = sit(table, panel(table), "Ann", "Bob")
        watcher = Phone(ann.client.application)
        told: list[Any] = []

        def look() -> None:
            table.wait(0.2)
            told.extend(phone.view() for phone in (bob, watcher))
            told.append([table.pixel(node) for node in table.description.nodes])

        assert hint(ann, 1) is None
        look()
        search.ready = True
        for number in (1, 2):
            assert hint(ann, number) is not None
            look()
        assert hint(ann, 2)["choices"][0]["action"] == placement
        assert ann.post("hint", {"level": 3})[1]["error"]["code"] == "bad_hint"
        look()
        seal = digest(ann.view(), 1, placement)
        assert ann.post("seal", {"turn": 1, "commitment": seal})[0] == 200
        look()
        entries = [(one.kind, dict(one.data)) for one in table.journal.entries(ann.view()["game"]["id"])]
        text = json.dumps([told, entries], default=str)
        assert placement[1:] in json.dumps(list(table.description.nodes)), "a node that exists"
        return text.replace(seal, "the commitment").replace(seal[:8], "its beginning")
    finally:
        table.close()


def test_nothing_public_depends_on_a_hint_about_a_placement(tmp_path: Path) -> None:
    said = []
    for number, placement in enumerate(("wD12", "bC3", "wA1")):
        folder = tmp_path / str(number)
        folder.mkdir()
        said.append(everything_public(folder, placement))
    for other in said[1:]:
        one, two = _without_claims(said[0]), _without_claims(other)
        assert one == two


def _without_claims(text: str) -> Any:
    """Leave out what is drawn by the web server for each phone: its claim."""
    told, entries = json.loads(text)
    return told, [(kind, {name: value for name, value in data.items() if name != "claim"}) for kind, data in entries]


def test_the_real_search_answers(tmp_path: Path) -> None:
    with closing(AnalysisProcess()) as analyser, closing(SimulatedTable(tmp_path, analyser=analyser)) as table:
        (actor, _), _ = resolving(table)
        assert hint(actor, 2) is None

        def answer() -> Any:
            table.wait(0.05)
            return hint(actor, 2)

        found = eventually(answer, "a hint")
        assert found["choices"][0]["action"] in {"D12-D13-D14", "D13-D12-D11"}
        assert found["choices"][0]["leads"]
