"""Live updates at a full club: 200 screens and 8 seats on one process, served as in play."""

from __future__ import annotations

import json
import multiprocessing
import os
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from flask import Flask, Response
from itsdangerous import URLSafeSerializer
from waitress import create_server

from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games.registry import game
from firmware_host.plug import wrap_board
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table.subjects.hints import HintsAllowed
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import OpenBoard
from simulator.board import SimulatedBoard
from web_panel.access import SEAT_COOKIE
from web_panel.app import create_app
from web_panel.serve import serve

KEY = b"k" * 32
EVENTS = 300
GAP_S = 0.1
CROWDS = ((0, 8), (42, 8), (200, 8))
"""Watchers, and phones of players: where a game has four seats, two of each."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    rows: list[tuple[str, float, str]] = []
    few = None
    for watchers, seats in CROWDS:
        found = measure(watchers, seats)
        few = few or found["after"]
        who = f"{watchers} watchers, {seats} seats"
        bound = " (at most: 30)" if watchers == 200 else ""
        rows += [
            (f"{who}: event to last client, p50", found["p50"], "ms"),
            (f"{who}: p95", found["p95"], "ms"),
            (f"{who}: p99{bound}", found["p99"], "ms"),
            (f"{who}: processor time of the server", found["cpu"], "ms/event"),
            (f"{who}: memory of the server (PSS)", found["after"] / 1024, "MiB"),
        ]
        if watchers:
            rows.append((f"{who}: memory for each watcher", (found["after"] - few) / watchers, "KiB"))
    plain = measure(watchers, seats, size=int(found["size"]))
    rows += [
        ("the same bytes from plain waitress, a thread a stream: p50", plain["p50"], "ms"),
        ("plain waitress: p99", plain["p99"], "ms"),
        ("plain waitress: processor time of the server", plain["cpu"], "ms/event"),
        ("the panel takes, of plain waitress's time at p50", found["p50"] / plain["p50"], "times"),
        ("size of the view that each of them gets", found["size"] / 1024, "KiB"),
    ]
    return rows


def measure(watchers: int, seats: int, size: int | None = None) -> dict[str, float]:
    """Serve a table in a process of its own, look at it from this one, and let things happen.

    With a ``size`` it is no table but the reference: a plain server that sends so many bytes to everybody.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_plain if size else _table, args=(theirs, size), daemon=True)
    process.start()
    theirs.close()
    port, taken = ours.recv()
    try:
        before = _memory(process.pid)
        with _crowd(port, watchers, seats, taken) as crowd:
            crowd.settle()
            cpu = _processor(process.pid)
            waits = []
            for _ in range(EVENTS):
                ours.send("happen")
                happened = ours.recv()
                waits.append((crowd.all_have() - happened) * 1000)
                time.sleep(GAP_S)  # Events come as often as in play.
            spent = (_processor(process.pid) - cpu) / EVENTS * 1000
            after = _memory(process.pid)
    finally:
        ours.send("end")
        process.join(10)
    cuts = quantiles(waits, n=100, method="inclusive")
    return {
        "p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "cpu": spent, "before": before, "after": after,
        "size": crowd.size,
    }  # fmt: skip


class Crowd:
    """Many open streams, read by one thread with one selector: readers must not be what is measured."""

    def __init__(self, streams: list[socket.socket]) -> None:
        self.size = 0
        self._waiting = selectors.DefaultSelector()
        self._rest: dict[socket.socket, bytes] = {}
        for stream in streams:
            stream.setblocking(False)
            self._rest[stream] = b""
            self._waiting.register(stream, selectors.EVENT_READ)

    def all_have(self, patience: float = 10.0) -> float:
        """Return when the last client had all of one more view, on the monotonic clock."""
        missing = set(self._rest)
        end = time.monotonic() + patience
        at = 0.0
        while missing:
            for key, _ in self._waiting.select(timeout=1.0):
                stream = key.fileobj
                assert isinstance(stream, socket.socket)
                text = self._rest[stream] + stream.recv(262_144)
                at = time.monotonic()
                if b'\ndata: {"seq"' in text and text.endswith(b"}\n\n\r\n"):
                    self.size, text = len(text), b""
                    missing.discard(stream)
                self._rest[stream] = text
            assert time.monotonic() < end, f"{len(missing)} clients have not heard"
        return at

    def settle(self) -> None:
        """Read what everybody is shown at first."""
        self.all_have()


@contextmanager
def _crowd(port: int, watchers: int, seats: int, taken: list[int]) -> Iterator[Crowd]:
    signer = URLSafeSerializer(KEY, salt="lodestone-seat-v1")
    streams = []
    for number in range(watchers + seats):
        seat = taken[number % len(taken)]
        cookie = f"Cookie: {SEAT_COOKIE}={signer.dumps([seat, f'c{seat}'])}\r\n" if number < seats else ""
        stream = socket.create_connection(("127.0.0.1", port), timeout=10)
        stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}\r\n".encode())
        streams.append(stream)
    try:
        yield Crowd(streams)
    finally:
        for stream in streams:
            stream.close()


def _plain(pipe: Connection, size: int) -> None:
    """Send views of a size to everybody by Flask and waitress as they come, a condition between them."""
    changed = threading.Condition()
    count = 0

    def stream() -> Iterator[bytes]:
        seen = -1
        while True:
            with changed:
                while count == seen:
                    changed.wait()
                seen = count
            head = b'id: %d\ndata: {"seq":%d,"' % (seen, seen)
            yield head + b"x" * (size - len(head) - 12) + b'"}\n\n'

    app = Flask("plain")
    app.add_url_rule("/api/events", "events", lambda: Response(stream(), mimetype="text/event-stream"))
    server = create_server(app, host="127.0.0.1", port=0, threads=256, connection_limit=600)
    threading.Thread(target=server.run, daemon=True).start()
    pipe.send((server.effective_port, [1]))
    while pipe.recv() == "happen":
        began = time.monotonic()
        with changed:
            count += 1
            changed.notify_all()
        pipe.send(began)


def _table(pipe: Connection, _size: None) -> None:
    """Run a table and its panel as `lodestone play` does; make something happen when told to."""
    with TemporaryDirectory() as folder:
        parts = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim"), time.monotonic)
        journal = Journal(Path(folder) / "journal.sqlite")
        board = wrap_board(OpenBoard(parts.sensors(), parts.strip(), parts.description))
        runtime = Runtime(Setting(game("spokes"), board, KEY, "bench"), journal)
        modes = sorted(game("spokes").modes, key=lambda mode: len(game("spokes").seats(mode)))
        runtime.new_lobby(modes[-1])
        seats = [seat["seat"] for seat in runtime.view(None)[1]["seats"]]
        for seat in seats:
            runtime.submit(SeatTaken(at=0.0, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
        runtime.submit(GameStarted(at=runtime.now()))
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        runtime.start()
        serving = serve(create_app(runtime, secret=KEY, addresses=["http://127.0.0.1"]), listener)
        pipe.send((listener.getsockname()[1], seats))
        on = False
        while pipe.recv() == "happen":
            began = time.monotonic()
            runtime.submit(HintsAllowed(at=runtime.now(), seat=seats[0], on=on))
            on = not on
            pipe.send(began)
        runtime.stop()
        serving.close()
        listener.close()
        board.close()
        journal.close()


def _memory(process: int | None) -> float:
    """Return the proportional set size of a process, KiB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _processor(process: int | None) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(json.dumps(figures(), indent=1))
