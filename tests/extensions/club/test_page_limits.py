"""The club's page under attack: it has the panel's limits for rates, times and connections."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from firmware_host.extensions.club import connections
from firmware_host.extensions.club import server as club_server
from firmware_host.extensions.club.club import Changed, Club
from firmware_host.extensions.club.server import ClubServer
from firmware_host.extensions.club.store import ArchiveError
from firmware_host.link.https import Https
from tests.extensions.club.clubs import opened_club, silent_club, until
from tests.link.brokers import RealBroker
from web_panel import limits
from web_panel.limits import Rate

TOKEN = "t" * 22
OTHER = "127.0.0.9"
"""Another address than that of most connections here."""


@contextmanager
def served(club: Club, https: Https | None = None) -> Iterator[tuple[ClubServer, int]]:
    """Serve a club's page; yield the server and its port."""
    scheme = "http" if https is None else "https"
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    port = listener.getsockname()[1]
    place = f"{scheme}://127.0.0.1:{port}"
    with closing(ClubServer(club, listener, b"s" * 32, lambda: TOKEN, [place], https)) as server:
        server.start()
        yield server, port


@pytest.fixture
def port(tmp_path: Path, broker: RealBroker, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(limits, "REQUEST_S", 1.0)
    monkeypatch.setattr(limits, "IDLE_S", 1.5)
    monkeypatch.setattr(limits, "STALLED_S", 1.0)
    monkeypatch.setattr(club_server, "owner", str)
    monkeypatch.setattr(connections, "owner", str)
    monkeypatch.setattr(limits, "owner", str)
    with opened_club(tmp_path / "club", broker.url) as club, served(club) as (_, found):
        yield found


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 60, (source, 0))


def asks(link: socket.socket, path: str, body: bytes | None = None, length: int | None = None, **more: str) -> None:
    """Send a request, all of it or (``length``) its beginning."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", f"Host: 127.0.0.1:{link.getpeername()[1]}"]
    if body is not None:
        lines += ["X-Lodestone: 1", f"Content-Length: {len(body) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    link.sendall("\r\n".join([*lines, "", ""]).encode() + (body or b""))


def answer(link: socket.socket) -> tuple[int, str]:
    """Return status and head of an answer, whose body is read as well."""
    text = b""
    while b"\r\n\r\n" not in text:
        more = link.recv(65536)
        assert more, text
        text += more
    head, _, body = text.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while length and len(body) < int(length[1]):
        body += link.recv(65536)
    return int(head.split()[1]), head.decode()


def status(
    port: int, path: str = "/api/club", body: bytes | None = None, source: str = "127.0.0.1", **more: str
) -> int:
    with connect(port, source) as link:
        asks(link, path, body, **more)
        return answer(link)[0]


def is_open(link: socket.socket) -> bool:
    link.settimeout(0.01)
    try:
        while link.recv(65536):
            pass
    except TimeoutError:
        return True
    except OSError:
        return False
    return False


@pytest.mark.parametrize("start", [b"", b"GET /api/club HTTP/1.1\r\nHost: x\r\nX-Slow: ", None])
def test_a_request_that_never_ends_is_cut_off(port: int, start: bytes | None) -> None:
    """Whether its head or its body dribbles; a stream, which is silent between events, stays."""
    watcher, link = connect(port), connect(port)
    asks(watcher, "/api/events")
    if start is None:
        asks(link, "/api/arbiter/enter", b"{", length=4000)
    else:
        link.sendall(start)
    began = time.monotonic()
    with contextlib.suppress(OSError), link:
        while time.monotonic() - began < 300:
            link.sendall(b"a")
            time.sleep(0.1)  # A client as slow as this is what is tested.
    assert time.monotonic() - began < 60
    assert is_open(watcher)
    watcher.close()


def test_connections_that_say_nothing_are_closed(port: int) -> None:
    with connect(port) as silent, connect(port) as idle:
        asks(idle, "/api/club")
        assert answer(idle)[0] == 200
        until(lambda: not is_open(silent) and not is_open(idle))


def test_one_address_takes_neither_all_streams_nor_all_connections(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its share of streams a watcher is told so; beyond that of connections the idlest is closed."""
    monkeypatch.setattr(limits, "STREAMS_AN_ADDRESS", 4)
    monkeypatch.setattr(limits, "CONNECTIONS_AN_ADDRESS", 10)
    with ExitStack() as stack:
        watchers = [stack.enter_context(closing(connect(port))) for _ in range(5)]
        other = stack.enter_context(closing(connect(port, OTHER)))
        for one in (*watchers, other):
            asks(one, "/api/events")
        assert sorted(answer(one)[0] for one in watchers) == [200, 200, 200, 200, 503]
        assert answer(other)[0] == 200
        for _ in range(60):
            stack.enter_context(closing(connect(port)))
        assert status(port, source=OTHER) == 200
        assert is_open(other)
        assert sum(map(is_open, watchers)) == 4, "who watches is not idle"


def test_when_all_places_are_taken_the_greediest_loses_one(
    tmp_path: Path, broker: RealBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(club_server, "CONNECTIONS", 20)
    monkeypatch.setattr(connections, "owner", str)
    with opened_club(tmp_path / "club", broker.url) as club, served(club) as (_, port), ExitStack() as stack:
        few = [stack.enter_context(closing(connect(port, OTHER))) for _ in range(4)]
        many = [stack.enter_context(closing(connect(port))) for _ in range(60)]
        until(lambda: sum(map(is_open, many)) <= 16)
        assert all(map(is_open, few))
        assert status(port, source=OTHER) == 200


def test_rates(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of reads, changes and wrong tokens, for each address; foreign pages use up nothing of the club's own."""
    monkeypatch.setattr(limits, "READS", Rate(20, 0.01))
    monkeypatch.setattr(limits, "WRITES", Rate(12, 0.01))
    wrong, right = (json.dumps({"token": one}).encode() for one in ("x" * 22, TOKEN))
    foreign = {"Origin": "http://evil.example"}
    assert {status(port, "/api/arbiter/enter", right, **foreign) for _ in range(12)} == {403}
    assert status(port, "/api/arbiter/enter", right, **foreign) == 429
    guesses = [status(port, "/api/arbiter/enter", wrong) for _ in range(6)]
    assert guesses == [403] * 5 + [429]
    assert status(port, "/api/arbiter/enter", right) == 429, "a right guess after too many wrong ones is none"
    assert status(port, "/api/arbiter/enter", right, OTHER) == 200
    assert status(port, "/api/arbiter/enter", right, OTHER, Origin=f"http://127.0.0.1:{port}") == 200
    found = [status(port) for _ in range(21)]
    assert found == [200] * 20 + [429]
    assert status(port, source=OTHER) == 200
    with connect(port) as link:
        asks(link, "/api/club")
        assert re.search(r"Retry-After: \d+", answer(link)[1])


def test_metrics(port: int) -> None:
    """Prometheus' own parser reads them; they hold no names."""
    with connect(port) as watcher, connect(port) as link:
        asks(watcher, "/api/events")
        assert answer(watcher)[0] == 200
        asks(link, "/metrics", Connection="close")
        text = b""
        while more := link.recv(65536):
            text += more
    told = {
        sample.name: sample.value
        for family in text_string_to_metric_families(text.partition(b"\r\n\r\n")[2].decode())
        for sample in family.samples
    }
    assert told["lodestone_club_watchers"] == 1
    assert told["lodestone_club_tables"] == told["lodestone_club_open_boards"] == 0
    assert told["process_resident_memory_bytes"] > 1e6


def test_no_path_is_long(port: int) -> None:
    assert status(port, "/" + "a" * 1100) == 414
    assert status(port, "/api/look?" + "b" * 1100) == 414


def test_who_reads_nothing_of_a_stream_is_let_go(
    tmp_path: Path, broker: RealBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STALLED_S", 1.0)
    with opened_club(tmp_path / "club", broker.url) as club, served(club) as (server, port), socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.connect(("127.0.0.1", port))
        asks(link, "/api/events")
        assert link.recv(12) == b"HTTP/1.1 200"

        until(lambda: server._streams)
        until(lambda: club._listener(Changed(tables={"t": {"name": "x" * 200_000}})) or not server._streams)
        until(lambda: not len(server._shares))


def test_bytes_that_are_no_text_give_no_right(tmp_path: Path, broker: RealBroker) -> None:
    """A cookie, and a name with a null character: both are refused, neither is an error of ours."""
    with opened_club(tmp_path / "club", broker.url) as club, served(club) as (_, port):
        for path, cookie, status in (("/api/arbiter", b"\xff\xfe.x", 200), ("/static/%00", b"x", 404)):
            with closing(connect(port)) as link:
                place = f"127.0.0.1:{port}".encode()
                link.sendall(
                    b"GET %b HTTP/1.1\r\nHost: %b\r\nCookie: lodestone-arbiter=%b\r\n\r\n"
                    % (path.encode(), place, cookie)
                )
                assert answer(link)[0] == status


UNREADABLE = {
    "a name that no disk has": b"GET /static/" + b"a" * 300 + b" HTTP/1.1\r\nHost: %b\r\n\r\n",
    "a body that is not packed": b"POST /api/arbiter/enter HTTP/1.1\r\nHost: %b\r\nX-Lodestone: 1\r\n"
    b"Content-Encoding: gzip\r\nContent-Length: 40\r\n\r\n" + b"x" * 40,
    "a part without a length": b"POST /api/arbiter/enter HTTP/1.1\r\nHost: %b\r\nX-Lodestone: 1\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "no request": b"GET / HTTP/1.1\r\nHost: %b\r\n: no name\r\n\r\n",
    "a body that nobody reads": b"GET /api/club HTTP/1.1\r\nHost: %b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_can_not_be_read_is_no_error_of_ours(tmp_path: Path, caplog: pytest.LogCaptureFixture, what: str) -> None:
    """Each answer is one of ours, and many of them leave the log readable."""
    caplog.set_level("INFO")
    with silent_club(tmp_path / "club") as club, served(club) as (_, port):
        for _ in range(20):
            with closing(connect(port)) as link:
                link.sendall(UNREADABLE[what] % f"127.0.0.1:{port}".encode())
                status, head = answer(link)
                assert status < 500
                assert "x-content-type-options: nosniff" in head.lower()
    assert sum(len(one.getMessage()) for one in caplog.records) < 1000
    assert sum(one.exc_info is not None for one in caplog.records) <= 1


def test_an_error_of_ours_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request, and a stream that has begun: the page goes on, and the log says where it was, once a minute."""

    def fails(*_: object) -> None:
        raise KeyError("secret")

    with silent_club(tmp_path / "club") as club, served(club) as (server, port):
        monkeypatch.setattr(server._feed, "snapshot", fails)
        monkeypatch.setattr(server._feed, "number_of", fails)
        for _ in range(20):
            with closing(connect(port)) as link, closing(connect(port)) as watcher:
                asks(link, "/api/club")
                asks(watcher, "/api/events")
                status, head = answer(link)
                assert status == 500
                assert "x-content-type-options: nosniff" in head.lower()
                assert answer(watcher)[0] == 200
                until(lambda one=watcher: not is_open(one))
        with closing(connect(port)) as link:
            asks(link, "/")
            assert answer(link)[0] == 200
    assert len([one for one in caplog.records if one.exc_info]) == 1


def test_an_archive_that_does_not_answer_fills_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_digest: str) -> None:
        raise ArchiveError("no answer")

    caplog.set_level("INFO")
    with silent_club(tmp_path / "club") as club, served(club) as (_, port):
        monkeypatch.setattr(club.archive, "record_text", fails)
        assert {status(port, f"/record/{'0' * 64}.jsonl") for _ in range(20)} == {503}
    assert len(caplog.records) == 1
