"""The program is killed and started again: screens that do as the standard says are up to date within a second."""

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

from tests.e2e.program import Program, eventually
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
        self.done = False
        self._retry_s = 3.0
        self.thread = threading.Thread(target=self._live, name="screen", daemon=True)
        self.thread.start()

    def _live(self) -> None:
        while not self.done:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self._listen()
            time.sleep(self._retry_s)

    def _listen(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
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
            self._retry_s = int(value) / 1000
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
        Screen.all.pop().thread.join(timeout=8)


@pytest.mark.parametrize("how", cases([signal.SIGKILL, signal.SIGTERM], signal.SIGKILL))
def test_screens_are_up_to_date_within_a_second_of_a_restart(program: Program, how: int) -> None:
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
    late = max(screen.views[count][0] - back for screen, count in zip(screens, seen, strict=True))
    for screen, count in zip(screens, seen, strict=True):
        assert screen.views[count][1]["game"]["id"] == game
    assert late < 1.0, f"the last screen was up to date after {late:.2f} s"
