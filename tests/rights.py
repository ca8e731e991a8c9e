"""What an account may not do, also where the tests run as root: without root's rights its own files bind it, too."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_VERSION_3 = 0x20080522
"""Of the structures of capset(2): one header, and twice the rights in effect, permitted and inherited."""


def _give_up() -> None:
    """Give up root's rights in this thread; each thread has its own."""
    if ctypes.CDLL(None).capset(struct.pack("Ii", _VERSION_3, 0), bytes(24)) != 0:
        raise OSError("the rights can't be given up")


def bound(call: Callable[[], T]) -> T:
    """Call a function in a thread that may do no more than its account, and return what it returns or raises."""
    with ThreadPoolExecutor(1, initializer=_give_up) as pool:
        return pool.submit(call).result()


@cache
def can_be_bound() -> bool:
    """Return whether this system can do so: Linux."""
    try:
        return bound(lambda: True)
    except Exception:  # noqa: BLE001 - no such library, no such call, or a pool that is broken by either
        return False


@contextmanager
def mode(path: Path, rights: int) -> Iterator[None]:
    """Let a file or folder have other rights meanwhile."""
    before = path.stat().st_mode & 0o777
    path.chmod(rights)
    try:
        yield
    finally:
        if os.path.lexists(path):
            path.chmod(before)
