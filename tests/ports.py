"""Free ports for programs of the tests."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from itertools import count
from pathlib import Path
from typing import IO

FIRST, LAST = 12_000, 32_000
"""Below the ports from which systems take the local ends of connections (Linux: 32768, others higher)."""
_asked = count()
_locks: list[IO[bytes]] = []


def free_port() -> int:
    """Return a port that no other test, worker or connection of this machine takes while this process lives.

    A port that is only found free can be taken before the program opens it, or while it is restarted. So each port has
    a byte of one file, which its process keeps locked.
    """
    if not _locks:
        _locks.append((Path(tempfile.gettempdir()) / f"lodestone-ports-{os.getuid()}").open("ab"))
    for number in _asked:
        port = FIRST + (os.getpid() * 101 + number) % (LAST - FIRST)
        try:
            fcntl.lockf(_locks[0], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        except OSError:
            continue
        if _is_free(port):
            return port
    raise AssertionError("unreachable: the numbers do not end")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True
