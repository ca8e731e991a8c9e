"""How fast the rules of Phalanx are, beside the slow reference of the same rules in the same run."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from firmware_host.engine import perft
from firmware_host.games.registry import game
from tests.games import phalanx_reference as slow

SECONDS = 1.5


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    phalanx: Any = game("phalanx")
    start = phalanx.start("2")
    began = time.perf_counter()
    count = perft(phalanx, start, 3)
    fast = count / (time.perf_counter() - began)
    began = time.perf_counter()
    count = sum(len(slow.after(after)) for after, _ in slow.after(phalanx.text(start)).values())
    reference = count / (time.perf_counter() - began)
    rng, games, began = Random(1), 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        phalanx.playout(start, rng)
        games += 1
    return [
        ("perft of depth 3 from the start, sequences", fast, "/s"),
        ("perft of depth 2 by the slow reference, sequences", reference, "/s"),
        ("ratio", fast / reference, "x"),
        ("random games", games / (time.perf_counter() - began), "/s"),
    ]
