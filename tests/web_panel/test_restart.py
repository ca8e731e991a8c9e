"""The program is killed and started again: screens that do as the standard says are up to date at their first try."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.e2e.program import PATIENCE_S, Program, eventually
from tests.sampling import cases

SCREENS = 12


class Screen:
    """What an EventSource does: reads, and comes back after ``retry`` with the last id, for as long as it takes."""

    all: ClassVar[list[Screen]] = []

    def __init__(self, port: int) -> None:
        Screen.all.append(self)
        self.port = port
        self.views: list[tuple[float, Any]] = []
        self.ids: list[str] = []
        self.tries: list[float] = []
        self.retry_s = 3.0
        self.done = False
        self.thread = threading.Thread(target=self._live, name="screen", daemon=True)
        self.thread.start()

    def _live(self) -> None:
        while not self.done:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.tries.append(time.monotonic())
                self._listen()
            time.sleep(self.retry_s)  # A browser waits so long before it tries again.

    def _listen(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            last = {"Last-Event-ID": self.ids[-1]} if self.ids else {}
            connection.request("GET", "/api/events", headers=last)
            answer = connection.getresponse()
            try:
                while line := answer.readline():
                    self._hear(*line.decode().rstrip("\n").partition(": ")[::2])
            finally:
                answer.close()
        finally:
            connection.close()

    def _hear(self, field: str, value: str) -> None:
        if field == "retry":
            self.retry_s = int(value) / 1000
        elif field == "id":
            self.ids.append(value)
        elif field == "data" and value != "{}":
            self.views.append((time.monotonic(), json.loads(value)))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path, "--board", "sim")
    running.start("--new")
    yield running
    for screen in Screen.all:
        screen.done = True
    running.stop()
    while Screen.all:
        Screen.all.pop().thread.join(timeout=PATIENCE_S)


@pytest.mark.parametrize("how", cases([signal.SIGKILL, signal.SIGTERM], signal.SIGKILL))
def test_screens_are_up_to_date_at_their_first_try_after_a_restart(program: Program, how: int) -> None:
    """Also after a kill, when nobody was told that it ends; and the state is the new program's, whatever its number."""
    screens = [Screen(program.port) for _ in range(SCREENS)]
    eventually(lambda: all(screen.views for screen in screens), "first views")
    for seat in (1, 2):
        assert program.as_host("computer", seat=seat)[0] == 200
    program.start_game()
    game = program.until_phase("placing")["game"]["id"]
    eventually(lambda: all(screen.views[-1][1]["phase"] == "placing" for screen in screens), "the last view")
    seen = [len(screen.views) for screen in screens]
    program.stop(how)
    program.start("--resume")
    back = time.monotonic()
    eventually(lambda: all(len(s.views) > n for s, n in zip(screens, seen, strict=True)), "views after the restart")
    for screen, count in zip(screens, seen, strict=True):
        shown_at, view = screen.views[count]
        assert view["game"]["id"] == game
        assert screen.retry_s < 1.0, "it tries again before a second is over"
        assert sum(back <= at <= shown_at for at in screen.tries) <= 1, "and it is told at once"
