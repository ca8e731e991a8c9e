"""The choice of a network as the page sees it: the hotspot's service, behind its socket."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from firmware_host.table.errors import TableError
from firmware_host.text.words import say, unpacked
from firmware_host.upkeep.wifi.hotspot import ANSWER_S, default_socket
from firmware_host.upkeep.wifi.nmcli import WifiError, checked

LONGEST_ANSWER = 1 << 20
GUESTS = "10.42.0."
"""The hotspot gives its guests these addresses."""


class Wifi:
    """The network of this machine. Nothing of a request is kept: it may hold a password."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or default_socket()

    def offered(self) -> bool:
        """Return whether the hotspot's service runs."""
        return self._path.exists()

    def is_guest(self, address: str | None) -> bool:
        """Return whether a phone with this address is in the hotspot, which is open now: it knows its password."""
        if address is None or not address.startswith(GUESTS) or not self.offered():
            return False
        return self.state()["hotspot"] is not None

    def state(self) -> dict[str, Any]:
        """Return ``hotspot``, ``networks``, ``doing``, ``told`` and ``good``. Raise TableError."""
        answer = self._ask(do="state")
        told = {name: unpacked(answer[name]) for name in ("doing", "told")}
        return {name: answer[name] for name in ("hotspot", "networks", "good")} | told

    def look(self) -> None:
        """Look for networks, in the background. Raise TableError."""
        self._ask(do="look")

    def check(self, ssid: str, password: str) -> None:
        """Raise TableError for what no network can have; whether it is in reach, :meth:`join` finds out."""
        try:
            checked(bytes.fromhex(ssid), "psk" if password else "open", password)
        except ValueError:
            raise TableError("no_wifi", say("expected the name of a network")) from None
        except WifiError as error:
            raise TableError("no_wifi", error.words) from None

    def join(self, ssid: str, password: str, *, hidden: bool) -> None:
        """Join a network, in the background. ``ssid`` is hexadecimal. Raise TableError."""
        self._ask(do="join", ssid=ssid, password=password, hidden=hidden)

    def _ask(self, **request: Any) -> dict[str, Any]:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
                out.settimeout(ANSWER_S)
                out.connect(str(self._path))
                with out.makefile("rwb") as lines:
                    lines.write(json.dumps(request).encode() + b"\n")
                    lines.flush()
                    answer = json.loads(lines.readline(LONGEST_ANSWER))
        except (OSError, ValueError):
            raise TableError("no_wifi", say("this machine's network is not chosen here")) from None
        if not answer["ok"]:
            raise TableError("no_wifi", unpacked(answer["why"]))
        found: dict[str, Any] = answer
        return found
