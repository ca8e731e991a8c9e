"""The running program: ``lodestone play`` on a simulated board, as a process of its own, with its panel and phones."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
START_S = 60.0
"""So long the program may take until it answers: a busy machine, a first import."""
ANSWER_S = 30.0


class Phone:
    """One phone: a seat, or a watcher, that asks the panel (docs/openapi.json)."""

    def __init__(self, url: str, cookie: str = "") -> None:
        """``cookie`` is what holds a seat."""
        self.url, self.cookie = url, cookie

    def get(self, path: str) -> Any:
        """Return an answer as JSON. Raise OSError for anything but a success."""
        return self._ask(urllib.request.Request(self.url + path, headers={"Cookie": self.cookie}))

    def post(self, path: str, body: Any) -> Any:
        """Send a request; return the answer. Raise OSError, whose text has the refusal, for anything but a success."""
        headers = {"Content-Type": "application/json", "X-Lodestone": "1", "Cookie": self.cookie}
        return self._ask(urllib.request.Request(self.url + path, json.dumps(body).encode(), headers))

    def _ask(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                given = str(answer.headers.get("Set-Cookie") or "").partition(";")[0]
                self.cookie = given or self.cookie
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise OSError(f"{error.code}: {error.read().decode(errors='replace')}") from error

    @property
    def view(self) -> Any:
        """What this phone sees now (docs/view.md)."""
        return self.get("/api/state")

    def until(self, holds: Callable[[Any], T], within: float = ANSWER_S) -> T:
        """Return the first true answer of ``holds`` for the view. Raise AssertionError after so many seconds."""
        end = time.monotonic() + within
        while not (found := holds(view := self.view)):
            assert time.monotonic() < end, f"waited {within:g} s in vain: {view['phase']}: {view['message']}"  # noqa: S101
            time.sleep(0.05)
        return found


class Server(Phone):
    """A program that runs; it is the phone of somebody who watches, too."""

    def __init__(self, folder: Path, *options: str) -> None:
        """Start it with a new data folder and any options of ``lodestone play``; return when it answers.

        Raise RuntimeError, with what it has printed, if it ends instead.
        """
        self.folder = folder
        self._output = (folder / "output").open("w+", encoding="utf-8")
        place = ["--port", "0", "--data", str(folder / "data")]
        command = [sys.executable, "-m", "firmware_host", "play", *place, *options]
        self._process = subprocess.Popen(command, stdout=self._output, stderr=subprocess.STDOUT)  # noqa: S603
        super().__init__(self._address())

    def _address(self) -> str:
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            printed = self.printed()
            if self._process.poll() is not None:
                raise RuntimeError(f"lodestone play has ended with {self._process.returncode}: {printed}")
            for word in printed.split():
                if word.startswith("http://127.0.0.1:"):
                    return word.partition("#")[0].rstrip("/").removesuffix("/host")
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"lodestone play names no address after {START_S:g} s: {self.printed()}")

    def printed(self) -> str:
        """Return all that the program has printed."""
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    def host(self) -> Phone:
        """Return the host's phone."""
        phone = Phone(self.url)
        token = (self.folder / "data" / "host").read_text(encoding="ascii").strip()
        phone.post("/api/host/enter", {"token": token})
        return phone

    def sit(self, seat: int, name: str) -> Phone:
        """Take a free seat of the lobby; return that phone."""
        phone = Phone(self.url)
        ticket = self.get("/api/tickets")["tickets"][str(seat)]
        phone.post("/api/join", {"seat": seat, "name": name, "ticket": ticket})
        return phone

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def kill(self) -> None:
        """End the program at once, as a power cut does."""
        self._process.kill()
        self._process.wait()
        self._output.close()

    def close(self) -> None:
        """End the program."""
        self._process.terminate()
        try:
            self._process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
