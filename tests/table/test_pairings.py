"""What is to be played at a club's table: shown between games, in words, with who is on the right seat already."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.table.subjects.pairings import Pairing, PairingsChanged
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import SeatNamed, SeatTaken
from lodestone.evening import Evening

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
