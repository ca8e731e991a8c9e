"""The club's page over TLS: real handshakes, whole and halved, beside people who watch; and plain HTTP to its port."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.extensions.club import connections
from firmware_host.extensions.club.club import Changed, Club
from firmware_host.extensions.club.server import ARBITER_COOKIE, ClubServer
from firmware_host.link.https import MAX_RECORD, OWN, Https, make_certificate
from tests.extensions.club.clubs import ClubProgram, opened_club, until
from tests.extensions.club.test_page_limits import OTHER, TOKEN, answer, asks, connect, is_open, served
from tests.link.brokers import RealBroker
from tests.sentences import sentence
from web_panel import limits


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificate") / "own.pem"
    path.write_bytes(make_certificate())
    return path


Page = tuple[Club, ClubServer, int]


@pytest.fixture
def page(tmp_path: Path, broker: RealBroker, certificate: Path) -> Iterator[Page]:
    with (
        opened_club(tmp_path / "club", broker.url) as club,
        served(club, Https(certificate, own=True)) as (server, port),
    ):
        yield club, server, port


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_S", 1.0)
    monkeypatch.setattr(limits, "IDLE_S", 1.5)
    monkeypatch.setattr(limits, "STALLED_S", 1.0)


def knows(certificate: Path) -> ssl.SSLContext:
    """Return the context of a client that has been told to trust this certificate."""
    return ssl.create_default_context(cafile=str(certificate))


def watcher(port: int, certificate: Path, source: str = "127.0.0.1") -> ssl.SSLSocket:
    return knows(certificate).wrap_socket(connect(port, source), server_hostname="127.0.0.1")


def hello(certificate: Path) -> bytes:
    """Return the first message of a client's handshake."""
    said = ssl.MemoryBIO()
    client = knows(certificate).wrap_bio(ssl.MemoryBIO(), said, server_hostname="127.0.0.1")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return said.read()


def test_an_arbiter_and_watchers_over_tls(page: Page, certificate: Path) -> None:
    """Long answers come whole, streams follow, and the arbiter's cookie goes over HTTPS alone."""
    club, _, port = page
    here = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=knows(certificate))
    with closing(here), watcher(port, certificate) as link:
        asks(link, "/api/events")
        assert answer(link)[0] == 200
        own = {"X-Lodestone": "1", "Content-Type": "application/json"}
        here.request("POST", "/api/arbiter/enter", json.dumps({"token": TOKEN}), own)
        entered = here.getresponse()
        assert (entered.status, entered.read() and 0) == (200, 0)
        cookie = str(entered.headers["Set-Cookie"])
        assert cookie.startswith(f"__Host-{ARBITER_COOKIE}=")
        assert "; Secure" in cookie
        fields = {"name": "May", "game": "coil", "rules": [], "mode": "2", "system": "swiss", "rounds": 3}
        own["Cookie"] = cookie.partition(";")[0]
        forged = {"Origin": f"http://127.0.0.1:{port}"}  # Of a page that anybody in the network can forge.
        here.request("POST", "/api/arbiter/create", json.dumps(fields), own | forged)
        assert json.loads(here.getresponse().read())["error"]["code"] == "foreign_page"
        here.request("POST", "/api/arbiter/create", json.dumps(fields), own)
        assert json.loads(here.getresponse().read()) == {"ok": True}
        told = b""
        while b"May" not in told:
            told += link.recv(65536)
        here.request("GET", "/script/club/club.js")
        script = here.getresponse().read()
        assert len(script) > 2 * MAX_RECORD
        here.request("POST", "/api/arbiter/players", json.dumps({"tournament": 1, "names": "x" * 60_000}), own)
        assert here.getresponse().status == 409
    club.close()


def test_plain_http_gets_the_way_and_nothing_of_the_club(page: Page, certificate: Path) -> None:
    _, _, port = page
    for path, body, expected in (("/", None, 200), ("/api/club", None, 421), ("/api/arbiter/enter", b"{}", 421),
                                 ("/static/shared/style.css", None, 200)):  # fmt: skip
        here = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with closing(here):
            here.request("GET" if body is None else "POST", path, body, {"X-Lodestone": "1"})
            said = here.getresponse()
            text = said.read().decode()
            assert said.status == expected, path
            assert "Hall" not in text
            if expected == 421:
                assert sentence("this club answers over HTTPS", address=f"https://127.0.0.1:{port}") in text
            elif path == "/":
                assert f'href="https://127.0.0.1:{port}/"' in text
                assert not re.search(r"([0-9A-F]{2}[: ]){31}", text), "a fingerprint could be forged here"
    here = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=knows(certificate))
    with closing(here):
        here.request("GET", "/certificate")
        assert Https(certificate, own=True).fingerprint.replace(":", " ") in here.getresponse().read().decode()


@pytest.mark.usefixtures("hasty")
def test_handshakes_that_stop_are_cut_off(page: Page, certificate: Path) -> None:
    """Who stops in the middle of one makes nobody wait, and is let go when a request would be, shares and all."""
    _, server, port = page
    whole = hello(certificate)
    with contextlib.ExitStack() as stack:
        stalled = []
        for sent in (0, 1, 5, 40, len(whole) - 1, len(whole)) * 5:
            stalled.append(stack.enter_context(closing(connect(port))))
            stalled[-1].sendall(whole[:sent])
        with watcher(port, certificate) as link:
            asks(link, "/api/club")
            assert answer(link)[0] == 200
        until(lambda: not any(map(is_open, stalled)))
    until(lambda: len(server._shares) == 0)


@pytest.mark.usefixtures("hasty")
def test_a_handshake_that_dribbles_is_cut_off(page: Page, certificate: Path) -> None:
    """Byte by byte is no way round the time limit; nor is what no handshake begins with."""
    _, server, port = page
    for said in (b"\x16\x03\x01\xff\xff" + b"?" * 600, b"\x16" * 300_000, b"\x15\x03\x01\x00\x02\x02\x28"):
        with contextlib.suppress(OSError), connect(port) as link:
            link.sendall(said)
            until(lambda link=link: not is_open(link))
    with contextlib.suppress(OSError), connect(port) as link:
        for byte in hello(certificate) * 10:
            link.sendall(bytes([byte]))
            time.sleep(0.02)  # A client as slow as this is what is tested.
    until(lambda: len(server._shares) == 0)


def test_connections_that_say_nothing_have_a_share(
    page: Page, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One address does not take all places, also by handshakes alone."""
    _, server, port = page
    monkeypatch.setattr(connections, "owner", str)
    monkeypatch.setattr(limits, "CONNECTIONS_AN_ADDRESS", 10)
    whole = hello(certificate)
    with contextlib.ExitStack() as stack:
        many = [stack.enter_context(closing(connect(port))) for _ in range(60)]
        for one in many[::2]:
            with contextlib.suppress(OSError):
                one.sendall(whole)
        until(lambda: sum(map(is_open, many)) <= 10)
        assert len(server._shares) <= 10
        with watcher(port, certificate, OTHER) as link:
            asks(link, "/api/club")
            assert answer(link)[0] == 200


@pytest.mark.usefixtures("hasty")
def test_who_reads_nothing_of_a_stream_over_tls_is_let_go(page: Page, certificate: Path) -> None:
    club, server, port = page
    bare = socket.socket()
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    bare.connect(("127.0.0.1", port))
    with knows(certificate).wrap_socket(bare, server_hostname="127.0.0.1") as link:
        asks(link, "/api/events")
        assert link.recv(12) == b"HTTP/1.1 200"
        until(lambda: server._streams)
        until(lambda: club._listener(Changed(tables={"t": {"name": "x" * 200_000}})) or not server._streams)
        until(lambda: not len(server._shares))


def test_the_program_makes_its_certificate_and_keeps_it(tmp_path: Path, broker: RealBroker) -> None:
    """Links say https; the certificate stays from start to start; one that can't be used is refused in a sentence."""
    first = ClubProgram(tmp_path, broker.url, "--https")
    assert first.url.startswith("https:")
    assert "Arbiter: https://" in first.printed
    kept = (tmp_path / "data" / OWN).read_bytes()
    assert Https(tmp_path / "data" / OWN, own=True).fingerprint in first.printed
    port = int(first.url.rpartition(":")[2])
    here = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=knows(tmp_path / "data" / OWN))
    with closing(here):
        here.request("GET", "/api/club")
        assert here.getresponse().status == 200
    first.close()
    again = ClubProgram(tmp_path, "", "--https")
    again.close()
    assert (tmp_path / "data" / OWN).read_bytes() == kept
