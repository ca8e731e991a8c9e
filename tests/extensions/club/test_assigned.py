"""What is to be played at a club's table: shown between games, in words, with who is on the right seat already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from firmware_host.extensions.club.assigned import AssignedBoards, Pairing, PairingsChanged
from firmware_host.extensions.club.extension import EXTENSION, attach_boards
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import SeatNamed, SeatTaken
from lodestone.evening import Evening
from lodestone.tables import KEY, SimulatedTable
from tests.hosts import HostedTable
from tests.session.test_host import names, refusal
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, OWN, Phone, host_phone, unhurried
from tests.web_panel.test_wrong_shapes import BAD_SHAPES
from web_panel.app import create_app

BOARD = Pairing(1, "May", 2, 3, "coil", (), "2", "Ann", "Bö")


def told(evening: Evening, *pairings: Pairing) -> list[dict[str, object]]:
    evening.say(PairingsChanged(at=evening.at, pairings=pairings))
    views: list[dict[str, object]] = evening.view()["pairings"]
    return views


def test_a_board_is_told_in_the_lobby() -> None:
    evening = Evening("coil")
    assert evening.view()["pairings"] == []
    before = len(evening.entries)
    assert told(evening, BOARD) == [
        {
            "tournament": 1,
            "name": "May",
            "round": 2,
            "board": 3,
            "title": "Coil",
            "words": "Round 2, board 3: Ann – Bö play here.",
            "ready": True,
            "seats": [{"seat": 1, "name": "Ann", "here": False}, {"seat": 2, "name": "Bö", "here": False}],
        }
    ]
    assert len(evening.entries) == before, "it is not journalled"
    assert told(evening) == []


def test_who_sits_there_is_known_by_name() -> None:
    evening = Evening("coil")
    evening.say(SeatTaken(at=evening.at, seat=1, name="ANN", claim="a"))
    (view,) = told(evening, BOARD)
    assert [one["here"] for one in view["seats"]] == [True, False]  # type: ignore[attr-defined]
    assert view["ready"]
    evening.say(SeatTaken(at=evening.at, seat=2, name="Cid", claim="c"))
    assert not evening.view()["pairings"][0]["ready"]
    evening.say(SeatNamed(at=evening.at, seat=2, name="bö"))
    assert evening.view()["pairings"][0]["ready"]


def test_another_game_mode_or_option_is_not_ready() -> None:
    evening = Evening("phalanx")
    assert not told(evening, BOARD)[0]["ready"]
    assert told(evening, replace(BOARD, game="phalanx"))[0]["ready"]
    assert not told(evening, replace(BOARD, game="phalanx", rules=("second_player_bonus",)))[0]["ready"]
    (unknown,) = told(evening, replace(BOARD, game="chess"))
    assert (unknown["title"], unknown["seats"], unknown["ready"]) == ("chess", [], False)


def test_nothing_is_told_of_it_while_people_play_and_once_it_is_played() -> None:
    evening = Evening("coil").sit_and_start("Ann", "Bö")
    assert told(evening, BOARD) == []
    evening.say(Resigned(at=evening.at, seat=1))
    evening.wait(1)
    assert evening.phase == "over"
    assert evening.view()["pairings"] == [], "it was played just now"
    assert len(told(evening, replace(BOARD, round=3, second="Cid"))) == 1


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[HostedTable]:
    here = HostedTable(tmp_path)
    yield here
    here.close()


def test_a_board_of_the_club_is_taken_over_with_one_tap(hosted: HostedTable) -> None:
    """Game, mode and options are set; whoever plays there sits still, others have left; no running game is touched."""
    table, assigned = hosted, AssignedBoards(hosted.runtime)
    bonus = Pairing(1, "May", 1, 2, "phalanx", ("second_player_bonus",), "2", "Ann", "Cid")
    assert refusal(lambda: assigned.begin(table.host, 1, 1, 2)).code == "no_pairing"
    assigned.pairings = (bonus,)
    table.wait(0.1)
    assert table.view["pairings"][0]["title"] == "Phalanx"
    table.sit()
    assigned.begin(table.host, 1, 1, 2)
    assert (table.view["game"]["name"], table.view["game"]["mode"]) == ("phalanx", "2")
    assert len(table.view["game"]["rules"]) == 1
    assert names(table) == {1: "Ann"}, "Bob does not play there"
    assert refusal(lambda: assigned.begin(table.host, 1, 1, 3)).code == "no_pairing"
    table.wait(0.1)
    assert [one["here"] for one in table.view["pairings"][0]["seats"]] == [True, False]

    table.say(SeatTaken, seat=2, name="Cid", claim="c2")
    table.start()
    table.work("resolving")
    assert refusal(lambda: assigned.begin(table.host, 1, 1, 2)).code == "wrong_phase"
    table.say(Resigned, seat=1)
    table.wait(0.5)
    assert table.view["pairings"] == [], "the club gets its record"
    assigned.pairings = (Pairing(1, "May", 2, 1, "coil", (), "2", "Cid", "Ann"), bonus)
    table.wait(0.1)
    assigned.begin(table.host, 1, 2, 1)
    assert table.view["game"]["name"] == "coil"
    assert names(table) == {}, "both sit on the other seat than before"
    assigned.pairings = (Pairing(1, "May", 2, 1, "go", (), "2", "Cid", "Ann"),)
    assert refusal(lambda: assigned.begin(table.host, 1, 2, 1)).code == "bad_game"


class Asked(AssignedBoards):
    """Boards that note which one is to be begun."""

    def begin(self, host: Any, tournament: int, round_: int, board: int) -> None:
        host.requests.append((tournament, round_, board))


def phones_of(table: SimulatedTable, fake: FakeHost) -> Flask:
    attached = {EXTENSION: attach_boards(Asked(table.runtime))}
    made = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=fake, attached=attached, buckets=unhurried())
    return described(made)


def test_anybody_takes_over_a_board_of_the_club_where_codes_are_for_all(table: SimulatedTable) -> None:
    """While codes are hidden the host says who plays: then a stranger has no say in what is played either."""
    fake = FakeHost()
    app = phones_of(table, fake)
    guest, ann, board = Phone(app), Phone(app), {"tournament": 1, "round": 2, "board": 3}
    assert guest.post("pairing", board) == (200, {"ok": True})
    assert ann.join(1, "Ann")[0] == 200
    fake.shown = False
    status, answer = guest.post("pairing", board)
    assert (status, answer["error"]["code"]) == (403, "not_host")
    assert ann.post("pairing", board)[0] == host_phone(app).post("pairing", board)[0] == 200
    assert fake.requests == [(1, 2, 3)] * 3


def test_a_board_of_a_wrong_shape_is_refused(table: SimulatedTable) -> None:
    app = phones_of(table, FakeHost())
    right = {"tournament": 1, "round": 2, "board": 3}
    for field in right:
        for value in (None, 1.5, "x", []):
            status, answer = Phone(app).post("pairing", {**right, field: value})
            assert (status, answer["error"]["code"]) == (400, "bad_request"), (field, value)
    for body in BAD_SHAPES:
        answer = app.test_client().post("/api/pairing", data=body, headers=OWN, content_type="application/json")
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad_request"), body
    assert Phone(app).post("pairing", right, Origin="http://evil.example")[0] == 403
