"""A table with a host's hand on it, on simulated boards that come and go, stepped by hand on a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firmware_host.archive.journal import Journal
from firmware_host.session.game_selection import LaunchRequest, choose
from firmware_host.session.host import COMPUTERS, Host, LentHands
from firmware_host.session.light_renderer import read_light_setting
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table import events as ev
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.text.words import Refused
from hw.ports import BoardDescription, OpenBoard
from lodestone.boards import Clock, opened
from lodestone.chance import Drawn
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from simulator.helper import Helper

KEY = b"k" * 32


class HostedTable:
    """A runtime, its journal and its host; ``boards`` are all that were ever there, the newest last."""

    def __init__(self, folder: Path, request: LaunchRequest | None = None, *, clock: Any = None) -> None:
        self.clock = clock or Clock()
        if clock is None:
            self.clock.now = 100.0
        self.boards: list[OpenBoard] = []
        self.parts: list[SimulatedBoard] = []
        self.broken: set[str] = set()
        """Boards that can't be opened."""
        request = request or LaunchRequest()
        choice = choose(request)
        self.journal = Journal(folder / "journal.sqlite")
        setting = Setting(choice.game, self.open(choice.description), KEY, "test", computer_pause=0.0, draw=Drawn())
        self.runtime = Runtime(
            setting,
            self.journal,
            light_setting=read_light_setting(folder),
            clock=self.clock,
        )
        self.hands = LentHands(self.runtime, COMPUTERS)
        self.host = Host(
            self.runtime, folder, self.journal.path, request, choice, open_board=self.open, hands=self.hands
        )
        self.runtime.new_lobby(choice.game.modes[0])

    def open(self, description: BoardDescription) -> OpenBoard:
        if description.name in self.broken:
            raise Refused(f"{description.name}: its cable is out")
        parts = SimulatedBoard(description, self.clock, seed=1, is_stepped=True)
        board = opened(parts, parts.description, self.clock)
        self.boards.append(board)
        self.parts.append(parts)
        return board

    @property
    def hand(self) -> Hand:
        """A hand at the board that is open now."""
        return Hand(self.parts[-1].world, sleep=self.wait)

    @property
    def view(self) -> dict[str, Any]:
        return dict(self.runtime.view(None)[1])

    def say(self, event: type[ev.Event], **fields: Any) -> None:
        self.runtime.submit(event(at=self.runtime.now(), **fields))

    def sit(self, names: Iterable[str] = ("Ann", "Bob"), *, computer: bool = False) -> None:
        for seat, name in enumerate(names, 1):
            self.say(SeatTaken, seat=seat, name=name, claim=f"c{seat}", computer=computer)

    def start(self) -> None:
        self.say(GameStarted, seed=1)
        self.wait(0.3)

    def wait(self, seconds: float) -> None:
        """Let the loop run for a while."""
        rate = self.runtime.setting.board.description.scan_hz
        for _ in range(max(1, round(seconds * rate))):
            self.clock.now += 1 / rate
            self.runtime.step()

    def work(self, *phases: str) -> None:
        """Let a hand do what the lights ask, until there is nothing to do and the phase is one of these."""
        helper = Helper(self.hand, 0.0, clock=self.clock)
        for _ in range(80):
            self.wait(0.2)
            view = self.view
            helper.attend(view["tasks"])
            lies = view["wanted"] in {None, *view["stage"]}
            if not view["tasks"] and lies and view["phase"] in phases:
                return
            helper.work()
        raise AssertionError(f"the table waits: {self.view['message']}")

    def close(self) -> None:
        self.runtime.stop()
        self.host.close()
        self.journal.close()
