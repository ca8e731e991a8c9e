"""A machine's Wi-Fi for tests of the panel; tests/extensions/appliance/test_wifi.py has the real service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firmware_host.extensions.appliance.card import wifi_code
from firmware_host.extensions.appliance.hotspot import Wifi
from firmware_host.table.errors import TableError
from tests.sentences import sentence

HOME = {"id": b"Home".hex(), "name": "Home", "signal": 80, "kind": "psk", "in_use": False}
FREE = {"id": b"Free".hex(), "name": "Free", "signal": 40, "kind": "open", "in_use": False}


class FakeWifi(Wifi):
    """The service behind the socket, which writes down what it would join."""

    def __init__(self) -> None:
        super().__init__(Path("/nowhere"))
        self.hotspot: str | None = "Lodestone-ab3d"
        self.joined: list[tuple[str, str, bool]] = []
        self.busy = False
        self.doing: str | None = None
        self.networks = [HOME]

    def is_available(self) -> bool:
        return True

    def state(self) -> dict[str, Any]:
        return {"hotspot": self.hotspot, "networks": self.networks, "doing": self.doing, "message": None, "good": True}

    def look(self) -> None: ...

    def code(self) -> str | None:
        return wifi_code(self.hotspot, "hotspot;word") if self.hotspot else None

    def switch(self, *, on: bool) -> None:
        self.hotspot = "Lodestone-ab3d" if on else None
        self._name = None

    def join(self, ssid: str, password: str, *, hidden: bool) -> None:
        self.check(ssid, password)
        if self.busy:
            raise TableError("no_wifi", sentence("the network is being changed"))
        self.joined.append((ssid, password, hidden))
