"""What is told of seals: commitments at once, openings of revealed turns only; what was lost or taken back as such."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from firmware_host.extensions.proof.proof import Proof
from firmware_host.games.registry import game
from firmware_host.games.seals import FIRST_HISTORY, commitment, next_history
from lodestone.tables import SimulatedTable
from tests.web_panel.table import Phone, digest, nonce_of, panel, seal_all, sit, wake


def proof(phone: Phone) -> Any:
    return phone.client.get("/api/proof").get_json()


def told(app: Flask, *paths: str) -> str:
    """Return everything that a stranger and the panel's pages are told, as one text."""
    client = app.test_client()
    return " ".join(client.get(path).get_data(as_text=True) for path in ("/api/proof", "/proof", "/api/state", *paths))


def follow(table: SimulatedTable) -> None:
    """Put and take what the table asks for."""
    for _ in range(40):
        tasks: Any = table.view["tasks"]
        if table.view["phase"] not in {"placing", "clearing", "setup"}:
            return
        for task in tasks:
            if task["do"] == "put":
                table.hand.put(task["node"], task["piece"])
            elif task["do"] == "take":
                table.hand.take_off(task["node"])
            else:
                table.hand.carry(task["from"], task["to"], task["pieces"])
        table.wait(1.0)


def seal(phone: Phone, seat: int, placement: str) -> str:
    view = phone.view()
    made = digest(view, seat, placement)
    assert phone.post("seal", {"turn": view["turn"], "commitment": made})[0] == 200
    return made


def opened(phone: Phone, seat: int, placement: str) -> None:
    body = {"turn": phone.view()["turn"], "action": placement, "nonce": nonce_of(seat)}
    assert phone.post("open", body)[0] == 200


def recomputed(shown: Any) -> list[list[str]]:
    """Work every revealed turn out from the lines alone, as a stranger would; return the placements by turn."""
    history, placements = FIRST_HISTORY, []
    assert shown["first"] == history
    for turn in shown["turns"]:
        assert turn["history"] == history
        seals = [one for one in turn["seals"] if one["action"] is not None]
        for one in seals:
            found = commitment(shown["game"], turn["turn"], one["seat"], history, one["action"], one["nonce"])
            assert found == one["commitment"]
            assert one["at"] <= one["opened"] <= turn["revealed"]
            assert one["opened_n"] > max(other["n"] for other in seals)
        if turn["revealed"]:
            actions = {one["seat"]: one["action"] for one in seals}
            history = next_history(history, turn["turn"], actions, {one["seat"]: one["nonce"] for one in seals})
            assert turn["after"] == history
            placements.append([actions[seat] for seat in sorted(actions)])
    return placements


def test_several_turns_can_be_worked_out_by_anybody(app: Flask, table: SimulatedTable) -> None:
    people = sit(table, app, "Ann", "Bob")
    turns = [("wD12", "wD3"), ("wD8", "wD15"), ("wD1", "wD6")]
    for placements in turns:
        seal_all(people, *placements)
        follow(table)
        view = people[0].view()
        if view["phase"] == "resolving":
            pytest.fail(f"these placements were to leave nothing to resolve: {view['message']}")
    shown = proof(Phone(app))
    assert recomputed(shown) == [list(placements) for placements in turns]
    assert shown["seats"][0] == {"seat": 1, "name": "Ann", "computer": False}
    assert (shown["title"], shown["secrets"]) == ("Spokes", True)
    assert [turn["turn"] for turn in shown["turns"]] == [1, 2, 3]


def test_no_opening_is_told_before_the_reveal(app: Flask, table: SimulatedTable) -> None:
    """Also while openings are under way, and to the seat itself: what is known is who has sealed, and when."""
    ann, bob = sit(table, app, "Ann", "Bob")
    commitments = [seal(ann, 1, "wD12")]
    assert [one["commitment"] for one in proof(bob)["turns"][0]["seals"]] == commitments
    commitments.append(seal(bob, 2, "bD13"))
    wake(ann, bob)
    opened(ann, 1, "wD12")
    table.wait(0.5)
    assert table.view["phase"] == "revealing"
    for phone in (ann, bob, Phone(app)):
        text = json.dumps(proof(phone)) + told(app)
        assert nonce_of(1) not in text
        assert "wD12" not in text
        turn = proof(phone)["turns"][0]
        assert [one["commitment"] for one in turn["seals"]] == commitments
        assert {one["action"] for one in turn["seals"]} == {one["opened"] for one in turn["seals"]} == {None}
        assert turn["revealed"] is turn["after"] is None
    opened(bob, 2, "bD13")
    assert recomputed(proof(ann)) == [["wD12", "bD13"]]
    assert nonce_of(1) in told(app), "the search is not blind"


def test_no_claim_is_ever_told(app: Flask, table: SimulatedTable) -> None:
    ann, _ = sit(table, app, "Ann", "Bob")
    claim = table.runtime.claim(1)
    assert claim
    assert claim not in json.dumps(proof(ann)) + told(app)


def test_a_lost_seal_made_anew_is_shown_as_such(app: Flask, table: SimulatedTable) -> None:
    ann, bob = sit(table, app, "Ann", "Bob")
    first, bobs = seal(ann, 1, "wD12"), seal(bob, 2, "bD13")
    assert ann.post("propose", {"what": "reseal", "about": 1})[0] == 200
    assert bob.post("agree", {"what": "reseal"})[0] == 200
    second = seal(ann, 1, "wD3")
    wake(ann, bob)
    given_up = [(first, True), (bobs, False), (second, False)]
    assert [(one["commitment"], one["lost"] is not None) for one in proof(ann)["turns"][0]["seals"]] == given_up
    opened(ann, 1, "wD3")
    opened(bob, 2, "bD13")
    shown = proof(ann)
    assert recomputed(shown) == [["wD3", "bD13"]]
    assert shown["turns"][0]["seals"][0]["action"] is None, "what was given up is never opened"


def test_when_all_seal_anew_nothing_that_was_opened_is_told(app: Flask, table: SimulatedTable) -> None:
    """Once a phone has begun to open, one lost seal is a reason for all to seal anew."""
    ann, bob = sit(table, app, "Ann", "Bob")
    before = [seal(ann, 1, "wD12"), seal(bob, 2, "bD13")]
    wake(ann, bob)
    opened(bob, 2, "bD13")
    assert ann.post("propose", {"what": "void"})[0] == 200
    assert bob.post("agree", {"what": "void"})[0] == 200
    again = [seal(ann, 1, "wD3"), seal(bob, 2, "bD8")]
    wake(ann, bob)
    assert "bD13" not in told(app)
    opened(ann, 1, "wD3")
    opened(bob, 2, "bD8")
    shown = proof(ann)
    assert recomputed(shown) == [["wD3", "bD8"]]
    assert [one["commitment"] for one in shown["turns"][0]["seals"]] == before + again
    assert [one["action"] for one in shown["turns"][0]["seals"]] == [None, None, "wD3", "bD8"]
    assert "bD13" not in told(app)


def test_what_a_player_opened_before_resigning_stays_his(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, mode="4")
    app = panel(table)
    people = sit(table, app, "Ann", "Bob", "Cem", "Dora")
    for seat, placement in enumerate(("wD2", "bD6", "wD10", "bD14"), 1):
        seal(people[seat - 1], seat, placement)
    wake(*people)
    opened(people[0], 1, "wD2")
    assert people[0].post("resign")[0] == 200
    for seat, placement in ((2, "bD6"), (3, "wD10"), (4, "bD14")):
        opened(people[seat - 1], seat, placement)
    shown = proof(people[1])
    gone = shown["turns"][0]["seals"][0]
    assert (gone["seat"], gone["action"], gone["nonce"]) == (1, None, None)
    assert gone["resigned"]
    assert nonce_of(1) not in told(app)
    assert recomputed(shown) == [["bD6", "wD10", "bD14"]]
    table.close()


def test_a_turn_taken_back_stays_in_the_chain(app: Flask, table: SimulatedTable, tmp_path: Path) -> None:
    people = sit(table, app, "Ann", "Bob")
    ann, bob = people
    seal_all(people, "wD12", "bD3")
    follow(table)
    assert ann.post("propose", {"what": "take-back"})[0] == 200
    assert bob.post("agree", {"what": "take-back"})[0] == 200
    table.wait(0.5)
    for node in ("D12", "D3"):
        table.hand.take_off(node)
    table.wait(3.0)
    assert table.view["phase"] == "sealing", table.view["message"]
    seal_all(people, "wD12", "bD3")
    shown = proof(ann)
    assert [(turn["turn"], turn["taken_back"] is not None) for turn in shown["turns"]] == [(1, True), (1, False)]
    assert recomputed(shown) == [["wD12", "bD3"]] * 2
    assert shown["turns"][0]["seals"][0]["commitment"] != shown["turns"][1]["seals"][0]["commitment"]
    table.close()
    again = SimulatedTable(tmp_path, resume=True)
    assert proof(Phone(panel(again))) == shown, "after a restart it is the same, to the millisecond"
    again.close()


def test_taken_back_again_and_again() -> None:
    """Entries as a journal has them, fed one after the other: what is taken back is what came after, no more."""
    here = Proof(game("spokes"), "g1", "2")
    count = iter(range(100))

    def happen(kind: str, **data: Any) -> None:
        here.feed([(kind, data, f"2026-01-01T00:00:{next(count):02}.000+00:00")])

    def turn(number: int) -> None:
        for seat in (1, 2):
            digest = commitment("g1", number, seat, here.to_dict()["first"], "wD1", nonce_of(seat))
            happen("seal", seat=seat, turn=number, commitment=digest)
        for seat in (1, 2):
            happen("opening", seat=seat, turn=number, action="wD1", nonce=nonce_of(seat))
        happen("reveal", turn=number, actions={"1": "wD1", "2": "wD1"})

    def taken_back() -> list[bool]:
        return [shown["taken_back"] is not None for shown in here.to_dict()["turns"]]

    happen("start")
    turn(1)
    happen("action", seat=1, action="D1+D2")
    turn(2)
    happen("correction", to=2)
    assert taken_back() == [False, True]
    turn(2)
    happen("action", seat=1, action="D1+D2")
    happen("correction", to=3)
    assert taken_back() == [False, True, False], "only a step was taken back"
    happen("correction", to=2)
    assert taken_back() == [False, True, True]
    happen("correction", to=1)
    assert taken_back() == [False, True, True]
    happen("correction", to=0)
    assert taken_back() == [True, True, True]
    happen("seal", seat=1, turn=1, commitment="0" * 64)
    happen("resign", seat=1)
    happen("seal", seat=2, turn=2, commitment="1" * 64)
    assert [shown["turn"] for shown in here.to_dict()["turns"]] == [1, 2, 2, 1, 2]


def test_the_next_game_begins_with_nothing(app: Flask, table: SimulatedTable) -> None:
    people = sit(table, app, "Ann", "Bob")
    seal_all(people, "wD12", "bD3")
    follow(table)
    seal(people[0], 1, "wD8")
    assert people[1].post("resign")[0] == 200
    over = proof(people[0])
    assert table.view["result"]
    assert recomputed(over) == [["wD12", "bD3"]]
    assert over["turns"][-1]["revealed"] is None
    assert people[0].post("new")[0] == 200
    fresh = proof(people[0])
    assert fresh["turns"] == []
    assert fresh["game"] != over["game"]


@pytest.mark.parametrize("board", ["go-9x9", "hexhex-7"])
def test_games_without_secrets_say_so(tmp_path: Path, board: str) -> None:
    table = SimulatedTable(tmp_path, board=board)
    shown = proof(Phone(panel(table)))
    assert (shown["secrets"], shown["turns"]) == (False, [])
    table.close()


NAMESPACE = b"http://www.w3.org/2000/svg"
"""A name that nobody fetches."""


def test_the_page_takes_nothing_from_outside(app: Flask) -> None:
    client = app.test_client()
    page = client.get("/proof").get_data(as_text=True)
    assert "<script>" not in page
    assert "style=" not in page
    for path in re.findall(r'"(/static/[^"]+)"', page):
        with client.get(path) as answer:
            assert answer.status_code == 200, path
            assert b"://" not in answer.get_data().replace(NAMESPACE, b"")
