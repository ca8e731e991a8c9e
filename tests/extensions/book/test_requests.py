"""The book's page and files, in the reader's language, and who may have somebody forgotten."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from flask import Flask

from firmware_host.archive.journal import Journal
from firmware_host.extensions.book import requests
from firmware_host.extensions.book.extension import EXTENSION, attach_book
from firmware_host.extensions.book.household import FORGOTTEN
from firmware_host.link.solved import SOLVED, SOLVED_BEFORE, Solved, SolvedPuzzles
from lodestone.tables import KEY, SimulatedTable
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone
from web_panel.app import create_app

GERMAN = {"Accept-Language": "de"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a data folder in whose journal Ann has won five games against <Bob>."""
    data = tmp_path / "data"
    data.mkdir()
    journal = Journal(data / "journal.sqlite")
    for number in range(5):
        head = {"game": "spokes", "mode": "2", "rules": {}, "board": "b", "id": f"g{number}", "version": "v"}
        seats = [
            {"seat": seat, "name": name, "claim": "", "computer": False} for seat, name in ((1, "Ann"), (2, "<Bob>"))
        ]
        entries = [
            ("game", head),
            *(("seat", one) for one in seats),
            ("start", {}),
            ("result", {"reason": "resigned", "winners": [1]}),
        ]
        journal.append_all(
            [(f"g{number}", kind, told, f"2026-03-0{number + 1}T20:00:00+00:00") for kind, told in entries]
        )
    journal.close()
    return data


def panel(table: SimulatedTable, folder: Path) -> Flask:
    fake = FakeHost()
    return described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=fake, attached={EXTENSION: attach_book(folder)})
    )


def test_the_page_tells_results_ratings_and_the_standing(table: SimulatedTable, folder: Path) -> None:
    client = panel(table, folder).test_client()
    text = client.get("/book").get_data(as_text=True)
    for told in (
        "5 games, the last on 2026-03-05.",
        "against Ann",
        "Best of 5, wins still needed: Ann 1, &lt;Bob&gt; 3.",
        "rating 1",
    ):
        assert told in text, told
    assert "<Bob>" not in text
    assert "style=" not in text
    assert "data-forget" not in text, "only the host forgets"
    german = client.get("/book", headers=GERMAN).get_data(as_text=True)
    assert "gegen Ann" in german
    assert "5 Partien" in german


def test_the_end_of_a_game_tells_how_a_series_stands(table: SimulatedTable, folder: Path) -> None:
    client = panel(table, folder).test_client()
    told = client.get("/api/standing", headers=GERMAN).get_json()
    assert told["game"] == "g4", "the last one: pages of another game show nothing"
    assert told["words"][0] == "Spokes: Ann 2, <Bob> 0."
    assert any("Ann" in words and "Best" not in words for words in told["words"]), "in the reader's language"
    (folder / FORGOTTEN).write_text("{")
    assert client.get("/api/standing").get_json() == {"game": None, "words": []}


def test_the_files_hold_the_whole_book(table: SimulatedTable, folder: Path) -> None:
    client = panel(table, folder).test_client()
    book = client.get("/api/book.json").get_json()
    assert [(one["name"], one["games"][0]["won"], one["games"][0]["lost"]) for one in book["people"]] == [
        ("<Bob>", 0, 5),
        ("Ann", 5, 0),
    ]
    assert book["people"][1]["games"][0]["rating"]["points"] > 1600
    answer = client.get("/api/book.csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="lodestone-book.csv"'
    assert len(answer.get_data(as_text=True).splitlines()) == 11


def test_what_is_asked_for_again_is_not_written_again(
    table: SimulatedTable, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = panel(table, folder)
    written: list[str] = []
    for name in ("as_data", "as_csv", "render_template"):
        write = getattr(requests, name)
        monkeypatch.setattr(
            requests,
            name,
            lambda *given, name=name, write=write, **more: written.append(name) or write(*given, **more),
        )
    host, guest = host_phone(app).client, app.test_client()
    for client in (guest, guest, host, host):
        answers = [client.get(path).get_data(as_text=True) for path in ("/book", "/api/book.json", "/api/book.csv")]
        assert all("Ann" in answer for answer in answers)
        assert ("data-forget" in answers[0]) == (client is host)
        assert "gegen Ann" in client.get("/book", headers=GERMAN).get_data(as_text=True)
    assert sorted(written) == ["as_csv", "as_data", *["render_template"] * 4], "two languages, with and without buttons"
    assert host_phone(app).post("host/forget", {"name": "Ann"})[0] == 200
    assert "Ann" not in guest.get("/book").get_data(as_text=True)


def test_the_host_alone_forgets(table: SimulatedTable, folder: Path) -> None:
    app = panel(table, folder)
    assert Phone(app).post("host/forget", {"name": "Ann"})[0] == 403
    host = host_phone(app)
    assert 'data-forget="Ann"' in host.client.get("/book").get_data(as_text=True)
    status, answer = host.post("host/forget", {"name": "Nobody"})
    assert (status, answer["error"]["code"]) == (409, "bad_name")
    assert host.post("host/forget", {"name": "ann"}) == (200, {"ok": True})
    everything = "".join(
        host.client.get(path).get_data(as_text=True) for path in ("/book", "/api/book.json", "/api/book.csv")
    )
    assert "Ann" not in everything
    assert "against somebody" in everything


@pytest.mark.parametrize(("path", "body"), [("forget", {}), ("forget", {"name": 1}), ("remove-solved", {"day": None})])
def test_wrong_shapes_are_refused_and_only_the_host_rules(
    table: SimulatedTable, folder: Path, path: str, body: dict[str, object]
) -> None:
    app = panel(table, folder)
    assert host_phone(app).post(f"host/{path}", body)[1]["error"]["code"] == "bad_request"
    assert Phone(app).post(f"host/{path}", {"name": "x"} if path == "forget" else {"day": "x"})[0] == 403


def test_a_book_that_cant_be_read_says_so_and_an_empty_one_too(
    table: SimulatedTable, folder: Path, tmp_path: Path
) -> None:
    empty = panel(table, tmp_path / "none")
    assert "No game has been finished" in empty.test_client().get("/book").get_data(as_text=True)
    assert host_phone(empty).post("host/forget", {"name": "Ann"})[1]["error"]["code"] == "bad_name"
    (folder / FORGOTTEN).write_text("[]")
    client = panel(table, folder).test_client()
    text = client.get("/book").get_data(as_text=True)
    assert "who is forgotten" in text
    assert "Ann" not in text
    assert client.get("/api/book.json").status_code == 409


@pytest.mark.parametrize("name", [FORGOTTEN, SOLVED, SOLVED_BEFORE, "journal.sqlite"])
@pytest.mark.parametrize("kind", ["folder", "text"])
def test_guests_are_not_told_where_the_machine_keeps_its_files(
    table: SimulatedTable, folder: Path, name: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What is wrong is told with the file's name; the host finds the whole path in the log."""
    (folder / name).unlink(missing_ok=True)
    if kind == "folder":
        (folder / name).mkdir()
    else:
        (folder / name).write_text("no database, and no JSON\n" * 200)
    client = panel(table, folder).test_client()
    pages = [client.get(path).get_data(as_text=True) for path in ("/book", "/api/book.json")]
    assert not any(str(folder) in text for text in pages)
    if (name, kind) != (SOLVED, "text"):  # Of that file lines that are none are left out.
        assert all(name.partition(".")[0] in text for text in pages)
        assert str(folder / name) in caplog.text


def test_the_host_removes_what_was_written_on_a_day(table: SimulatedTable, tmp_path: Path) -> None:
    solved = SolvedPuzzles(tmp_path, lambda: date(2026, 11, 22))
    attached = {EXTENSION: attach_book(tmp_path, solved)}
    app = described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached=attached))
    for day in ("2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"):
        solved.note(Solved("Ann", "spokes", day, day, 75, True))
    solved.note(Solved("Bob", "spokes", "p", "2026-11-21", 75, True))
    phone, host = Phone(app), host_phone(app)
    assert "data-day" not in phone.client.get("/book").get_data(as_text=True)
    page = host.client.get("/book").get_data(as_text=True)
    assert re.findall('data-day="([^"]+)" data-count="([^"]+)"', page) == [
        ("2026-11-21", "2"), ("2026-11-20", "1"), ("2026-11-19", "1"),
    ]  # fmt: skip
    day = {"day": "2026-11-21"}
    assert phone.post("host/remove-solved", day)[1]["error"]["code"] == "not_host"
    assert host.post("host/remove-solved", day) == (200, {"ok": True})
    assert list(solved.days()) == ["2026-11-20", "2026-11-19", "2026-11-18"]
    status, answer = host.post("host/remove-solved", day)
    assert (status, answer["error"]["code"]) == (409, "bad_puzzle")


def test_who_has_solved_puzzles_stands_there(table: SimulatedTable, tmp_path: Path) -> None:
    solved = SolvedPuzzles(tmp_path, lambda: date(2026, 11, 22))
    attached = {EXTENSION: attach_book(tmp_path, solved)}
    client = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], attached=attached).test_client()
    solved.note(Solved("Ann", "spokes", "p1", "2026-11-22", 75, daily=True))
    assert "1:15" in client.get("/book").get_data(as_text=True)
    assert client.get("/api/book.json").get_json()["puzzles"][0]["streak"] == 1
