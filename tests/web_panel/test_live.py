"""Live updates over a real server: many streams, no starvation, a prompt end."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.table.subjects.seats import ModeChosen
from lodestone.tables import KEY, SimulatedTable
from tests.waiting import eventually
from web_panel.api.live import STREAMS_A_SEAT
from web_panel.app import create_app
from web_panel.serve import Serving, serve
from web_panel.streams import Places


@pytest.fixture
def base(tmp_path: Path) -> Iterator[tuple[str, SimulatedTable, Serving]]:
    table = SimulatedTable(tmp_path)
    table.clock.now = time.monotonic()
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    serving = serve(create_app(table.runtime, secret=KEY, addresses=[address]), listener)
    table.runtime.start()
    yield address, table, serving
    table.runtime.stop()
    serving.close()
    listener.close()
    table.close()


def events(address: str, count: int, found: list[dict[str, object]]) -> None:
    with urllib.request.urlopen(f"{address}/api/events", timeout=60) as stream:
        for raw in stream:
            line = raw.decode()
            if line.startswith("data: {"):
                found.append(json.loads(line[6:]))
            if len(found) >= count:
                return


def test_every_stream_gets_every_state_and_others_are_served(base: tuple[str, SimulatedTable, Serving]) -> None:
    address, table, _ = base
    found: list[list[dict[str, object]]] = [[] for _ in range(20)]
    threads = [threading.Thread(target=events, args=(address, 2, mine), daemon=True) for mine in found]
    for thread in threads:
        thread.start()
    eventually(lambda: all(found), "each stream begins with the state as it is")
    with urllib.request.urlopen(f"{address}/api/state", timeout=60) as answer:
        assert json.loads(answer.read())["phase"] == "lobby"
    table.runtime.submit(ModeChosen(at=0.0, mode="4"))
    for thread in threads:
        thread.join(60)
    assert all(len(mine) == 2 and len(mine[1]["seats"]) == 4 for mine in found)  # type: ignore[arg-type]


def test_streams_end_when_the_table_closes(base: tuple[str, SimulatedTable, Serving]) -> None:
    address, table, _ = base
    found: list[dict[str, object]] = []
    thread = threading.Thread(target=events, args=(address, 99, found), daemon=True)
    thread.start()
    eventually(lambda: found, "the stream begins")
    began = time.monotonic()
    table.runtime.stop()
    thread.join(60)
    assert not thread.is_alive()
    assert time.monotonic() - began < 20


def test_the_oldest_stream_of_a_seat_gives_way() -> None:
    streams = Places()
    numbers = [streams.enter("seat 1", STREAMS_A_SEAT) for _ in range(STREAMS_A_SEAT + 1)]
    assert not streams.goes_on("seat 1", numbers[0])
    assert all(streams.goes_on("seat 1", number) for number in numbers[1:])
    for number in numbers:
        streams.leave("seat 1", number)
    assert not streams.goes_on("seat 1", numbers[-1])
