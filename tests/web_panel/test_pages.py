"""The pages and their headers: hosts, cookies, QR codes, and nothing of the request in the answer."""

from __future__ import annotations

import socket
from typing import Any

import pytest
import segno
from flask import Flask

from firmware_host.table.subjects.seats import SeatTaken
from firmware_host.text.words import Refused
from lodestone.tables import KEY, SimulatedTable
from tests.sampling import together
from tests.web_panel.table import ADDRESS, OWN, Phone, signed
from web_panel.access import SEAT_COOKIE
from web_panel.app import create_app
from web_panel.guard import POLICY
from web_panel.refusals import leads_here

PAGES = ["/", "/join/1", "/play", "/tv", "/proof", "/host", "/qr/lobby.svg", "/api/state", "/static/shared/live.js"]
NO_PAGES = [
    "/nothing",
    "/join/3",
    "/join/x",
    "/qr/1.svg",
    "/qr/seat/1/none.svg",
    "/api/nothing",
    "/static/nothing.js",
    "/static/%00",
    "/static/../app.py",
]


@together("path", [*PAGES, *NO_PAGES])
def test_every_answer_carries_the_headers(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    assert answer.status_code == (200 if path in PAGES else 404)
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "upgrade-insecure-requests" not in POLICY, "it would stop our own script on plain HTTP"
    assert "unsafe" not in POLICY
    if path in {"/", "/join/1", "/host", "/play", "/tv", "/proof"}:
        text = answer.get_data(as_text=True)
        assert "<script>" not in text
        assert "style=" not in text
        assert "//" not in text.replace("http://board.lan:8080", "").replace("<!doctype", "")
    answer.close()


@together(
    ("host", "status"),
    [
        ("board.lan", 200),
        ("BOARD.LAN:8080", 200),
        ("localhost:8080", 200),
        ("board.lan.", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("192.168.1.77", 200),
        ("evil.example", 400),
        ("board.lan.evil.example", 400),
        ("evil-board.lan", 400),
        ("127.0.0.1.evil.example", 400),
        ("board.lan@evil.example", 400),
        ("[::1", 400),
        ("2130706433", 400),
    ],
)
@together("path", ["/", "/api/state", "/tv"])
def test_only_its_own_names_are_answered(app: Flask, path: str, host: str, status: int) -> None:
    """A page elsewhere that points its own name at this machine reads nothing."""
    answer = app.test_client().get(path, headers={"Host": host})
    assert answer.status_code == status
    if status == 400 and path.startswith("/api/"):
        assert answer.get_json()["error"]["code"] == "bad_host"
    elif status == 400:
        assert '<a href="http://' in answer.get_data(as_text=True), "the page names the right address"
    if status == 400:
        assert "evil" not in answer.get_data(as_text=True)


@together("path", ["/<script>alert(1)</script>", "/api/<img src=x>", '/join/"><b>', "/%22%3E%3Cb%3E", "/{{7*7}}"])
def test_what_was_asked_for_is_not_repeated(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    text = answer.get_data(as_text=True)
    assert answer.status_code == 404
    for part in ("alert(1)", "<img", "<b>", "{{", "49"):
        assert part not in text


def test_names_reach_a_page_as_data_only(app: Flask, table: SimulatedTable) -> None:
    assert Phone(app).join(1, "<img src=x>")[0] == 200
    assert table.runtime.view(None)[1]["seats"][0]["name"] == "<img src=x>"
    client = app.test_client()
    for path in ("/", "/join/1", "/host", "/play", "/tv", "/proof"):
        assert "<img src=x>" not in client.get(path).get_data(as_text=True)


def test_the_seat_cookie(app: Flask) -> None:
    """HttpOnly and SameSite; not Secure and without a ``__Host-`` prefix, which plain HTTP would drop."""
    body = {"seat": 1, "name": "Ann", "ticket": Phone(app).ticket(1)}
    answer = app.test_client().post("/api/join", json=body, headers=OWN)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("lodestone-seat=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie


@pytest.mark.parametrize(
    "cookie",
    [
        signed([1, "c1"], salt="another-purpose"),
        signed([1, "c1"], secret=b"another secret"),
        signed([1, "c2"]),
        signed([1, ""]),
        signed([2, ""]),
        signed([True, "c1"]),
        signed(["1", "c1"]),
        signed([1, None]),
        signed([1, "c1", 1]),
        signed({"seat": 1}),
        signed("1"),
        signed([1, "c1"])[:-1],
        ".",
        "",
    ],
)
def test_no_cookie_but_the_seats_own_speaks_for_it(app: Flask, table: SimulatedTable, cookie: str) -> None:
    table.runtime.submit(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    table.runtime.submit(SeatTaken(at=0.0, seat=2, name="Computer", claim="", computer=True))
    stranger = Phone(app)
    stranger.client.set_cookie(SEAT_COOKIE, cookie)
    assert stranger.view()["you"] is None
    stranger.client.set_cookie(SEAT_COOKIE, signed([1, "c1"]))
    assert stranger.view()["you"] == {"seat": 1, "claim_ok": True}, "the real one does"


@pytest.mark.parametrize("seat", [None, 1, 2])
def test_qr_codes_lead_to_the_first_address(app: Flask, seat: int | None) -> None:
    import io  # noqa: PLC0415

    ticket = Phone(app).ticket(seat or 1)
    path = "/qr/lobby.svg" if seat is None else f"/qr/seat/{seat}/{ticket}.svg"
    url = f"{ADDRESS}/" if seat is None else f"{ADDRESS}/join/{seat}#{ticket}"
    answer = app.test_client().get(path)
    assert answer.mimetype == "image/svg+xml"
    wanted = io.BytesIO()
    segno.make(url, error="m").save(wanted, kind="svg", scale=4, border=3, dark="#111", light="#fff")
    assert answer.data == wanted.getvalue()


def test_a_taken_port_is_said_clearly(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    from firmware_host.commands.cli import main  # noqa: PLC0415

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = main(["play", "--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path / "games")])
    said = capsys.readouterr()
    assert code != 0
    assert f"port {port}" in said.err + said.out
    assert "--port" in said.err + said.out
    assert not (tmp_path / "games").exists()


@pytest.mark.parametrize(
    ("name", "leads"),
    [("box.fritz.box", True), ("box.lan", True), ("box.local.", True), ("box.evil.example", False), ("a.box", False)],
)
def test_a_homes_router_may_put_its_domain_behind_our_name(name: str, leads: bool) -> None:
    assert leads_here(name, {"box", "box.local"}) == leads


def test_what_a_command_would_be_refused_is_told_in_words(
    table: SimulatedTable, caplog: pytest.LogCaptureFixture
) -> None:
    """A handler that lets such a refusal through is no stumble of the program."""
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS])

    @app.route("/api/refused")
    def refused() -> str:
        raise Refused("there is no such board")

    answer = app.test_client().get("/api/refused")
    told = answer.get_json()["error"]
    assert (answer.status_code, told) == (409, {"code": "internal", "message": "there is no such board"})
    assert "GET /api/refused: there is no such board" in caplog.text
