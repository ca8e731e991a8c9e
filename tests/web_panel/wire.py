"""Requests byte by byte, as no browser would send them, against a table that is really served."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.e2e.program import PATIENCE_S
from tests.web_panel.table import ServedTable, digest, nonce_of
from web_panel.guard import SAFE


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


def connect(table: ServedTable) -> socket.socket:
    return socket.create_connection(("127.0.0.1", table.port), timeout=PATIENCE_S)


def read(link: socket.socket, method: str = "GET") -> Answer:
    """Return the next answer on a connection. Raise OSError or HTTPException if it is closed without one."""
    with contextlib.closing(http.client.HTTPResponse(link, method=method)) as answer:
        answer.begin()
        body = answer.read()
    headers = dict(answer.getheaders())
    if "Set-Cookie" in headers:  # The only one that may come more than once.
        headers["Set-Cookie"] = "\n".join(answer.headers.get_all("Set-Cookie", []))
    for name, value in SAFE.items():
        assert headers.get(name) == value, f"{answer.status}: {name} is missing"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Server" not in headers
    return Answer(answer.status, headers, body)


def send(table: ServedTable, request: bytes) -> Answer:
    """Send these very bytes on a connection of their own and return the answer."""
    with connect(table) as link:
        link.sendall(request)
        return read(link, request.partition(b" ")[0].decode("latin-1"))


def get(table: ServedTable, path: str, method: str = "GET", **headers: str) -> Answer:
    """Ask for a path exactly as it is written; ``X_Some_Header="x"`` adds a header."""
    lines = {"Host": f"127.0.0.1:{table.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return send(table, f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1"))


def post(table: ServedTable, path: str, body: bytes | Any = b"{}", **headers: str) -> Answer:
    """Post to a path; a header given as "" is left out."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = {
        "Host": f"127.0.0.1:{table.port}",
        "X-Lodestone": "1",
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return send(table, f"POST {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + data)


def head(table: ServedTable, path: str = "/api/host/mode", *more: str) -> bytes:
    """Return the head of a post by the host's own phone, with more lines; what follows it is up to the attack."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{table.port}", "X-Lodestone: 1",
             "Content-Type: application/json", f"Cookie: {host_cookie(table)}", *more]  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def ticket(table: ServedTable, seat: int) -> str:
    """Return the ticket that the room is shown for a seat; where there is none, one that is no good."""
    return str(get(table, "/api/tickets").json["tickets"].get(str(seat), "none"))


def host_cookie(table: ServedTable) -> str:
    """Return the cookie of a phone that has just shown the host's token."""
    answer = post(table, "/api/host/enter", {"token": table.host.token()})
    assert answer.status == 200, answer.body
    return answer.headers["Set-Cookie"].partition(";")[0]


def as_host(table: ServedTable, path: str, body: Any = None) -> Answer:
    """Post to ``/api/host/…`` as the host."""
    return post(table, f"/api/host/{path}", {} if body is None else body, Cookie=host_cookie(table))


class Person:
    """Somebody with a phone at a served table."""

    def __init__(self, table: ServedTable, seat: int, name: str) -> None:
        self.table, self.seat = table, seat
        self.cookie = ""
        answer = self.post("join", {"seat": seat, "name": name, "ticket": ticket(table, seat)})
        assert answer.status == 200, answer.body
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return post(self.table, f"/api/{path}", {} if body is None else body, Cookie=self.cookie, **headers)

    def view(self) -> Any:
        return get(self.table, "/api/state", Cookie=self.cookie).json

    def seal(self, placement: str, turn: int = 1) -> Answer:
        return self.post("seal", {"turn": turn, "commitment": digest(self.table.view, self.seat, placement)})

    def open(self, placement: str, turn: int = 1, nonce: str = "") -> Answer:
        return self.post("open", {"turn": turn, "action": placement, "nonce": nonce or nonce_of(self.seat)})


def wake(*people: Person) -> None:
    """Let phones say that they are awake."""
    for one in people:
        assert one.post("ready", {"turn": one.table.view["turn"]}).status == 200


def two_at(table: ServedTable) -> tuple[Person, Person]:
    """Let two people sit down, and the host start; they are before their first seal."""
    ann, bob = Person(table, 1, "Ann"), Person(table, 2, "Bob")
    assert as_host(table, "start").status == 200
    table.until("sealing")
    return ann, bob


@contextlib.contextmanager
def unchanged(table: ServedTable) -> Iterator[None]:
    """Hold that what happens here changes nothing that anybody sees."""
    before = {name: value for name, value in table.view.items() if name != "seq"}
    yield
    time.sleep(0.05)  # Nothing shows that nothing will change.
    assert {name: value for name, value in table.view.items() if name != "seq"} == before
