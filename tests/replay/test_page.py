"""The panel of a replay: its page, its stream, and what it takes from whom."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import film
from tests.e2e.program import eventually
from tests.replay.played import recorded
from tests.web_panel.table import Screen
from web_panel.guard import SAFE
from web_panel.replay_app import create_replay_app

ADDRESS = "http://board.lan:8080"
OWN = {"X-Lodestone": "1"}


@pytest.fixture
def show() -> ReplaySession:
    shown = film(recorded("coil", "a1", "pass", "g7"))
    return ReplaySession(shown, Reel(len(shown.scenes)), None)


@pytest.fixture
def app(show: ReplaySession) -> Flask:
    return create_replay_app(show, secret=b"s" * 32, addresses=[ADDRESS])


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def order(client: FlaskClient, body: Any, **headers: str) -> tuple[int, Any]:
    answer = client.post("/api/replay", json=body, headers={**OWN, **headers})
    return answer.status_code, answer.get_json()


def test_the_page_is_there_and_needs_nothing_from_outside(client: FlaskClient) -> None:
    assert client.get("/").headers["Location"] == "/replay"
    page = client.get("/replay")
    assert page.status_code == 200
    text = page.get_data(as_text=True)
    for part in ("script/replay/replay.js", "static/replay/replay.css", 'id="slider"', 'aria-label="Step forward"'):
        assert part in text
    assert "style=" not in text
    assert "onclick" not in text
    for path in ("/script/replay/replay.js", "/static/replay/replay.css", "/static/shared/board.js"):
        found = client.get(path)
        assert found.status_code == 200
        found.close()


def test_every_answer_carries_the_panels_headers(client: FlaskClient) -> None:
    for answer in (
        client.get("/replay"),
        client.get("/api/state"),
        client.get("/nowhere"),
        client.post("/api/replay", json={}),
        client.get("/replay", headers={"Host": "evil.example"}),
    ):
        for name, value in SAFE.items():
            assert answer.headers[name] == value


def test_orders_are_followed_and_seen(client: FlaskClient, show: ReplaySession) -> None:
    assert client.get("/api/state").get_json()["moment"] == 0
    assert order(client, {"do": "to", "moment": 3}) == (200, {"ok": True})
    state = client.get("/api/state").get_json()
    assert (state["moment"], state["words"], state["board"]) == (3, "Ada: a stone on g7.", {"a1": ["b"], "g7": ["w"]})
    assert order(client, {"do": "play"})[0] == 200
    assert show.reel.playing
    assert order(client, {"do": "pace", "seconds": 0.5})[0] == 200
    assert client.get("/api/state").get_json()["pace"] == 0.5


def test_the_stream_gives_the_moment_at_once_and_ends_with_the_replay(client: FlaskClient, show: ReplaySession) -> None:
    show.order({"do": "on"})
    screen = Screen(client)
    assert screen.sent[0].startswith(b"retry:")
    assert moment(screen) == 1
    show.order({"do": "last"})
    eventually(lambda: moment(screen) == 4, "the last moment")
    show.stop()
    eventually(lambda: screen.over, "the end of the stream")


def moment(screen: Screen) -> int:
    """Return the moment that a screen was last told."""
    return int(json.loads(screen.sent[-1].partition(b"data: ")[2])["moment"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "do: expected a text"),
        ({"do": "burn"}, "do: expected one of"),
        ({"do": "to", "moment": 99}, "moment: expected a whole number from 0 to 4"),
        ({"do": "pace", "seconds": 1e9}, "seconds: expected"),
        ({"do": "play", "x" * 60: 1}, "unknown field"),
        ([], "expected a JSON object, got list"),
        ("play", "expected a JSON object, got str"),
        (17, "expected a JSON object, got int"),
    ],
)
def test_a_wrong_order_is_refused_and_changes_nothing(
    client: FlaskClient, show: ReplaySession, body: Any, words: str
) -> None:
    before = show.reel
    status, answer = order(client, body)
    assert status == 400
    assert words in answer["error"]["message"]
    assert show.reel == before


def test_only_our_own_pages_may_order(client: FlaskClient, show: ReplaySession) -> None:
    play = {"do": "play"}
    assert client.post("/api/replay", json=play).status_code == 403
    assert order(client, play, Origin="http://evil.example")[0] == 403
    assert order(client, play, Origin="null")[0] == 403
    text = client.post("/api/replay", data="{}", headers={**OWN, "Content-Type": "text/plain"})
    assert text.status_code == 415
    broken = client.post("/api/replay", data="{", headers={**OWN, "Content-Type": "application/json"})
    assert broken.status_code == 400
    large = client.post("/api/replay", data=b" " * 5000, headers={**OWN, "Content-Type": "application/json"})
    assert large.status_code == 413
    assert client.get("/api/replay").status_code == 405
    assert not show.reel.playing
    assert order(client, play, Origin="http://localhost")[0] == 200


def test_other_names_and_endless_addresses_are_refused(client: FlaskClient) -> None:
    assert client.get("/replay", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/replay", headers={"Host": "board.lan:8080"}).status_code == 200
    assert client.get("/replay?" + "x" * 2000).status_code == 414


def test_what_a_table_takes_is_not_there(client: FlaskClient) -> None:
    for path in ("join", "start", "choose", "resign", "new"):
        assert client.post(f"/api/{path}", json={}, headers=OWN).status_code == 404
    for path in ("/tv", "/play", "/join/1"):
        assert client.get(path).status_code == 404
