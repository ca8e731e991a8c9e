"""The virtual board's pages, mounted once, follow the board that is open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Blueprint, Flask

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import OpenBoard
from simulator.board import open_board
from tests.e2e.program import eventually
from tests.web_panel.table import Screen
from web_panel.languages import speak
from web_panel.pages import virtual_board
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

    def __init__(self, web: Blueprint | None) -> None:
        self.web = web
        self.blueprint = virtual_board.blueprint(lambda: self.web)

    def show(self, web: Blueprint | None) -> None:
        self.web = web


@pytest.fixture
def pages(boards: dict[str, OpenBoard]) -> Pages:
    return Pages(boards["spokes-45"].web)


@pytest.fixture
def app(pages: Pages) -> Flask:
    app = Flask(__name__)
    app.register_blueprint(pages.blueprint)
    return app


def test_all_addresses_of_a_boards_own_pages_are_there(boards: dict[str, OpenBoard], app: Flask) -> None:
    own = Flask("own", static_folder=None)
    own.register_blueprint(boards["go-9x9"].web)

    def rules(of: Flask) -> set[tuple[str, str, frozenset[str]]]:
        return {
            (rule.rule, rule.endpoint, frozenset(rule.methods or ()))
            for rule in of.url_map.iter_rules()
            if rule.endpoint != "static"
        }

    assert rules(app) == rules(own)


def test_pages_and_deeds_are_those_of_the_board_that_is_open(
    boards: dict[str, OpenBoard], pages: Pages, app: Flask
) -> None:
    client = app.test_client()
    for name, node in (("spokes-45", "D12"), ("go-9x9", "E5"), ("spokes-45", "D12")):
        pages.show(boards[name].web)
        assert f"Virtual board – {name}" in client.get("/board").text
        assert client.get("/sim/state").get_json()["name"] == name
        assert len(client.get("/sim/layout").get_json()["nodes"]) == len(boards[name].description.nodes)
        assert client.post("/sim/put", json={"node": node, "piece": "w"}, headers=OWN).status_code == 200
        assert node in client.get("/sim/state").get_json()["stones"]
        assert client.post("/sim/put", json={"node": "Z9", "piece": "w"}, headers=OWN).status_code == 409
        assert client.get("/sim/put").status_code == 405
    with client.get("/sim/static/virtual.js") as script:
        assert script.status_code == 200


def test_a_stream_ends_with_its_board_and_the_next_is_the_new_boards(
    boards: dict[str, OpenBoard], pages: Pages, app: Flask
) -> None:
    screen = Screen(app.test_client(), "/sim/events")
    assert b'"name": "spokes-45"' in screen.sent[0]
    pages.show(boards["go-9x9"].web)
    boards["spokes-45"].close()
    eventually(lambda: screen.over, "the end of the stream")
    assert not [part for part in screen.sent if b"go-9x9" in part], "it ends, it does not change under the page"
    assert b'"name": "go-9x9"' in Screen(app.test_client(), "/sim/events").sent[0]


def test_what_describes_the_pages_is_handed_on(app: Flask) -> None:
    described = [route.path for routes in routes_of(app) for route in routes]
    assert "/sim/put" in described


def test_they_speak_the_language_of_whoever_looks(app: Flask) -> None:
    speak(app)
    client = app.test_client()
    for language, told in (("de-DE", "Virtuelles Brett"), ("en", "Virtual board")):
        page = client.get("/board", headers={"Accept-Language": language})
        assert f'<html lang="{language[:2]}">' in page.text
        assert f'<a href="/">{told}</a> · <span id="where">spokes-45</span>' in page.text
        assert {"Cookie", "Accept-Language"} <= set(page.vary)


def test_without_a_simulated_board_there_is_nothing(pages: Pages, app: Flask) -> None:
    pages.show(None)
    client = app.test_client()
    assert [client.get(path).status_code for path in ("/board", "/sim/state", "/sim/events")] == [404] * 3
    assert client.post("/sim/put", json={"node": "D12", "piece": "w"}, headers=OWN).status_code == 404


def test_what_a_boards_pages_check_before_a_request_is_checked() -> None:
    def some(word: str, *, shut: bool) -> Blueprint:
        web = Blueprint("some", __name__)

        @web.before_request
        def check() -> tuple[str, int] | None:
            return ("shut", 403) if shut else None

        @web.get("/word/<name>")
        def say(name: str) -> str:
            return f"{word} {name}"

        del check, say
        return web

    pages = Pages(some("hello", shut=False))
    app = Flask(__name__)
    app.register_blueprint(pages.blueprint)
    client = app.test_client()
    assert client.get("/word/you").text == "hello you"
    pages.show(some("bye", shut=True))
    assert client.get("/word/you").status_code == 403
    pages.show(some("bye", shut=False))
    assert client.get("/word/you").text == "bye you"
