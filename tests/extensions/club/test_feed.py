"""What a club keeps for its watchers: bounded for each of them and in whole, however slowly they read."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from concurrent.futures import Future
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from firmware_host.extensions.club import feed as feed_module
from firmware_host.extensions.club.club import Changed
from firmware_host.extensions.club.feed import ANEW, LEAST_KEPT, Feed
from firmware_host.extensions.club.made import MAX_UNSENT
from firmware_host.extensions.club.server import ClubServer
from tests.extensions.club.clubs import silent_club, until
from tests.extensions.club.test_page_limits import answer, asks, connect, served

LARGE = {f"{number:016x}": {"x": "y" * 4000} for number in range(50)}
"""Tables, together 200 kB."""


def change(server: ClubServer, changed: Changed) -> None:
    """Let a server's watchers know a change at once."""
    done: Future[None] = Future()

    def flush() -> None:
        server._feed.note(changed)
        server._feed.flush()
        done.set_result(None)

    server._loop.call_soon_threadsafe(flush)
    done.result(60)


def test_slow_watchers_hold_no_more_than_their_buffers(tmp_path: Path) -> None:
    """What they have not read is not copied for each; when they read again they are told to begin anew."""
    with silent_club(tmp_path / "club") as club, served(club) as (server, port), ExitStack() as stack:
        links = []
        for _ in range(5):
            link = stack.enter_context(closing(socket.socket()))
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.connect(("127.0.0.1", port))
            asks(link, "/api/events")
            links.append(link)
        until(lambda: server._streams.total() == len(links))
        for _ in range(200):
            change(server, Changed(tables=LARGE))
        held = [one._wire.get_write_buffer_size() for one in server._shares.all() if one._wire]
        assert len(held) == len(links)
        assert max(held) <= 3 * MAX_UNSENT
        for link in links:
            link.settimeout(60)
            text = b""
            while b"event: anew" not in text:
                text += link.recv(1 << 20)
            assert len(text) < 8 << 20, "most of what was missed is not sent"


def test_a_watcher_gets_each_change_in_its_order(tmp_path: Path) -> None:
    """Also one that is longer than what is written at once."""
    with silent_club(tmp_path / "club") as club, served(club) as (server, port), closing(connect(port)) as link:
        asks(link, f"/api/events?after={server._feed.name_of(server._feed.number).decode()}")
        assert answer(link)[0] == 200
        for number in range(5):
            change(server, Changed(tables={"a": {"number": number, "x": "y" * 3 * MAX_UNSENT}}))
        got, text = [], b""
        while len(got) < 5:
            text += link.recv(1 << 20)
            whole = re.sub(rb"\r?\n?[0-9a-f]+\r\n|\r\n$", b"", text)
            got = re.findall(rb'data: (\{"tables".*?\})\n\n', whole)
        assert [json.loads(one)["tables"]["a"]["number"] for one in got] == list(range(5))


def test_what_is_kept_is_worth_no_more_than_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is further behind begins anew; what changes most, and a small hall, stays within the same bound."""
    monkeypatch.setattr(feed_module, "SNAPSHOT_S", 0.0)
    loop = asyncio.new_event_loop()
    try:
        feed = Feed("Hall", loop)
        assert feed.after(None) is ANEW
        for _ in range(300):
            feed.note(Changed(tables=LARGE))
            feed.flush()
            feed.snapshot()
        held = sum(map(len, feed._kept))
        assert held <= max(LEAST_KEPT, len(feed.snapshot()))
        assert feed.after(feed.number - 1) is feed._kept[-1], "the last change always is kept, once for all"
        assert feed.after(0) is ANEW
        assert feed.number_of(f"{feed.run}.0") is None
        feed.note(Changed(tables={"a": {"x": "y" * 3 * LEAST_KEPT}}))
        feed.flush()
        assert len(feed._kept) == 1
        feed.close()
    finally:
        loop.close()
