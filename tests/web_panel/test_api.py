"""The panel over a real table: seats, cookies, every endpoint with every wrong shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.games.capabilities import aim_of
from firmware_host.games.registry import GAMES
from firmware_host.games.seals import commitment
from lodestone.tables import SimulatedTable
from tests.sampling import together
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ADDRESS, OWN
from web_panel.access import SEAT_COOKIE

NONCE = "0123456789abcdef0123456789abcdef"
PATHS = ["join", "leave", "name", "colour", "ask", "collect", "seal", "open", "choose", "confirm"]
PATHS += ["resign", "propose", "agree", "decline", "mask", "unmask", "new"]
PATHS += [f"host/{name}" for name in ("enter", "mode", "start", "computer", "dismiss", "new", "take-up", "allow")]


def post(client: FlaskClient, path: str, body: Any, **headers: str) -> tuple[int, Any]:
    headers = {**OWN, "Content-Type": "application/json", **headers}
    answer = client.post(f"/api/{path}", data=json.dumps(body), headers=headers, base_url=ADDRESS)
    return answer.status_code, answer.get_json()


def join(client: FlaskClient, seat: int, name: str) -> tuple[int, Any]:
    """Sit down as whoever has scanned the seat's code."""
    tickets = client.get("/api/tickets", base_url=ADDRESS).get_json()["tickets"]
    return post(client, "join", {"seat": seat, "name": name, "ticket": tickets.get(str(seat), "none")})


def a_host(app: Flask) -> FlaskClient:
    client = app.test_client()
    assert post(client, "host/enter", {"token": TOKEN})[0] == 200
    return client


def two_players(app: Flask, table: SimulatedTable) -> list[FlaskClient]:
    phones = [app.test_client(), app.test_client()]
    for seat, phone in enumerate(phones, 1):
        assert join(phone, seat, f"P{seat}") == (200, {"ok": True})
    assert post(a_host(app), "host/start", {})[0] == 200
    table.wait(0.3)
    return phones


def picture(table: SimulatedTable) -> str:
    view = dict(table.view)
    view.pop("seq")
    return json.dumps(view)


def test_the_pages_answer_with_a_strict_policy(app: Flask) -> None:
    client = app.test_client()
    for path in ("/", "/join/1", "/host", "/play", "/tv", "/qr/lobby.svg", "/api/state", "/static/play/play.js"):
        answer = client.get(path, base_url=ADDRESS)
        assert answer.status_code == 200, path
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        answer.close()
    assert b'href="/board"' in client.get("/").data
    for path in ("/join/9", "/nowhere", "/<script>alert(1)</script>", "/qr/1.svg", "/static/../app.py"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert b"<script>alert" not in answer.data


def test_the_aim_is_in_every_view(app: Flask) -> None:
    told: dict[str, Any] = app.test_client().get("/api/state").get_json()
    assert told["game"]["aim"] == aim_of(GAMES[told["game"]["name"]])
    german = app.test_client().get("/api/state", headers={"Accept-Language": "de"}).get_json()
    assert german["game"]["aim"] != told["game"]["aim"]


def test_seats_are_taken_once_and_kept_by_cookie(app: Flask, table: SimulatedTable) -> None:
    ann, bob = app.test_client(), app.test_client()
    assert join(ann, 1, " Ann ")[0] == 200
    status, answer = join(bob, 1, "Bob")
    assert (status, answer["error"]["code"]) == (409, "seat_taken")
    assert "Ann" in answer["error"]["message"]
    assert join(bob, 2, "ann")[1]["error"]["code"] == "bad_name"
    assert ann.get("/api/state", base_url=ADDRESS).get_json()["you"] == {"seat": 1, "claim_ok": True}
    assert bob.get("/api/state", base_url=ADDRESS).get_json()["you"] is None
    assert join(ann, 1, "Anna")[0] == 200, "the same phone may join again"
    assert join(ann, 2, "Ann2")[0] == 409, "one phone, one seat"
    assert post(ann, "leave", {})[0] == 200
    assert join(bob, 1, "Bob")[0] == 200


@pytest.mark.parametrize("cookie", ["", "rubbish", "WzEsImMxIl0.forged", '[1,"c1"]'])
def test_a_forged_cookie_holds_no_seat(app: Flask, table: SimulatedTable, cookie: str) -> None:
    two_players(app, table)
    stranger = app.test_client()
    stranger.set_cookie(SEAT_COOKIE, cookie, domain="board.lan")
    before = picture(table)
    assert post(stranger, "resign", {})[0] == 403
    assert picture(table) == before


@pytest.mark.parametrize("name", ["", "   ", "x" * 25, "a\nb", "\u202e"])
def test_names_must_be_names(app: Flask, name: str) -> None:
    status, answer = join(app.test_client(), 1, name)
    assert status in {400, 409}
    assert "name" in answer["error"]["message"]


def test_a_name_is_never_markup(app: Flask) -> None:
    client = app.test_client()
    assert join(client, 1, "<img src=x onerror=1>")[0] == 200
    for path in ("/", "/join/1", "/play", "/tv"):
        assert b"onerror" not in client.get(path).data, "names reach pages as data only"


def test_foreign_pages_and_names_are_refused(app: Flask, table: SimulatedTable) -> None:
    client = app.test_client()
    before = picture(table)
    tickets = client.get("/api/tickets", base_url=ADDRESS).get_json()["tickets"]
    body = {"seat": 1, "name": "Eve", "ticket": tickets["1"]}
    assert post(client, "join", body, Origin="http://evil.example")[0] == 403
    no_header = client.post("/api/join", json=body, base_url=ADDRESS)
    assert no_header.status_code == 403
    rebound = client.post("/api/join", json=body, headers=OWN, base_url="http://evil.example")
    assert rebound.status_code == 400
    form = client.post("/api/join", data=body, headers=OWN, base_url=ADDRESS)
    assert form.status_code == 415
    big = client.post("/api/join", data="x" * 5000, headers={**OWN, "Content-Type": "application/json"})
    assert big.status_code == 413
    assert client.get("/api/join").status_code == 405
    assert client.get("/api/nowhere").get_json()["ok"] is False
    assert picture(table) == before
    assert post(client, "join", body, Origin=ADDRESS)[0] == 200


def test_forged_and_repeated_seals(app: Flask, table: SimulatedTable) -> None:
    ann, bob = two_players(app, table)
    info: Any = table.view["seal"]

    def digest(seat: int, action: str, turn: int = 1) -> str:
        return commitment(info["game"], turn, seat, info["history"], action, NONCE)

    before = picture(table)
    assert post(ann, "seal", {"turn": 1, "commitment": "not a hash"})[1]["error"]["code"] == "bad_seal"
    assert post(ann, "seal", {"turn": 2, "commitment": digest(1, "wD1")})[1]["error"]["code"] == "bad_seal"
    assert post(ann, "open", {"turn": 1, "action": "wD1", "nonce": NONCE})[1]["error"]["code"] == "wrong_phase"
    assert picture(table) == before
    assert post(ann, "seal", {"turn": 1, "commitment": digest(1, "w5")})[0] == 200
    assert post(ann, "seal", {"turn": 1, "commitment": digest(1, "w5")})[0] == 200, "sending it again is harmless"
    assert post(ann, "seal", {"turn": 1, "commitment": digest(1, "wD2")})[1]["error"]["code"] == "already_sealed"
    assert post(bob, "seal", {"turn": 1, "commitment": digest(1, "w5")})[1]["error"]["code"] == "bad_seal"
    assert post(bob, "seal", {"turn": 1, "commitment": digest(2, "wD12")})[0] == 200
    for phone in (ann, bob):
        assert post(phone, "ready", {"turn": 1})[0] == 200
    before = picture(table)
    assert post(bob, "open", {"turn": 1, "action": "bD12", "nonce": NONCE})[1]["error"]["code"] == "seal_mismatch"
    home = post(ann, "open", {"turn": 1, "action": "w5", "nonce": NONCE})[1]["error"]
    assert home["code"] == "bad_action"
    assert "is a home" in home["message"]
    assert picture(table) == before


def test_a_whole_turn_and_the_resolvers_rights(app: Flask, table: SimulatedTable) -> None:
    ann, bob = two_players(app, table)
    info: Any = table.view["seal"]
    for phone, seat, action in ((ann, 1, "wD12"), (bob, 2, "bD13")):
        digest = commitment(info["game"], 1, seat, info["history"], action, NONCE)
        assert post(phone, "seal", {"turn": 1, "commitment": digest})[0] == 200
    for phone in (ann, bob):
        assert post(phone, "ready", {"turn": 1})[0] == 200
    for phone, action in ((ann, "wD12"), (bob, "bD13")):
        assert post(phone, "open", {"turn": 1, "action": action, "nonce": NONCE})[0] == 200
    table.hand.put("D12", "w")
    table.hand.put("D13", "b")
    table.wait(1.0)
    assert table.view["phase"] == "resolving"
    assert post(bob, "choose", {"action": "D12+D13"})[1]["error"]["code"] == "not_your_turn"
    assert post(ann, "choose", {"action": "D1+D2"})[1]["error"]["code"] == "bad_action"
    assert post(ann, "choose", {"action": "D12+D13"})[0] == 200
    assert post(ann, "confirm", {"action": "D12+D13"})[1]["error"]["code"] == "bad_action", "it does not lie there yet"
    table.hand.lift("D13")
    table.wait(0.3)
    assert post(bob, "confirm", {"action": "D12+D13"})[1]["error"]["code"] == "not_your_turn"
    assert post(ann, "confirm", {"action": "D12+D13"})[0] == 200
    assert table.view["phase"] == "sealing"


def test_the_level_of_a_computer_is_chosen_and_changed(app: Flask, table: SimulatedTable) -> None:
    client = a_host(app)
    assert post(client, "host/computer", {"seat": 1, "level": 3})[0] == 200
    assert post(client, "host/computer", {"seat": 2})[0] == 200
    levels = [seat["level"]["level"] for seat in table.view["seats"]]  # type: ignore[attr-defined]
    assert levels[0] == 3
    assert post(client, "host/computer", {"seat": 1, "level": 1})[0] == 200
    assert table.view["seats"][0]["level"]["name"] == "Beginner"  # type: ignore[index]
    assert post(client, "host/computer", {"seat": 1, "level": 6})[1]["error"]["code"] == "bad_level"
    assert post(client, "host/computer", {"seat": 1, "level": "3"})[0] == 400
    assert post(client, "hurry", {})[0] == 403


def test_modes_computers_and_masks(app: Flask, table: SimulatedTable) -> None:
    client = a_host(app)
    assert post(client, "host/mode", {"mode": "9"})[1]["error"]["code"] == "bad_mode"
    assert post(client, "host/mode", {"mode": "4"})[0] == 200
    assert post(client, "host/computer", {"seat": 4})[0] == 200
    assert post(client, "host/computer", {"seat": 4})[1]["error"]["code"] == "seat_taken"
    assert post(client, "host/computer", {"seat": 5})[1]["error"]["code"] == "bad_seat"
    assert post(client, "host/dismiss", {"seat": 3})[1]["error"]["code"] == "bad_seat"
    assert post(client, "host/dismiss", {"seat": 4})[0] == 200
    assert post(client, "host/start", {})[1]["error"]["code"] == "wrong_phase"
    assert post(client, "host/mode", {"mode": "2"})[0] == 200
    ann, bob = two_players(app, table)
    assert post(ann, "mask", {"node": "Q7"})[1]["error"]["code"] == "bad_node"
    assert post(ann, "mask", {"node": "C4"})[0] == 200
    assert post(bob, "unmask", {"node": "C4"})[0] == 200
    assert post(bob, "unmask", {"node": "C4"})[1]["error"]["code"] == "bad_node"
    assert post(ann, "propose", {"what": "cake"})[1]["error"]["code"] == "bad_proposal"
    assert post(ann, "propose", {"what": "take-back"})[1]["error"]["code"] == "bad_proposal"
    assert post(ann, "new", {})[1]["error"]["code"] == "wrong_phase"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["seat", "name", "mode", "turn", "commitment", "action", "nonce", "what", "node"])
bodies = anything | st.dictionaries(names, anything | st.integers(-1, 5), max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(path=st.sampled_from(PATHS), body=bodies, seated=st.booleans())
def test_any_body_to_any_endpoint_gets_a_clear_answer(
    app: Flask, table: SimulatedTable, path: str, body: Any, seated: bool
) -> None:
    client = app.test_client()
    if seated and table.view["phase"] == "lobby":
        join(client, 1, "Ann")
    status, answer = post(client, path, body)
    assert status in {200, 400, 403, 409}
    if status != 200:
        assert answer["ok"] is False
        assert answer["error"]["message"]


@together("raw", [b"", b"{", b"null", b"[1]", b'"x"', b"\xff\xfe", b"[" * 2000, b'{"seat": 1e999}'])
def test_rubbish_bytes_are_refused(app: Flask, raw: bytes) -> None:
    answer = app.test_client().post(
        "/api/join", data=raw, headers={**OWN, "Content-Type": "application/json"}, base_url=ADDRESS
    )
    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "bad_request"


def test_the_vendored_hash_is_the_one_that_was_vetted() -> None:
    import hashlib  # noqa: PLC0415

    import web_panel  # noqa: PLC0415

    folder = Path(web_panel.__file__).parent / "static" / "vendor"
    digest = hashlib.sha256((folder / "noble-sha256-2.4.0.js").read_bytes()).hexdigest()
    assert digest in (folder / "README.txt").read_text()
    assert "MIT" in (folder / "noble-sha256-2.4.0.LICENSE.txt").read_text()
