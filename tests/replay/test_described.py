"""The description of a replay's panel: complete, and true of every answer; what it refuses, and when it has enough."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from firmware_host.plug import extensions
from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import film
from lodestone.boards import simulated
from tests.replay.played import recorded, whole
from tests.sampling import cases, together
from tests.sentences import sentence
from tests.web_panel.described import Description, described, template
from tools.openapi import replay_document as document
from web_panel.api import live
from web_panel.limits import READS, WRITES, Buckets
from web_panel.replay_app import create_replay_app

OWN = {"X-Lodestone": "1"}
FAR = {"REMOTE_ADDR": "192.168.1.20"}


class ReplayDescription(Description):
    """The judge of a replay's answers."""

    def __init__(self) -> None:
        super().__init__(strict=True)
        self.document = document()


def panel(record: tuple[str, ...], clock: Any = None) -> tuple[Flask, ReplaySession]:
    shown = film(record)
    show = ReplaySession(shown, Reel(len(shown.scenes)), None)
    show.board = SimpleNamespace(simulated=simulated())  # type: ignore[assignment]
    buckets = Buckets(clock or (lambda: 0.0))
    app = create_replay_app(
        show, secret=b"s" * 32, addresses=["http://board.lan:8080"], buckets=buckets,
        joining=extensions(),
    )  # fmt: skip
    return described(app, ReplayDescription()), show


@pytest.fixture
def app() -> Flask:
    return panel(recorded("coil", "a1", "pass", "g7"))[0]


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def test_every_route_is_described_and_every_path_is_there(app: Flask) -> None:
    routes = {
        (template(str(rule)), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    paths = {(path, method) for path, item in document()["paths"].items() for method in item if method != "parameters"}
    assert paths == routes
    assert app.test_client().get("/api/openapi.json").get_json()["paths"].keys() == document()["paths"].keys()


@pytest.mark.parametrize("game", cases(["spokes", "phalanx", "coil", "octiles"], "spokes", "octiles"))
def test_every_moment_of_every_game_is_as_described(game: str) -> None:
    app, show = panel(whole(game))
    client = app.test_client()
    count = client.get("/api/state").get_json()["moments"]
    for moment in sorted({0, 1, 2, count // 2, count - 2, count - 1}):
        show.order({"do": "to", "moment": moment})
        assert client.get("/api/state").get_json()["moment"] == moment


def test_pages_files_and_refusals_are_as_described(client: FlaskClient) -> None:
    for path in (
        "/",
        "/replay",
        "/script/replay/replay.js",
        "/script/none.js",
        "/static/replay/replay.js",
        "/static/none.js",
        "/favicon.ico",
        "/words.js",
        "/sim/state",
    ):
        client.get(path).close()
    for path in ("/replay", "/api/state", "/api/replay"):
        client.get(path, headers={"Host": "evil.example"})
        client.get(path, query_string="x" * 2000)
    state = client.get("/api/state")
    assert client.get("/api/state", headers={"If-None-Match": state.headers["ETag"]}).status_code == 304
    for body, kind, headers, status in (
        ('{"do": "on"}', "application/json", OWN, 200),
        ('{"do": "on"}', "application/json", {}, 403),
        ('{"do": "on"}', "text/plain", OWN, 415),
        ("{", "application/json", OWN, 400),
        ("y" * 5000, "application/json", OWN, 413),
    ):
        answer = client.post("/api/replay", data=body, content_type=kind, headers=headers)
        assert answer.status_code == status


@together(
    ("body", "words"),
    [
        ('{"do": "on", "do": "back"}', sentence("a name occurs in it")),
        ('{"do": "pace", "seconds": NaN}', "NaN is no number"),
        ('{"do": "pace", "seconds": Infinity}', "Infinity is no number"),
        ('{"do": "to", "moment": 1, "also": 2}', "also: unknown field"),
        ('{"do": ["on"]}', "do: expected a text"),
        (b'{"do": "\xff"}', "expected a JSON object"),
        ("[" * 4000, "expected a JSON object"),
        ("", "expected a JSON object"),
    ],
)
def test_bodies_are_strict(client: FlaskClient, body: Any, words: str) -> None:
    answer = client.post("/api/replay", data=body, content_type="application/json", headers=OWN)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad_request")
    assert words in answer.get_json()["error"]["message"]
    assert client.get("/api/state").get_json()["moment"] == 0


@pytest.mark.thorough
def test_one_address_may_ask_and_order_so_often(client: FlaskClient) -> None:
    for _ in range(int(WRITES.burst)):
        assert client.post("/api/replay", json={"do": "on"}, headers=OWN, environ_base=FAR).status_code == 200
    refused = client.post("/api/replay", json={"do": "on"}, headers=OWN, environ_base=FAR)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    near = client.post("/api/replay", json={"do": "on"}, headers=OWN)
    assert near.status_code == 200, "the machine itself is nobody's neighbour"
    for _ in range(int(READS.burst)):
        client.get("/favicon.ico", environ_base=FAR)
    assert client.get("/api/state", environ_base=FAR).status_code == 429


def test_screens_of_one_address_give_way_to_newer_ones(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STREAMS_AN_ADDRESS", 2)
    streams = [app.test_client().get("/api/events", environ_base=FAR) for _ in range(3)]
    first, *others = (iter(stream.response) for stream in streams)
    assert b"enough" in b"".join(bytes(piece) for piece in first)  # type: ignore[arg-type]
    for stream in others:
        assert next(stream).startswith(b"retry:")  # type: ignore[arg-type]
        assert json.loads(next(stream).partition(b"data: ")[2])["moment"] == 0  # type: ignore[arg-type]
    for stream in streams:
        stream.close()
