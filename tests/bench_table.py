"""The table as a whole: latency from a changed sensor to pixel bytes, the cost of an idle program."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from firmware_host.config import find_board, load_board
from firmware_host.games.registry import game
from firmware_host.journal import Journal
from firmware_host.runtime import Runtime, Setting
from firmware_host.table import events as ev
from hw.ports import OpenBoard
from simulator.board import SimulatedBoard
from tests.e2e.program import Program

SAMPLES = 300
POSITION = "./..../......../...........ww.../................"


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    return [*latency_figures(), *idle_figures()]


def latency_figures() -> list[tuple[str, float, str]]:
    """Time from a stable change of a sensor, handed to the table, to the changed bytes leaving for the strip."""
    with tempfile.TemporaryDirectory() as folder:
        parts = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim"))
        journal = Journal(Path(folder) / "journal.sqlite")
        board = OpenBoard(parts.sensors(), parts.strip(), parts.description)
        runtime = Runtime(Setting(game("spokes"), board, b"k" * 32, "bench"), journal)
        runtime.new_lobby("2")
        for seat in (1, 2):
            runtime.submit(ev.SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=str(seat)))
        runtime.submit(ev.GameStarted(at=runtime.now()))
        waits = []
        for sample in range(SAMPLES):
            node, sight = ("D12", "x" if sample % 2 == 0 else "")
            left: list[float] = []
            parts.wire.on_frame = lambda left=left: left.append(time.perf_counter())  # type: ignore[misc]
            began = time.perf_counter()
            runtime.submit(ev.SensorChanged(at=runtime.now(), node=node, sight=sight))
            if left:
                waits.append((left[0] - began) * 1000)
        board.close()
        journal.close()
    waits.sort()
    return [
        ("changed sensor to changed pixel bytes, p50", waits[len(waits) // 2], "ms"),
        ("changed sensor to changed pixel bytes, p99 (bound: 20)", waits[int(len(waits) * 0.99)], "ms"),
    ]


def idle_figures() -> list[tuple[str, float, str]]:
    """Start the whole program, leave it alone at 50 Hz, and read what the kernel counted."""
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder)).start("--new")
        assert program.process is not None
        proc = Path(f"/proc/{program.process.pid}")
        time.sleep(1)
        before, began = _cpu(proc), time.monotonic()
        time.sleep(6)
        share = (_cpu(proc) - before) / (time.monotonic() - began) * 100
        resident = next(
            int(line.split()[1]) for line in (proc / "status").read_text().splitlines() if line.startswith("VmRSS")
        )
        program.stop()
    return [
        ("idle program, share of one core (bound: 5)", share, "%"),
        ("idle program, resident memory (bound: 80)", resident / 1024, "MB"),
    ]


def _cpu(proc: Path) -> float:
    fields = (proc / "stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
