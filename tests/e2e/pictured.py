"""Tables that stand still at a moment of an evening, with all that people have, behind a real panel.

Players of a level play from one seed, so the same moments look the same wherever they are taken; nothing happens while
somebody looks.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, BrowserContext

from firmware_host.extensions.lab.arena.match import Course
from firmware_host.extensions.lab.arena.players import LevelPlayer
from firmware_host.games.game import Game
from firmware_host.session.game_selection import LaunchRequest
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, may_open, open_seats
from simulator.helper import Helper
from tests.attached import attached, sensors_page, usual, with_virtual
from tests.e2e.chromium import LAN_NAME
from tests.hosts import KEY, HostedTable
from tests.web_panel.table import Phone, digest, nonce_of, unhurried
from web_panel.access import HOST_COOKIE, LESSON_COOKIE, SEAT_COOKIE
from web_panel.app import create_app
from web_panel.serve import serve

NAMES = ("Mia", "Jonas", "Aylin", "Otto")
LEVEL = "2"
"""Strong enough for games that look like games, and quick."""
MAX_S = 3000.0
"""The longest evening, on the table's clock."""

View = Mapping[str, Any]


class Evening:
    """A table at which people play until a moment. Use :meth:`at`."""

    def __init__(self, folder: Path, board: str, mode: str, seed: int) -> None:
        """Begin with a lobby of free seats."""
        self.table = HostedTable(folder, LaunchRequest(board=board, simulate=True, kind="level"))
        self.table.runtime.new_lobby(mode)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://{LAN_NAME}:{self.listener.getsockname()[1]}"
        links = {"Sensors": "/hardware", "Virtual board": "/board"}
        self.app = create_app(
            self.table.runtime, secret=KEY, addresses=[self.base], links=links, host=self.table.host,
            attached={**attached(folder, "book", "puzzles"), **usual(self.table),
                      **with_virtual(lambda: self.table.parts[-1])}, buckets=unhurried(),
            extra=sensors_page(self._board.sensors, self._board.description, self._scan),
        )  # fmt: skip
        self.phones = [Phone(self.app) for _ in range(int(mode[0]) * (2 if "v" in mode else 1))]
        self.host = Phone(self.app)
        self._players = Random(seed)
        self._chosen: dict[tuple[int, int], str] = {}
        """What was chosen, by turn and seat."""

    @property
    def _board(self) -> Any:
        return self.table.runtime.setting.board

    def _scan(self) -> View:
        return dict(self._board.sensors.snapshot())

    @property
    def view(self) -> dict[str, Any]:
        return self.table.view

    def sit(self, seats: Sequence[int] | None = None) -> None:
        """Let people sit down: everybody, or those of some seats. The first is the host, too."""
        for seat in seats or range(1, len(self.phones) + 1):
            assert self.phones[seat - 1].join(seat, NAMES[seat - 1])[0] == 200
        self.be_host(self.phones[0])

    def be_host(self, phone: Phone) -> None:
        """Make a phone the host's."""
        assert phone.post("host/enter", {"token": self.table.host.token()})[0] == 200
        self.host = phone

    def seat_computer(self, seat: int) -> None:
        """Let a computer take a seat."""
        assert self.host.post("host/computer", {"seat": seat, "level": 2})[0] == 200

    def play(self, until: Callable[[View], bool]) -> None:
        """Play, with hands that do what the lights ask, until the table stands at a moment."""
        helper = Helper(self.table.hand, 0.0, clock=self.table.clock)
        end = self.table.clock.now + MAX_S
        while not until(view := self.view):
            assert self.table.clock.now < end, view["message"]
            self.table.wait(0.1)
            helper.attend(view["tasks"])
            helper.work()
            self._act(view)

    def _act(self, view: View) -> None:
        runtime = self.table.runtime
        table = runtime._table
        assert table is not None
        game, position = runtime.setting.game, table.ledger.now.position
        if view["phase"] in {"sealing", "revealing"} and table.ledger.round is not None:
            for seat in table.ledger.round.seats:
                key = view["turn"], seat
                if key not in self._chosen:
                    self._chosen[key] = self._action(game, position, seat)
                self.seal(view, seat, self._chosen[key])
        elif view["phase"] == "resolving" and not view["stage"] and view["wanted"] is None and table.in_order:
            seat = view["resolver"]
            self.table.say(ActionChosen, seat=seat, action=self._action(game, position, seat))
        elif view["phase"] == "resolving" and view["question"]:
            wanted = view["wanted"] or ""
            action = next(one["action"] for one in view["question"]["choices"] if wanted.startswith(one["action"]))
            self.table.say(Confirmed, seat=view["resolver"], action=action)

    def _action(self, game: Game[Any], position: Any, seat: int) -> str:
        return LevelPlayer(game, LEVEL, position.mode).choose(Course(game, position), seat, self._players).action

    def seal(self, view: View, seat: int, action: str) -> None:
        """Seal an action, or open its seal once it may be opened."""
        table = self.table.runtime._table
        assert table is not None
        assert table.ledger.round is not None
        turn = view["turn"]
        if seat not in table.ledger.round.commitments:
            self.table.say(SealCommitted, seat=seat, turn=turn, commitment=digest(view, seat, action))
        elif not may_open(table):
            self.table.say(SealReady, seat=seat, turn=turn)
        elif seat not in open_seats(table):
            self.table.say(SealOpened, seat=seat, turn=turn, action=action, nonce=nonce_of(seat))

    def phone(self, browser: Browser, phone: Phone | None, **options: Any) -> BrowserContext:
        """Return a browser with a phone's cookies; None: nobody's."""
        context = browser.new_context(**options)
        names = (SEAT_COOKIE, LESSON_COOKIE, HOST_COOKIE)
        found = {name: phone.cookie(name) for name in names} if phone is not None else {}
        context.add_cookies(
            [{"name": name, "value": value, "url": self.base} for name, value in found.items() if value]
        )
        return context

    @classmethod
    @contextmanager
    def at(cls, folder: Path, board: str = "spokes-45", mode: str = "2", seed: int = 1) -> Iterator[Evening]:
        """Serve a table in its lobby; yield it."""
        evening = cls(folder, board, mode, seed)
        serving = serve(evening.app, evening.listener)
        try:
            yield evening
        finally:
            serving.close()
            evening.table.close()
