"""Requests that come as messages, where there are no sockets: a browser tab in which the whole program runs.

:class:`Doors` does what a server does for an app (:mod:`web_panel.serve`): each device has its own address and cookies,
and an event stream is handed over once its first bytes are sent. Pages are shown in frames of the page that carries the
messages, and of no other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from flask import Flask
from werkzeug.test import Client

from web_panel.streams import HAND_OVER, Line

BASE = "http://localhost"
"""Where the app believes to be."""
ALONE, FRAMED = "frame-ancestors 'none'", "frame-ancestors 'self'"
LEFT_OUT = {"set-cookie", "content-length", "x-frame-options"}
"""Headers of answers that are not handed on: cookies stay here, and frames are the point."""


class Port(Protocol):
    """The other end of one request."""

    def head(self, status: int, headers: str) -> None:
        """Take the beginning of the answer; ``headers`` is a JSON object."""
        ...

    def put(self, data: bytes) -> None:
        """Take the next bytes."""
        ...

    def end(self) -> None:
        """Take that nothing follows."""
        ...

    def is_gone(self) -> bool:
        """Tell whether nobody takes anything any more."""
        ...


class PortLine:
    """A port as the line of an event stream (:class:`web_panel.streams.Line`): it takes everything at once."""

    def __init__(self, port: Port) -> None:
        """Write to this port."""
        self._port = port

    def is_gone(self) -> bool:
        """Tell whether nobody reads."""
        return bool(self._port.is_gone())

    def is_behind(self) -> bool:
        """Tell that nothing waits."""
        return False

    def put(self, data: bytes) -> None:
        """Send bytes."""
        self._port.put(data)

    def end(self) -> None:
        """Send that nothing follows."""
        self._port.end()


class Doors:
    """An app, and the devices that ask it."""

    def __init__(self, app: Flask) -> None:
        """No device is known yet."""
        self._app = app
        self._devices: dict[str, Client] = {}

    def request(self, device: str, method: str, path: str, headers: Mapping[str, str], body: bytes, port: Port) -> None:
        """Answer a request that a page of ours has sent from a device."""
        client = self._devices.setdefault(device, Client(self._app))
        address = f"10.0.0.{1 + list(self._devices).index(device)}"
        lines: list[TakesLine] = []
        with client.open(
            path,
            BASE,
            method=method,
            headers={**headers, "X-Lodestone": "1"},
            data=body,
            environ_overrides={"REMOTE_ADDR": address, HAND_OVER: lines.append},
        ) as answer:
            given = {name: text.replace(ALONE, FRAMED) for name, text in answer.headers if name.lower() not in LEFT_OUT}
            port.head(answer.status_code, json.dumps(given))
            for chunk in answer.iter_encoded():
                port.put(chunk)
        for take in lines:
            take(PortLine(port))
        if not lines:
            port.end()


class TakesLine(Protocol):
    """What an app hands over."""

    def __call__(self, line: Line) -> None:
        """Go on writing to a line."""
        ...
