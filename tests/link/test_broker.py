"""Messages that wait for the loop: what a shared broker passes on is bounded, and news are never lost."""

from __future__ import annotations

import threading

from firmware_host.link.broker import LARGEST, LONGEST_TOPIC, MAX_WAITING, MAX_WAITING_BYTES, Packet, Waiting

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
