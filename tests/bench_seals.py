"""A thousand seals, and everything that the table holds and sends looked through before the last of each round."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.web_panel.capture import play

SEALS = 1000


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit). An opening that is found too early raises AssertionError."""
    with TemporaryDirectory() as folder:
        began = time.perf_counter()
        account = play(Path(folder), SEALS)
        took = time.perf_counter() - began
    return [
        ("seals captured", account.seals, "seals"),
        ("rounds, games", account.rounds, f"rounds in {account.games} games"),
        ("openings sent too early, refused and forgotten", account.early, "openings"),
        ("objects looked at", account.looked / 1e6, "million"),
        ("openings found before all had sealed (at most: 0)", 0, "openings"),
        ("found afterwards, where they belong: the search is not blind", account.found, "places"),
        ("played and searched in", took, "s"),
    ]
