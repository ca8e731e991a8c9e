"""The connection to a broker: what a shared one passes on is bounded, news are never lost, and no thread ends by it."""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import closing, suppress

import pytest

from firmware_host.link.broker import (
    LARGEST,
    LONGEST_TOPIC,
    MAX_WAITING,
    MAX_WAITING_BYTES,
    Broker,
    Packet,
    Waiting,
    parse_address,
)
from firmware_host.link.trust import Invitation
from firmware_host.text.words import Refused
from tests.link.brokers import RealBroker
from tests.waiting import eventually

PATIENCE_S = 600.0
UP, GONE = Packet("", b"up"), Packet("", b"")


def taken(waiting: Waiting) -> list[Packet]:
    found = []
    while (one := waiting.take()) is not None:
        found.append(one)
    return found


def test_messages_come_in_their_order() -> None:
    waiting, sent = Waiting(), [Packet(f"t/{number}", bytes(number)) for number in range(9)]
    for one in sent:
        waiting.put(one)
    assert taken(waiting) == sent


def test_what_none_of_ours_sends_is_dropped() -> None:
    waiting = Waiting()
    waiting.put(Packet("x" * (LONGEST_TOPIC + 1), b""))
    waiting.put(Packet("t", bytes(LARGEST + 1)))
    largest = Packet("x" * LONGEST_TOPIC, bytes(LARGEST))
    waiting.put(largest)
    assert taken(waiting) == [largest]


def test_a_flood_is_dropped_and_room_is_made_by_taking() -> None:
    waiting = Waiting()
    for _ in range(3 * MAX_WAITING):
        waiting.put(Packet("t", b"x"))
    assert len(taken(waiting)) == MAX_WAITING
    for _ in range(2):
        for _ in range(2 * MAX_WAITING_BYTES // LARGEST):
            waiting.put(Packet("t", bytes(LARGEST)))
        assert len(taken(waiting)) == MAX_WAITING_BYTES // LARGEST


def test_news_of_the_connection_are_never_lost() -> None:
    waiting = Waiting(most=1, bytes_in_all=1)
    for one in (Packet("t", b"x"), Packet("t", b"y"), GONE, UP):
        waiting.put(one)
    assert taken(waiting) == [Packet("t", b"x"), GONE, UP]


def test_whoever_waits_gets_the_next_one() -> None:
    waiting = Waiting()
    assert waiting.take(0.001) is None
    later = threading.Timer(0.05, waiting.put, [UP])
    later.start()
    assert waiting.take(60) == UP
    later.join()


class Rude:
    """A broker that says something after a while that none says, to each connection."""

    def __init__(self, words: bytes) -> None:
        """It listens on a free port, and greets as a broker does."""
        self.connections = 0
        self.heard = b""
        self._words = words
        self._socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"mqtt://127.0.0.1:{self._socket.getsockname()[1]}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                threading.Thread(target=self._speak, args=(connection,), daemon=True).start()

    def _speak(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.recv(4096)
            connection.sendall(b"\x20\x02\x00\x00")
            connection.recv(4096)
            connection.sendall(b"\x90\x03\x00\x01\x01" + self._words)
            while heard := connection.recv(4096):
                self.heard += heard

    def close(self) -> None:
        """End it."""
        self._socket.close()


NOT_UTF8 = b"\x30\x05\x00\x02\xff\xfeX"
OURS = b"\x30\x05\x00\x02a/X"


@pytest.mark.parametrize(
    "words", [b"\x30\x01\x00", b"\x90\x01\x00", b"\x40\x01\x00"], ids=["publish", "suback", "puback"]
)
@pytest.mark.usefixtures("hurried")
def test_whatever_a_broker_says_the_connection_is_made_again(words: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """The thread lives on, tells why once, and knows that the connection is gone."""
    with closing(Rude(words)) as rude, closing(Broker(rude.url, "a/+", lambda: ("a/gone", b"x"))) as broker:
        eventually(lambda: rude.connections >= 3, "it comes again")
        assert broker._thread.is_alive()
    assert not broker._thread.is_alive()
    assert len([one for one in caplog.records if "has ended" in one.message]) <= 2


def test_a_topic_that_is_no_text_is_none_of_ours() -> None:
    """Anybody at a shared broker may send one."""
    with closing(Rude(NOT_UTF8 + OURS)) as rude, closing(Broker(rude.url, "a/+", lambda: ("a/gone", b"x"))) as broker:
        assert broker.wait(60) == UP
        assert broker.wait(60) == Packet("a/", b"X")
        assert broker.is_up
        assert rude.connections == 1


def test_what_is_sent_goes_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop waits for the broker, however long; a message that is to be sent wakes it."""
    wait = select.select
    monkeypatch.setattr("paho.mqtt.client.select.select", lambda *some: wait(*some[:3], PATIENCE_S))
    with closing(Rude(b"")) as rude, closing(Broker(rude.url, "a/+", lambda: ("a/gone", b"x"))) as broker:
        assert broker.wait(PATIENCE_S) == UP
        for number in range(10):
            broker.send("a/b", f"word {number}".encode(), kept=False)
            eventually(lambda n=number: f"word {n}".encode() in rude.heard, "it is heard")  # type: ignore[misc]


@pytest.mark.usefixtures("hurried")
def test_a_will_that_can_t_be_made_ends_nothing() -> None:
    """It may need a disk that is full."""
    made = list[bool]()

    def will() -> tuple[str, bytes]:
        made.append(True)
        if len(made) > 1:
            raise OSError("no space left")
        return "a/gone", b"x"

    with closing(Rude(b"\x40\x01\x00")) as rude, closing(Broker(rude.url, "a/+", will)):
        eventually(lambda: rude.connections >= 3, "it comes again")


@pytest.mark.parametrize(
    "address", ["mqtt://broker..example", f"mqtt://{'a' * 70}.example", "mqtt://[::1", "mqtt://", "x"]
)
def test_an_address_that_can_t_be_looked_up_is_refused(address: str) -> None:
    """As it is typed: a thread could only fail by it, again and again."""
    with pytest.raises(Refused, match="mqtt://HOST"):
        parse_address(address)


def test_addresses_that_can_be() -> None:
    assert parse_address("mqtt://[::1]:1884") == ("::1", 1884, False)
    assert parse_address("mqtts://bücher.example") == ("bücher.example", 8883, True)
    assert parse_address("mqtt://192.0.2.7") == ("192.0.2.7", 1883, False)


@pytest.mark.parametrize("link", ["lodestone-room://[abc", "lodestone-room:?broker=x&opener=[", "lodestone-room://[?"])
def test_an_invitation_that_is_no_link_is_refused(link: str) -> None:
    with pytest.raises(Refused, match="not whole"):
        Invitation.parse(link)


def test_what_was_sent_just_before_the_end_arrives(broker: RealBroker) -> None:
    """The broker answers each message: a socket that is closed with answers unread takes back what it has sent."""
    sent = {f"lodestone/1/a/{number}" for number in range(50)}
    for first in range(0, 50, 5):
        one = Broker(broker.url, "lodestone/1/b/x", lambda: ("lodestone/1/b/gone", b""))
        assert one.wait(PATIENCE_S) == UP
        for number in range(first, first + 5):
            one.send(f"lodestone/1/a/{number}", bytes(800), kept=True)
        one.close()
    kept = set[str]()
    with closing(Broker(broker.url, "lodestone/1/a/+", lambda: ("lodestone/1/b/gone", b""))) as other:
        end = time.monotonic() + PATIENCE_S
        while not kept > sent and time.monotonic() < end:
            if one := other.wait(1.0):
                kept.add(one.topic)
    assert kept > sent
