"""The connection to an MQTT broker (paho-mqtt): it comes back by itself, and says when it is gone.

Topics are ``lodestone/1/<room>/<table>/<what>``. ``state`` and ``gone`` are retained, so that whoever comes later
knows at once who is there; ``log`` is not. Everything goes with QoS 1: at least once, so every message may come twice.
The broker sends the will (``gone``) when a connection breaks; it names the connection, so that one of before means
nothing. Messages come on paho's thread and wait in a queue for the table's loop.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from firmware_host.archive.files import read_small, reason_of
from firmware_host.text.words import Refused, say

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage, MQTTMessageInfo

PORTS = {"mqtt": 1883, "mqtts": 8883}
KEEP_ALIVE_S = 15
"""A broken connection is noticed after at most one and a half times as long, seconds."""
SENT_S = 2.0
"""How long a connection that is closed waits until the broker has what was sent, seconds."""
CLOSED_S = 10.0
"""How long a connection that is closed is waited for, seconds."""
LEAST_WAIT_S, MAX_WAIT_S = 1, 4
"""Time before the first attempt to connect again, and maximum time between two, seconds."""
TELLING = 3
"""Failed attempts in a row before the log says, once, that there is no connection: a broker may be starting still."""
MAX_WAITING, MAX_WAITING_BYTES = 2000, 16 << 20
"""Maximum number of messages that wait for the loop, and their bytes; more are dropped, and asked for again."""
LARGEST = 64 * 1024
"""Maximum length of a message, bytes."""
LONGEST_TOPIC = 256
"""Characters; ours have less than 100. A shared broker passes on any."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Packet:
    """A message of the broker; ``topic`` is empty for the news that the connection is up (``payload`` not empty)."""

    topic: str
    payload: bytes


class Waiting:
    """Messages that wait for the loop. What nobody of ours sends is dropped, and what is too much; news find room."""

    def __init__(self, most: int = MAX_WAITING, bytes_in_all: int = MAX_WAITING_BYTES) -> None:
        """Begin without messages."""
        self._most, self._free = most, bytes_in_all
        self._come: deque[Packet] = deque()
        self._some = threading.Condition()

    def put(self, one: Packet) -> None:
        """Add a message, or the news that the connection is up or gone."""
        size = len(one.payload)
        is_ours = len(one.topic) <= LONGEST_TOPIC and size <= LARGEST
        with self._some:
            if not one.topic or (is_ours and len(self._come) < self._most and size <= self._free):
                self._come.append(one)
                self._free -= size
                self._some.notify()

    def take(self, seconds: float = 0) -> Packet | None:
        """Return the next message, once there is one; None after so long without one."""
        with self._some:
            if not self._some.wait_for(lambda: self._come, seconds):
                return None
            one = self._come.popleft()
            self._free += len(one.payload)
            return one


class Connection(Protocol):
    """What a room needs of a broker."""

    @property
    def is_up(self) -> bool:
        """Whether messages get through."""

    def send(self, topic: str, payload: bytes, *, kept: bool) -> None:
        """Publish a message; ``kept``: the broker keeps the last one for whoever comes later."""

    def take(self) -> Packet | None:
        """Return the next message that has come, None without one."""

    def close(self) -> None:
        """End the connection; the broker is told."""


Will = Callable[[], tuple[str, bytes]]
"""Returns topic and payload of a new connection's will."""


class Broker:
    """A connection to a real broker."""

    def __init__(
        self,
        url: str,
        subscribe: str | Sequence[str],
        will: Will,
        credentials: tuple[str, str] | None = None,
        most: int = MAX_WAITING,
    ) -> None:
        """Connect in the background; at most ``most`` messages wait. Raise Refused for an address that can't be one."""
        from paho.mqtt.client import Client  # noqa: PLC0415 - of the extra [link]: other tables never load it
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

        host, port, secure = parse_address(url)
        self.is_up = False
        self._url, self._failures = url, 0
        self._subscribe = [subscribe] if isinstance(subscribe, str) else list(subscribe)
        self._will = will
        self._waiting = Waiting(most)
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda *_: self._on_connect(str(_[3]) if _[3].is_failure else None)
        self._client.on_connect_fail = lambda *_: self._on_failure(str(sys.exc_info()[1] or "it does not answer"))
        self._client.on_disconnect = lambda *_: self._on_disconnect()
        self._client.on_message = lambda _client, _data, found: self._on_message(found)
        # Its own thread is not used, and nobody but ours writes: so it says, without a word of its own.
        self._client.on_socket_register_write = lambda *_: None
        self._client.reconnect_delay_set(LEAST_WAIT_S, MAX_WAIT_S)
        self._client.max_queued_messages_set(MAX_WAITING)
        if credentials is not None:
            self._client.username_pw_set(*credentials)
        if secure:
            self._client.tls_set()
        self._set_will(self._client)
        self._client.connect_async(host, port, KEEP_ALIVE_S)
        self._closed, self._ended_by = threading.Event(), ""
        self._sent: MQTTMessageInfo | None = None
        """The last message that was sent."""
        self._thread = threading.Thread(target=self._run, args=(host, port), name=f"broker {host}", daemon=True)
        self._thread.start()

    def _run(self, host: str, port: int) -> None:
        """Keep the connection until it is closed. What ends paho's loop, whatever it is, ends no more than that."""
        while not self._closed.is_set():
            try:
                self._client.loop(0)  # It makes the pair of sockets by which a message to send wakes the loop at once.
                self._client.loop_forever(retry_first_connection=True)
                if not self._closed.is_set():
                    raise ConnectionError("it has ended")
            except Exception as error:  # noqa: BLE001 - of a broker, of a name that can't be looked up, of a full disk
                self._begin_anew(f"{type(error).__name__}: {error}", host, port)

    def _begin_anew(self, why: str, host: str, port: int) -> None:
        """Tell once why the loop has ended, and prepare the next connection, after a pause."""
        if why != self._ended_by:
            self._ended_by = why
            _log.warning("The connection to the broker %s has ended, and is made again: %s", self._url, why)
        if self.is_up:
            self.is_up = False
            self._waiting.put(Packet("", b""))
        self._closed.wait(MAX_WAIT_S)
        try:
            self._set_will(self._client)
        except Exception as error:  # noqa: BLE001 - the former will names a connection that is over: others see that
            _log.warning("The next connection to the broker %s has an old will: %s", self._url, error)
        self._client.connect_async(host, port, KEEP_ALIVE_S)

    def _on_message(self, found: MQTTMessage) -> None:
        try:
            topic = found.topic
        except UnicodeDecodeError:
            return  # None of ours.
        self._waiting.put(Packet(topic, bytes(found.payload)))

    def _set_will(self, client: Client) -> None:
        topic, payload = self._will()
        client.will_set(topic, payload, qos=1, retain=True)

    def _on_failure(self, reason: str) -> None:
        self._failures += 1
        if self._failures == TELLING:
            _log.warning("No connection to the broker %s: %s", self._url, reason)

    def _on_connect(self, refusal: str | None) -> None:
        if refusal is not None:
            self._on_failure(refusal)
        else:
            self._failures = 0
            self._client.subscribe([(topic, 1) for topic in self._subscribe])
            self.is_up = True
            self._waiting.put(Packet("", b"up"))

    def _on_disconnect(self) -> None:
        self.is_up = False
        self._set_will(self._client)  # The next connection has a will of its own.
        self._waiting.put(Packet("", b""))

    def send(self, topic: str, payload: bytes, *, kept: bool) -> None:
        """Publish a message, now or once the connection is up again."""
        self._sent = self._client.publish(topic, payload, qos=1, retain=kept)

    def take(self) -> Packet | None:
        """Return the next message that has come, None without one."""
        return self._waiting.take()

    def wait(self, seconds: float) -> Packet | None:
        """Return the next message, once there is one; None after so long without one."""
        return self._waiting.take(seconds)

    def close(self) -> None:
        """End the connection, once the broker has what was sent: an end with answers unread would take that back.

        Whoever closes a socket with something unread in it resets the connection, and what the other side has not read
        by then is lost (RFC 1122, 4.2.2.13).
        """
        if self.is_up and self._sent is not None:
            with suppress(ValueError, RuntimeError):  # It was never sent: too many were waiting, or nobody was there.
                self._sent.wait_for_publish(SENT_S)
        self._closed.set()
        end = time.monotonic() + CLOSED_S
        while self._thread.is_alive() and time.monotonic() < end:
            self._client.disconnect()  # Again and again: one that is just being made does not hear of it.
            self._thread.join(CLOSED_S / 20)


def parse_address(url: str) -> tuple[str, int, bool]:
    """Return host, port and whether the connection is encrypted. Raise Refused naming what is wrong."""
    try:
        found = urlsplit(url)
        host, port = found.hostname or "", found.port
        if ":" not in host:  # No address of IPv6: a name, which has to be looked up in this form.
            host.encode("idna")
    except ValueError:
        host, port = "", None
    if not host or found.scheme not in PORTS:
        raise Refused(
            say("broker: expected mqtt://HOST, mqtt://HOST:PORT or mqtts://HOST, got {url}", url=repr(url[:80]))
        )
    if found.username or found.password:
        raise Refused(say("broker: user and password belong into a file, not into the address: others get to see it"))
    return host, port or PORTS[found.scheme], found.scheme == "mqtts"


def read_credentials(path: Path) -> tuple[str, str]:
    """Return user and password of a file: a line each. Raise Refused."""
    try:
        lines = read_small(path).decode().splitlines()
    except (OSError, UnicodeError) as error:
        raise Refused(
            say("{path}: user and password can't be read: {reason}", path=str(path), reason=reason_of(error))
        ) from error
    if len(lines) != 2 or not all(lines):
        raise Refused(say("{path}: expected two lines, the user and the password", path=str(path)))
    return lines[0], lines[1]
