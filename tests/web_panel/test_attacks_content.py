"""Attacks with paths, bodies, words and methods, byte by byte where that is needed."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from lodestone.tables import KEY
from simulator.board import open_board
from tests.attached import sensors_page, usual, with_virtual
from tests.deleted import LACKING
from tests.e2e.program import eventually
from tests.sampling import few, together
from tests.web_panel.table import ServedTable
from tests.web_panel.wire import (
    Person,
    connect,
    get,
    head,
    host_cookie,
    post,
    read,
    send,
    ticket,
    two_at,
    unchanged,
    wake,
)
from web_panel import streams
from web_panel.app import create_app

MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedTable]:
    """One table for all attacks that change nothing at all: it must bear them one after another."""
    with ServedTable.opened(tmp_path_factory.mktemp("standing")) as here:
        yield here


# -- paths -----------------------------------------------------------------------------------------------------------

TRICKS = [
    "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py", "/static/....//app.py", "/static//etc/passwd", "/static/%2fetc%2fpasswd",
    "/static/..;/app.py", "/static/%c0%ae%c0%ae/app.py", "/static/app.py%00.js", "/static/%00",
    "/static/play/play.js%00",
    "/static/%252e%252e/app.py", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%00", "/api/%00", "/api/../api/none",
    "/static/" + "a" * 300, "/static/" + "a/" * 400, "/static/club/" + "a" * 300,
    "/static", "/static/", "/static/.", "/static/vendor", "/.git/config", "/api/state/../../key", "/%ff%fe",
]  # fmt: skip


@together("path", TRICKS)
def test_attack_path_tricks(standing: ServedTable, path: str) -> None:
    """Nothing outside the pages' own files is ever given out, however the way there is written."""
    answer = get(standing, path)
    assert answer.status in {400, 404, 308}, path
    assert b"root:" not in answer.body
    assert b"create_app" not in answer.body
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize(
    "path", ["//evil.example/", "//evil.example/%2e%2e", "/\\evil.example", "//play//x", "/%0d%0aX:1"]
)
def test_attack_open_redirect(standing: ServedTable, path: str) -> None:
    """Slashes that are put right never lead to another host, and never write a header."""
    answer = get(standing, path)
    place = answer.headers.get("Location", "/")
    assert place.startswith(("/", f"http://127.0.0.1:{standing.port}/"))
    assert not place.startswith("//")
    assert "X" not in answer.headers


def test_attack_request_target_of_a_proxy(standing: ServedTable) -> None:
    """A request for another server's page is none of ours, and CONNECT makes no proxy of us."""
    for line in ("GET http://evil.example/api/state", "GET http://evil.example:80/", "CONNECT evil.example:443"):
        answer = send(standing, f"{line} HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode())
        assert answer.status in {400, 404, 405}
        assert b"evil" not in answer.body


@pytest.mark.parametrize("noise", [b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                   b"GET\r\n\r\n", b"\x00" * 200 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                                   b"G\xc3\x8bT / HTTP/1.1\r\n\r\n", b"get /api/state http/1.1\r\n\r\n"])  # fmt: skip
def test_attack_noise(standing: ServedTable, noise: bytes) -> None:
    """TLS, HTTP/2 and rubbish at the door: a refusal or a closed connection, and the standing goes on."""
    with connect(standing) as link, contextlib.suppress(http.client.HTTPException, ConnectionResetError):
        link.sendall(noise)
        assert read(link).status in {400, 404, 405, 501}
    assert get(standing, "/api/state").status == 200


# -- bodies ----------------------------------------------------------------------------------------------------------


@together(
    "body",
    [
        b"[" * 4000,
        b'{"mode":' * 500,
        b'{"a":' * 600 + b"1" + b"}" * 600,
        b'{"mode": NaN}',
        b'{"mode": Infinity}',
        b'{"mode": "2", "mode": "4"}',
        b'{"mode": "4", "x": 1}',
        b'{"mode": "4"} {"mode": "4"}',
        b'\xef\xbb\xbf{"mode": "4"}',
        b'{"mode": "\\ud800"}',
        b'{"__proto__": {"mode": "4"}}',
        b'{"mode": ["4"]}',
        b'{"mode": 1e999}',
        b'{"mode": ' + b"9" * 4000 + b"}",
        '{"mode": "４"}'.encode(),
        b"mode=4",
        b"\x80\x04\x95\x00.",
    ],
)
def test_attack_json_bombs_and_doubles(standing: ServedTable, body: bytes) -> None:
    """Deep, double, endless, not numbers, not JSON: refused with words, and nothing changes."""
    with unchanged(standing):
        answer = post(standing, "/api/host/mode", body, Cookie=host_cookie(standing))
        assert answer.code in {"bad_request", "bad_mode"}
        assert len(answer.body) < 500, "what was sent is not sent back at length"


@together("number", ["1e9", "1000001", "-1000001", "9" * 3000, "1.0", "1e0", "0x1", "01", "-0.0", "1_0"])
def test_attack_huge_and_strange_numbers(standing: ServedTable, number: str) -> None:
    """Numbers are whole and small, or refused."""
    with unchanged(standing):
        body = b'{"seat": %s, "name": "Eve", "ticket": "x"}' % number.encode()
        assert post(standing, "/api/join", body).code == "bad_request"


def test_attack_script_in_a_name(table: ServedTable) -> None:
    """A name may hold markup (it is a name), but reaches pages as data only, and never a page's text."""
    ann = Person(table, 1, "<img src=x onerror=1>")
    for path in ("/", "/join/1", "/play", "/tv", "/hardware", "/qr/lobby.svg"):
        assert b"onerror" not in get(table, path, Cookie=ann.cookie).body
    state = get(table, "/api/state")
    assert state.headers["Content-Type"].startswith("application/json")
    taken = post(table, "/api/join", {"seat": 1, "name": "Eve", "ticket": "none"})
    assert b"onerror" in taken.body, "told who sits there"
    assert taken.headers["Content-Type"].startswith("application/json")


def test_attack_script_in_paths_and_fields(standing: ServedTable) -> None:
    """What was asked for is never written into a page, nor the name of an unknown field into anything but JSON."""
    for path in (f"/{MARKUP}", f"/join/{MARKUP}", f"/static/{MARKUP}", f"/?{MARKUP}", f"/play?name={MARKUP}"):
        assert b"alert(1)" not in get(standing, path.replace(" ", "%20")).body
    answer = post(standing, "/api/host/mode", {MARKUP: 1})
    assert answer.headers["Content-Type"].startswith("application/json")


def test_attack_script_in_the_boards_strings(tmp_path: Path) -> None:
    """A board file or a firmware from a stranger: its words reach no page as markup."""
    evil = f'">{MARKUP}'
    description = replace(load_board(find_board("spokes-45"), backend="sim"), name=evil)
    with ServedTable.opened(tmp_path) as table:
        board = open_board(description)
        extra = sensors_page(board.sensors, description)
        joined = {**usual(table), **with_virtual(lambda: board.simulated)}
        app = create_app(table.runtime, secret=KEY, addresses=[table.base], extra=extra, attached=joined)
        client = app.test_client()
        for path in ("/board", "/hardware", "/", "/tv"):
            assert MARKUP not in client.get(path).get_data(as_text=True)
        if "workshop" not in LACKING:
            told = client.get("/api/hardware")
            assert told.mimetype == "application/json"
            assert told.get_json()["board"] == evil
        board.close()


@pytest.mark.parametrize(
    "name", ["Eve\r\nSet-Cookie: a=b", "Eve\nX: y", "Eve\u2028x", "Eve\x00", "\u202eEve", "Eve\x1b[2J"]
)
def test_attack_header_injection_and_control_characters_in_names(standing: ServedTable, name: str) -> None:
    """Names with line ends, escapes or turned writing are refused; no header is ever made of them."""
    with unchanged(standing):
        answer = post(standing, "/api/join", {"seat": 1, "name": name, "ticket": ticket(standing, 1)})
        assert answer.code == "bad_request"
        assert not {"Set-Cookie", "X"} & set(answer.headers)


def test_attack_lines_in_the_log(standing: ServedTable, caplog: pytest.LogCaptureFixture) -> None:
    """Requests can't write lines of their own into the log, nor colours into the terminal."""
    with caplog.at_level(logging.DEBUG):
        get(standing, "/%0d%0aFAKE%20line%1b[31m")
        post(standing, "/api/join", {"seat": 1, "name": "a\nFAKE", "ticket": "x"})
        post(standing, "/api/host/mode", b"{", User_Agent="FAKE")
    assert "FAKE" not in caplog.text


# -- methods ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", few(["GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "post"], 3)
)
def test_attack_method_tricks(table: ServedTable, method: str) -> None:
    """Only POST does anything; TRACE gives nothing back; a header that asks for another method is not heard."""
    ann, _ = two_at(table)
    more = {"Cookie": ann.cookie, "X_Lodestone": "1", "Content_Type": "application/json"}
    with unchanged(table):
        for other in ("X_HTTP_Method_Override", "X_HTTP_Method", "X_Method_Override"):
            answer = get(table, "/api/resign?_method=POST", method, **more, **{other: "POST"})
            assert answer.status in ({200} if method == "OPTIONS" else {400, 405, 501})
            assert ann.cookie.encode() not in answer.body


def test_attack_head_on_a_stream(table: ServedTable) -> None:
    """HEAD of a stream ends at once and holds no place."""
    for _ in range(streams.STREAMS_IN_ALL // 8):
        assert get(table, "/api/events", "HEAD").status == 200
    eventually(lambda: get(table, "/api/state").status == 200, "an answer")


def test_attack_ranges(standing: ServedTable) -> None:
    """Many overlapping ranges do not multiply what is sent."""
    whole = len(get(standing, "/static/play/play.js").body)
    for ranges in ("bytes=" + ",".join(["0-"] * 200), "bytes=0-,0-", "bytes=-1-", "bytes=9-1", "lines=0-9"):
        answer = get(standing, "/static/play/play.js", Range=ranges)
        assert answer.status in {200, 206, 416}
        assert len(answer.body) <= max(whole, 2000)


def test_attack_making_it_stumble(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """If something does go wrong inside, the answer tells nothing of it: no trace, no path, and all the headers."""

    def broken(seat: int | None) -> None:
        raise RuntimeError(f"/secret/path of seat {seat}")

    monkeypatch.setattr(table.runtime, "view", broken)
    for path in ("/api/state", "/join/1"):
        answer = get(table, path)
        assert answer.status == 500
        assert b"secret" not in answer.body
        assert b"Traceback" not in answer.body
        assert b"web_panel" not in answer.body


def test_every_attack_left_the_table_as_it_was(table: ServedTable) -> None:
    """After a mixture of all that a whole turn can still be played."""
    for request in (
        b"\x00\r\n\r\n",
        head(table, "/api/host/mode", "Content-Length: -1"),
        head(table, "/" + "x" * 2000),
    ):
        with contextlib.suppress(OSError, http.client.HTTPException):
            send(table, request)
    ann, bob = two_at(table)
    assert (ann.seal("wD12").status, bob.seal("bD13").status) == (200, 200)
    wake(ann, bob)
    assert (ann.open("wD12").status, bob.open("bD13").status) == (200, 200)
    assert json.dumps(table.until("placing")["board"])
