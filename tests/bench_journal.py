"""How long an event takes to be durable."""

import time
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from firmware_host.archive.journal import Journal

EVENTS = 1000
DATA = {"seat": 1, "action": "C6-D11-11", "removed": [], "position": f"{'./' * 4}{'.' * 48} 2 7 1 resolve -"}


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit) of one event's append, on the disk of the temporary folder."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        took = []
        for _ in range(EVENTS):
            begun = time.perf_counter()
            journal.append("bench", "action", DATA, "2026-11-21T10:00:00+00:00")
            took.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        journal.verify()
        verified = EVENTS / (time.perf_counter() - begun)
        journal.close()
    cuts = quantiles(took, n=100)
    return [
        ("journal: append, p50", cuts[49], "ms"),
        ("journal: append, p99", cuts[98], "ms"),
        ("journal: events verified", verified, "per s"),
    ]
