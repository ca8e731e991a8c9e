"""Attacks on the server itself: sizes, times and floods, byte by byte where that is needed."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response
from waitress.adjustments import Adjustments

from tests.e2e.program import PATIENCE_S, eventually
from tests.sampling import together
from tests.web_panel.table import ServedTable
from tests.web_panel.wire import connect, get, head, post, read, send, two_at, unchanged
from web_panel import limits, serve, streams


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedTable]:
    """One table for all attacks that change nothing at all: it must bear them one after another."""
    with ServedTable.opened(tmp_path_factory.mktemp("standing")) as here:
        yield here


def closed(link: socket.socket, patience: float = PATIENCE_S) -> bool:
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


# -- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4097, 16_000, 20_000, 5_000_000])
def test_attack_oversized_body(standing: ServedTable, size: int) -> None:
    """A body too long is refused by its announced length; a huge one is not even read."""
    with unchanged(standing):
        answer = send(standing, head(standing, "/api/host/mode", f"Content-Length: {size}") + b" " * min(size, 16_000))
        assert answer.status == 413
        assert answer.code == "http"


@pytest.mark.parametrize("size", [5000, 40_000])
def test_attack_oversized_body_in_chunks(standing: ServedTable, size: int) -> None:
    """Without a length the same limits hold."""
    piece = b"3e8\r\n" + b" " * 1000 + b"\r\n"
    with unchanged(standing):
        request = head(standing, "/api/host/mode", "Transfer-Encoding: chunked") + piece * (size // 1000) + b"0\r\n\r\n"
        assert send(standing, request).status == 413


def test_attack_body_without_a_length(standing: ServedTable) -> None:
    """No length and no chunks: there is no body, and that is said."""
    with unchanged(standing):
        assert send(standing, head(standing)).code == "bad_request"


@together(
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
    hidden = head(standing, "/api/host/mode", "Content-Length: 12") + b'{"mode":"4"}'
    with unchanged(standing), connect(standing) as link:
        link.sendall(head(standing, "/api/host/mode", *lines) + hidden)
        with contextlib.suppress(http.client.HTTPException, ConnectionResetError):
            assert read(link).status in {400, 413, 415, 501}
        assert closed(link)


def test_attack_length_and_chunks_at_once(standing: ServedTable) -> None:
    """A length beside chunks (the classic smuggling) never lets the rest pass as a second request."""
    hidden = head(standing, "/api/host/mode", "Content-Length: 12") + b'{"mode":"4"}'
    both = head(standing, "/api/host/mode", "Transfer-Encoding: chunked", f"Content-Length: {len(hidden) + 5}")
    with unchanged(standing), connect(standing) as link:
        link.sendall(both + b"0\r\n\r\n")
        assert read(link).code == "bad_request"


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 17_000, "Cookie: a=" + "x" * 20_000, "X: y\r\n" * 4000])
def test_attack_oversized_header(standing: ServedTable, header: str) -> None:
    """Headers of more than 16 KiB, one or many, are refused in our own form."""
    answer = send(standing, head(standing, "/api/host/mode", header))
    assert (answer.status, answer.code) == (431, "http")


def test_attack_oversized_url(standing: ServedTable) -> None:
    """No path here is longer than 1024 characters."""
    for path in ("/" + "a" * 1100, "/api/state?" + "b" * 1100, "/api/state?" + "&x=1" * 400):
        assert get(standing, path).status == 414


# -- times -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same server with times that a test can wait for."""
    monkeypatch.setattr(limits, "REQUEST_S", 1.0)
    monkeypatch.setattr(limits, "IDLE_S", 1.5)
    monkeypatch.setattr(limits, "STALLED_S", 1.0)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("start", [b"", b"GET /api/state HTTP/1.1\r\nHost: x\r\nX-Slow: ", None])
def test_attack_slow_loris(table: ServedTable, start: bytes | None) -> None:
    """A request that dribbles in, byte by byte, in its head or its body, is cut off; others are served meanwhile."""
    link = connect(table)
    link.sendall(start if start is not None else head(table, "/api/host/mode", "Content-Length: 4000"))
    began = time.monotonic()
    with contextlib.suppress(ConnectionResetError, BrokenPipeError), link:
        while time.monotonic() - began < 300:
            link.sendall(b"a")
            eventually(lambda: answered(table), "an answer for others").close()
            time.sleep(0.2)  # A client as slow as this is what is tested.
    assert time.monotonic() - began < 60, "sixty times as long as a request may take"


@pytest.mark.usefixtures("hasty")
def test_attack_connections_that_say_nothing(table: ServedTable) -> None:
    """Open and silent, or silent after a request: closed after a while."""
    silent, served = connect(table), eventually(lambda: answered(table), "an answer")
    assert closed(silent)
    assert closed(served)


@pytest.mark.usefixtures("hasty")
def test_a_clock_that_is_set_changes_no_time_limit(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pi gets its time from the network: what is open stays open, and what says nothing is still closed."""
    served = eventually(lambda: answered(table), "an answer")
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert closed(served)


def answered(table: ServedTable) -> socket.socket | None:
    """Return a connection that has had an answer, None if a busy machine took too long for the request."""
    link = connect(table)
    with contextlib.suppress(ConnectionError):
        link.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        assert read(link).status == 200
        return link
    link.close()
    return None


@pytest.mark.usefixtures("hasty")
def test_attack_slow_reader(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watcher who opens a stream and never reads is let go; nothing piles up for him."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(streams, "LOOK_S", 0.01)
    monkeypatch.setattr(streams, "BEAT", b"event: beat\ndata: " + b"x" * 60_000 + b"\n\n")
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.connect(("127.0.0.1", table.port))
    link.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    server: Any = table.serving.server
    held = eventually(lambda: [one for one in list(server.active_channels.values()) if one.handed_over], "his stream")
    eventually(lambda: not any(one.connected for one in held), "the end of his stream")
    assert all(one.total_outbufs_len == 0 for one in held)
    link.close()


def test_attack_connection_exhaustion(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who opens connections without end loses his own idlest ones; a player still gets through."""
    monkeypatch.setattr(serve, "CONNECTIONS", 30)
    ann, _ = two_at(table)
    hoard = [connect(table) for _ in range(80)]
    server: Any = table.serving.server
    eventually(lambda: len(server.active_channels) <= 31, "fewer connections")
    assert ann.view()["you"]["seat"] == 1
    assert sum(closed(link, 0.05) for link in hoard) >= 45


def test_attack_requests_sent_together(standing: ServedTable) -> None:
    """The first is answered, the others are dropped, and that is said: nobody has several answers made at once."""
    for path in ("/api/state", "/static/play/play.js", "/no/such/page"):
        with connect(standing) as link:
            link.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{standing.port}\r\n\r\n".encode() * 3)
            assert read(link).headers["Connection"] == "close"
            assert link.recv(1) == b""
    with connect(standing) as link:
        for _ in range(3):
            link.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{standing.port}\r\n\r\n".encode())
            assert "Connection" not in read(link).headers, "one after another as many as are wanted"


def test_attack_answers_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many connections asks several times and reads nothing: no thread waits for any of them."""
    monkeypatch.setattr(limits, "STALLED_S", 3600.0)
    monkeypatch.setattr(serve, "THREADS", 2)
    app, asked = Flask("long answers"), []
    long = b"x" * 400_000
    app.add_url_rule("/", "long", lambda: asked.append(1) or Response(long))
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # Of each connection: the system takes little.
        serving = serve.serve(app, listener)
        stack.callback(serving.close)
        for _ in range(20):
            link = stack.enter_context(socket.socket())
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.connect(listener.getsockname())
            link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 4)
        eventually(lambda: len(asked) == 20, "one answer for each")
        server: Any = serving.server
        eventually(lambda: not server.task_dispatcher.active_count, "threads that are free again")
        assert len(server.active_channels) == 20
        assert all(one.total_outbufs_len for one in server.active_channels.values()), "nothing has been read"
        queued = [part.file for one in server.active_channels.values() for part in one.outbufs if hasattr(part, "file")]
        assert len(queued) == 20, "the long part of each answer is queued as it is"


def ended(link: socket.socket) -> bool:
    """Tell whether the other side has closed a connection already."""
    link.setblocking(False)
    try:
        return link.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_attack_one_address_fills_the_house(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address has so many connections and no more: beyond them it loses its own, and the others keep theirs."""
    monkeypatch.setattr(limits, "CONNECTIONS_AN_ADDRESS", 20)
    others = [connect(table) for _ in range(5)]
    hoard = [socket.create_connection(("127.0.0.1", table.port), PATIENCE_S, ("127.0.1.7", 0)) for _ in range(60)]
    eventually(lambda: sum(map(ended, hoard)) == 40, "the end of 40 of 60 connections")
    assert not any(map(ended, others))
    assert get(table, "/api/state").status == 200
    for link in hoard + others:
        link.close()
    server: Any = table.serving.server
    eventually(lambda: not server.active_channels, "the end of all connections")
    assert not len(server.shares), "nothing is remembered of addresses that have left"


@contextlib.contextmanager
def not_running(crowd: int) -> Iterator[Any]:
    """A server with so many connections waiting for it, whose loop has not begun."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=256))
        for _ in range(crowd):
            stack.enter_context(socket.create_connection(listener.getsockname()))
        server: Any = serve.server_on(listener, None, {}, serve.RequestPool(1), Adjustments())
        stack.callback(server.close_trigger)
        yield server
        for one in list(server.active_channels.values()):
            one.let_go()


def test_attack_connections_that_wait_together() -> None:
    """They are taken together: with a turn of the loop for each, a player would wait behind hundreds."""
    with not_running(serve.AT_ONCE + 20) as server:
        server.handle_accept()
        assert len(server.active_channels) == serve.AT_ONCE, "not all of them: who is in has a turn, too"
        server.handle_accept()
        assert len(server.active_channels) == serve.AT_ONCE + 20
        server.handle_accept()
        assert len(server.active_channels) == serve.AT_ONCE + 20, "nobody waits"


def test_events_of_a_closed_connection_are_not_the_next_ones() -> None:
    """A connection that is taken in the turn in which another was closed may have got its number."""
    with not_running(1) as server:
        server.handle_accept()
        (one,) = server.active_channels.values()
        one.handle_read_event()
        one.handle_close()
        assert one.connected
        assert one.readable(), "the next turn asks for its own events"
        one.handle_close()
        assert not one.connected


# -- floods ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def _strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody comes from some address in the network: this machine itself is not limited."""
    monkeypatch.setattr(limits, "owner", lambda address: address)


@pytest.mark.usefixtures("_strangers")
def test_attack_request_flood(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its burst an address is told to wait, how long, and is served again then."""
    monkeypatch.setattr(limits, "READS", limits.Rate(50, 0.02))
    statuses = [get(table, "/api/state").status for _ in range(60)]
    assert statuses[:50] == [200] * 50
    refused = get(table, "/api/state")
    assert (refused.status, refused.code) == (429, "too_many")
    assert 1 <= int(refused.headers["Retry-After"]) <= 50
    monkeypatch.setattr(limits, "READS", limits.Rate(50, 1e6))  # Long enough has passed.
    assert get(table, "/api/state").status == 200


@pytest.mark.usefixtures("_strangers")
def test_attack_flood_of_deeds(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that only sends and sends is stopped; reading goes on, and forged headers change nothing."""
    monkeypatch.setattr(limits, "WRITES", limits.Rate(20, 0.01))
    for number in range(20):
        assert post(table, "/api/resign", X_Forwarded_For=f"10.0.0.{number}").code == "not_seated"
    assert post(table, "/api/resign", X_Forwarded_For="10.0.0.99").status == 429
    assert get(table, "/api/state").status == 200


def test_attack_flood_of_one_seat(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat has a limit of its own, wherever it speaks from; the other seat plays on."""
    ann, bob = two_at(table)
    monkeypatch.setattr(limits, "SEAT_WRITES", limits.Rate(10, 0.01))
    statuses = [ann.post("hurry").status for n in range(12)]
    assert statuses[-1] == 429
    assert bob.post("hurry").status == 200


def test_attack_stream_exhaustion(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """All places for watchers taken by one who opens stream after stream: players are served, others may ask."""
    monkeypatch.setattr(streams, "STREAMS_IN_ALL", 10)
    ann, _ = two_at(table)
    request = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n"
    links = [connect(table) for _ in range(14)]
    for link in links:
        link.sendall(f"{request}\r\n".encode())
    for link in links:
        assert link.recv(8) == b"HTTP/1.1", "each is answered"
    assert get(table, "/api/events").code == "busy"
    with connect(table) as mine:
        mine.sendall(f"{request}Cookie: {ann.cookie}\r\n\r\n".encode())
        assert mine.recv(12) == b"HTTP/1.1 200"
    assert get(table, "/api/state").status == 200
    assert ann.post("hurry").status == 200
    for link in links:
        link.close()


def test_attack_filling_the_memory_of_limits() -> None:
    """A million addresses do not make a million entries: the oldest are forgotten."""
    buckets = limits.Buckets(lambda: 0.0)
    for number in range(20_000):
        buckets.take(number, limits.READS)
    assert len(buckets) == limits.MAX_BUCKETS
