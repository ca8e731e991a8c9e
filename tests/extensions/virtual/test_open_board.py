"""The virtual board's pages, mounted once, follow the board that is open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import OpenBoard
from simulator.board import SimulatedBoard, open_board
from tests.e2e.program import eventually
from tests.extensions.virtual.pages import pages_of
from tests.web_panel.table import Screen
from web_panel.languages import speak
from web_panel.routes import routes_of

OWN = {"X-Lodestone": "1"}


@pytest.fixture
def boards() -> Iterator[dict[str, OpenBoard]]:
    opened = {name: open_board(load_board(find_board(name), backend="sim")) for name in ("spokes-45", "go-9x9")}
    yield opened
    for board in opened.values():
        board.close()


class Pages:
    """The pages of the board that is open."""

    def __init__(self, board: SimulatedBoard) -> None:
        self.board: SimulatedBoard | None = board
        self.blueprint = pages_of(lambda: self.board)

    def show(self, board: SimulatedBoard | None) -> None:
        self.board = board


@pytest.fixture
def pages(boards: dict[str, OpenBoard]) -> Pages:
    return Pages(boards["spokes-45"].simulated)


@pytest.fixture
def app(pages: Pages) -> Flask:
    app = Flask(__name__)
    app.register_blueprint(pages.blueprint)
    speak(app)
    return app


def test_pages_and_deeds_are_those_of_the_board_that_is_open(
    boards: dict[str, OpenBoard], pages: Pages, app: Flask
) -> None:
    client = app.test_client()
    for name, node in (("spokes-45", "D12"), ("go-9x9", "E5"), ("spokes-45", "D12")):
        pages.show(boards[name].simulated)
        assert f"Virtual board – {name}" in client.get("/board").text
        assert client.get("/sim/state").get_json()["name"] == name
        assert len(client.get("/sim/layout").get_json()["nodes"]) == len(boards[name].description.nodes)
        assert client.post("/sim/put", json={"node": node, "piece": "w"}, headers=OWN).status_code == 200
        assert node in client.get("/sim/state").get_json()["stones"]
        assert client.post("/sim/put", json={"node": "Z9", "piece": "w"}, headers=OWN).status_code == 409
        assert client.get("/sim/put").status_code == 405
    with client.get("/static/virtual/virtual.js") as script:
        assert script.status_code == 200


def test_a_stream_ends_with_its_board_and_the_next_is_the_new_boards(
    boards: dict[str, OpenBoard], pages: Pages, app: Flask
) -> None:
    screen = Screen(app.test_client(), "/sim/events")
    assert b'"name": "spokes-45"' in screen.sent[0]
    pages.show(boards["go-9x9"].simulated)
    boards["spokes-45"].close()
    eventually(lambda: screen.over, "the end of the stream")
    assert not [part for part in screen.sent if b"go-9x9" in part], "it ends, it does not change under the page"
    assert b'"name": "go-9x9"' in Screen(app.test_client(), "/sim/events").sent[0]


def test_what_describes_the_pages_is_handed_on(app: Flask) -> None:
    described = [route.path for routes in routes_of(app) for route in routes]
    assert "/sim/put" in described


def test_they_speak_the_language_of_whoever_looks(app: Flask) -> None:
    client = app.test_client()
    for language, told in (("de-DE", "Virtuelles Brett"), ("en", "Virtual board")):
        page = client.get("/board", headers={"Accept-Language": language})
        assert f'<html lang="{language[:2]}">' in page.text
        assert f'<a href="/">{told}</a> · <span id="where">spokes-45</span>' in page.text
        assert {"Cookie", "Accept-Language"} <= set(page.vary)
    english = client.get("/board", headers={"Accept-Language": "en"}).text
    assert "Hold Shift, or tick <i>Lift whole stacks</i>, to carry a block." in english
    assert "simulated with <code>--kind presence</code>, <code>" in english


def test_without_a_simulated_board_there_is_nothing(pages: Pages, app: Flask) -> None:
    pages.show(None)
    client = app.test_client()
    assert [client.get(path).status_code for path in ("/board", "/here", "/sim/state", "/sim/events")] == [404] * 4
    assert client.post("/sim/put", json={"node": "D12", "piece": "w"}, headers=OWN).status_code == 404
