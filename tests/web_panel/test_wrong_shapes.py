"""Every endpoint with every wrong shape, from everybody who may not: each refusal says why, and changes nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodestone.tables import SimulatedTable
from tests.deleted import LACKING
from tests.sampling import few, sampled, some, together
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import OWN, Phone, digest, host_phone, nonce_of, panel, seal_all, sit, unhurried, wake

FIELDS: dict[str, dict[str, type]] = {
    "join": {"seat": int, "name": str, "ticket": str},
    "leave": {},
    "name": {"name": str},
    "colour": {"colour": int},
    "ask": {"seat": int},
    "collect": {},
    "seal": {"turn": int, "commitment": str},
    "ready": {"turn": int},
    "open": {"turn": int, "action": str, "nonce": str},
    "choose": {"action": str},
    "confirm": {"action": str},
    "hint": {"level": int},
    "why": {},
    "hurry": {},
    "resign": {},
    "propose": {"what": str},
    "agree": {"what": str},
    "decline": {"what": str},
    "mask": {"node": str},
    "unmask": {"node": str},
    "new": {},
    "greet": {"sign": str},
    "rematch": {},
    "lesson/begin": {"name": str},
    "lesson/next": {},
    "lesson/back": {},
    "lesson/show": {},
    "lesson/stop": {},
    "host/enter": {"token": str},
    "host/leave": {},
    "host/mode": {"mode": str},
    "host/start": {},
    "host/computer": {"seat": int},
    "host/dismiss": {"seat": int},
    "host/name": {"seat": int, "name": str},
    "host/colour": {"seat": int, "colour": int},
    "host/new": {"board": str, "mode": str, "rules": list},
    "host/take-up": {"id": str},
    "host/rematch": {},
    "host/company": {"words": bool, "signs": bool},
    "host/pause": {},
    "host/continue": {},
    "host/take-back": {},
    "host/void": {},
    "host/hands": {"everybody": bool},
    "host/allow": {"code": str},
    "host/refuse": {"code": str},
    "host/mask": {"node": str},
    "host/unmask": {"node": str},
    "host/hints": {"on": bool},
    "host/allow-lessons": {},
    "host/clocks": {"main": int, "increment": int, "delay": int, "strict": bool},
    "host/no-clocks": {},
    "host/odds": {"seat": int, "main": int},
    "host/lights": {"brightness": int, "night": bool, "off": bool, "sleep": int, "show": bool},
    "host/repair": {},
    "host/tickets": {"shown": bool},
    "host/address": {"address": str},
    "host/clock": {"now": int},
}
ELSEWHERE = {"language"}
"""Endpoints that other tests look after."""
if "review" not in LACKING:
    FIELDS["review/begin"] = {"game": str}
RULED = [name for name in FIELDS if name.startswith("host/") and name != "host/enter"]
SEATED = [
    name
    for name in FIELDS
    if name
    not in {
        "join",
        "ask",
        "collect",
        "host/enter",
        "lesson/begin",
        "review/begin",
        *RULED,
    }
]
RIGHT: dict[type, Any] = {int: 1, str: "x", bool: True, list: ["x"]}


def picture(table: SimulatedTable) -> dict[str, Any]:
    """All that anybody sees, but for the number of changes."""
    return {name: value for name, value in table.view.items() if name != "seq"}


def right_body(name: str) -> dict[str, Any]:
    return {field: RIGHT[kind] for field, kind in FIELDS[name].items()}


def test_the_list_above_is_complete(app: Flask) -> None:
    """Every endpoint that takes something is in the table that all tests below run over."""
    routes = {str(rule).removeprefix("/api/") for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert routes - ELSEWHERE == set(FIELDS)


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, SimulatedTable]]:
    """One lobby for all that is refused, which changes nothing in it."""
    with closing(SimulatedTable(tmp_path_factory.mktemp("lobby"))) as table:
        yield panel(table, buckets=unhurried()), table


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, SimulatedTable, Phone]]:
    """One game for all that is refused, and the phone of seat 1."""
    with closing(SimulatedTable(tmp_path_factory.mktemp("game"))) as table:
        app = panel(table, buckets=unhurried())
        yield app, table, sit(table, app, "Ann", "Bob")[0]


# -- the shape of bodies --------------------------------------------------------------------------------------------

BAD_SHAPES = [b"", b"{", b"[]", b'"x"', b"7", b"null", b"true", b"\xff\xfe", b"[" * 3000, b"1" * 4000, b"NaN", b"{} {}"]


@together("name", FIELDS)
def test_only_json_objects_are_taken(lobby: tuple[Flask, SimulatedTable], name: str) -> None:
    app, table = lobby
    before = picture(table)
    for body in some(BAD_SHAPES, 3, name):
        answer = app.test_client().post(f"/api/{name}", data=body, headers=OWN, content_type="application/json")
        assert answer.status_code == 400, body
        assert answer.get_json()["error"]["code"] == "bad_request"
        assert "expected a JSON object" in answer.get_json()["error"]["message"]
    assert picture(table) == before


@together(("name", "field"), [(name, field) for name, fields in FIELDS.items() for field in fields])
def test_a_wrong_field_is_named(lobby: tuple[Flask, SimulatedTable], name: str, field: str) -> None:
    app, table = lobby
    before = picture(table)
    texts = ["a\x00b", "a\nb", "\ud800", "\u202eevil", "y" * 201]
    kind = FIELDS[name][field]
    wrong: list[Any] = [None, 1.0, 1.5, {}]
    wrong += [] if kind is bool else [True, False]
    wrong += [] if kind is int else [1, 0]
    wrong += ["1", "", 10**14, -(10**400)] if kind is int else texts
    wrong += [[1], [None], [["x"]], ["x"] * 17, "x", *([text] for text in texts)] if kind is list else [[], ["x"]]
    for value in some(wrong, 3, f"{name} {field}"):
        status, answer = Phone(app).post(name, {**right_body(name), field: value})
        assert (status, answer["error"]["code"]) == (400, "bad_request"), value
        assert answer["error"]["message"].startswith(f"{field}: expected")
    missing = {other: value for other, value in right_body(name).items() if other != field}
    assert Phone(app).post(name, missing)[1]["error"]["message"].startswith(f"{field}: expected")
    assert picture(table) == before


@together("name", FIELDS)
def test_an_unknown_field_is_named(lobby: tuple[Flask, SimulatedTable], name: str) -> None:
    app, table = lobby
    before = picture(table)
    status, answer = Phone(app).post(name, {**right_body(name), "<b>colour": 1})
    assert status == 400
    assert answer["error"]["message"].startswith("<b>colour: unknown field")
    assert picture(table) == before


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["w", "2v2", "D12"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
some_fields = st.dictionaries(st.sampled_from([f for fields in FIELDS.values() for f in fields] + ["claim"]), anything)


@pytest.mark.parametrize("seated", [False, True])
def test_any_body_gets_a_clear_answer(tmp_path: Path, seated: bool) -> None:
    """Whatever is sent to whichever endpoint, by a player or by anybody: never a stumble, always words."""
    logging.getLogger("flask").setLevel(logging.CRITICAL)
    with closing(SimulatedTable(tmp_path)) as table:
        app = panel(table)
        phone = sit(table, app, "Ann", "Bob")[0] if seated else Phone(app)

        @sampled(settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow]))
        @given(name=st.sampled_from(sorted(set(FIELDS) - {"resign", "leave"})), body=anything | some_fields)
        def send(name: str, body: Any) -> None:
            answer = phone.client.post(
                f"/api/{name}", data=json.dumps(body), headers=OWN, content_type="application/json"
            )
            assert answer.status_code in {200, 400, 403, 409}
            said = answer.get_json()
            assert said["ok"] is (answer.status_code == 200)
            assert answer.status_code == 200 or said["error"]["message"]

        send()


# -- who may speak --------------------------------------------------------------------------------------------------


@together("name", RULED)
@together("seated", [False, True])
def test_only_the_host_rules(game: tuple[Flask, SimulatedTable, Phone], name: str, seated: bool) -> None:
    """Whatever the body says: nobody else learns whether it could be done now."""
    app, table, ann = game
    before = picture(table)
    right = right_body(name)
    for body in (right, {field: False if value is True else value for field, value in right.items()}):
        status, answer = (ann if seated else Phone(app)).post(name, body)
        assert (status, answer["error"]["code"]) == (403, "not_host"), body
    assert picture(table) == before


@together("name", SEATED)
def test_watchers_can_only_watch(game: tuple[Flask, SimulatedTable, Phone], name: str) -> None:
    app, table, _ = game
    before = picture(table)
    status, answer = Phone(app).post(name, right_body(name))
    assert (status, answer["error"]["code"]) == (403, "not_seated")
    assert picture(table) == before


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://board.lan:8080"}, 200),
        ({"Origin": "HTTP://BOARD.LAN:8080"}, 200),
        ({"X-Lodestone": "1"}, 200),
        ({}, 403),
        ({"X-Lodestone": "2"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://evil.example", "X-Lodestone": "1"}, 403),
        ({"Origin": "null", "X-Lodestone": "1"}, 403),
        ({"Origin": "", "X-Lodestone": "1"}, 403),
        ({"Origin": "http://[", "X-Lodestone": "1"}, 403),
        ({"Origin": "http://board.lan:8081"}, 403),
        ({"Origin": "http://board.lan"}, 403),
        ({"Origin": "ftp://board.lan:8080"}, 403),
        ({"Origin": "http://me@board.lan:8080"}, 403),
        ({"Origin": "http://board.lan:8080.evil.example"}, 403),
    ],
)
def test_other_pages_change_nothing(app: Flask, table: SimulatedTable, headers: dict[str, str], status: int) -> None:
    body = {"mode": "4"}
    here = {"base_url": "http://board.lan:8080"}
    client = app.test_client()
    assert client.post("/api/host/enter", json={"token": TOKEN}, headers=OWN, **here).status_code == 200
    answer = client.post("/api/host/mode", json=body, headers=headers, **here)
    assert answer.status_code == status
    mode: Any = table.view["game"]
    assert mode["mode"] == ("4" if status == 200 else "2")
    if status == 403:
        assert answer.get_json()["error"]["code"] == "foreign"


@together("name", FIELDS)
def test_other_content_types_and_methods(lobby: tuple[Flask, SimulatedTable], name: str) -> None:
    client = lobby[0].test_client()
    for kind in some(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""), 2, name):
        answer = client.post(f"/api/{name}", data="{}", headers=OWN, content_type=kind)
        assert (answer.status_code, answer.get_json()["ok"]) == (415, False)
    for method in some(("get", "put", "delete", "patch"), 2, name):
        answer = getattr(client, method)(f"/api/{name}", headers=OWN)
        assert (answer.status_code, answer.get_json()["ok"]) == (405, False)


@together("name", FIELDS)
def test_long_bodies_are_refused(lobby: tuple[Flask, SimulatedTable], name: str) -> None:
    app, _ = lobby
    body = json.dumps({"x": "y" * 5000})
    answer = app.test_client().post(f"/api/{name}", data=body, headers=OWN, content_type="application/json")
    assert (answer.status_code, answer.get_json()["ok"]) == (413, False)


# -- seats ----------------------------------------------------------------------------------------------------------


def test_names_are_stripped_and_may_be_in_any_script(app: Flask, table: SimulatedTable) -> None:
    assert Phone(app).join(1, "  Ωméga 猫 <b> ")[0] == 200
    seats: Any = table.view["seats"]
    assert seats[0]["name"] == "Ωméga 猫 <b>"


@pytest.mark.parametrize(
    ("seat", "refused"), [(3, (409, "bad_seat")), *((seat, (400, "bad_request")) for seat in (0, -1, 65))]
)
def test_there_is_no_such_seat(app: Flask, seat: int, refused: tuple[int, str]) -> None:
    status, answer = Phone(app).join(seat, "Ann")
    assert (status, answer["error"]["code"]) == refused


def test_an_old_cookie_dies_with_its_sitting(app: Flask) -> None:
    """Whoever left (or was put off by a mode) can't speak for the person who sits there now."""
    ann, bob = Phone(app), Phone(app)
    ann.join(1, "Ann")
    stale = ann.cookie()
    ann.post("leave")
    bob.join(1, "Bob")
    ghost = Phone(app)
    ghost.client.set_cookie("lodestone-seat", stale or "")
    assert stale
    assert ghost.view()["you"] is None
    assert ghost.post("leave")[1]["error"]["code"] == "not_seated"


# -- a game ---------------------------------------------------------------------------------------------------------


def test_start_needs_everybody(app: Flask, table: SimulatedTable) -> None:
    ann = Phone(app)
    ann.join(1, "Ann")
    status, answer = host_phone(app).post("host/start")
    assert (status, answer["error"]["message"]) == (409, "seats still open: 2")
    assert table.view["phase"] == "lobby"


@pytest.mark.parametrize("placement", few(["w1", "wD2", "wE1", "xD3", "D3", "", "wd3", "wD3 "], 3))
def test_an_opening_must_be_what_was_sealed_and_legal(app: Flask, table: SimulatedTable, placement: str) -> None:
    """Homes and occupied nodes can be sealed (nobody sees it), but never opened."""
    ann, _ = phones = sit(table, app, "Ann", "Bob")
    seal_all(phones, "wD2", "bD10")
    table.hand.put("D2", "w")
    table.hand.put("D10", "b")
    table.wait(1.0)
    view = ann.view()
    assert (view["phase"], view["turn"]) == ("sealing", 2)
    for seat, (phone, what) in enumerate(zip(phones, (placement, "bD5"), strict=True), 1):
        assert phone.post("seal", {"turn": 2, "commitment": digest(view, seat, what)})[0] == 200
    wake(*phones)
    before = picture(table)
    other = {"turn": 2, "action": "wD7", "nonce": nonce_of(1)}
    assert ann.post("open", other)[1]["error"]["code"] == "seal_mismatch"
    status, answer = ann.post("open", {"turn": 2, "action": placement, "nonce": nonce_of(1)})
    assert (status, answer["error"]["code"]) == (409, "bad_action")
    assert answer["error"]["message"]
    assert picture(table) == before
    assert ann.view()["phase"] == "revealing"


def test_a_game_ends_and_the_next_begins(app: Flask, table: SimulatedTable) -> None:
    ann, bob = sit(table, app, "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    assert ann.view()["result"]["winners"] == [1]
    assert ann.post("new", {"mode": "4"})[0] == 400, "the same game in the same mode; another one is the host's"
    assert ann.post("new")[0] == 200
    assert host_phone(app).post("host/mode", {"mode": "4"})[0] == 200
    assert (bob.view()["phase"], bob.view()["game"]["mode"]) == ("lobby", "4")
    assert bob.view()["you"]["seat"] == 2, "people keep their seats"
