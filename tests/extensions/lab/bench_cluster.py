"""Mass work on a Dask cluster of this machine: how many times as fast two workers are as one, and what kills cost.

A real scheduler and real workers, programs of their own. Every kind of work is done by one worker and by two, in turn;
the results must be the same. Beside each kind two loops without any exchange run in the same two ways: that is what the
machine has to give just then (2 with two idle cores, less where other programs or other machines share them), and 0.9
of it is wanted, 1.8 of 2. While a worker is killed every 20 s, every unit must be counted once. SOAK in the environment
is the number of evenings meanwhile.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_host.extensions.lab import fit_coil, fit_spokes, ladder
from firmware_host.extensions.lab.arena.match import Match, schedule
from firmware_host.extensions.lab.arena.referee import dismiss_now, play
from firmware_host.extensions.puzzles import making
from firmware_host.games.spokes.player import evaluator
from firmware_host.link.mass_work import RowsFile, Workers, complete, work
from lodestone.soaking import FAULTS, play_evening
from tests.extensions.lab.cluster import DaskCluster, dask_cluster

LONG = True

PAIRS = 2
"""So often each kind is done by one worker and by two; the best time of each counts, as other programs run beside."""
LOOP = 50_000_000
"""Steps of each of the two loops: a few seconds."""
KILLED_EVERY_S = 20.0
Units = list[tuple[str, tuple[Any, ...]]]


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    rows: list[tuple[str, float, str]] = []
    with dask_cluster(1) as one, dask_cluster(2) as two:
        for name, function, units, at_end in kinds():
            rows += _compared(name, function, units, at_end, one, two)
    return rows + _killed()


def kinds() -> list[tuple[str, Callable[..., Any], Units, Callable[[], None] | None]]:
    """Return the kinds of mass work: name, function of a unit, units of about a second, and what tidies up."""
    match = Match("octiles", "2", "level:4", "level:3", seed=11)
    pair = next(iter(ladder.pairs("coil"))).match
    levels = Match("coil", pair.mode, "level:3", "level:2", seed=ladder.SEED)
    evenings = [("spokes", "presence", "2"), ("phalanx", "polarity", "2"), ("coil", "presence", "2")]
    weights = {"leads": {str(at): int(value) for at, value in enumerate(evaluator.simple_leads()) if value}}
    sparse = {**{name: {} for name in fit_spokes.TABLES}, **weights}
    found: list[tuple[str, Callable[..., Any], Units, Callable[[], None] | None]] = [
        ("arena", play, [(f"{key}", (match, *key)) for key in schedule(match, 80)], dismiss_now),
        ("ladder", play, [(f"{key}", (levels, *key)) for key in schedule(levels, 40)], dismiss_now),
        (
            "soak",
            play_evening,
            [(f"{seed}", (*evenings[seed % 3], seed, 12, FAULTS, True)) for seed in range(40)],
            None,
        ),
        (
            "puzzles make",
            making.search,
            [
                (f"{kind} {first}", ("coil", kind, 5, first))
                for first in range(1, 121, making.BATCH)
                for kind in ("two", "close")
            ],
            None,
        ),
        (
            "tuning",
            fit_spokes.play_games,
            [(f"{at}", (sparse, 4, "bench", at, at + fit_spokes.BATCH)) for at in range(0, 1800, fit_spokes.BATCH)],
            None,
        ),
        ("tuning, Coil", fit_coil.samples_of, [(f"{at}", (740, "", at, at + 1)) for at in range(36)], None),
    ]
    return found


def spin(steps: int) -> int:
    """Count."""
    count = 0
    for _ in range(steps):
        count += 1
    return count


def _compared(
    name: str,
    function: Callable[..., Any],
    units: Units,
    at_end: Callable[[], None] | None,
    one: DaskCluster,
    two: DaskCluster,
) -> list[tuple[str, float, str]]:
    for cluster in (one, two):  # What is imported first is imported before the clock runs.
        list(work(function, units[:2], Workers(1, cluster.address), at_end=at_end))
    results: list[dict[str, Any]] = []
    took: dict[DaskCluster, list[float]] = {one: [], two: []}
    loops_took: dict[DaskCluster, list[float]] = {one: [], two: []}
    for _ in range(PAIRS):
        for cluster in (one, two):
            began = time.perf_counter()
            list(work(spin, [("first", (LOOP,)), ("second", (LOOP,))], Workers(1, cluster.address)))
            between = time.perf_counter()
            results.append(dict(work(function, units, Workers(1, cluster.address), at_end=at_end)))
            loops_took[cluster].append(between - began)
            took[cluster].append(time.perf_counter() - between)
    same = all(plain(result) == plain(results[0]) for result in results)
    alone, both = min(took[one]), min(took[two])
    loops = min(loops_took[one]) / min(loops_took[two])
    return [
        (f"{name}: two workers, times as fast as one", alone / both, f"x ({alone:.1f} s, {both:.1f} s)"),
        ("  as a share of what two loops give (at least: 0.9)", alone / both / loops, f"of {loops:.2f} x"),
        (f"  {len(units)} units: results that differ (at most: 0)", float(not same), ""),
    ]


def plain(results: dict[str, Any]) -> dict[str, Any]:
    """Return results without what they took in seconds."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(part) for name, part in value.items() if name != "seconds"}
        return [without(part) for part in value] if isinstance(value, list | tuple) else value

    return {key: without(result) for key, result in results.items()}


def _killed() -> list[tuple[str, float, str]]:
    """Soak while a worker is killed every 20 s; compare with what is counted without that."""
    count = int(os.environ.get("SOAK", "30"))
    units = {f"seed {seed}": ("phalanx", "polarity", "2", seed, 25, FAULTS, True) for seed in range(count)}
    kills, over = 0, threading.Event()
    with tempfile.TemporaryDirectory() as folder, dask_cluster(2) as cluster:

        def kill() -> None:
            nonlocal kills
            while not over.wait(KILLED_EVERY_S):
                cluster.kill(kills)
                kills += 1

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            out = Path(folder) / "killed.jsonl"
            workers = Workers(1, cluster.address)
            rows = complete(RowsFile(out), play_evening, units, workers, title="killed", unit="evening")
        finally:
            over.set()
            killer.join()
        lines = Counter(json.loads(line)["key"] for line in out.read_text(encoding="utf-8").splitlines())
        calm = complete(
            RowsFile(Path(folder) / "calm.jsonl"), play_evening, units, workers, title="calm", unit="evening"
        )
    return [
        ("workers killed, one every 20 s", kills, "times"),
        ("  evenings that are not counted once (at most: 0)", sum(lines[key] != 1 for key in units), f"of {count}"),
        ("  results unlike those without kills (at most: 0)", sum(a != b for a, b in zip(rows, calm, strict=True)), ""),
    ]
