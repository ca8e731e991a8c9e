"""Puzzles on the panel: a page and a list for each game, what a try leads to, refusals."""

from __future__ import annotations

import dataclasses
import os
import re
from datetime import date
from pathlib import Path

import pytest
from flask import Flask

from firmware_host.archive.solved import Solved
from firmware_host.games.puzzles import kinds_of
from firmware_host.games.registry import GAMES
from firmware_host.puzzles import store
from firmware_host.session.household import Household
from lodestone.tables import KEY, SimulatedTable
from tests.sampling import few
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone
from web_panel.app import create_app
from web_panel.limits import PUZZLES_NOTED, Buckets
from web_panel.pages import puzzles

POSED = sorted(name for name, game in GAMES.items() if kinds_of(game))
GERMAN = {"Accept-Language": "de"}


class Today(date):
    """A day that no midnight ends."""

    @classmethod
    def today(cls) -> Today:
        return cls(2026, 11, 22)


@pytest.mark.parametrize("name", POSED)
def test_every_game_has_a_page_and_a_list(app: Flask, name: str) -> None:
    client = app.test_client()
    text = client.get(f"/puzzles/{name}").get_data(as_text=True)
    assert f'data-game="{name}"' in text
    assert all(f'href="/puzzles/{other}"' in text for other in POSED if other != name)
    assert "style=" not in text
    told = client.get(f"/api/puzzles/{name}").get_json()
    assert [one["id"] for one in told["puzzles"]] == [puzzle.id for puzzle in store.shipped_puzzles(GAMES[name])]
    today = store.today(GAMES[name], date.today())
    assert today is not None
    assert told["today"]["id"] in {one["id"] for one in told["puzzles"]}
    assert f'href="/puzzles/{name}"' in client.get(f"/how-to-play/{name}").get_data(as_text=True)
    assert 'href="/puzzles"' in client.get("/").get_data(as_text=True)


@pytest.mark.parametrize("name", few(POSED, 2))
def test_small_boards_show_what_lies_at_the_beginning_of_every_puzzle(app: Flask, name: str) -> None:
    client = app.test_client()
    told = client.get(f"/api/puzzle-boards/{name}").get_json()
    assert set(told["boards"]) == {puzzle.id for puzzle in store.shipped_puzzles(GAMES[name])}
    assert set(told["layouts"]) == set(kinds_of(GAMES[name]))
    for puzzle in store.shipped_puzzles(GAMES[name])[::20]:
        whole = client.get(f"/api/puzzles/{name}/{puzzle.id}").get_json()
        small = told["boards"][puzzle.id]
        assert small["board"] == whole["board"]
        assert told["layouts"][puzzle.kind] == whole["layout"]
        assert [one["homes"] for one in told["seats"][small["mode"]]] == [one["homes"] for one in whole["seats"]]
        assert set(small["board"]) <= set(whole["layout"]["nodes"])


@pytest.mark.parametrize("name", POSED)
def test_tries_and_the_solution_are_told_in_the_readers_language(app: Flask, name: str) -> None:
    client = app.test_client()
    puzzle = store.shipped_puzzles(GAMES[name])[0]
    path = f"/api/puzzles/{name}/{puzzle.id}"
    english, german = client.get(path).get_json(), client.get(path, headers=GERMAN).get_json()
    assert english["state"] == "open"
    assert english["board"] == german["board"]
    assert english["asked"] != german["asked"]
    answer = client.get(f"{path}/solution").get_json()
    assert answer["actions"] == list(puzzle.answer)
    solved = client.get(path, query_string={"do": answer["actions"]}).get_json()
    assert solved["state"] == "solved"
    assert solved["steps"] == solved["choices"] == []


def test_puzzles_that_the_household_has_made_come_after_the_others(table: SimulatedTable, tmp_path: Path) -> None:
    game = GAMES[POSED[0]]
    moved = dataclasses.replace(
        store.shipped_puzzles(game)[0], position=store.shipped_puzzles(game)[1].position, answer=("a1",)
    )
    client = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], data=tmp_path).test_client()
    before = client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]
    path = store.own_file(tmp_path, game)
    store.append(path, [moved])
    after = client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]
    assert [one["id"] for one in after] == [*(one["id"] for one in before), moved.id]
    assert client.get(f"/api/puzzles/{game.name}/{moved.id}").get_json()["state"] == "open"
    path.write_text("broken")
    os.utime(path, ns=(1, 1))
    assert client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"] == before


@pytest.mark.parametrize("name", POSED)
def test_what_is_not_possible_is_refused_in_words(app: Flask, name: str) -> None:
    client = app.test_client()
    puzzle = next(one for one in store.shipped_puzzles(GAMES[name]) if one.kind == next(iter(kinds_of(GAMES[name]))))
    path = f"/api/puzzles/{name}/{puzzle.id}"
    for query in ({"do": "nonsense"}, {"do": list(puzzle.answer) * 50}, {"do": [*puzzle.answer, *puzzle.answer]}):
        refused = client.get(path, query_string=query)
        assert refused.status_code in {409, 414}, query
        assert refused.get_json()["error"]["message"]
    for missing in (f"/api/puzzles/{name}/none", f"/api/puzzles/{name}/none/solution", "/puzzles/none"):
        assert client.get(missing).status_code == 404


def test_who_has_solved_a_puzzle_stands_in_the_book(
    table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzles, "date", Today)
    game = GAMES[POSED[0]]
    today = store.today(game, Today.today())
    assert today is not None
    book = Household(tmp_path, Today.today)
    phone = Phone(described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], book=book, data=tmp_path)))
    told = {"game": game.name, "puzzle": today.id, "name": " Ann ", "seconds": 75}
    least = phone.client.get(f"/api/puzzles/{game.name}/{today.id}").get_json()["least"]
    assert least == 2 + len(today.answer)
    assert phone.post("puzzle/solved", told) == (200, {"ok": True})
    assert phone.client.get(f"/api/puzzles/{game.name}").get_json()["today_by"] == [{"name": "Ann", "seconds": 75}]
    page = phone.client.get("/book").get_data(as_text=True)
    assert "1:15" in page
    assert phone.client.get("/api/book.json").get_json()["puzzles"][0]["streak"] == 1
    for wrong, code in (
        ({"game": "chess"}, "bad_puzzle"),
        ({"puzzle": "none"}, "bad_puzzle"),
        ({"name": "\u3164"}, "bad_name"),
        ({"seconds": -1}, "bad_puzzle"),
        ({"seconds": least - 1}, "bad_puzzle"),
        ({"seconds": 86_401}, "bad_puzzle"),
    ):
        status, answer = phone.post("puzzle/solved", {**told, **wrong})
        assert (status, answer["error"]["code"]) == (409, code), wrong
    assert len(book.solved.solvers()) == 1
    assert phone.post("puzzle/solved", {**told, "seconds": least})[0] == 200


def test_an_address_writes_so_many_puzzles_a_day(table: SimulatedTable, tmp_path: Path) -> None:
    now = [0.0]
    book = Household(tmp_path)
    counters = Buckets(lambda: now[0])
    app = described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], book=book, buckets=counters))
    game = GAMES[POSED[0]]
    told = {"game": game.name, "puzzle": store.shipped_puzzles(game)[0].id, "seconds": 75}

    def entered(phone: Phone) -> int:
        """Return how many invented people a phone gets into the book."""
        count = 0
        while (answer := phone.post("puzzle/solved", {**told, "name": f"P{count} {now[0]:.0f}"}))[0] == 200:
            count += 1
            now[0] += 0.1
        assert (answer[0], answer[1]["error"]["code"]) == (429, "too_many")
        return count

    phone, other = Phone(app), Phone(app)
    other.client.environ_base["REMOTE_ADDR"] = "10.0.0.9"
    assert entered(phone) == PUZZLES_NOTED.burst
    assert other.post("puzzle/solved", {**told, "name": "Ann"})[0] == 200
    now[0] += 86_400
    assert entered(phone) == PUZZLES_NOTED.burst


def test_the_host_removes_what_was_written_on_a_day(table: SimulatedTable, tmp_path: Path) -> None:
    book = Household(tmp_path, Today.today)
    app = described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], book=book, host=FakeHost()))
    for day in ("2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"):
        book.solved.note(Solved("Ann", "spokes", day, day, 75, True))
    book.solved.note(Solved("Bob", "spokes", "p", "2026-11-21", 75, True))
    phone, host = Phone(app), host_phone(app)
    assert "data-day" not in phone.client.get("/book").get_data(as_text=True)
    page = host.client.get("/book").get_data(as_text=True)
    assert re.findall('data-day="([^"]+)" data-count="([^"]+)"', page) == [
        ("2026-11-21", "2"), ("2026-11-20", "1"), ("2026-11-19", "1"),
    ]  # fmt: skip
    day = {"day": "2026-11-21"}
    assert phone.post("host/remove-solved", day)[1]["error"]["code"] == "not_host"
    assert host.post("host/remove-solved", day) == (200, {"ok": True})
    assert list(book.solved.days()) == ["2026-11-20", "2026-11-19", "2026-11-18"]
    status, answer = host.post("host/remove-solved", day)
    assert (status, answer["error"]["code"]) == (409, "bad_puzzle")


def test_without_a_book_nothing_is_noted(app: Flask) -> None:
    told = {"game": POSED[0], "puzzle": store.shipped_puzzles(GAMES[POSED[0]])[0].id, "name": "Ann", "seconds": 1}
    assert Phone(app).post("puzzle/solved", told)[1]["error"]["code"] == "no_book"
