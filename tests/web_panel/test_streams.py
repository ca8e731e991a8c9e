"""Live updates over a real server: heartbeats, limits, and what a stream may show after its phone has left."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
import tracemalloc
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.table.subjects.seats import ModeChosen, SeatLeft, SeatTaken
from tests.e2e.program import PATIENCE_S, eventually
from tests.web_panel.table import ServedTable, signed
from web_panel import serve, streams
from web_panel.api import live


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as table:
        yield table
    for thread in threading.enumerate():
        if thread.name == "reader":
            thread.join(timeout=PATIENCE_S)


class Stream:
    """One open stream, read on a thread."""

    def __init__(self, table: ServedTable, cookie: str | None = None) -> None:
        request = urllib.request.Request(f"{table.local}/api/events")
        if cookie:
            request.add_header("Cookie", f"lodestone-seat={cookie}")
        self.answer = urllib.request.urlopen(request, timeout=PATIENCE_S)
        self.lines: list[str] = []
        self.ended = False
        self.thread = threading.Thread(target=self._read, name="reader", daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with self.answer, contextlib.suppress(OSError, http.client.HTTPException):
            for raw in self.answer:
                self.lines.append(raw.decode().rstrip("\n"))
        self.ended = True

    @property
    def views(self) -> list[Any]:
        return [json.loads(line[6:]) for line in self.lines if line.startswith("data: {") and len(line) > 20]

    def close(self) -> None:
        self.answer.fp.raw._sock.shutdown(socket.SHUT_RDWR)


def test_the_form_of_a_stream(served: ServedTable) -> None:
    stream = Stream(served)
    eventually(lambda: stream.views, "the first view")
    assert stream.answer.headers["Content-Type"].startswith("text/event-stream")
    assert stream.answer.headers["Cache-Control"] == "no-cache, no-transform"
    assert "Content-Encoding" not in stream.answer.headers
    assert stream.lines[0] == f"retry: {streams.RETRY_MS}"

    def both() -> Any:
        """Return the state once a request and the stream agree on it: reading the board may change it."""
        with urllib.request.urlopen(f"{served.local}/api/state", timeout=PATIENCE_S) as answer:
            state = json.load(answer)
        return state if stream.views[-1] == state else None

    state = eventually(both, "the state in the stream")
    assert any(line.startswith("id: ") and line.split("-")[1] == str(state["seq"]) for line in stream.lines)


def test_heartbeats_and_the_newest_only(served: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet stream beats; changes come at once and carry growing numbers."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(streams, "LOOK_S", 0.05)
    stream = Stream(served)
    eventually(lambda: stream.lines.count("event: beat") >= 3, "heartbeats")
    for mode in ("4", "2v2", "2", "4") * 3:
        served.runtime.submit(ModeChosen(at=0.0, mode=mode))
    eventually(lambda: stream.views[-1]["seq"] == served.view["seq"], "the newest state")
    numbers = [view["seq"] for view in stream.views]
    assert numbers == sorted(set(numbers))


def admit(table: ServedTable) -> Stream | None:
    """Return another stream, None where all places are taken."""
    try:
        return Stream(table)
    except urllib.error.HTTPError as refused:
        if refused.code != 503:
            raise
        return None


def test_a_vanished_phone_frees_its_place(served: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(streams, "LOOK_S", 0.05)
    monkeypatch.setattr(streams, "STREAMS_IN_ALL", 5)
    for _ in range(4):
        opened = [eventually(lambda: admit(served), "a place that is free again") for _ in range(3)]
        eventually(lambda: all(stream.views for stream in opened), "views")  # noqa: B023
        for stream in opened:
            stream.close()
    last = eventually(lambda: admit(served), "a place that is free again")
    eventually(lambda: last.views, "a view for the thirteenth stream")


def test_too_many_streams_are_refused_and_requests_still_answered(
    served: ServedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STREAMS_IN_ALL", 6)
    opened = [Stream(served) for _ in range(6)]
    eventually(lambda: all(stream.views for stream in opened), "views")
    with pytest.raises(urllib.error.HTTPError) as refused:
        Stream(served)
    assert refused.value.code == 503
    assert json.load(refused.value)["error"]["code"] == "busy"
    with urllib.request.urlopen(f"{served.local}/", timeout=60) as answer:
        assert answer.status == 200


def test_watchers_who_stop_reading_hold_one_copy_of_a_state(
    served: ServedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flood of them stops at the same state, once their sockets are full."""
    count, put, behind = 30, serve.Connection.put, list[serve.Connection]()
    opened = [Stream(served) for _ in range(count)]
    eventually(lambda: all(stream.views for stream in opened), "views")

    def put_noted(connection: serve.Connection, data: bytes) -> None:
        put(connection, data)
        behind.append(connection)

    monkeypatch.setattr(serve.Connection, "send", lambda *_, **__: 0)
    monkeypatch.setattr(serve.Connection, "put", put_noted)
    tracemalloc.start()
    try:
        served.runtime.submit(ModeChosen(at=0.0, mode="4"))
        eventually(lambda: len(behind) >= count, "the next state is queued")
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(one.is_behind() for one in behind)
    size = len(json.dumps(served.view))
    assert held < count * size / 3, f"{held} bytes for {count} times {size}"


def test_a_fourth_stream_of_one_seat_ends_the_first(served: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that gives way is told so, that it does not come back and push out the next."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(streams, "LOOK_S", 0.05)
    served.runtime.submit(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    opened = []
    for _ in range(live.STREAMS_A_SEAT + 1):
        opened.append(Stream(served, signed([1, "c1"])))
        eventually(lambda: opened[-1].views, "a view")
    eventually(lambda: opened[0].ended, "the end of the oldest")
    assert "event: enough" in opened[0].lines
    assert not any(stream.ended for stream in opened[1:])


def test_a_stream_forgets_a_seat_that_was_left(served: ServedTable) -> None:
    served.runtime.submit(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    stream = Stream(served, signed([1, "c1"]))
    eventually(lambda: stream.views, "a view")
    assert stream.views[-1]["you"] == {"seat": 1, "claim_ok": True}
    served.runtime.submit(SeatLeft(at=0.0, seat=1))
    eventually(lambda: len(stream.views) > 1, "another view")
    assert stream.views[-1]["you"] is None


def test_closing_does_not_wait_for_idle_connections(tmp_path: Path) -> None:
    """A phone's kept connection and an open stream: the program still ends at once."""
    with ServedTable.opened(tmp_path) as table:
        idle = http.client.HTTPConnection("127.0.0.1", table.port, timeout=60)
        idle.request("GET", "/api/state")
        assert idle.getresponse().read()
        stream = Stream(table)
        eventually(lambda: stream.views, "a view")
        began = time.monotonic()
    assert time.monotonic() - began < 20
    stream.thread.join(timeout=60)
    assert stream.ended
    assert not any(thread.name == "panel" for thread in threading.enumerate())
    idle.close()
