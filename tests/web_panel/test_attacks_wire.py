"""Attacks on the server itself: sizes, times, floods, paths, bodies and methods, byte by byte where that is needed."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.config import find_board, load_board
from firmware_host.hardware.tap import Tap
from simulator.board import open_board
from tests.e2e.program import eventually
from tests.tables import KEY
from tests.web_panel.table import ServedTable
from tests.web_panel.wire import Person, connect, get, post, read, send, two_at, unchanged
from web_panel import gate, hardware, limits, live
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


def closed(link: socket.socket, patience: float = 8.0) -> bool:
    """Tell whether the other side closes a connection within a while; it is closed here in any case."""
    link.settimeout(patience)
    with link:
        try:
            while link.recv(65536):
                pass
        except TimeoutError:
            return False
        except OSError:
            return True
        return True


def head(table: ServedTable, path: str = "/api/mode", *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{table.port}", "X-Lodestone: 1",
             "Content-Type: application/json", *more]  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


# -- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4097, 16_000, 20_000, 5_000_000])
def test_attack_oversized_body(standing: ServedTable, size: int) -> None:
    """A body too long is refused by its announced length; a huge one is not even read."""
    with unchanged(standing):
        answer = send(standing, head(standing, "/api/mode", f"Content-Length: {size}") + b" " * min(size, 16_000))
        assert answer.status == 413
        assert answer.code == "http"


@pytest.mark.parametrize("size", [5000, 40_000])
def test_attack_oversized_body_in_chunks(standing: ServedTable, size: int) -> None:
    """Without a length the same limits hold."""
    piece = b"3e8\r\n" + b" " * 1000 + b"\r\n"
    with unchanged(standing):
        request = head(standing, "/api/mode", "Transfer-Encoding: chunked") + piece * (size // 1000) + b"0\r\n\r\n"
        assert send(standing, request).status == 413


def test_attack_body_without_a_length(standing: ServedTable) -> None:
    """No length and no chunks: there is no body, and that is said."""
    with unchanged(standing):
        assert send(standing, head(standing)).code == "bad_request"


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: -1",),
        ("Content-Length: 5x",),
        ("Content-Length: 5", "Content-Length: 7"),
        ("Content-Length: 99999999999999999999999",),
        ("Transfer-Encoding: gzip",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding : chunked",),
        ("Bad\x00Name: x",),
        ("X-Bad: a\x00b",),
        ("Content-Length: 4\rX: y",),
    ],
)
def test_attack_request_smuggling(standing: ServedTable, lines: tuple[str, ...]) -> None:
    """Lengths and encodings that two programs might read differently are refused, and the connection ends."""
    hidden = head(standing, "/api/mode", "Content-Length: 12") + b'{"mode":"4"}'
    with unchanged(standing), connect(standing) as link:
        link.sendall(head(standing, "/api/mode", *lines) + hidden)
        with contextlib.suppress(http.client.HTTPException, ConnectionResetError):
            assert read(link).status in {400, 413, 415, 501}
        assert closed(link)


def test_attack_length_and_chunks_at_once(standing: ServedTable) -> None:
    """A length beside chunks (the classic smuggling) never lets the rest pass as a second request."""
    hidden = head(standing, "/api/mode", "Content-Length: 12") + b'{"mode":"4"}'
    both = head(standing, "/api/mode", "Transfer-Encoding: chunked", f"Content-Length: {len(hidden) + 5}")
    with unchanged(standing), connect(standing) as link:
        link.sendall(both + b"0\r\n\r\n")
        assert read(link).code == "bad_request"


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 17_000, "Cookie: a=" + "x" * 20_000, "X: y\r\n" * 4000])
def test_attack_oversized_header(standing: ServedTable, header: str) -> None:
    """Headers of more than 16 KiB, one or many, are refused in our own form."""
    answer = send(standing, head(standing, "/api/mode", header))
    assert (answer.status, answer.code) == (431, "http")


def test_attack_oversized_url(standing: ServedTable) -> None:
    """No path here is longer than 1024 characters."""
    for path in ("/" + "a" * 1100, "/api/state?" + "b" * 1100, "/api/state?" + "&x=1" * 400):
        assert get(standing, path).status == 414


# -- times -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same server with times that a test can wait for."""
    monkeypatch.setattr(gate, "REQUEST_S", 1.0)
    monkeypatch.setattr(gate, "IDLE_S", 1.5)
    monkeypatch.setattr(gate, "STALLED_S", 1.0)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("start", [b"", b"GET /api/state HTTP/1.1\r\nHost: x\r\nX-Slow: ", None])
def test_attack_slow_loris(table: ServedTable, start: bytes | None) -> None:
    """A request that dribbles in, byte by byte, in its head or its body, is cut off; others are served meanwhile."""
    link = connect(table)
    link.sendall(start if start is not None else head(table, "/api/mode", "Content-Length: 4000"))
    began = time.monotonic()
    with contextlib.suppress(ConnectionResetError, BrokenPipeError), link:
        while time.monotonic() - began < 8:
            link.sendall(b"a")
            assert get(table, "/api/state").status == 200
            time.sleep(0.2)
    assert time.monotonic() - began < 6


@pytest.mark.usefixtures("hasty")
def test_attack_connections_that_say_nothing(table: ServedTable) -> None:
    """Open and silent, or silent after a request: closed after a while."""
    silent, served = connect(table), connect(table)
    served.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    assert read(served).status == 200
    assert closed(silent)
    assert closed(served)


@pytest.mark.usefixtures("hasty")
def test_attack_slow_reader(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watcher who opens a stream and never reads is let go, with his thread; nothing piles up for him."""
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(live, "BEAT", b"event: beat\ndata: " + b"x" * 60_000 + b"\n\n")
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.connect(("127.0.0.1", table.port))
    link.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    time.sleep(0.5)
    server: Any = table.serving.server
    held = [one for one in server.active_channels.values() if one.requests]
    assert held
    eventually(lambda: not any(one.connected for one in held), "the end of his stream", 8)
    assert all(one.total_outbufs_len == 0 for one in held)
    link.close()


def test_attack_connection_exhaustion(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who opens connections without end loses his own idlest ones; a player still gets through."""
    monkeypatch.setattr(gate, "CONNECTIONS", 30)
    ann, _ = two_at(table)
    hoard = [connect(table) for _ in range(80)]
    server: Any = table.serving.server
    eventually(lambda: len(server.active_channels) <= 31, "fewer connections")
    assert ann.view()["you"]["seat"] == 1
    assert sum(closed(link, 0.05) for link in hoard) >= 45


# -- floods ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def _strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody comes from some address in the network: this machine itself is not limited."""
    monkeypatch.setattr(limits, "owner", lambda address: address)


@pytest.mark.usefixtures("_strangers")
def test_attack_request_flood(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its burst an address is told to wait, how long, and is served again then."""
    monkeypatch.setattr(limits, "READS", limits.Rate(50, 4))
    statuses = [get(table, "/api/state").status for _ in range(60)]
    assert statuses[:50] == [200] * 50
    refused = get(table, "/api/state")
    assert (refused.status, refused.code) == (429, "too_many")
    wait = int(refused.headers["Retry-After"])
    assert 1 <= wait <= 2
    time.sleep(wait)
    assert get(table, "/api/state").status == 200


@pytest.mark.usefixtures("_strangers")
def test_attack_flood_of_deeds(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that only sends and sends is stopped; reading goes on, and forged headers change nothing."""
    monkeypatch.setattr(limits, "DEEDS", limits.Rate(20, 1))
    for number in range(20):
        assert post(table, "/api/mode", {"mode": "9"}, X_Forwarded_For=f"10.0.0.{number}").status == 409
    assert post(table, "/api/mode", {"mode": "4"}, X_Forwarded_For="10.0.0.99").status == 429
    assert get(table, "/api/state").status == 200


def test_attack_flood_of_one_seat(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat has a limit of its own, wherever it speaks from; the other seat plays on."""
    ann, bob = two_at(table)
    monkeypatch.setattr(limits, "SEAT_DEEDS", limits.Rate(10, 0.5))
    statuses = [ann.post("guidance", {"on": bool(n % 2)}).status for n in range(12)]
    assert statuses[-1] == 429
    assert bob.post("guidance", {"on": False}).status == 200


def test_attack_stream_exhaustion(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """All places for watchers taken by one who opens stream after stream: players are served, others may ask."""
    monkeypatch.setattr(live, "STREAMS_IN_ALL", 10)
    ann, _ = two_at(table)
    request = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n"
    links = [connect(table) for _ in range(14)]
    for link in links:
        link.sendall(f"{request}\r\n".encode())
    time.sleep(0.3)
    assert get(table, "/api/events").code == "busy"
    with connect(table) as mine:
        mine.sendall(f"{request}Cookie: {ann.cookie}\r\n\r\n".encode())
        assert mine.recv(12) == b"HTTP/1.1 200"
    assert get(table, "/api/state").status == 200
    assert ann.post("guidance", {"on": True}).status == 200
    for link in links:
        link.close()


def test_attack_filling_the_memory_of_limits() -> None:
    """A million addresses do not make a million entries: the oldest are forgotten."""
    buckets = limits.Buckets(lambda: 0.0)
    for number in range(20_000):
        buckets.take(number, limits.READS)
    assert buckets.remembered() == limits.MOST_BUCKETS


# -- paths -----------------------------------------------------------------------------------------------------------

TRICKS = [
    "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py", "/static/....//app.py", "/static//etc/passwd", "/static/%2fetc%2fpasswd",
    "/static/..;/app.py", "/static/%c0%ae%c0%ae/app.py", "/static/app.py%00.js", "/static/%00", "/static/play.js%00",
    "/static/%252e%252e/app.py", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%00", "/api/%00", "/api/../api/none",
    "/static", "/static/", "/static/.", "/static/vendor", "/.git/config", "/api/state/../../key", "/%ff%fe",
]  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
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


@pytest.mark.parametrize(
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
        answer = post(standing, "/api/mode", body)
        assert answer.code in {"bad_request", "bad_mode"}
        assert len(answer.body) < 500, "what was sent is not sent back at length"


@pytest.mark.parametrize("number", ["1e9", "1000001", "-1000001", "9" * 3000, "1.0", "1e0", "0x1", "01", "-0.0", "1_0"])
def test_attack_huge_and_strange_numbers(standing: ServedTable, number: str) -> None:
    """Numbers are whole and small, or refused."""
    with unchanged(standing):
        body = b'{"seat": %s, "name": "Eve"}' % number.encode()
        assert post(standing, "/api/join", body).code == "bad_request"


def test_attack_script_in_a_name(table: ServedTable) -> None:
    """A name may hold markup (it is a name), but reaches pages as data only, and never a page's text."""
    ann = Person(table, 1, "<img src=x onerror=1>")
    for path in ("/", "/join/1", "/play", "/tv", "/hardware", "/qr/1.svg"):
        assert b"onerror" not in get(table, path, Cookie=ann.cookie).body
    state = get(table, "/api/state")
    assert state.headers["Content-Type"].startswith("application/json")
    taken = post(table, "/api/join", {"seat": 1, "name": "Eve"})
    assert b"onerror" in taken.body, "told who sits there"
    assert taken.headers["Content-Type"].startswith("application/json")


def test_attack_script_in_paths_and_fields(standing: ServedTable) -> None:
    """What was asked for is never written into a page, nor the name of an unknown field into anything but JSON."""
    for path in (f"/{MARKUP}", f"/join/{MARKUP}", f"/static/{MARKUP}", f"/?{MARKUP}", f"/play?name={MARKUP}"):
        assert b"alert(1)" not in get(standing, path.replace(" ", "%20")).body
    answer = post(standing, "/api/mode", {MARKUP: 1})
    assert answer.headers["Content-Type"].startswith("application/json")


def test_attack_script_in_the_boards_strings(tmp_path: Path) -> None:
    """A board file or a firmware from a stranger: its words reach no page as markup."""
    evil = f'">{MARKUP}'
    description = replace(load_board(find_board("spokes-45"), backend="sim"), name=evil)
    with ServedTable.opened(tmp_path) as table:
        board = open_board(description)
        assert board.web is not None
        extra = [board.web, hardware.blueprint(Tap(board.sensors, description).snapshot)]
        client = create_app(table.runtime, secret=KEY, addresses=[table.base], extra=extra).test_client()
        for path in ("/board", "/hardware", "/", "/tv"):
            assert MARKUP not in client.get(path).get_data(as_text=True)
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
        answer = post(standing, "/api/join", {"seat": 1, "name": name})
        assert answer.code == "bad_request"
        assert not {"Set-Cookie", "X"} & set(answer.headers)


def test_attack_lines_in_the_log(standing: ServedTable, caplog: pytest.LogCaptureFixture) -> None:
    """Requests can't write lines of their own into the log, nor colours into the terminal."""
    with caplog.at_level(logging.DEBUG):
        get(standing, "/%0d%0aFAKE%20line%1b[31m")
        post(standing, "/api/join", {"seat": 1, "name": "a\nFAKE"})
        post(standing, "/api/mode", b"{", User_Agent="FAKE")
    assert "FAKE" not in caplog.text


# -- methods ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "post"])
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
    for _ in range(live.STREAMS_IN_ALL // 8):
        assert get(table, "/api/events", "HEAD").status == 200
    eventually(lambda: get(table, "/api/state").status == 200, "an answer")


def test_attack_ranges(standing: ServedTable) -> None:
    """Many overlapping ranges do not multiply what is sent."""
    whole = len(get(standing, "/static/play.js").body)
    for ranges in ("bytes=" + ",".join(["0-"] * 200), "bytes=0-,0-", "bytes=-1-", "bytes=9-1", "lines=0-9"):
        answer = get(standing, "/static/play.js", Range=ranges)
        assert answer.status in {200, 206, 416}
        assert len(answer.body) <= max(whole, 2000)


def test_every_attack_left_the_table_as_it_was(table: ServedTable) -> None:
    """After a mixture of all that a whole turn can still be played."""
    for request in (b"\x00\r\n\r\n", head(table, "/api/mode", "Content-Length: -1"), head(table, "/" + "x" * 2000)):
        with contextlib.suppress(OSError, http.client.HTTPException):
            send(table, request)
    ann, bob = two_at(table)
    assert (ann.seal("wD12").status, bob.seal("bD13").status) == (200, 200)
    assert (ann.open("wD12").status, bob.open("bD13").status) == (200, 200)
    assert json.dumps(table.until("placing")["board"])
