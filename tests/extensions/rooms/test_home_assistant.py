"""Home Assistant, by a real broker: it finds the device, follows the game, dims the lights and pauses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from lodestone.server import Server
from tests.link.brokers import RealBroker
from tests.waiting import eventually


class Home:
    """What Home Assistant would know: the last message of each topic."""

    def __init__(self, port: int) -> None:
        self.told: dict[str, str] = {}
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _client, _data, found: self.told.update({found.topic: found.payload.decode()})
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("#", qos=1)
        self.client.loop_start()

    def until(self, holds: Callable[[], Any]) -> Any:
        """Return the first true answer."""
        return eventually(holds, lambda: self.told)

    def state(self, what: str = "state") -> dict[str, Any]:
        """Return what the table has told."""
        found = [text for topic, text in self.told.items() if topic.endswith(f"/{what}")]
        return dict(json.loads(found[0])) if found else {}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Home, Server]]:
    broker = RealBroker("mosquitto", tmp_path)  # A table's own broker serves its room alone.
    server = Server(tmp_path, "--home-assistant", broker.url, "--hands", "all", "--pause", "0")
    found = Home(broker.port)
    yield found, server
    found.client.loop_stop()
    server.close()
    broker.close()


def test_home_assistant_finds_the_table(home: tuple[Home, Server]) -> None:
    """One device whose entities name topics that the table tells, or listens to."""
    known, server = home
    known.until(lambda: known.state()["phase"] == "lobby" if known.state() else False)
    config = known.until(
        lambda: next((json.loads(v) for k, v in known.told.items() if k.startswith("homeassistant/")), {})
    )
    parts = config["components"]
    assert {part["platform"] for part in parts.values()} == {"sensor", "binary_sensor", "light", "button"}
    assert known.told[config["availability_topic"]] == "online"
    assert set(known.state()) >= {"game", "phase", "turn", "whose", "healthy"}

    host = server.host()
    for seat in (1, 2):
        host.post("/api/host/computer", {"seat": seat, "level": 1})
    host.post("/api/host/start", {})
    known.until(lambda: known.state()["phase"] not in {"lobby", "setup"})
    known.client.publish(parts["pause"]["command_topic"], "PRESS", qos=1)
    known.until(lambda: known.state()["phase"] == "paused")
    known.client.publish(parts["lights"]["command_topic"], '{"state": "ON", "brightness": 51}', qos=1)
    known.until(lambda: known.state("lights") == {"state": "ON", "brightness": 51})
    assert host.get("/api/host/state")["rest"]["brightness"] == 20
    known.client.publish(parts["lights"]["command_topic"], "nonsense", qos=1)
    known.client.publish(parts["pause"]["command_topic"], "PRESS", qos=1)
    known.until(lambda: known.state()["phase"] != "paused")
    server.kill()
    known.until(lambda: known.told[config["availability_topic"]] == "offline")


@pytest.mark.thorough
def test_the_table_is_told_again_when_home_assistant_has_started(home: tuple[Home, Server]) -> None:
    """A broker may have forgotten what it kept: the birth message asks for all of it, its last will for nothing."""
    known, _ = home
    config = known.until(lambda: next((k for k in known.told if k.startswith("homeassistant/device/")), None))
    everything = {"config", "state", "lights", "available"}
    known.until(lambda: {topic.rpartition("/")[2] for topic in known.told} >= everything)
    for topic in list(known.told):
        known.client.publish(topic, b"", qos=1, retain=True)
    known.until(lambda: set(known.told.values()) == {""})
    known.told.clear()
    known.client.publish("homeassistant/status", "offline", qos=1)
    known.client.publish("homeassistant/status", "online", qos=1)
    known.until(lambda: {topic.rpartition("/")[2] for topic in known.told} >= everything)
    assert "components" in json.loads(known.told[config])
