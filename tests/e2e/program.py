"""The whole program as a user starts it, and a virtual hand that speaks to its JSON interface."""

from __future__ import annotations

import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_host.link.https import ask_table
from tests.forked import Forked
from tests.ports import free_port
from tests.waiting import PATIENCE_S, eventually

BRIGHT = 60
"""Of 255: what a pixel shows of a colour at least where its light is meant to be told by it."""


class Program:
    """``lodestone play`` as a process of its own, with its folder of games."""

    def __init__(self, data: Path, *options: str) -> None:
        self.port = free_port()
        self.data = data
        self.options = options
        self.process: Forked | None = None
        self.base = f"http://127.0.0.1:{self.port}"
        self.host_cookie = ""

    def start(self, *more: str) -> Program:
        command = ["play", "--port", str(self.port), "--data", str(self.data)]
        if "--demo" not in {*self.options, *more}:  # There hands move all stones.
            command += ["--hands", "none"]
        if "--https" in {*self.options, *more}:
            self.base = self.base.replace("http:", "https:")
        self.process = self.run(*command, *self.options, *more)
        eventually(self._answers, "the program's first answer")
        return self

    def run(self, *words: str) -> Forked:
        """Start ``lodestone`` with these words."""
        return Forked(*words)

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"the program ended: {self.process.printed()}")
        try:
            return bool(self.get("/api/state"))
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> str:
        assert self.process is not None
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return out

    # -- the virtual hand ------------------------------------------------------------------------------------------

    def get(self, path: str, **headers: str) -> Any:
        return json.loads(self.fetch(path, **headers))

    def fetch(self, path: str, **headers: str) -> bytes:
        """Return what is at a path. Raise OSError for anything but a success."""
        with ask_table(urllib.request.Request(self.base + path, headers=headers), PATIENCE_S) as answer:
            return bytes(answer.read())

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        status, answer, _ = self._post(path, body, **headers)
        return status, answer

    def _post(self, path: str, body: Any, **headers: str) -> tuple[int, Any, str]:
        """Return status, answer, and the cookie that came with it."""
        request = urllib.request.Request(
            self.base + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "X-Lodestone": "1", **headers},
        )
        try:
            with ask_table(request, PATIENCE_S) as answer:
                cookie = str(answer.headers.get("Set-Cookie", "")).partition(";")[0]
                return answer.status, json.loads(answer.read()), cookie
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read()), ""

    # -- the host and the seats ------------------------------------------------------------------------------------

    def host_token(self) -> str:
        """Return the word by which the host is known: what stands behind the # of the link that is printed."""
        return (self.data / "host").read_text(encoding="ascii").strip()

    def as_host(self, deed: str, **body: Any) -> tuple[int, Any]:
        """Do what only the host may do, ``take-up`` for instance."""
        return self.post(f"/api/host/{deed}", body, Cookie=self.be_host())

    def be_host(self) -> str:
        """Return the cookie of the host's phone, which has shown the token once."""
        if not self.host_cookie:
            status, answer, self.host_cookie = self._post("/api/host/enter", {"token": self.host_token()})
            assert status == 200, answer
        return self.host_cookie

    def start_game(self) -> None:
        """Let the host start the game."""
        status, answer = self.as_host("start")
        assert status == 200, answer

    def ticket(self, seat: int) -> str:
        """Return the ticket that the room is shown for a free seat."""
        return str(self.get("/api/tickets")["tickets"][str(seat)])

    def join_link(self, seat: int, base: str = "") -> str:
        """Return the link behind a free seat's code, at another address if wanted."""
        return f"{base or self.base}/join/{seat}#{self.ticket(seat)}"

    def join(self, seat: int, name: str) -> str:
        """Sit down without a browser; return the cookie that holds the seat."""
        body = {"seat": seat, "name": name, "ticket": self.ticket(seat)}
        status, answer, cookie = self._post("/api/join", body)
        assert status == 200, answer
        return cookie

    def hand(self, deed: str, **body: Any) -> None:
        status, answer = self.post(f"/sim/{deed}", body)
        assert status == 200, answer

    def state(self) -> Any:
        return self.get("/api/state")

    def pixels(self) -> dict[str, tuple[int, int, int]]:
        return {node: tuple(colour) for node, colour in self.get("/sim/state")["pixels"].items()}

    def lit(self, node: str) -> tuple[int, int, int]:
        """Wait until a node's pixel is bright, as one that breathes or blinks is again and again; return its colour."""
        seen: list[tuple[int, int, int]] = []
        eventually(lambda: seen.append(self.pixels()[node]) or max(seen[-1]) >= BRIGHT, f"{node} is lit")  # type: ignore[func-returns-value]
        return seen[-1]

    def until_phase(self, *phases: str) -> Any:
        return eventually(
            lambda: (v := self.state())["phase"] in phases and v, f"phase {phases}: {self.state()['message']}"
        )

    def follow_the_lights(self, phase: str, do: Callable[[dict[str, Any]], None] | None = None) -> None:
        """Do what the table asks for, one task at a time, until the phase is over; by another hand if wanted."""
        while (view := self.state())["phase"] == phase:
            if view["tasks"]:
                (do or self.do)(view["tasks"][0])
            self._next_task(view)

    def _next_task(self, before: dict[str, Any]) -> None:
        """Wait until the table asks for something else; what it asks for again after a while is done again."""
        again = time.monotonic() + 3

        def asks() -> bool:
            now = self.state()
            other = any(now[name] != before[name] for name in ("phase", "tasks"))
            return other or (now["seq"] != before["seq"] and time.monotonic() > again)

        eventually(asks, "the next task")

    def follow_the_lights_once(self) -> None:
        """Do the first thing that the table asks for."""
        self.do(self.state()["tasks"][0])

    def act(self, action: str) -> None:
        """Do one step of whoever acts, piece after piece as its moves tell, and see it counted."""
        view = self.until_phase("resolving")
        step = next((one for one in view["steps"] if one["action"] == action), None)
        assert step is not None, f"{action} is not offered: {view['message']}"
        plays = next(seat["plays"] for seat in view["seats"] if seat["seat"] == view["resolver"])
        piece = plays or "b"  # Coil before its first pass: black stones are nobody's.
        for source, target in step["moves"]:
            if source is None:
                self.hand("put", node=target, piece=piece)
            elif target is None:
                self.do({"do": "take", "node": source})
            else:
                self.hand("move", **{"from": source, "to": target})
        self.counted(view, action)

    def tap(self, node: str) -> None:
        """Lift what lies on a node and put it back."""
        self.hand("move", **{"from": node, "to": node, "pieces": self.get("/sim/state")["stones"][node]})

    def tapped(
        self, node: str, before: dict[str, Any], what: str, times: int = 1, tap: Callable[[str], None] | None = None
    ) -> None:
        """Tap until that counts: a tap between two looks of a program that is kept waiting is not felt."""
        for _ in range(5):
            for _ in range(times):
                (tap or self.tap)(node)
                time.sleep(0.7)  # A tap takes 0.3 s; the stone lies for a while before the next one, else they are one.
            with suppress(AssertionError):
                eventually(lambda: self.state()["log"] != before["log"], what, PATIENCE_S / 5)
                return
        raise AssertionError(f"{what} does not count: {self.state()['message']}")

    def counted(self, before: dict[str, Any], action: str) -> None:
        """Wait until the table has written down what was done since a view."""
        eventually(lambda: self.state()["log"] != before["log"], f"{action} counts: {self.state()['message']}")

    def do(self, task: dict[str, Any]) -> None:
        if task["do"] == "put":
            self.hand("put", node=task["node"], piece=task["piece"])
        elif task["do"] == "take":
            self.hand("lift", node=task["node"])
            self.hand("put", node="supply")
        else:
            self.hand("move", **{"from": task["from"], "to": task["to"], "pieces": task["pieces"]})
