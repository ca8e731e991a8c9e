"""The simulator's JSON interface: requests, refusals, and random bodies."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.extensions.virtual.simulated import FRAME_S, HELD_S, MAX_WATCHERS, WATCHERS_AN_ADDRESS
from lodestone.boards import Clock, simulated
from tests.e2e.program import eventually
from tests.extensions.virtual.pages import pages_of
from tests.sampling import together
from tests.sentences import sentence
from tests.web_panel.table import Screen

OWN = {"X-Lodestone": "1"}


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    parts = simulated()
    app = Flask(__name__)
    app.register_blueprint(pages_of(lambda: parts))
    strip = parts.strip()
    strip.show([(1, 2, 3)] + [(0, 0, 0)] * 44)
    return app.test_client()


def post(client: FlaskClient, deed: str, body: Any, **headers: str) -> tuple[int, Any]:
    text = json.dumps(body)
    answer = client.post(f"/sim/{deed}", data=text, content_type="application/json", headers={**OWN, **headers})
    return answer.status_code, answer.get_json()


def said(answer: Any) -> str:
    """Return the words of a refusal: of the board, or of the panel."""
    error = answer["error"]
    return str(error["message"] if isinstance(error, dict) else error)


def test_stones_are_put_lifted_and_moved(client: FlaskClient) -> None:
    assert post(client, "put", {"node": "D12", "piece": "w"})[1]["stones"] == {"D12": ["w"]}
    assert post(client, "move", {"from": "D12", "to": "12"})[1]["stones"] == {"12": ["w"]}
    assert post(client, "lift", {"node": "12", "hand": "left"})[1]["stones"] == {}
    assert post(client, "put", {"node": "supply", "hand": "left"})[1]["supply"] == {"w": 44, "b": 44}


def test_what_nobody_holds_any_more_goes_back_where_it_came_from() -> None:
    """A page that has gone, or whose answer was lost, is heard of no more."""
    parts = simulated()
    app = Flask(__name__)
    app.register_blueprint(pages_of(lambda: parts))
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
        ("fault", {"kind": "swap"}, 400, "node: expected"),
        ("fault", {"kind": "stuck-on", "node": "D99"}, 409, "D99"),
        ("fault", {"kind": "clear", "node": "D99"}, 409, "D99"),
        ("lift", {"node": "D12", "pieces": ["w", 1]}, 400, "pieces: expected a list of texts"),
        ("put", {"node": "D12", "piece": "w", "hand": "h" * 41}, 400, "hand: expected at most 40"),
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
        ("lift", {"node": "D12", "pieces": ["q"]}, 400, 'pieces: expected a list of w and b, got ["q"]'),
        ("lift", {"node": "D12", "pieces": []}, 400, "pieces: expected a list"),
        ("move", {"from": "D12", "to": "D1", "piece": "w"}, 400, "piece: unknown"),
        ("push", {"from": "D12", "node": "D1", "x" * 300: 1}, 400, "x" * 40 + ": unknown"),
    ],
)
def test_wrong_bodies_are_refused_by_name(client: FlaskClient, deed: str, body: Any, status: int, words: str) -> None:
    code, answer = post(client, deed, body)
    assert code == status
    assert words in said(answer)
    assert client.get("/sim/state").get_json()["stones"] == {}


def test_a_refusal_tells_how_it_was_made(client: FlaskClient) -> None:
    """The page needs it to translate the refusal."""
    status, answer = post(client, "lift", {"node": "D12"})
    assert status == 409
    assert answer == {"error": "nothing lies on D12", "form": "nothing lies on {node}", "values": {"node": "D12"}}


def raw(client: FlaskClient, data: bytes | str, kind: str = "application/json", **headers: str) -> tuple[int, str]:
    answer = client.post("/sim/put", data=data, content_type=kind, headers={**OWN, **headers})
    return answer.status_code, said(answer.get_json()) if answer.is_json else ""


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
        ('{"node": "D12", "node": "D1"}', sentence("a name occurs in it")),
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


def shown(screen: Screen) -> list[Any]:
    """Return the states that were sent."""
    lines = b"".join(screen.sent).split(b"\n")
    return [json.loads(line[6:]) for line in lines if line.startswith(b"data: {") and line != b"data: {}"]


class Lookers:
    """A board with event streams to many addresses."""

    def __init__(self) -> None:
        self.parts = simulated()
        self.watcher = self.parts.watcher
        self.app = Flask(__name__)
        self.app.register_blueprint(pages_of(lambda: self.parts))

    def look(self, address: str) -> Screen:
        return Screen(self.app.test_client(), "/sim/events", address)


@pytest.fixture
def lookers() -> Iterator[Lookers]:
    opened = Lookers()
    yield opened
    opened.watcher.close()
    eventually(lambda: not streams_running(), "the end of all streams")


def streams_running() -> bool:
    return any(thread.name == "streams" for thread in threading.enumerate())


def test_a_stream_tells_every_change_and_ends_with_the_board(lookers: Lookers) -> None:
    screen = lookers.look("127.0.0.1")
    assert screen.sent[0].startswith(b"retry: ")
    lookers.parts.world.put("D12", "w")
    eventually(lambda: len(shown(screen)) == 2, "the change")
    first, second = shown(screen)
    assert (first["stones"], second["stones"]) == ({}, {"D12": ["w"]})
    assert second["version"] > first["version"]
    assert second["run"] == first["run"]
    lookers.watcher.close()
    eventually(lambda: screen.over, "the end of the stream")


def test_changes_that_come_together_are_sent_once(lookers: Lookers) -> None:
    """A light show makes a hundred frames a second; a page gets 25 at most."""
    screen = lookers.look("127.0.0.1")
    began = time.monotonic()
    for _ in range(300):
        lookers.watcher.note_change()
    lookers.parts.world.put("D12", "w")
    eventually(lambda: shown(screen)[-1]["stones"], "the newest state")
    assert len(shown(screen)) <= 3 + (time.monotonic() - began) / FRAME_S


def test_a_page_that_knows_the_state_gets_a_beat(lookers: Lookers) -> None:
    """Without a server that hands streams over, the browser comes again and again."""
    client = lookers.app.test_client()
    first = client.get("/sim/events").data
    known = first.partition(b"id: ")[2].partition(b"\n")[0].decode()
    assert b"event: beat" in client.get("/sim/events", headers={"Last-Event-ID": known}).data


def test_an_address_that_looks_too_often_loses_its_oldest(lookers: Lookers) -> None:
    other = lookers.look("192.168.1.9")
    screens = [lookers.look("192.168.1.20") for _ in range(WATCHERS_AN_ADDRESS + 1)]
    eventually(lambda: screens[0].over, "the end of the oldest")
    assert screens[0].sent[-1] == b"event: enough\ndata: {}\n\n"
    assert not any(screen.over for screen in (other, *screens[1:]))
    assert all(shown(screen) for screen in (other, *screens[1:]))


def test_only_so_many_may_look_at_once(lookers: Lookers) -> None:
    screens = [lookers.look(f"192.168.1.{number}") for number in range(1, MAX_WATCHERS + 1)]
    newcomer = lookers.look("192.168.2.1")
    assert (newcomer.sent, newcomer.over) == ([b"retry: 10000\n\n"], True), "a newcomer comes again later"
    again = lookers.look("192.168.1.1")
    assert shown(again), "who looks already may look anew"
    eventually(lambda: screens[0].over, "the end of the one before")
    assert screens[0].sent[-1] == b"event: enough\ndata: {}\n\n"
    assert not any(screen.over for screen in (again, *screens[1:]))


def test_a_stream_that_nobody_began_to_read_is_forgotten(lookers: Lookers) -> None:
    for _ in range(MAX_WATCHERS):
        lookers.look("192.168.1.20").left = True
    lookers.watcher.note_change()
    eventually(lambda: not streams_running(), "the end of all")
    assert shown(lookers.look("192.168.1.30"))


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
    assert status == 200 or said(answer)
