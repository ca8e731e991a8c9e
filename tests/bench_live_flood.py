"""How long a seated player waits while somebody attacks the panel, and what is left of the attack afterwards.

All of it runs in a network namespace of its own, if the system allows one, with frames as long as a network's: with the
loopback's 65,536 bytes the system takes whole answers, and nobody seems to wait.
"""

from __future__ import annotations

import ctypes
import fcntl
import multiprocessing
import socket
import struct
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from itsdangerous import URLSafeSerializer

from tests.bench_live import KEY, _memory, _table
from tests.floods import Attack, attacked, dribble, unread
from web_panel.access import SEAT_COOKIE

POSTS = 100
GAP_S = 0.05
CLOSED_S = 60.0
ATTACKS: tuple[tuple[str, Attack | None, int, int], ...] = (
    ("nobody else", None, 0, 0),
    ("800 connections of one address that dribble", dribble, 800, 1),
    ("800 connections of 8 addresses that dribble", dribble, 800, 8),
    ("590 connections of 2 addresses that read nothing", unread, 590, 2),
)
FRAME = 1500
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, SIOCGIFMTU, SIOCSIFMTU, IFF_UP = 0x8914, 0x8921, 0x8922, 1


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measure_all, args=(theirs,))
    process.start()
    theirs.close()
    found: list[tuple[str, float, str]] = ours.recv()
    process.join(10)
    return found


def _measure_all(pipe: Connection) -> None:
    in_namespace()
    rows = [("the longest frame of this loopback", float(_frame()), "bytes")]
    for title, attack, connections, addresses in ATTACKS:
        rows += [(f"{title}: {what}", value, unit) for what, value, unit in measure(attack, connections, addresses)]
    pipe.send(rows)


def in_namespace() -> bool:
    """Give this process, of one thread, a network of its own with usual frames; return False where that is refused."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.unshare(CLONE_NEWNET) and system.unshare(CLONE_NEWUSER | CLONE_NEWNET):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        fcntl.ioctl(device, SIOCSIFMTU, struct.pack("16si12x", b"lo", FRAME))
        fcntl.ioctl(device, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    return True


def _frame() -> int:
    """Return the longest frame of the loopback, bytes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        found: int = struct.unpack("16si12x", fcntl.ioctl(device, SIOCGIFMTU, struct.pack("16s16x", b"lo")))[1]
    return found


def measure(attack: Attack | None, connections: int, addresses: int) -> list[tuple[str, float, str]]:
    """Return what a table's panel, served as in play, lets a player notice of an attack."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_table, args=(theirs, None), daemon=True)
    process.start()
    theirs.close()
    port, seats = ours.recv()
    try:
        cookie = f"{SEAT_COOKIE}={URLSafeSerializer(KEY, salt='lodestone-seat-v1').dumps([seats[0], f'c{seats[0]}'])}"
        waits = [_wait_of_a_player(port, cookie)]
        before, sockets = _memory(process.pid), _sockets(process.pid)
        waits.clear()
        with attacked(attack, port, connections, addresses) if attack else nullcontext():
            for _ in range(POSTS):
                waits.append(_wait_of_a_player(port, cookie))
                time.sleep(GAP_S)  # As often as a player asks.
            most = _memory(process.pid)
        if attack:
            _until(lambda: _sockets(process.pid) <= sockets)
            time.sleep(3)  # The server looks after its threads and connections every two seconds.
        after = _memory(process.pid)
    finally:
        ours.send("end")
        process.join(10)
    bound = " (at most: 300)" if attack is unread else ""
    least = " (at most: 30)" if attack is unread else ""
    return [
        ("a player's POST, p50", median(waits), "ms"),
        (f"the longest of {POSTS}{bound}", max(waits), "ms"),
        ("memory meanwhile, more than before", (most - before) / 1024, "MiB"),
        (f"memory afterwards, more than before{least}", (after - before) / 1024, "MiB"),
    ]


def _wait_of_a_player(port: int, cookie: str) -> float:
    began = time.monotonic()
    head = f"POST /api/hurry HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nX-Lodestone: 1\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=120) as link:
        link.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        assert link.recv(12) == b"HTTP/1.1 200"
    return (time.monotonic() - began) * 1000


def _sockets(process: int | None) -> int:
    """Return how many sockets a process has open."""
    found = 0
    for path in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += str(path.readlink()).startswith("socket:")
    return found


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + CLOSED_S
    while not true() and time.monotonic() < end:
        time.sleep(0.2)  # A figure tells what was not so in time.
