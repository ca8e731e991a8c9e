"""The panel over TLS: real handshakes, whole and halved, beside people who play; and plain HTTP to the same port."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.https import tls
from firmware_host.extensions.https.extension import EXTENSION, attach_https, transport_by
from firmware_host.link.https import Https, make_certificate
from lodestone.tables import KEY, SimulatedTable
from tests.e2e.program import PATIENCE_S, eventually
from tests.sentences import sentence
from tests.web_panel.table import ServedTable
from tests.web_panel.wire import Answer, read
from web_panel import limits, streams
from web_panel.limits import Rate
from web_panel.replay_app import create_replay_app


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificate") / "own.pem"
    path.write_bytes(make_certificate())
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[ServedTable]:
    """One table for all: whatever an attack does, the next phone is served."""
    attached = {EXTENSION: attach_https(Https(certificate, own=True))}
    with ServedTable.opened(tmp_path_factory.mktemp("table"), attached=attached) as here:
        yield here


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_S", 1.0)
    monkeypatch.setattr(limits, "IDLE_S", 1.5)
    monkeypatch.setattr(limits, "STALLED_S", 1.0)


def knows(certificate: Path) -> ssl.SSLContext:
    """Return the context of a client that has been told to trust this certificate."""
    return ssl.create_default_context(cafile=str(certificate))


def connected(table: ServedTable) -> socket.socket:
    return socket.create_connection(("127.0.0.1", table.port), timeout=PATIENCE_S)


def phone(table: ServedTable, certificate: Path) -> ssl.SSLSocket:
    return knows(certificate).wrap_socket(connected(table), server_hostname="127.0.0.1")


def get(link: socket.socket, table: ServedTable, path: str = "/api/state", **headers: str) -> Answer:
    lines = {"Host": f"127.0.0.1:{table.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    link.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
    return read(link)


def post(link: socket.socket, table: ServedTable, path: str, body: Any, **headers: str) -> Answer:
    data = json.dumps(body).encode()
    lines = {"Host": f"127.0.0.1:{table.port}", "Content-Type": "application/json", "X-Lodestone": "1",
             "Content-Length": str(len(data)),
             **{name.replace("_", "-"): value for name, value in headers.items()}}  # fmt: skip
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    link.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + data)
    return read(link)


def hello(certificate: Path) -> bytes:
    """Return the first message of a client's handshake."""
    said = ssl.MemoryBIO()
    client = knows(certificate).wrap_bio(ssl.MemoryBIO(), said, server_hostname="127.0.0.1")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return said.read()


def is_closed(link: socket.socket) -> bool:
    link.settimeout(PATIENCE_S)
    with link:
        try:
            while link.recv(65536):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True


# -- what a phone does -----------------------------------------------------------------------------------------------


def test_a_phone_sits_down_over_tls(table: ServedTable, certificate: Path) -> None:
    with phone(table, certificate) as link:
        assert get(link, table).json["phase"] == "lobby"
        ticket = get(link, table, "/api/tickets").json["tickets"]["1"]
        joined = post(link, table, "/api/join", {"seat": 1, "name": "Ann", "ticket": ticket})
        assert joined.status == 200
        cookie = joined.headers["Set-Cookie"]
        assert cookie.startswith("__Host-lodestone-seat="), "it goes over HTTPS alone"
        assert "; Secure" in cookie
        mine = get(link, table, Cookie=cookie.partition(";")[0])
        assert mine.json["you"]["seat"] == 1


def test_long_answers_and_bodies_come_whole(table: ServedTable, certificate: Path) -> None:
    """More than one record, and more than the socket takes at once."""
    with phone(table, certificate) as link:
        script = get(link, table, "/script/play/play.js").body
        assert len(script) > 4 * tls.MAX_RECORD
        assert script == get(link, table, "/script/play/play.js").body
        assert post(link, table, "/api/join", {"seat": 1, "name": "x" * 4000}).status in {400, 403, 409, 413}
        assert get(link, table).status == 200


def test_a_stream_over_tls_follows_and_ends(table: ServedTable, certificate: Path) -> None:
    link = phone(table, certificate)
    link.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    with link.makefile("rb") as lines:
        assert b" 200 " in lines.readline()
        assert any(line.startswith(b"data: {") for line in iter(lines.readline, b""))
        server: Any = table.serving.server
        eventually(server.streaming, "a stream that is handed over")
        assert any(line.startswith(b"event: beat") for line in iter(lines.readline, b""))
    link.close()
    eventually(lambda: not server.streaming(), "its end, after the client's")


def test_a_panel_that_ends_cuts_nothing_off(table: ServedTable, certificate: Path) -> None:
    with phone(table, certificate) as link:
        link.sendall(f"GET /api/state HTTP/1.0\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        received = b""
        while part := link.recv(65536):  # Without the last message of TLS this would be an error.
            received += part
        assert json.loads(received.partition(b"\r\n\r\n")[2])["phase"] == "lobby"


def test_old_versions_and_strangers_are_not_spoken_to(table: ServedTable) -> None:
    """Who does not know the certificate hears of nothing; a client of ten years ago gets no handshake."""
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(connected(table), server_hostname="127.0.0.1")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        old.wrap_socket(connected(table), server_hostname="127.0.0.1")


# -- halved handshakes -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("hasty")
def test_attack_stalled_handshakes(table: ServedTable, certificate: Path) -> None:
    """Whoever stops in a handshake makes nobody wait, and is let go when a request would be."""
    whole = hello(certificate)
    stalled = []
    for sent in (1, 5, 40, len(whole) - 1, len(whole)):
        for _ in range(5):
            link = connected(table)
            link.sendall(whole[:sent])
            stalled.append(link)
    began = time.monotonic()
    with phone(table, certificate) as link:
        assert get(link, table, "/tv").status == 200
    for link in stalled:
        assert is_closed(link)
    assert time.monotonic() - began < 60, "sixty times as long as a request may take"


@pytest.mark.usefixtures("hasty")
def test_attack_a_handshake_that_dribbles(table: ServedTable, certificate: Path) -> None:
    """Byte by byte is no way round the time limit."""
    link = connected(table)
    with contextlib.suppress(ConnectionError), link:
        for byte in hello(certificate):
            link.sendall(bytes([byte]))
            time.sleep(0.05)  # A client as slow as this is what is tested.
        link.settimeout(PATIENCE_S)
        while link.recv(65536):
            pass


def test_a_handshake_in_pieces_is_finished(table: ServedTable, certificate: Path) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = knows(certificate).wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with connected(table) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    link.sendall(bytes([byte]))
                incoming.write(link.recv(65536))
        client.write(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        for byte in outgoing.read():
            link.sendall(bytes([byte]))
        received = b""
        while b'"phase"' not in received:
            incoming.write(link.recv(65536))
            with contextlib.suppress(ssl.SSLWantReadError):
                while part := client.read(65536):
                    received += part
        assert received.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "said", [b"\x16", b"\x16\x03\x01\xff\xff" + b"?" * 600, b"\x16" * 40_000, b"\x15\x03\x01\x00\x02\x02\x28"]
)
@pytest.mark.usefixtures("hasty")
def test_attack_what_is_no_handshake(table: ServedTable, certificate: Path, said: bytes) -> None:
    link = connected(table)
    with contextlib.suppress(ConnectionError):
        link.sendall(said)
    assert is_closed(link)
    with phone(table, certificate) as other:
        assert get(other, table).status == 200


def test_attack_requests_behind_the_first(table: ServedTable, certificate: Path) -> None:
    """As over TCP: the first is answered, and the connection closed, even if all came in one record."""
    one = f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode()
    with phone(table, certificate) as link:
        link.sendall(one * 20)
        assert read(link).headers["Connection"] == "close"
        assert link.recv(1) == b""


@pytest.mark.usefixtures("hasty")
def test_attack_a_reader_who_stops_over_tls(
    table: ServedTable, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing piles up for whoever opens a stream and never reads."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(streams, "LOOK_S", 0.01)
    monkeypatch.setattr(streams, "BEAT", b"event: beat\ndata: " + b"x" * 60_000 + b"\n\n")
    bare = socket.socket()
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    bare.connect(("127.0.0.1", table.port))
    link = knows(certificate).wrap_socket(bare, server_hostname="127.0.0.1")
    link.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    server: Any = table.serving.server
    held = eventually(lambda: [one for one in list(server.active_channels.values()) if one.handed_over], "his stream")
    eventually(lambda: not any(one.connected for one in held), "the end of his stream")
    assert all(one.total_outbufs_len == 0 for one in held)
    link.close()


def test_attack_handshakes_without_end(table: ServedTable, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address may make as many as it may ask for pages; others are not counted with it."""
    monkeypatch.setattr(tls, "READS", Rate(3, 0.001))
    monkeypatch.setattr(tls, "owner", lambda _address: "198.51.100.7")
    for _ in range(3):
        with phone(table, certificate) as link:
            assert get(link, table).status == 200
    with pytest.raises((ssl.SSLError, ConnectionError)):
        phone(table, certificate).close()
    monkeypatch.setattr(tls, "owner", lambda _address: "198.51.100.8")
    with phone(table, certificate) as link:
        assert get(link, table).status == 200


def test_a_client_whose_buffer_is_full_gets_its_handshake_later(certificate: Path) -> None:
    """Then reading waits for room to write."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    filled = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            filled += ours.send(b"x" * 65536)
    link = tls.Link(ours, Https(certificate).context())
    theirs.sendall(hello(certificate))
    assert not link.look()
    assert link.wants_to_write
    while filled:
        filled -= len(theirs.recv(min(filled, 1 << 20)))
    assert not link.look()
    assert not link.wants_to_write, "its part is sent; the client's next one is awaited"
    assert theirs.recv(1) == bytes([tls.HANDSHAKE])
    link.close()
    theirs.close()


def test_one_thread_reads_while_another_sends(certificate: Path) -> None:
    ours, theirs = socket.socketpair()
    link = tls.Link(ours, Https(certificate).context())
    total = 2_000_000

    def client() -> None:
        with knows(certificate).wrap_socket(theirs, server_hostname="127.0.0.1") as other:
            sender = threading.Thread(target=other.sendall, args=(b"a" * total,))
            sender.start()
            got = 0
            while got < total:
                got += len(other.recv(65536))
            sender.join()
            received.append(got)

    received: list[int] = []
    far = threading.Thread(target=client)
    far.start()
    eventually(lambda: link.look() or link.is_secure, "the first message")
    taken = b""

    def reader() -> None:
        nonlocal taken
        while len(taken) < total:
            if link.look():
                taken += link.recv(0)

    near = threading.Thread(target=reader)
    near.start()
    sent = 0
    data = b"b" * total
    while sent < total:
        try:
            sent += link.send(data[sent : sent + 20_000])
        except BlockingIOError:
            time.sleep(0)  # The other threads read meanwhile.
    near.join()
    far.join()
    assert received == [total]
    assert taken == b"a" * total
    link.close()


# -- plain HTTP to the same port -------------------------------------------------------------------------------------


def test_plain_http_is_told_the_way(table: ServedTable) -> None:
    """It gets a page that explains the warning, never anything of the table."""
    with connected(table) as link:
        page = get(link, table, "/join/1?x=1")
        assert page.status == 200
        text = page.body.decode()
        assert sentence("What the warning means") in text
        assert f'href="https://127.0.0.1:{table.port}/join/1?x=1"' in text
        assert "Set-Cookie" not in page.headers
        for path in ("/api/state", "/qr/lobby.svg"):
            assert get(link, table, path).code == "plain_http"
        assert post(link, table, "/api/join", {"seat": 1, "name": "Eve", "ticket": "x"}).code == "plain_http"
        assert get(link, table, "/static/shared/style.css").status == 200
        assert "table.evil.example" not in get(link, table, "/", Host="table.evil.example").body.decode()


def test_the_page_over_https_shows_the_fingerprint(table: ServedTable, certificate: Path) -> None:
    with phone(table, certificate) as link:
        text = get(link, table, "/certificate").body.decode()
        assert Https(certificate, own=True).fingerprint.replace(":", " ") in text
        assert get(link, table, "/api/tickets").json["warns"] is True
        assert 'href="/certificate"' in get(link, table, "/").body.decode()


def test_with_a_given_certificate_plain_http_goes_on_by_itself(tmp_path: Path, certificate: Path) -> None:
    with ServedTable.opened(tmp_path, attached={EXTENSION: attach_https(Https(certificate))}) as table:
        with connected(table) as link:
            text = get(link, table, "/tv?x=1").body.decode()
            assert f'http-equiv="refresh" content="0;url=https://127.0.0.1:{table.port}/tv?x=1"' in text
        with phone(table, certificate) as link:
            assert get(link, table, "/certificate").status == 404
            assert get(link, table, "/api/tickets").json["warns"] is False


def test_a_replay_leads_there_too(tmp_path: Path, certificate: Path) -> None:
    for own, words in ((True, sentence("What the warning means")), (False, 'http-equiv="refresh"')):
        transport = transport_by(Https(certificate, own=own))
        with closing(SimulatedTable(tmp_path / str(own))) as shown:
            app = create_replay_app(
                shown.runtime,  # type: ignore[arg-type]
                secret=KEY, addresses=["https://localhost"], transport=transport,
            )  # fmt: skip
            client = app.test_client()
            assert words in client.get("/replay").text
            assert client.get("/api/state").get_json()["error"]["code"] == "plain_http"
            assert client.get("/", base_url="http://table.evil.example").status_code == 400, "who is refused is not led"
            assert client.get("/certificate", base_url="https://localhost").status_code == (200 if own else 404)
            assert client.get("/replay", base_url="https://localhost").status_code == 200


def test_a_page_over_http_is_none_of_ours(table: ServedTable, certificate: Path) -> None:
    """Anybody in the network can answer for an address of plain HTTP."""
    place = f"127.0.0.1:{table.port}"
    body = {"token": table.host.token()}
    with phone(table, certificate) as link:
        assert post(link, table, "/api/host/enter", body, Origin=f"http://{place}").status == 403
        assert post(link, table, "/api/host/enter", body, Origin=f"https://{place}").status == 200


def test_attack_a_cookie_of_plain_http(table: ServedTable, certificate: Path) -> None:
    """What was given, or planted, over HTTP holds nothing over HTTPS."""
    with phone(table, certificate) as link:
        answer = post(link, table, "/api/host/enter", {"token": table.host.token()})
        name, _, content = answer.headers["Set-Cookie"].partition(";")[0].partition("=")
        assert get(link, table, Cookie=f"{name}={content}").json["host"]
        assert not get(link, table, Cookie=f"lodestone-host={content}").json["host"]


# -- the certificate ---------------------------------------------------------------------------------------------------


def test_a_renewed_certificate_is_used_at_once(tmp_path: Path) -> None:
    path = tmp_path / "given.pem"
    path.write_bytes(make_certificate())
    https = Https(path)
    with ServedTable.opened(tmp_path, attached={EXTENSION: attach_https(https)}) as table:
        phone(table, path).close()
        old = tmp_path / "old.pem"
        old.write_bytes(path.read_bytes())
        path.write_text("half of it")
        phone(table, old).close()
        fresh = tmp_path / "fresh.pem"
        fresh.write_bytes(make_certificate())
        fresh.replace(path)
        phone(table, path).close()
        with pytest.raises(ssl.SSLCertVerificationError):
            phone(table, old)
