"""How long a player waits while somebody opens connections without end and lets none of them say what it wants."""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from tests.bench_live import _table

SOCKETS = 800
LOOKS = 60
GAP_S = 0.05
DRIBBLE_S = 0.05


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    rows = []
    for title, addresses in (("nobody else", 0), ("800 sockets of one address", 1), ("800 sockets of 8 addresses", 8)):
        waits = measure(addresses)
        rows += [
            (f"{title}: a player's request, p50", median(waits), "ms"),
            (f"{title}: the longest of {LOOKS}", max(waits), "ms"),
        ]
    return rows


def measure(addresses: int) -> list[float]:
    """Return how long each of a player's requests took, ms, while so many addresses hold 800 sockets open."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_table, args=(theirs, None), daemon=True)
    process.start()
    theirs.close()
    port, _ = ours.recv()
    try:
        with _flood(port, addresses):
            waits = []
            for _ in range(LOOKS):
                waits.append(_wait_of_a_player(port))
                time.sleep(GAP_S)
            return waits
    finally:
        ours.send("end")
        process.join(10)


def _wait_of_a_player(port: int) -> float:
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        link.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert link.recv(12) == b"HTTP/1.1 200"
    return (time.monotonic() - began) * 1000


@contextmanager
def _flood(port: int, addresses: int) -> Iterator[None]:
    """Keep 800 sockets open that dribble a request for ever, from a process of its own."""
    if not addresses:
        yield
        return
    flood = multiprocessing.get_context("spawn").Process(target=_dribble, args=(port, addresses), daemon=True)
    flood.start()
    try:
        time.sleep(1.0)
        yield
    finally:
        flood.kill()
        flood.join(10)


def _dribble(port: int, addresses: int) -> None:
    """Open sockets, send a byte on each now and then, and open those anew that are closed. Never returns."""
    opened = itertools.count()
    links: list[socket.socket] = []
    while True:
        while len(links) < SOCKETS:
            link = socket.socket()
            link.setblocking(False)
            link.bind((f"127.0.1.{1 + next(opened) % addresses}", 0))
            link.connect_ex(("127.0.0.1", port))
            links.append(link)
        links = [link for link in links if _goes_on(link)]
        time.sleep(DRIBBLE_S)


def _goes_on(link: socket.socket) -> bool:
    """Send one more byte; close the socket, and return False, where the other side has."""
    try:
        link.send(b"G")
        if link.recv(64):
            return True
    except OSError as error:
        if error.errno in {errno.ENOTCONN, errno.EINPROGRESS, errno.EAGAIN}:
            return True  # Nothing has come, or it waits to be let in.
    link.close()
    return False
