"""The simulator's JSON interface: requests, refusals, and random bodies."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.server import HEARTBEAT_S, HELD_S, MOST_WATCHERS, WATCHERS_AN_ADDRESS, Watcher, blueprint
from tests.boards import Clock, simulated
from tests.sampling import together

OWN = {"X-Lodestone": "1"}


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    parts = simulated()
    app = Flask(__name__)
    app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, Watcher()))
    strip = parts.strip()
    strip.show([(1, 2, 3)] + [(0, 0, 0)] * 44)
    return app.test_client()


def post(client: FlaskClient, deed: str, body: Any, **headers: str) -> tuple[int, Any]:
    text = json.dumps(body)
    answer = client.post(f"/sim/{deed}", data=text, content_type="application/json", headers={**OWN, **headers})
    return answer.status_code, answer.get_json()


def test_stones_are_put_lifted_and_moved(client: FlaskClient) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"})[1]["stones"] == {"D12": ["w"]}
    assert post(client, "move", {"from": "D12", "to": "12"})[1]["stones"] == {"12": ["w"]}
    assert post(client, "lift", {"node": "12", "hand": "left"})[1]["stones"] == {}
    assert post(client, "put", {"node": "supply", "hand": "left"})[1]["supply"] == {"w": 44, "b": 44}


def test_what_nobody_holds_any_more_goes_back_where_it_came_from() -> None:
    """A page that has gone, or whose answer was lost, is heard of no more."""
    parts = simulated()
    app = Flask(__name__)
    app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, Watcher()))
    client, world, clock = app.test_client(), parts.world, parts.world._clock
    assert isinstance(clock, Clock)
    for node, piece in (("D12", "w"), ("D12", "b"), ("D1", "w")):
        world.put(node, piece)

    def after(seconds: float) -> Any:
        clock.now += seconds
        world.contacts()
        return client.get("/sim/state").get_json()

    post(client, "lift", {"node": "D12", "hand": "left"})
    post(client, "lift", {"node": "supply", "piece": "w", "hand": "right"})
    post(client, "lift", {"node": "D1", "hand": "third"})
    assert after(HELD_S - 1)["hands"] == {"left": ["b"], "right": ["w"], "third": ["w"]}
    post(client, "put", {"node": "D1", "piece": "b"})
    post(client, "hold", {"hand": "left"})
    assert after(2)["hands"] == {"left": ["b"]}, "the page of the left hand is still there"
    assert world.stones() == {"D12": ["w"], "D1": ["b"]}, "where another piece lies it goes to the tray"
    assert after(HELD_S)["stones"] == {"D12": ["w", "b"], "D1": ["b"]}
    assert world.supply == {"w": 43, "b": 42}
    post(client, "lift", {"node": "D12", "hand": "left"})
    assert post(client, "back", {"hand": "left"})[1]["stones"] == {"D12": ["w", "b"], "D1": ["b"]}
    assert post(client, "back", {"hand": "left"})[0] == 200, "it may have gone back already"


def test_all_hands_are_empty_when_everything_is_mended(client: FlaskClient) -> None:
    post(client, "put", {"node": "D12", "piece": "w"})
    post(client, "lift", {"node": "D12", "hand": "left"})
    post(client, "lift", {"node": "supply", "piece": "b", "hand": "right"})
    post(client, "fault", {"kind": "clear", "node": "D12"})
    assert post(client, "fault", {"kind": "stuck-on", "node": "D12"})[1]["hands"] != {}
    state = post(client, "fault", {"kind": "clear"})[1]
    assert (state["hands"], state["stones"], state["faults"]) == ({}, {"D12": ["w"]}, {})
    post(client, "lift", {"node": "D12"})
    assert post(client, "put", {"node": "supply"})[1]["supply"] == {"w": 44, "b": 44}


def test_the_state_shows_pixels_by_node(client: FlaskClient) -> None:
    state = client.get("/sim/state").get_json()
    assert state["pixels"]["A1"] == [1, 2, 3]
    assert state["kind"] == "presence"
    assert set(client.get("/sim/layout").get_json()["nodes"]) == set(state["pixels"])


@together(
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
        ("put", None, 400, "expected a JSON object, got NoneType"),
        ("put", {"node": "D12", "piece": 7}, 400, "piece: expected a text"),
        ("put", {"node": "supply", "piece": 7}, 400, "piece: expected a text"),
        ("put", {"node": "D12", "hand": None}, 400, "hand: expected a text"),
        ("put", {"node": "D1\n2"}, 400, "node: expected printable characters only"),
        ("lift", {"node": "D12", "piece": {}}, 400, "piece: expected a text"),
        ("lift", {"node": "supply"}, 400, "piece: expected a text, but it is missing"),
        ("lift", {"node": "supply", "piece": "w", "pieces": 7}, 400, "pieces: expected a list"),
        ("lift", {"node": "D12", "pieces": ["w"] * 33}, 400, "pieces: expected a list"),
        ("lift", {"node": "D12", "pieces": []}, 400, "pieces: expected a list"),
        ("move", {"from": "D12", "to": "D1", "piece": "w"}, 400, "piece: unknown"),
        ("push", {"from": "D12", "node": "D1", "x" * 300: 1}, 400, "x" * 40 + ": unknown"),
    ],
)
def test_wrong_bodies_are_refused_by_name(client: FlaskClient, deed: str, body: Any, status: int, words: str) -> None:
    code, answer = post(client, deed, body)
    assert code == status
    assert words in answer["error"]
    assert client.get("/sim/state").get_json()["stones"] == {}


def test_a_refusal_tells_how_it_was_made(client: FlaskClient) -> None:
    """The page needs it to translate the refusal."""
    status, answer = post(client, "lift", {"node": "D12"})
    assert status == 409
    assert answer == {"error": "nothing lies on D12", "form": "nothing lies on {node}", "values": {"node": "D12"}}


def test_alone_the_page_speaks_english(client: FlaskClient) -> None:
    page = client.get("/board").text
    assert '<html lang="en">' in page
    assert "Hold Shift, or tick <i>Lift whole stacks</i>, to carry a block." in page
    assert "simulated with <code>--kind presence</code>, <code>" in page


def raw(client: FlaskClient, data: bytes | str, kind: str = "application/json", **headers: str) -> tuple[int, str]:
    answer = client.post("/sim/put", data=data, content_type=kind, headers={**OWN, **headers})
    return answer.status_code, answer.get_json()["error"] if answer.is_json else ""


def test_foreign_pages_move_nothing(client: FlaskClient) -> None:
    body = {"node": "D12", "piece": "w"}
    assert post(client, "put", body, Origin="http://evil.example")[0] == 403
    assert client.post("/sim/put", json=body).status_code == 403, "neither an origin nor our own header"
    assert client.get("/sim/state").get_json()["stones"] == {}


@pytest.mark.parametrize("origin", ["null", "http://[", "https://localhost.evil", "localhost", "ftp://localhost", ""])
def test_strange_origins_move_nothing(client: FlaskClient, origin: str) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"}, Origin=origin)[0] == 403
    assert post(client, "fault", {"kind": "clear"}, Origin="http://LOCALHOST")[0] == 200
    no_header = client.post("/sim/fault", json={"kind": "clear"}, headers={"Origin": "http://localhost"})
    assert no_header.status_code == 200


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("[" * 4000, "expected a JSON object"),
        ("", "expected a JSON object"),
        ("{", "expected a JSON object"),
        (b'{"node": "\xff"}', "expected a JSON object"),
        ('{"node": "D12", "node": "D1"}', "a name occurs in it twice"),
        ('{"node": NaN}', "NaN is no number"),
    ],
)
def test_what_is_no_proper_json_is_refused(client: FlaskClient, data: bytes | str, words: str) -> None:
    status, said = raw(client, data)
    assert status == 400
    assert words in said


def test_only_json_of_a_modest_size_is_read(client: FlaskClient) -> None:
    assert raw(client, '{"kind": "clear"}', "text/plain") == (415, "expected Content-Type: application/json")
    assert raw(client, '{"kind": "clear"}', "application/x-www-form-urlencoded")[0] == 415
    assert raw(client, b" " * 4097)[0] == 413


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


class Lookers:
    """A board with event streams to many addresses."""

    def __init__(self) -> None:
        parts, self.watcher = simulated(), Watcher()
        self.app = Flask(__name__)
        self.app.register_blueprint(blueprint(parts.description, parts.world, parts.wire, self.watcher))
        self.open: list[Any] = []

    def look(self, address: str) -> Any:
        answer = self.app.test_client().get("/sim/events", environ_base={"REMOTE_ADDR": address})
        self.open.append(answer)
        return iter(answer.response)

    def close(self) -> None:
        for answer in self.open:
            answer.close()


@pytest.fixture
def lookers() -> Iterator[Lookers]:
    opened = Lookers()
    yield opened
    opened.close()
    assert opened.watcher.looking == 0


def test_an_address_that_looks_too_often_loses_its_oldest(lookers: Lookers) -> None:
    other = lookers.look("192.168.1.9")
    streams = [lookers.look("192.168.1.20") for _ in range(WATCHERS_AN_ADDRESS + 1)]
    assert list(streams[0]) == [b"retry: 1000\n\n", b"event: enough\ndata: {}\n\n"]
    for stream in (other, *streams[1:]):
        assert next(stream) == b"retry: 1000\n\n"
        assert next(stream).startswith(b"data: ")
    assert lookers.watcher.looking == WATCHERS_AN_ADDRESS + 1


def test_one_who_waits_is_told_at_once_that_he_gives_way(lookers: Lookers) -> None:
    """The stream does not wait for a heartbeat, so its thread is free for others."""
    stream = lookers.look("192.168.1.20")
    next(stream), next(stream)
    got: list[bytes] = []
    waiting = threading.Thread(target=lambda: got.extend(stream))
    waiting.start()
    for _ in range(WATCHERS_AN_ADDRESS):
        lookers.look("192.168.1.20")
    waiting.join(HEARTBEAT_S / 2)
    assert got == [b"event: enough\ndata: {}\n\n"]


def test_only_so_many_may_look_at_once(lookers: Lookers) -> None:
    streams = [lookers.look(f"192.168.1.{number}") for number in range(1, MOST_WATCHERS + 1)]
    assert list(lookers.look("192.168.2.1")) == [b"retry: 10000\n\n"], "a newcomer comes again later"
    again = lookers.look("192.168.1.1")
    assert [next(again), next(again)[:6]] == [b"retry: 1000\n\n", b"data: "], "who looks already may look anew"
    assert list(streams[0])[-1] == b"event: enough\ndata: {}\n\n"
    assert next(streams[1]).startswith(b"retry: 1000")
    assert lookers.watcher.looking == MOST_WATCHERS


def test_a_stream_that_nobody_began_to_read_is_forgotten(lookers: Lookers) -> None:
    for _ in range(MOST_WATCHERS):
        lookers.look("192.168.1.20")
        lookers.open[-1].close()
    assert lookers.watcher.looking == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["node", "piece", "pieces", "from", "to", "kind", "hand"])
bodies = anything | st.dictionaries(fields, anything)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(deed=st.sampled_from(["put", "lift", "hold", "back", "move", "push", "fault"]), body=bodies)
def test_any_body_gets_a_clear_answer(client: FlaskClient, deed: str, body: Any) -> None:
    status, answer = post(client, deed, body)
    assert status in {200, 400, 409}
    assert status == 200 or isinstance(answer["error"], str)
