"""Turns on boards that break again and again: what was committed wrongly, what crashed, which tables stood still."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from firmware_host.table.tracker import Waits
from tests.faulty_evening import ASKING, FAULTS, Account, evening

EVENING = 50
"""Turns of one evening: one world, one journal, several games."""
SHARES = (
    ("presence", "2", 90),
    ("polarity", "2", 60),
    ("presence", "4", 20),
    ("polarity", "2v2", 10),
    ("level", "2", 20),
)
"""Kind of sensing, mode, evenings."""
LONE = (("presence", "2", 20), ("polarity", "2", 10), ("level", "2", 4))

Evening = tuple[str, str, int, Waits]


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    total, crashes = play(SHARES, ASKING)
    rows: list[tuple[str, float, str]] = [
        ("turns played while parts break (wanted: 10,000)", total.turns, f"turns, {total.games} games"),
        ("steps made by hand, each compared with what was committed", total.steps, "steps"),
        ("wrong actions committed (wanted: 0)", len(total.wrong), "; ".join(total.wrong)[:300]),
        ("crashes (wanted: 0)", len(crashes), "; ".join(crashes)[:300]),
        ("tables that did not go on (wanted: 0)", len(total.stuck), "; ".join(total.stuck)[:300]),
    ]
    rows += [(f"  broken: {fault}", total.faults[fault], "times") for fault in FAULTS if fault != "none"]
    lone, _ = play(LONE, Waits())
    rows.append((f"one sensor may decide (as set): wrong actions in {lone.turns:,} turns", len(lone.wrong), "steps"))
    return rows


def play(shares: Sequence[tuple[str, str, int]], waits: Waits) -> tuple[Account, list[str]]:
    """Play all evenings on all cores; return their sum, and what crashed."""
    wanted = [(kind, mode, seed, waits) for kind, mode, evenings in shares for seed in range(evenings)]
    total, crashes = Account(), []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for one in [pool.submit(one_evening, entry) for entry in wanted]:
            try:
                total.add(one.result())
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is counted here
                crashes.append(f"{type(error).__name__}: {error}")
    return total, crashes


def one_evening(entry: Evening) -> Account:
    """Play one evening in a folder of its own."""
    kind, mode, seed, waits = entry
    with tempfile.TemporaryDirectory() as folder:
        return evening(Path(folder), EVENING, kind=kind, mode=mode, seed=seed, waits=waits)
