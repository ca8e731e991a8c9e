"""Puzzles on the panel: a page and a list for each game, what a try leads to, refusals."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.extensions.puzzles import requests, store
from firmware_host.extensions.puzzles.extension import EXTENSION, attach_puzzles
from firmware_host.extensions.puzzles.posing import PuzzleAnswer
from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of
from firmware_host.extensions.puzzles.requests import NOTED
from firmware_host.games.registry import GAMES
from firmware_host.link.solved import SolvedPuzzles
from firmware_host.plug import Attached, Extension
from lodestone.tables import KEY, SimulatedTable
from tests.sampling import few
from tests.waiting import eventually
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone, sit, unhurried
from web_panel.app import create_app
from web_panel.limits import Buckets

POSED = sorted(name for name, game in GAMES.items() if kinds_of(game))
WRONG = [{}, {"more": 1}, {"puzzle": 1}, {"game": 1}, {"name": None}, {"seconds": "x"}]
GERMAN = {"Accept-Language": "de"}


def attached(data: Path | None = None, solved: SolvedPuzzles | None = None) -> dict[Extension, Attached]:
    return {EXTENSION: attach_puzzles(data, solved)}


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    return described(
        create_app(
            table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), buckets=unhurried(), attached=attached()
        )
    )


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


def test_small_boards_are_made_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    client, path = app.test_client(), f"/api/puzzle-boards/{POSED[0]}"
    first = client.get(path).get_json()
    monkeypatch.setattr(type(GAMES[POSED[0]]), "parse", None)
    assert client.get(path).get_json() == first


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
    moved = dataclasses.replace(store.shipped_puzzles(game)[0], position=store.shipped_puzzles(game)[1].position)
    client = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], attached=attached(tmp_path)).test_client()
    before = client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]
    path = store.own_file(tmp_path, game)
    store.append(path, [moved])
    after = client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]
    assert [one["id"] for one in after] == [*(one["id"] for one in before), moved.id]
    assert client.get(f"/api/puzzles/{game.name}/{moved.id}").get_json()["state"] == "open"
    path.write_text("broken")
    os.utime(path, ns=(1, 1))
    assert client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"] == before


@pytest.mark.parametrize(
    "change",
    [{"position": "\ud800"}, {"position": "nowhere"}, {"looked": 10**400}, {"answer": ["nonsense"]}, {"id": 1}],
)
def test_one_bad_line_takes_no_other_puzzle_away(
    table: SimulatedTable, tmp_path: Path, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Its id is right: it is made of the text as it stands."""
    game = GAMES[POSED[0]]
    shipped = store.shipped_puzzles(game)
    moved = dataclasses.replace(shipped[0], position=shipped[1].position)
    path = store.own_file(tmp_path, game)
    store.append(path, [moved])
    bad = {**json.loads(store.line(shipped[0])), **change}
    if "position" in change:
        text = f"{game.name} {bad['kind']} {bad['position']}".encode(errors="replace")
        bad["id"] = hashlib.sha256(text).hexdigest()[:10]
    path.write_bytes(json.dumps(bad).encode() + b"\n\xff\n" + path.read_bytes())
    client = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], attached=attached(tmp_path)).test_client()
    listed = client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]
    assert [one["id"] for one in listed] == [*(one.id for one in shipped), moved.id]
    boards = client.get(f"/api/puzzle-boards/{game.name}").get_json()["boards"]
    assert set(boards) == {one["id"] for one in listed}
    assert [f"line {number}:" in caplog.text for number in (1, 2, 3)] == [True, True, False]


def test_a_file_that_is_none_or_too_long_leaves_the_shipped_puzzles(
    table: SimulatedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = GAMES[POSED[0]]
    shipped = [one.id for one in store.shipped_puzzles(game)]
    client = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], attached=attached(tmp_path)).test_client()
    path = store.own_file(tmp_path, game)
    path.mkdir(parents=True)
    assert [one["id"] for one in client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]] == shipped
    path.rmdir()
    monkeypatch.setattr(store, "MAX_FILE", 10)
    store.append(path, store.shipped_puzzles(game)[:1])
    assert [one["id"] for one in client.get(f"/api/puzzles/{game.name}").get_json()["puzzles"]] == shipped


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
    monkeypatch.setattr(requests, "date", Today)
    game = GAMES[POSED[0]]
    today = store.today(game, Today.today())
    assert today is not None
    solved = SolvedPuzzles(tmp_path, Today.today)
    phone = Phone(
        described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], attached=attached(tmp_path, solved)))
    )
    told = {"game": game.name, "puzzle": today.id, "name": " Ann ", "seconds": 75}
    least = phone.client.get(f"/api/puzzles/{game.name}/{today.id}").get_json()["least"]
    assert least == 2 + len(today.answer)
    assert phone.post("puzzle/solved", told) == (200, {"ok": True})
    assert phone.client.get(f"/api/puzzles/{game.name}").get_json()["today_by"] == [{"name": "Ann", "seconds": 75}]
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
    assert len(solved.solvers()) == 1
    assert phone.post("puzzle/solved", {**told, "seconds": least})[0] == 200


def test_an_address_writes_so_many_puzzles_a_day(table: SimulatedTable, tmp_path: Path) -> None:
    now = [0.0]
    solved = SolvedPuzzles(tmp_path)
    counters = Buckets(lambda: now[0])
    app = described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], buckets=counters, attached=attached(None, solved))
    )
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
    assert entered(phone) == NOTED.burst
    assert other.post("puzzle/solved", {**told, "name": "Ann"})[0] == 200
    now[0] += 86_400
    assert entered(phone) == NOTED.burst


def test_without_a_book_nothing_is_noted(app: Flask) -> None:
    told = {"game": POSED[0], "puzzle": store.shipped_puzzles(GAMES[POSED[0]])[0].id, "name": "Ann", "seconds": 1}
    assert Phone(app).post("puzzle/solved", told)[1]["error"]["code"] == "no_book"


def test_a_puzzle_is_set_up_from_a_phone_and_its_buttons_are_those_of_a_lesson(app: Flask) -> None:
    phone = Phone(app)
    told = phone.client.get("/api/puzzles/spokes").get_json()
    assert phone.client.get("/api/lessons").get_json()["puzzle"] == told["today"]
    assert date.fromisoformat(told["day"])
    assert all(one["on_board"] for one in told["puzzles"])
    puzzle = told["puzzles"][0]
    status, answer = phone.post("puzzle/begin", {"puzzle": "nothing"})
    assert (status, answer["error"]["code"]) == (409, "bad_puzzle")
    assert phone.post("puzzle/begin", {"puzzle": puzzle["id"]}) == (200, {"ok": True})
    lesson = phone.view()["lesson"]
    assert (lesson["name"], lesson["puzzle"]["grade"]) == (puzzle["id"], puzzle["grade"])
    assert phone.view()["you"]
    assert Phone(app).post("puzzle/begin", {"puzzle": puzzle["id"]})[0] == 409, "somebody else is at it"
    assert Phone(app).post("lesson/show")[0] == 403
    assert phone.post("lesson/show") == (200, {"ok": True})
    assert phone.view()["lesson"]["hint"]
    assert phone.post("lesson/stop") == (200, {"ok": True})
    assert phone.view()["lesson"] is None


def test_a_game_that_is_played_waits_for_a_puzzle_at_the_hosts_word_alone(app: Flask, table: SimulatedTable) -> None:
    ann, _ = sit(table, app, "Ann", "Bob")
    puzzle = ann.client.get("/api/puzzles/spokes").get_json()["puzzles"][0]["id"]
    assert ann.post("puzzle/begin", {"puzzle": puzzle})[1]["error"]["code"] == "wrong_phase"
    host = host_phone(app)
    assert host.post("puzzle/begin", {"puzzle": puzzle}) == (200, {"ok": True})
    assert host.view()["lesson"]["puzzle"]
    assert host.post("lesson/stop") == (200, {"ok": True})
    table.wait(0.5)
    assert ann.view()["phase"] == "sealing"


@pytest.mark.parametrize("path", ["puzzle/begin", "puzzle/solved", "position/puzzle"])
@pytest.mark.parametrize("body", WRONG)
def test_wrong_shapes_are_refused_and_said_so(app: Flask, path: str, body: dict[str, object]) -> None:
    status, answer = host_phone(app).post(path, body)
    assert (status, answer["error"]["code"]) == (400, "bad_request")


def test_only_the_host_makes_puzzles(app: Flask) -> None:
    laid = {"mode": "2", "board": {"C2": ["w"], "D3": ["w"]}, "chosen": {"seat": "1"}}
    assert Phone(app).post("position/puzzle", laid)[1]["error"]["code"] == "not_host"


def test_a_position_becomes_a_puzzle_by_the_search_beside_the_table(tmp_path: Path) -> None:
    search = AnalysisProcess()
    with closing(SimulatedTable(tmp_path, kind="presence", analyser=search)) as table, closing(search):
        host = host_phone(
            described(
                create_app(
                    table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), buckets=unhurried(),
                    attached=attached(tmp_path),
                )
            )
        )  # fmt: skip
        game = table.runtime.setting.game
        known = next(puzzle for puzzle in store.shipped_puzzles(game) if game.parse(puzzle.position).mode == "2")
        board = {node: list(stack) for node, stack in game.occupancy(game.parse(known.position)).items()}

        def posed(board: Mapping[str, list[str]], seat: int) -> Any:
            table.wait(0.1)
            return host.post("position/puzzle", {"mode": "2", "board": board, "chosen": {"seat": str(seat)}})[1]

        eventually(lambda: posed(board, known.seat)["puzzles"] is not None, "the solver has an answer")
        assert known.kind in [puzzle["kind"] for puzzle in posed(board, known.seat)["puzzles"]]
        own = store.read(game, store.own_file(tmp_path, game))
        assert [puzzle.answer for puzzle in own if puzzle.kind == known.kind] == [known.answer], "written once"
        eventually(lambda: "error" in posed({}, 1), "the solver has an answer")
        assert posed({}, 1)["error"]["code"] == "no_puzzle"


class Posing:
    """A search that has found these puzzles."""

    def __init__(self, *puzzles: Puzzle) -> None:
        self.puzzles = puzzles

    def ask(self, questions: Any) -> None:
        pass

    def close(self) -> None:
        pass

    def answer(self, _question: Any) -> PuzzleAnswer:
        return PuzzleAnswer(puzzles=self.puzzles)


def posing(table: SimulatedTable, folder: Path) -> Phone:
    app = create_app(
        table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), buckets=unhurried(), attached=attached(folder)
    )
    return host_phone(described(app))


FOUND = store.shipped_puzzles(GAMES["spokes"])[0]
LAID = {"mode": "2", "board": {"C2": ["w"], "D3": ["w"]}, "chosen": {"seat": "1"}}


@pytest.mark.parametrize("spoiled", ["folder", "file"])
def test_a_puzzle_that_can_not_be_kept_is_refused_in_words(tmp_path: Path, spoiled: str) -> None:
    """A card that is full, or read-only: what is found is not lost silently, and no path of the machine is shown."""
    with closing(SimulatedTable(tmp_path / "table", analyser=Posing(FOUND))) as table:  # type: ignore[arg-type]
        data = tmp_path / "data"
        own = store.own_file(data, GAMES["spokes"])
        (own if spoiled == "file" else own.parent.parent).mkdir(parents=True)
        if spoiled == "folder":
            own.parent.write_text("a file where a folder is expected")
        status, answer = posing(table, data).post("position/puzzle", LAID)
        assert (status, answer["error"]["code"]) == (409, "not_kept")
        assert str(tmp_path) not in answer["error"]["message"]


def test_a_puzzle_that_is_asked_for_twice_at_once_is_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is known, and its writing, are one act."""
    game, added = GAMES["spokes"], store._add
    both = threading.Barrier(2)

    def slowly(path: Path, puzzles: Any) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(0.3)
        added(path, puzzles)

    monkeypatch.setattr(store, "_add", slowly)
    monkeypatch.setattr(store, "shipped_puzzles", lambda _game: ())
    with ThreadPoolExecutor() as threads:
        done = [threads.submit(store.keep, tmp_path, game, [FOUND]) for _ in range(2)]
    assert [one.result() for one in done] == [None, None]
    assert store.read(game, store.own_file(tmp_path, game)) == [FOUND]
