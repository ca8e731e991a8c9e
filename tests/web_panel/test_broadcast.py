"""Streams that were handed over, as clients of a real server see them."""

from __future__ import annotations

import logging
import random
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.table.subjects.seats import ModeChosen
from tests.e2e.program import PATIENCE_S, eventually
from tests.web_panel.table import ServedTable
from web_panel import renderings, streams


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedTable]:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 600.0)  # However slow the machine: what comes is news.
    with ServedTable.opened(tmp_path) as table:
        yield table


def opened(table: ServedTable, version: str = "1.1", **options: int) -> socket.socket:
    """Ask for a stream and leave it unread."""
    link = socket.socket()
    for name, value in options.items():
        link.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
    link.settimeout(PATIENCE_S)
    link.connect(("127.0.0.1", table.port))
    link.sendall(f"GET /api/events HTTP/{version}\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
    return link


def until(link: socket.socket, end: bytes) -> bytes:
    """Read up to and with some bytes."""
    text = b""
    while not text.endswith(end):
        piece = link.recv(65_536)
        assert piece, f"ended with {text[-200:]!r}"
        text += piece
    return text


def seen(text: bytes) -> list[int]:
    """Return the numbers of the views in what was sent."""
    return [int(number) for number in re.findall(rb'data: {"seq":(\d+)', text)]


def change(table: ServedTable, times: int = 1) -> int:
    """Let something happen; return the newest number."""
    for _ in range(times):
        other = "2v2" if table.view["game"]["mode"] == "4" else "4"
        table.runtime.submit(ModeChosen(at=table.runtime.now(), mode=other))
    return int(table.view["seq"])


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_a_hundred_streams_take_one_thread(table: ServedTable) -> None:
    eventually(lambda: "streams" not in threads(), "the end of the threads of tests before")
    links = [opened(table) for _ in range(100)]
    for link in links:
        until(link, b"}\n\n\r\n")
    newest = change(table)
    for link in links:
        assert seen(until(link, b"}\n\n\r\n")) == [newest]
    assert threads().count("streams") == 1
    assert sum(name.startswith("waitress-") for name in threads()) < 50
    for link in links:
        link.close()
    eventually(lambda: "streams" not in threads(), "the end of the thread")
    with closing(opened(table)) as link:
        until(link, b"}\n\n\r\n")
        assert seen(until_changed(table, link)) == [table.view["seq"]], "it is there again for the next"


def until_changed(table: ServedTable, link: socket.socket) -> bytes:
    change(table)
    return until(link, b"}\n\n\r\n")


@pytest.mark.thorough
def test_who_does_not_read_keeps_nobody_waiting_and_gets_the_newest_only(
    table: ServedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a slow phone has not taken yet is never added to: when it reads again, it is up to date with one view."""
    padded(monkeypatch, 300_000)
    with closing(opened(table, SO_RCVBUF=4096)) as slow, closing(opened(table)) as quick:
        until(quick, b"}\n\n\r\n")
        waits = []
        for _ in range(60):
            began = time.monotonic()
            newest = change(table)
            assert seen(until(quick, b"}\n\n\r\n"))[-1] == newest
            waits.append(time.monotonic() - began)
        assert sorted(waits)[len(waits) // 2] < 1.0, "nobody waits for the slow one"
        server: Any = table.serving.server
        held = max(one.total_outbufs_len for one in server.active_channels.values())
        assert 0 < held < 2 * 300_000
        text = b""
        while not seen(text) or seen(text)[-1] != newest or not text.endswith(b"}\n\n\r\n"):
            text += slow.recv(65_536)
        assert len(seen(text)) < 30, "beyond what the network's own buffers held, there was the newest only"


def padded(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Make views long: more than a socket's buffers hold."""
    rest = renderings._rest
    monkeypatch.setattr(renderings, "_rest", lambda view: f'"padding":"{"x" * size}",{rest(view)}')


def test_a_stream_keeps_nothing_of_what_is_read(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen that looks on for hours takes no more memory than at its first view."""
    padded(monkeypatch, 20_000)
    with closing(opened(table)) as link:
        until(link, b"}\n\n\r\n")
        for _ in range(10):
            until_changed(table, link)
        server: Any = table.serving.server
        (one,) = server.active_channels.values()
        eventually(lambda: one.total_outbufs_len == 0, "all is sent")
        assert kept(one) < 20_000


def kept(connection: Any) -> int:
    """Return how many bytes are in the buffers of a connection, also those that were sent."""
    with connection.outbuf_lock:
        parts = [getattr(part, "buf", part) for part in connection.outbufs]
        return sum(len(part.file.getvalue()) for part in parts if part is not None and not part.file.closed)


def test_an_old_client_gets_its_stream_without_chunks(table: ServedTable) -> None:
    with closing(opened(table, "1.0")) as link:
        head, _, body = until(link, b"}\n\n").partition(b"\r\n\r\n")
        assert b"chunked" not in head
        assert body.startswith(b"retry: ")
        newest = change(table)
        assert seen(until(link, b"}\n\n")) == [newest]


def test_a_stream_that_talks_is_ended(table: ServedTable) -> None:
    """Requests behind a stream's are never answered in the middle of it, and are not kept either."""
    with closing(opened(table)) as link:
        until(link, b"}\n\n\r\n")
        eventually(table.serving.server.streaming, "the stream is handed over")
        link.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        rest = b""
        while piece := link.recv(65_536):
            rest += piece
        assert b"HTTP/1.1" not in rest


def test_a_closed_stream_is_noticed_without_writing_to_it(table: ServedTable) -> None:
    link = opened(table)
    until(link, b"}\n\n\r\n")
    server: Any = table.serving.server
    assert len(server.active_channels) == 1
    link.close()
    eventually(lambda: not server.active_channels, "the end of the connection")
    eventually(lambda: "streams" not in threads(), "the end of the stream")


def test_one_that_fails_leaves_the_others_their_news(
    table: ServedTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    links = [opened(table) for _ in range(3)]
    for link in links:
        until(link, b"}\n\n\r\n")
    failed: list[int] = []
    due = streams.Stream.due

    def stumbles(self: streams.Stream, newest: int | None, now: float) -> bytes:
        if not failed:
            failed.append(1)
            raise RuntimeError("something is wrong with this one")
        return due(self, newest, now)

    with caplog.at_level(logging.ERROR):
        monkeypatch.setattr(streams.Stream, "due", stumbles)
        newest = change(table)
        told = []
        for link in links:
            text = b""
            while not text.endswith((b"}\n\n\r\n", b"0\r\n\r\n")) and (piece := link.recv(65_536)):
                text += piece
            told += seen(text)
    assert told == [newest, newest]
    assert "something is wrong with this one" in caplog.text
    for link in links:
        link.close()


@pytest.mark.thorough
def test_comings_and_goings_leave_nothing(table: ServedTable, caplog: pytest.LogCaptureFixture) -> None:
    """Phones come and go at any moment, most without having read: no complaint, and in the end nothing is left."""
    chance = random.Random(7)
    links: list[socket.socket] = []
    with caplog.at_level(logging.ERROR):
        for _ in range(150):
            links += [
                opened(table, chance.choice(("1.0", "1.1"))) for _ in range(chance.randrange(8)) if len(links) < 150
            ]
            chance.shuffle(links)
            for link in links[: chance.randrange(8)]:
                link.close()
                links.remove(link)
            change(table)
            time.sleep(chance.random() / 100)  # Any moment of the server is hit.
        for link in links:
            link.close()
        server: Any = table.serving.server
        eventually(lambda: not server.active_channels, "the end of all connections")
        eventually(lambda: "streams" not in threads(), "the end of the thread")
    assert not caplog.records
