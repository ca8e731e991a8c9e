"""Attacks on a served panel by many connections, each from a process of its own, for measurements.

A connection comes from an address of the loopback network (127.0.1.1 and following), so that one attack can stand for
one guest or for several.
"""

from __future__ import annotations

import multiprocessing
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from random import Random

TURN_S = 0.05
PATIENCE_S = 120.0
PAGES = (
    "/", "/play", "/tv", "/join/1", "/host", "/proof", "/how-to-play", "/board", "/puzzles", "/book", "/hardware",
    "/api/state", "/api/book.json", "/api/book.csv", "/api/standing", "/api/proof", "/api/openapi.json",
    "/script/play.js", "/words.js", "/static/shared/style.css", "/no/such/page",
)  # fmt: skip
Attack = Callable[[int, int, int], None]
"""Port, number of connections, number of addresses. It goes on until its process is killed."""


@contextmanager
def attacked(attack: Attack, port: int, connections: int, addresses: int = 1) -> Iterator[None]:
    """Let an attack go on as long as the body of the ``with`` runs."""
    process = multiprocessing.get_context("spawn").Process(target=attack, args=(port, connections, addresses))
    process.daemon = True
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join(10)


def dribble(port: int, connections: int, addresses: int) -> None:
    """Send a byte of a request now and then, and none of the rest."""
    links: list[socket.socket] = []
    for turn in count():
        for link in _refilled(links, port, connections, addresses, turn):
            link.setblocking(False)
        for link in [one for one in links if not _goes_on(one)]:
            links.remove(link)
            link.close()
        time.sleep(TURN_S)  # So slowly it dribbles.


def _goes_on(link: socket.socket) -> bool:
    try:
        link.send(b"G")
        return bool(link.recv(64))
    except BlockingIOError:
        return True
    except OSError:
        return False


def unread(port: int, connections: int, addresses: int) -> None:
    """Ask for the longest answer four times at once, and read nothing of it."""
    _hold(port, connections, addresses, request("/api/openapi.json", port) * 4)


def unread_streams(port: int, connections: int, addresses: int) -> None:
    """Open streams, and read nothing of them."""
    _hold(port, connections, addresses, request("/api/events", port))


def all_pages(port: int, connections: int, addresses: int) -> None:
    """Ask for page after page on every connection, as fast as they come."""
    chance = Random(7)
    links: list[socket.socket] = []
    for turn in count():
        _refilled(links, port, connections, addresses, turn)
        for link in list(links):
            try:
                link.sendall(request(chance.choice(PAGES), port))
                link.setblocking(True)
                link.settimeout(PATIENCE_S)
                alive = bool(link.recv(1 << 20))
            except OSError:
                alive = False
            if not alive:
                links.remove(link)
                link.close()


def request(path: str, port: int) -> bytes:
    """Return a GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()


def _hold(port: int, connections: int, addresses: int, wish: bytes) -> None:
    """Keep connections open that have said their wish and read nothing; open those anew that the server resets."""
    links: list[socket.socket] = []
    ended = select.poll()
    for turn in count():
        for link in _refilled(links, port, connections, addresses, turn, SO_RCVBUF=4096):
            with suppress(OSError):
                link.sendall(wish)
            ended.register(link, select.POLLRDHUP)
        gone = {number for number, _ in ended.poll(TURN_S * 1000)}
        for link in [one for one in links if one.fileno() in gone]:
            ended.unregister(link)
            links.remove(link)
            link.close()


def _refilled(
    links: list[socket.socket], port: int, connections: int, addresses: int, turn: int, **options: int
) -> list[socket.socket]:
    """Open as many connections as are missing; return the new ones."""
    new = []
    for number in range(connections - len(links)):
        link = socket.socket()
        for name, value in options.items():
            link.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        link.settimeout(PATIENCE_S)
        try:
            link.bind((f"127.0.1.{1 + (turn + number) % addresses}", 0))
            link.connect(("127.0.0.1", port))
        except OSError:
            link.close()
            continue
        new.append(link)
    links += new
    return new
