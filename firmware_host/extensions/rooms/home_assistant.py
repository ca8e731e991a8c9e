"""Home Assistant finds the table by itself: MQTT discovery of one device with its entities.

The configuration of the whole device is one retained message (``homeassistant/device/<id>/config``, Home Assistant
2024.11 or later). The state is one JSON text; whether the table is there at all comes from the broker's will. Two
entities can be used: the board's brightness, as a light, and a button that pauses the game or lets it go on. What is
told is what every screen in the room shows, nothing of placements before they are revealed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from firmware_host.archive.journal_events import canonical
from firmware_host.link.broker import Broker, Packet
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.text.json_reader import InvalidJson, read_object

_log = logging.getLogger(__name__)

FULL = 255
"""Full brightness in messages of Home Assistant."""
DISCOVERY = "homeassistant"
BIRTH = f"{DISCOVERY}/status"
"""Where Home Assistant says ``online`` when it has started."""


class Controls(Protocol):
    """What Home Assistant may do at the table."""

    def lights(self) -> dict[str, Any]:
        """Return the settings of the lights."""

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        """Set all of them. Raise TableError."""

    def pause(self) -> None:
        """Pause the game, or let it go on. Raise TableError."""


class HomeAssistant:
    """A table as a device of Home Assistant. Thread-safe."""

    def __init__(
        self,
        url: str,
        name: str,
        controls: Controls,
        *,
        version: str = "",
        credentials: tuple[str, str] | None = None,
        connect: Callable[..., Broker] = Broker,
    ) -> None:
        """``name`` names the table among others: letters, digits and hyphens. Raise Refused for an unusable address."""
        self.topic = f"lodestone/1/table/{name}"
        self._name, self._controls, self._version = name, controls, version
        self._state: dict[str, Any] = {}
        self._closed = threading.Event()
        self._broker = connect(url, (f"{self.topic}/+/set", BIRTH), self._will, credentials)
        self._thread = threading.Thread(target=self._follow, name="home-assistant", daemon=True)
        self._thread.start()

    def _will(self) -> tuple[str, bytes]:
        return f"{self.topic}/available", b"offline"

    def configuration(self) -> dict[str, Any]:
        """Return the device with its entities, as Home Assistant wants them."""
        own = {"state_topic": f"{self.topic}/state"}

        def entity(key: str, platform: str, words: str, **more: Any) -> tuple[str, dict[str, Any]]:
            return key, {"platform": platform, "unique_id": f"{self._name}_{key}", "name": words, **own, **more}

        def sensor(key: str, words: str, icon: str) -> tuple[str, dict[str, Any]]:
            return entity(key, "sensor", words, value_template=f"{{{{ value_json.{key} }}}}", icon=icon)

        problem = "{{ 'OFF' if value_json.healthy else 'ON' }}"
        light = {"schema": "json", "brightness": True, "supported_color_modes": ["brightness"]}
        device = {"name": self._name, "manufacturer": "Lodestone", "sw_version": self._version}
        return {
            "device": {"identifiers": [self._name], **device},
            "origin": {"name": "Lodestone", "sw_version": self._version},
            "availability_topic": f"{self.topic}/available",
            "components": dict(
                (
                    sensor("game", "Game", "mdi:chess-rook"),
                    sensor("phase", "Phase", "mdi:progress-clock"),
                    sensor("turn", "Turn", "mdi:counter"),
                    sensor("whose", "Whose turn", "mdi:account"),
                    sensor("message", "What to do", "mdi:message-text"),
                    entity("board", "binary_sensor", "Board", device_class="problem", value_template=problem),
                    entity("lights", "light", "Lights", **light, state_topic=f"{self.topic}/lights",
                           command_topic=f"{self.topic}/lights/set"),
                    entity("pause", "button", "Pause or go on", command_topic=f"{self.topic}/pause/set"),
                )
            ),
        }  # fmt: skip

    def show(self, view: Mapping[str, Any]) -> None:
        """Tell the state of a view, if it has changed; called with each view, and quick."""
        names = {seat["seat"]: seat["name"] for seat in view["seats"]}
        state = {
            "game": view["game"]["title"],
            "phase": "paused" if view["paused"] else view["phase"],
            "turn": view["turn"],
            "whose": names.get(view["resolver"], "") if view["phase"] not in BETWEEN_GAMES else "",
            "message": str(view["message"])[:250],
            "healthy": view["standstill"] is None and not view["notices"],
        }
        if state != self._state:
            self._state = state
            self._send("state", state)

    def _send(self, what: str, fields: Mapping[str, Any]) -> None:
        self._broker.send(f"{self.topic}/{what}", canonical(dict(fields)).encode(), kept=True)

    def _tell_lights(self) -> None:
        setting = self._controls.lights()
        brightness = round(setting["brightness"] * FULL / 100)
        self._send("lights", {"state": "OFF" if setting["off"] else "ON", "brightness": brightness})

    def _tell_everything(self) -> None:
        """Tell what the table is, and how it stands: the connection is up, or Home Assistant has started."""
        self._broker.send(
            f"{DISCOVERY}/device/{self._name}/config", canonical(self.configuration()).encode(), kept=True
        )
        self._broker.send(f"{self.topic}/available", b"online", kept=True)
        if self._state:
            self._send("state", self._state)
        self._tell_lights()

    def _follow(self) -> None:
        """Handle what comes, on a thread of its own: a command may have to wait for the table's loop."""
        while not self._closed.is_set():
            packet = self._broker.wait(0.5)
            if packet is None:
                continue
            try:
                self._handle(packet)
            except Exception as error:  # noqa: BLE001 - what one message asks for must not end the connection
                _log.warning("Home Assistant's wish can't be granted: %s", error)

    def _handle(self, packet: Packet) -> None:
        if not packet.topic or packet.topic == BIRTH:
            if packet.payload in {b"up", b"online"}:
                self._tell_everything()
            return
        what = packet.topic.removeprefix(f"{self.topic}/")
        if what == "pause/set":
            self._controls.pause()
        elif what == "lights/set":
            self._set_lights(packet.payload)

    def _set_lights(self, payload: bytes) -> None:
        try:
            wish = read_object(payload)
        except InvalidJson:
            return
        setting, level = self._controls.lights(), wish.get("brightness")
        if wish.get("state") in {"ON", "OFF"}:
            setting["off"] = wish["state"] == "OFF"
        if isinstance(level, int) and 0 < level <= FULL:
            setting["brightness"] = max(1, round(level * 100 / FULL))
        self._controls.set_lights(setting)
        self._tell_lights()

    def close(self) -> None:
        """Say that the table is away, and end the connection."""
        self._closed.set()
        topic, away = self._will()
        self._broker.send(topic, away, kept=True)
        self._broker.close()
