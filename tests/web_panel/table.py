"""People at a real table: phones that speak to the panel, directly or through a real server."""

from __future__ import annotations

import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import URLSafeSerializer

from firmware_host.analysis.questions import Analyser
from firmware_host.archive.journal import Journal
from firmware_host.games.registry import game
from firmware_host.games.seals import commitment
from firmware_host.plug import PLAIN_HTTP, Attached, Extension
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table.subjects.seats import GameStarted
from lodestone.boards import opened
from lodestone.chance import Drawn
from lodestone.tables import KEY, SimulatedTable, described_board
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from tests.attached import attached as with_extensions
from tests.attached import usual, with_virtual
from tests.e2e.chromium import LAN_NAME
from tests.waiting import eventually
from tests.web_panel.described import described
from tests.web_panel.fake_host import TOKEN, FakeHost
from web_panel.access import SEAT_COOKIE
from web_panel.app import create_app
from web_panel.limits import Buckets
from web_panel.serve import Serving, serve
from web_panel.streams import HAND_OVER, Line

ADDRESS = "http://board.lan:8080"
OWN = {"X-Lodestone": "1"}


def unhurried() -> Buckets:
    """Return the limits of a clock on which a minute passes between any two requests: tests are quicker than people."""
    moments = iter(range(0, 10**9, 60))
    return Buckets(lambda: float(next(moments)))


def panel(table: SimulatedTable, fake: FakeHost | None = None, buckets: Buckets | None = None) -> Flask:
    links = {"Virtual board": "/board"}
    fake = fake or FakeHost()
    return described(
        create_app(
            table.runtime,
            secret=KEY,
            addresses=[ADDRESS],
            links=links,
            host=fake,
            buckets=buckets,
            attached=usual(table),
        )
    )


class Phone:
    """A browser's worth of cookies, speaking to the app directly."""

    def __init__(self, app: Flask) -> None:
        self.client: FlaskClient = app.test_client()

    def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        answer = self.client.post(f"/api/{path}", json={} if body is None else body, headers={**OWN, **headers})
        return answer.status_code, answer.get_json()

    def view(self) -> Any:
        return self.client.get("/api/state").get_json()

    def cookie(self, name: str = SEAT_COOKIE) -> str | None:
        found = self.client.get_cookie(name)
        return found.value if found else None

    def ticket(self, seat: int) -> str:
        """Return the ticket that the room is shown for a seat; where there is none, one that is no good."""
        return str(self.client.get("/api/tickets").get_json()["tickets"].get(str(seat), "none"))

    def join(self, seat: int, name: str, **headers: str) -> tuple[int, Any]:
        """Sit down as whoever has scanned the seat's code."""
        return self.post("join", {"seat": seat, "name": name, "ticket": self.ticket(seat)}, **headers)


def host_phone(app: Flask) -> Phone:
    """Return the host's phone at a panel with a :class:`FakeHost`."""
    phone = Phone(app)
    assert phone.post("host/enter", {"token": TOKEN}) == (200, {"ok": True})
    return phone


def sit(table: SimulatedTable, app: Flask, *names: str) -> list[Phone]:
    """Let people sit down, and the host start; everybody is before their first seal."""
    phones = [Phone(app) for _ in names]
    for seat, (phone, name) in enumerate(zip(phones, names, strict=True), 1):
        assert phone.join(seat, name) == (200, {"ok": True})
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    table.wait(0.5)
    assert table.view["phase"] in {"sealing", "resolving"}
    return phones


def nonce_of(seat: int) -> str:
    return hashlib.sha256(str(seat).encode()).hexdigest()[:32]


def digest(view: Mapping[str, Any], seat: int, placement: str) -> str:
    seal = view["seal"]
    return commitment(seal["game"], seal["turn"], seat, seal["history"], placement, nonce_of(seat))


def seal_one(phone: Phone, placement: str) -> None:
    """Seal a phone's placement; it stays closed."""
    view = phone.view()
    body = {"turn": view["turn"], "commitment": digest(view, view["you"]["seat"], placement)}
    assert phone.post("seal", body)[0] == 200


def seal_all(phones: list[Phone], *placements: str) -> None:
    view = phones[0].view()
    for phone, placement in zip(phones, placements, strict=True):
        seal_one(phone, placement)
    open_all(phones, view, *placements)


def open_all(phones: list[Phone], view: Mapping[str, Any], *placements: str) -> None:
    """Open what all have sealed."""
    wake(*phones)
    for seat, (phone, placement) in enumerate(zip(phones, placements, strict=True), 1):
        body = {"turn": view["turn"], "action": placement, "nonce": nonce_of(seat)}
        assert phone.post("open", body)[0] == 200


def wake(*phones: Phone) -> None:
    """Let phones say that they are awake."""
    for phone in phones:
        assert phone.post("ready", {"turn": phone.view()["turn"]})[0] == 200


def signed(value: object, salt: str = "lodestone-seat-v1", secret: bytes = KEY) -> str:
    return str(URLSafeSerializer(secret, salt=salt).dumps(value))


class Screen:
    """An open stream at an app without a server: what was sent to it."""

    def __init__(self, client: FlaskClient, path: str = "/api/events", address: str = "127.0.0.1") -> None:
        taken: list[Callable[[Line], None]] = []
        here = {HAND_OVER: taken.append, "REMOTE_ADDR": address}
        answer = client.get(path, environ_overrides=here)
        assert answer.status_code == 200
        assert answer.mimetype == "text/event-stream"
        self.sent = [answer.data]
        self.left = False
        answer.close()
        self.over = not taken
        if taken:
            taken[0](self)

    @property
    def newest(self) -> int:
        """The number of the last view that was sent."""
        return int(re.findall(rb"id: \w+-(\d+)-", b"".join(self.sent))[-1])

    def is_gone(self) -> bool:
        return self.left

    def is_behind(self) -> bool:
        return False

    def put(self, data: bytes) -> None:
        self.sent.append(data)

    def end(self) -> None:
        self.over = True


class ServedTable:
    """A table whose time passes by itself, its panel behind a real server. Use :meth:`opened`."""

    def __init__(
        self, folder: Path, mode: str, board: str, rules: Mapping[str, bool] | None, analyser: Analyser | None
    ) -> None:
        description = described_board(board, "presence")
        parts = SimulatedBoard(description, time.monotonic)
        self.parts = parts
        self.hand = Hand(parts.world)
        self.journal = Journal(folder / "journal.sqlite")
        self.board = opened(parts, parts.description)
        setting = Setting(game(description.game, rules), self.board, KEY, "test", computer_pause=0.0, draw=Drawn())
        self.runtime = Runtime(setting, self.journal, analyser=analyser)
        self.runtime.new_lobby(mode)
        self.host = FakeHost()
        self.port, self.scheme = 0, "http"
        self.serving: Serving

    @classmethod
    @contextmanager
    def opened(
        cls,
        folder: Path,
        mode: str = "2",
        board: str = "spokes-45",
        rules: Mapping[str, bool] | None = None,
        attached: Mapping[Extension, Attached] | None = None,
        analyser: Analyser | None = None,
        *,
        virtual: bool = False,
    ) -> Iterator[ServedTable]:
        """``virtual``: with the virtual board, which real boards lack."""
        table = cls(folder, mode, board, rules, analyser)
        joined = {**with_extensions(folder, "book"), **usual(table), **(attached or {})}
        if virtual:
            joined |= with_virtual(lambda: table.parts)
        transport = next(filter(None, (one.transport for one in joined.values())), PLAIN_HTTP)
        table.scheme = transport.scheme
        listener = socket.create_server(("127.0.0.1", 0))
        table.port = listener.getsockname()[1]
        table.runtime.start()
        app = create_app(
            table.runtime,
            secret=KEY,
            addresses=[table.base],
            host=table.host,
            attached=joined,
            transport=transport,
        )
        handle = serve(described(app), listener, transport.wrap)
        try:
            table.serving = handle
            yield table
        finally:
            table.runtime.stop()
            handle.close()
            listener.close()
            table.board.close()
            table.journal.close()

    @property
    def base(self) -> str:
        """The address that phones use."""
        return f"{self.scheme}://{LAN_NAME}:{self.port}"

    @property
    def local(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def view(self) -> Any:
        return self.runtime.view(None)[1]

    def until(self, phase: str) -> Any:
        eventually(lambda: self.view["phase"] == phase, lambda: f"{phase}: {self.view['message']}")
        return self.view

    def set_up(self) -> None:
        """Put the stones of a starting position down as the lights say, each once: a slow table may ask twice."""
        lying: set[str] = set()
        while (view := self.view)["phase"] == "setup":
            for task in view["tasks"][:1]:
                if task["node"] not in lying:
                    self.hand.put(task["node"], task["piece"])
                    lying.add(task["node"])
            time.sleep(0.02)  # It looks at the lights as often as a person.

    def put(self, *placements: str) -> None:
        for placement in placements:
            self.hand.put(placement[1:], placement[0])
