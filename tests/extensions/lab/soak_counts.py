"""The program of ``make soak``, which writes down what it holds when it is asked: ``SIGUSR1``, and a file.

Objects that the collector follows are counted by type; blocks of Python's allocator, bytes of the C library's heaps,
and what Python's allocator has from the system ("arenas") are sums: where these grow and nothing does that is held,
the largest demand so far has left gaps. "Mapped" is the program's own memory by the kind of its mapping: the C
library's first heap, anonymous (Python's arenas, the second heap, stacks), changed pages of files. With TRACE=1 also
the lines are counted that have allocated what is held: it takes half as much memory again.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import signal
import sys
import tempfile
import tracemalloc
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_host.__main__ import main

LINES = 400
"""So many of the lines that have allocated most are told."""


class HeapInfo(ctypes.Structure):
    """``struct mallinfo2`` of glibc: all its heaps together, bytes."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"
        )
    ]  # fmt: skip


def heap() -> dict[str, float]:
    """Return what the C library has from the system, and what of it is in use, MB; nothing without glibc."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        return {}
    ask.restype = HeapInfo
    found = ask()
    return {"heap MB": (found.arena + found.hblkhd) / 1e6, "heap in use MB": (found.uordblks + found.hblkhd) / 1e6}


def arenas() -> dict[str, float]:
    """Return what Python's allocator has from the system, and what of it is in use, MB; nothing if it tells neither."""
    with tempfile.TemporaryFile() as told:
        own = os.dup(2)
        try:
            os.dup2(told.fileno(), 2)  # It writes to the C library's own standard error.
            sys._debugmallocstats()
        finally:
            os.dup2(own, 2)
            os.close(own)
        told.seek(0)
        words = told.read().decode("ascii", "replace")
    found = {}
    for name, line in (
        ("arenas MB", r"arenas \* \d+ bytes/arena += +([\d,]+)"),
        ("arenas in use MB", r"bytes in allocated blocks += +([\d,]+)"),
    ):
        if match := re.search(line, words):
            found[name] = int(match[1].replace(",", "")) / 1e6
    return found


def mapped() -> dict[str, float]:
    """Return the process's own memory by the kind of its mapping, MB; nothing where there is no /proc."""
    found: Counter[str] = Counter()
    kind = ""
    with suppress(OSError):
        for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[0] == "Anonymous:":
                found[f"mapped {kind} MB"] += int(words[1]) / 1024
            elif not words[0].endswith(":"):  # The first line of a mapping: its place, and at its end its name.
                name = words[5] if len(words) > 5 else "anonymous"
                kind = "of files" if name.startswith("/") else name
    return {name: size for name, size in found.items() if size > 0.05}


def held() -> dict[str, Any]:
    """Return the counts by name: ``sums``, ``types`` (objects), ``lines`` (bytes)."""
    sums = {
        **heap(),
        **arenas(),
        **mapped(),
        "blocks": float(sys.getallocatedblocks()),
        "garbage": float(sum(gc.get_count())),
    }
    lines: dict[str, int] = {}
    if tracemalloc.is_tracing():
        gc.collect()  # What waits for the collector has no part in what grows.
        sums["traced MB"] = tracemalloc.get_traced_memory()[0] / 1e6
        snapshot = tracemalloc.take_snapshot()
        lines = {str(one.traceback[0]): one.size for one in snapshot.statistics("lineno")[:LINES]}
    types = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    return {"sums": sums, "types": dict(types), "lines": lines}


def tell(path: Path) -> None:
    """Write the counts to a file, which is there only when it is whole."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(held()), encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    counts = Path(sys.argv.pop(1))
    if os.environ.get("TRACE"):
        tracemalloc.start()
    signal.signal(signal.SIGUSR1, lambda _number, _frame: tell(counts))
    sys.exit(main())
