"""The table as a whole: latency from a changed sensor to pixel bytes, the cost of an idle program."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.games.registry import game
from firmware_host.table.change import Change
from firmware_host.table.subjects.resolving import SensorChanged
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.table.view import public_view
from firmware_host.table.watch import Tracker
from lodestone.evening import Evening
from lodestone.server import Server
from lodestone.tables import SimulatedTable

SAMPLES = 300
RESOLVING = "./..../b......./...........wb.b./................ 2 2 2 resolve -"
WIDE = "9/9/6w2/6w2/4www2/4w4/4w4/b3w4/b8 w 3 2"
"""Phalanx with about as many legal actions as there can be."""
HALF = "/".join(("b.w.w" * 3)[: 7 + min(row, 12 - row)] for row in range(13)) + " main 1 2"
"""Coil, half full."""
FULL = (
    "a2:17r5,a3:9r3,b2:3r4,b3:1r1,b4:18r2,b5:4r0,c1:5r0,c2:13r3,c3:8r2,c4:15r3,c5:12r1,d1:11r2,d2:7r5,d3:16r3,d4:2r2,"
    "e3:6r1,e4:10r5 blue:A3,B4,C2,C4,D3;yellow:A2,D4,D5,F2,F3 14 2 1"
)
"""Octiles with a tile in every well: 132 legal turns."""
PLACES = (
    ("spokes", "spokes-45", ""),
    ("phalanx", "go-9x9", WIDE),
    ("coil", "hexhex-7", HALF),
    ("octiles", "octiles-53", FULL),
    ("octiles", "octiles-189", FULL),
)
"""Game, board, position; Spokes in its sealing, or as RESOLVING where a verdict is wanted."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    return [*latency_figures(), *view_figures(), *judge_figures(), *idle_figures()]


def latency_figures() -> list[tuple[str, float, str]]:
    """Time from a stable change of a sensor, handed to the table, to the changed bytes leaving for the strip."""
    rows: list[tuple[str, float, str]] = []
    for name, board, position in PLACES:
        waits = sorted(_latencies(name, board, position))
        label = "changed sensor to changed pixel bytes" + ("" if name == "spokes" else f", {board}")
        rows.append((f"{label}, p50", waits[len(waits) // 2], "ms"))
        rows.append((f"{label}, p99 (at most: 20)", waits[int(len(waits) * 0.99)], "ms"))
    return rows


def _latencies(name: str, board: str, position: str) -> list[float]:
    """Lift and put a stone again and again; return what it took each time, ms."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        table = SimulatedTable(Path(folder), board=board)
        runtime, parts = table.runtime, table.parts
        for seat in (1, 2):
            runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=str(seat)))
        runtime.submit(GameStarted(at=runtime.now(), seed=1))
        node, lies = _lay(table, name, position) if position else ("D12", "x")
        for sample in range(SAMPLES):
            sensed = lies if (sample % 2 == 0) != bool(position) else ""
            left: list[float] = []
            parts.wire.on_frame = lambda left=left: left.append(time.perf_counter())  # type: ignore[misc]
            table.clock.now += 0.05
            began = time.perf_counter()
            runtime.submit(SensorChanged(at=runtime.now(), node=node, sensed=sensed))
            if left:
                found.append((left[0] - began) * 1000)
        table.close()
    return found


def _lay(table: SimulatedTable, name: str, text: str) -> tuple[str, str]:
    """Lay a position's stones, and follow it as if it had been played to.

    Return a node whose stone can be moved (any where none can), or a well whose tile can be covered, and what is seen
    there.
    """
    rules = game(name)
    position = rules.parse(text)
    for node, stack in rules.occupancy(position).items():
        table.hand.put(node, stack[0])
        table.wait(0.1)
    watching: Any = table.runtime._table
    ledger = watching.ledger
    now = replace(ledger.moments[-1], position=position, status=rules.status(position))
    ledger.moments = (*ledger.moments, now)
    Change(watching).follow_position()
    table.wait(0.1)
    sources = (move.source for step in rules.steps(position) for move in step.moves[:1])
    node = next((source for source in sources if source), next(iter(rules.occupancy(position))))
    return node, watching.watch.tracker.sensed[node]


def view_figures() -> list[tuple[str, float, str]]:
    """Time of a new view for phones after a stone was lifted or put, without its JSON."""
    rows: list[tuple[str, float, str]] = []
    for name, board, position in PLACES:
        times = sorted(_views(name, _kinds(board)[0], position or RESOLVING))
        rows.append((f"public_view, {board}, p50", times[len(times) // 2], "ms"))
    return rows


def _views(name: str, kind: str, position: str) -> list[float]:
    evening, times = Evening(name, kind=kind).begin_at(position), []
    node = next(iter(evening.game.occupancy(evening.game.parse(position))))
    stones = evening.stones[node]
    for sample in range(SAMPLES):
        evening.stones[node] = stones if sample % 2 else []
        evening.feel(node)
        evening.wait(0.3)
        began = time.thread_time()
        public_view(evening.table)
        times.append((time.thread_time() - began) * 1000)
    return times


def judge_figures() -> list[tuple[str, float, str]]:
    """Time of one verdict while hands that know no rules lift and put up to six stones at random."""
    rows: list[tuple[str, float, str]] = []
    for name, kind, position in ((name, kind, p) for name, board, p in PLACES for kind in _kinds(board)):
        times = sorted(_verdicts(name, kind, position or RESOLVING))
        label = f"a verdict, {name}, {kind}"
        rows.append((f"{label}, p50", times[len(times) // 2], "ms"))
        rows.append((f"{label}, p99 (at most: 3)", times[int(len(times) * 0.99)], "ms"))
    return rows


def _kinds(board: str) -> tuple[str, ...]:
    """Return the kinds of sensing that are looked at with a board."""
    return {"octiles-53": ("presence",), "octiles-189": ("coded",)}.get(board, ("presence", "polarity"))


def _verdicts(name: str, kind: str, position: str) -> list[float]:
    evening = Evening(name, kind=kind).begin_at(position)
    tracker, rng, times = evening.table.watch.tracker, Random(0), []
    for _ in range(SAMPLES * 2):
        node = rng.choice([*tracker.sensed, *list(tracker.evidence.base) * 3])
        sensed = rng.choice([one for one in _sensed_states(kind, tracker, node) if one != tracker.sensed[node]])
        if len(tracker.differing) > rng.choice((2, 4, 6)):  # Put one back.
            node = rng.choice(tracker.differing)
            sensed = min(tracker.model.sensed_states(node, tracker.evidence.base.get(node)))
        evening.at += 0.05
        began = time.thread_time()
        tracker.moved_on(node, evening.at)
        tracker.sense(node, sensed, evening.at)
        tracker.judge()
        times.append((time.thread_time() - began) * 1000)
    return times


def _sensed_states(kind: str, tracker: Tracker, node: str) -> tuple[str, ...]:
    if kind == "coded" and node in tracker.model.wells:
        return "", "?", "14r3", "9r3"
    return ("", "x") if kind in {"presence", "coded"} else ("", "N", "S")


def idle_figures() -> list[tuple[str, float, str]]:
    """Start the whole program, leave it alone at 50 Hz, and read what the kernel counted."""
    rows = []
    for board in ("spokes-45", "octiles-189"):
        share, resident = _idle(board)
        label = "idle program" + ("" if board == "spokes-45" else f", {board}")
        rows.append((f"{label}, share of one core (at most: 5)", share, "%"))
        rows.append((f"{label}, resident memory (at most: 80)", resident, "MB"))
    return [*rows, *rest_figures()]


def _idle(board: str) -> tuple[float, float]:
    """Return the share of a core, %, and the resident memory, MB, of a program in its lobby."""
    with tempfile.TemporaryDirectory() as folder:
        program = Server(Path(folder), "--board", board, "--sim", "--new")  # A fork of the tests has more imported.
        proc = Path(f"/proc/{program._process.pid}")
        time.sleep(1)  # A program at rest is measured.
        before, began = _cpu(proc), time.monotonic()
        time.sleep(6)  # A program at rest is measured.
        share = (_cpu(proc) - before) / (time.monotonic() - began) * 100
        resident = next(
            int(line.split()[1]) for line in (proc / "status").read_text().splitlines() if line.startswith("VmRSS")
        )
        program.close()
    return share, resident / 1024


def rest_figures() -> list[tuple[str, float, str]]:
    """The loop while nobody moves and a tile lies already: the share of a core that 50 rounds a second take."""
    rows = []
    for board in ("octiles-53", "octiles-189"):
        with tempfile.TemporaryDirectory() as folder:
            table = SimulatedTable(Path(folder), board=board)
            runtime = table.runtime
            for seat in (1, 2):
                runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=str(seat)))
            runtime.submit(GameStarted(at=runtime.now(), seed=1))
            _lay(table, "octiles", FULL)
            watching: Any = runtime._table
            Change(watching).follow_position((watching.watch.tracker.steps[0].action,))
            began = time.process_time()
            table.wait(10)
            rows.append((f"at rest, a tile laid, {board}, of one core", (time.process_time() - began) * 10, "%"))
            assert watching.done_stages or board == "octiles-189"
            table.close()
    return rows


def _cpu(proc: Path) -> float:
    fields = (proc / "stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
