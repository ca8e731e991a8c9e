"""The simulator's JSON interface: deeds, refusals, and any rubbish as a body."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.server import MOST_WATCHERS, Watcher, blueprint
from tests.boards import simulated


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    parts = simulated()
    app = Flask(__name__)
    app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, Watcher()))
    strip = parts.strip()
    strip.show([(1, 2, 3)] + [(0, 0, 0)] * 44)
    return app.test_client()


def post(client: FlaskClient, deed: str, body: Any, **headers: str) -> tuple[int, Any]:
    answer = client.post(f"/sim/{deed}", json=body, headers=headers)
    return answer.status_code, answer.get_json()


def test_stones_are_put_lifted_and_moved(client: FlaskClient) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"})[1]["stones"] == {"D12": ["w"]}
    assert post(client, "move", {"from": "D12", "to": "12"})[1]["stones"] == {"12": ["w"]}
    assert post(client, "lift", {"node": "12", "hand": "left"})[1]["stones"] == {}
    assert post(client, "put", {"node": "supply", "hand": "left"})[1]["supply"] == {"w": 44, "b": 44}


def test_the_state_shows_pixels_by_node(client: FlaskClient) -> None:
    state = client.get("/sim/state").get_json()
    assert state["pixels"]["A1"] == [1, 2, 3]
    assert state["kind"] == "presence"
    assert set(client.get("/sim/layout").get_json()["nodes"]) == set(state["pixels"])


@pytest.mark.parametrize(
    ("deed", "body", "status", "words"),
    [
        ("put", {"piece": "w"}, 400, "node"),
        ("put", {"node": 7, "piece": "w"}, 400, "node: expected a text"),
        ("put", {"node": "D12", "stone": "w"}, 400, "stone: unknown"),
        ("put", {"node": "D99", "piece": "w"}, 409, "D99"),
        ("put", {"node": "D12", "piece": "q"}, 409, "q"),
        ("lift", {"node": "D12"}, 409, "nothing lies on D12"),
        ("lift", {"node": "D12", "pieces": "w"}, 400, "pieces"),
        ("move", {"from": "D12"}, 400, "to"),
        ("fault", {"kind": "possessed", "node": "D12"}, 400, "possessed"),
        ("fault", {"kind": "stuck-on"}, 400, "node: expected"),
        ("fault", {"kind": "stuck-on", "node": "D99"}, 409, "D99"),
        ("fault", {"kind": "clear", "node": "D99"}, 409, "D99"),
        ("lift", {"node": "D12", "pieces": ["w", 1]}, 400, "pieces: expected a list of w and b"),
        ("put", {"node": "D12", "piece": "w", "hand": "h" * 41}, 400, "hand: expected a text of 40"),
        ("fault", [], 400, "object"),
    ],
)
def test_wrong_bodies_are_refused_by_name(client: FlaskClient, deed: str, body: Any, status: int, words: str) -> None:
    code, answer = post(client, deed, body)
    assert code == status
    assert words in answer["error"]
    assert client.get("/sim/state").get_json()["stones"] == {}


def test_foreign_pages_move_nothing(client: FlaskClient) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"}, Origin="http://evil.example")[0] == 403
    assert client.post("/sim/put", data="{}").status_code == 400


@pytest.mark.parametrize("origin", ["null", "http://[", "https://localhost.evil", "localhost"])
def test_strange_origins_move_nothing(client: FlaskClient, origin: str) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"}, Origin=origin)[0] == 403
    assert post(client, "fault", {"kind": "clear"}, Origin="http://localhost")[0] == 200


def test_what_is_nested_too_deep_is_refused(client: FlaskClient) -> None:
    answer = client.post("/sim/put", data="[" * 4000, content_type="application/json")
    assert answer.status_code == 400


def test_moves_do_not_get_in_each_others_way(client: FlaskClient) -> None:
    for node in ("D1", "D3"):
        post(client, "put", {"node": node, "piece": "b"})
    with ThreadPoolExecutor() as pool:
        moves = [("D1", "1"), ("D3", "3")]
        answers = list(
            pool.map(
                lambda move: post(client.application.test_client(), "move", {"from": move[0], "to": move[1]}), moves
            )
        )
    assert [status for status, _ in answers] == [200, 200]
    assert client.get("/sim/state").get_json()["stones"] == {"1": ["b"], "3": ["b"]}
    for node in ("1", "3"):
        post(client, "lift", {"node": node})
        state = post(client, "put", {"node": "supply"})[1]
    assert state["supply"] == {"w": 44, "b": 44}
    assert state["hands"] == {}


def test_a_stream_tells_every_change_and_ends_with_the_board() -> None:
    parts, watcher = simulated(), Watcher()
    app = Flask(__name__)
    app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, watcher))
    with app.test_client().get("/sim/events") as answer:
        assert answer.mimetype == "text/event-stream"
        stream = iter(answer.response)
        assert next(stream) == b"retry: 1000\n\n"
        first = json.loads(next(stream).removeprefix(b"data: "))
        parts.world.put("D12", "w")
        second = json.loads(next(stream).removeprefix(b"data: "))
        assert (first["stones"], second["stones"]) == ({}, {"D12": ["w"]})
        assert second["version"] > first["version"]
        assert second["run"] == first["run"]
        watcher.close()
        assert list(stream) == []
    assert watcher.looking == 0


def test_only_so_many_may_look_at_once() -> None:
    parts, watcher = simulated(), Watcher()
    app = Flask(__name__)
    app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, watcher))
    answers = [app.test_client().get("/sim/events") for _ in range(MOST_WATCHERS + 1)]
    streams = [iter(answer.response) for answer in answers]
    assert [next(stream) for stream in streams][-1] == b"retry: 10000\n\n"
    assert list(streams[-1]) == []
    assert next(streams[0]).startswith(b"data: ")  # type: ignore[arg-type]
    for answer in answers:
        answer.close()
    assert watcher.looking == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["node", "piece", "pieces", "from", "to", "kind", "hand"])
bodies = anything | st.dictionaries(fields, anything)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(deed=st.sampled_from(["put", "lift", "move", "push", "fault"]), body=bodies)
def test_any_body_gets_a_clear_answer(client: FlaskClient, deed: str, body: Any) -> None:
    status, answer = post(client, deed, body)
    assert status in {200, 400, 409}
    assert status == 200 or isinstance(answer["error"], str)
