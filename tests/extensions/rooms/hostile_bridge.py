"""A hostile client between two real brokers: each table knows one of them, so that all messages pass through it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions


class HostileBridge:
    """A client of two brokers that carries all messages from each to the other, and meddles with them if it may."""

    def __init__(self, ports: Sequence[int], rng: Random) -> None:
        self.hostile = False
        self.attacks = 0
        self._rng = rng
        self._meddling = threading.Lock()
        self._old: list[tuple[str, bytes]] = []
        self._clients = [self._client(port) for port in ports]
        for at, client in enumerate(self._clients):
            client.on_message = partial(self._carry, self._clients[1 - at])
            client.subscribe("lodestone/#", options=SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True))

    def _client(self, port: int) -> Client:
        client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        client.connect("127.0.0.1", port)
        client.loop_start()
        return client

    def _carry(self, to: Client, _client: Client, _data: Any, message: MQTTMessage) -> None:
        with self._meddling:
            self._old.append((message.topic, message.payload))
            if not self.hostile or self._rng.random() < 0.4:
                to.publish(message.topic, message.payload, qos=1, retain=message.retain)
                return
            forgeries = self._forgeries(message.topic, message.payload)
            for topic, payload in forgeries[self.attacks % len(forgeries)]:
                to.publish(topic, payload, qos=1, retain=self._rng.random() < 0.5)
            self.attacks += 1

    def _forgeries(self, topic: str, payload: bytes) -> list[list[tuple[str, bytes]]]:
        """Return what may be sent instead: nothing, an old message and the new one, a cut or changed one, or rubbish.

        They come in turn: after eight attacks each has been made.
        """
        rng = self._rng
        at = rng.randrange(max(1, len(payload)))
        changed = payload[:at] + bytes([rng.randrange(256)]) + payload[at + 1 :]
        old = rng.choice(self._old)
        return [
            [], [old, (topic, payload)], [(topic, payload), old], [(topic, changed)], [(topic, payload[:at])],
            [(old[0], payload)], [(topic, rng.randbytes(at))], [(topic, b"")],
        ]  # fmt: skip

    def __enter__(self) -> HostileBridge:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.disconnect()
            client.loop_stop()
