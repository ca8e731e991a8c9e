"""Turns on boards behind a scanner whose cable is bad, pulled or silent: see bench_faults for all other parts."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lodestone.soaking import Account
from tests.extensions.scanner.cable import CABLE_FAULTS
from tests.extensions.scanner.faulty_cable import cable_evening

LONG = True
EVENING = 50
SHARES = (("presence", "2", 8), ("polarity", "2", 6), ("presence", "4", 4), ("level", "2", 2))
"""Kind of sensing, mode, evenings; each once with snapshots and once with changes."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    wanted = [
        (kind, mode, seed, changes)
        for kind, mode, evenings in SHARES
        for seed in range(evenings)
        for changes in (False, True)
    ]
    total = Account()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for account in pool.map(_evening, wanted):
            total.add(account)
    rows: list[tuple[str, float, str]] = [
        ("turns played over bad cables", total.turns, f"turns, {total.games} games"),
        ("steps made by hand, each compared with what was committed", total.steps, "steps"),
        ("wrong actions committed (at most: 0)", len(total.wrong), "; ".join(total.wrong)[:300]),
        ("tables that did not go on (at most: 0)", len(total.stuck), "; ".join(total.stuck)[:300]),
    ]
    rows += [(f"  {fault}", total.faults[fault], "times") for fault in CABLE_FAULTS]
    return rows + [(f"  {what}", total.noticed[what], "") for what in ("frames dropped", "scanner lost")]


def _evening(entry: tuple[str, str, int, bool]) -> Account:
    kind, mode, seed, changes = entry
    with tempfile.TemporaryDirectory() as folder:
        return cable_evening(Path(folder), EVENING, kind=kind, mode=mode, seed=seed, changes=changes)
