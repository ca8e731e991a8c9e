"""A table in the emulated Pi: ``lodestone play`` with a real board file, its strip's frames kept, and two phones."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firmware_host.archive.files import write_whole
from tests.hw.pretend_pi import _Ws281x, came

FRAME = Path("/tmp/frame")
DATA = Path("/tmp/games")
PORT = 8000


class _KeptFrames(_Ws281x):
    """The C part of rpi_ws281x, which QEMU can't carry out: each frame's bytes go into a file."""

    def ws2811_render(self, strip: object) -> int:
        result = super().ws2811_render(strip)
        write_whole(FRAME, came.pop()["bytes"])
        return result


def play(arguments: Sequence[str]) -> int:
    """Run the program until it ends."""
    sys.modules["_rpi_ws281x"] = _KeptFrames()
    from firmware_host.commands.cli import main  # noqa: PLC0415 - Blinka looks for the library at once

    return main(["play", "--port", str(PORT), "--data", str(DATA), *arguments])


class Phones:
    """What phones do, without browsers."""

    def __init__(self) -> None:
        """Begin without a seat."""
        self.cookies: dict[str, str] = {}
        """Name → cookie."""

    def answered(self) -> bool:
        """Return whether the program takes requests already."""
        try:
            return bool(self.get("/api/state"))
        except OSError:
            return False

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=120) as answer:
            return json.loads(answer.read())

    def post(self, who: str, path: str, **body: Any) -> Any:
        """Send a request as somebody, who keeps the cookie that the answer brings."""
        headers = {"Content-Type": "application/json", "X-Lodestone": "1", "Cookie": self.cookies.get(who, "")}
        request = urllib.request.Request(f"http://127.0.0.1:{PORT}/api/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            cookie = str(answer.headers.get("Set-Cookie", "")).partition(";")[0]
            self.cookies[who] = cookie or self.cookies.get(who, "")
            return json.loads(answer.read())

    def sit_down(self, *names: str) -> None:
        """Take the seats in order, and start the game as its host."""
        for seat, name in enumerate(names, 1):
            ticket = self.get("/api/tickets")["tickets"][str(seat)]
            self.post(name, "join", seat=seat, name=name, ticket=ticket)
        self.post("host", "host/enter", token=(DATA / "host").read_text(encoding="ascii").strip())
        self.post("host", "host/start")

    def pixel(self, index: int) -> bytes:
        """Return the bytes of a pixel in the last frame."""
        return bytes.fromhex(FRAME.read_text())[3 * index : 3 * index + 3]
