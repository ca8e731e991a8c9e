"""Searches beside the table: what they cost the lights, and how soon the adviser has something to say."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from firmware_host.analysis.adviser import Adviser
from firmware_host.analysis.thinker import Question, Thinker
from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games import registry
from firmware_host.games.game import Analysis
from firmware_host.hardware.tap import tapped
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table import events as ev
from firmware_host.table.change import Change
from hw.ports import OpenBoard
from simulator.board import SimulatedBoard
from tests.e2e.program import eventually

HARD = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 20 2 resolve -"
"""Of spokes_hard.json: what a second decides here is little, so that the search is at work all the time."""
STONE = "D2"
SAMPLES = 300


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    with tempfile.TemporaryDirectory() as folder:
        parts = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim"))
        journal = Journal(Path(folder) / "journal.sqlite")
        board = tapped(OpenBoard(parts.sensors(), parts.strip(), parts.description))
        runtime = Runtime(Setting(registry.game("spokes"), board, b"k" * 32, "bench"), journal)
        _begin(runtime)
        alone = _latencies(runtime, parts)
        answers: list[float] = []

        def tell(position: str, foresight: Analysis, _seconds: float) -> None:
            answers.append(time.perf_counter())
            runtime.foreseen(position, foresight, 0.0)

        adviser = Adviser("spokes", tell)
        began = time.perf_counter()
        adviser.ask(HARD)
        eventually(lambda: answers, "a first answer", 30)
        searching = _latencies(runtime, parts)
        at_work = len(answers) < 3
        adviser.close()
        thinking, thought_on = _thinking(runtime, parts)
        board.close()
        journal.close()
    return [
        ("legal steps lit after a lift, nothing searching, p99", _share(alone, 0.99), "ms"),
        ("legal steps lit after a lift, search at full speed, p50", median(searching), "ms"),
        ("legal steps lit after a lift, search at full speed, p99 (at most: 50)", _share(searching, 0.99), "ms"),
        ("the search was at work to the end of that (1: yes)", float(at_work), ""),
        ("legal steps lit after a lift, a computer thinking, p50", median(thinking), "ms"),
        ("legal steps lit after a lift, a computer thinking, p99 (at most: 50)", _share(thinking, 0.99), "ms"),
        ("it was thinking to the end of that (1: yes)", float(thought_on), ""),
        ("first answer after a position is reached, process start included", (answers[0] - began) * 1000, "ms"),
    ]


def _begin(runtime: Runtime) -> None:
    """Seat two, and put a hard position on the board."""
    runtime.new_lobby("2")
    for seat in (1, 2):
        runtime.submit(ev.SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=str(seat)))
    runtime.submit(ev.GameStarted(at=runtime.now()))
    table: Any = runtime._table
    position = table.game.parse(HARD)
    moment = table.ledger.moments[-1]
    table.ledger.moments = [type(moment)(**{**moment.__dict__, "position": position})]
    table.ledger._open_round()
    for node in table.game.occupancy(position):
        runtime.submit(ev.SensorChanged(at=runtime.now(), node=node, sensed="x"))
    Change(table).follow_position()
    runtime.submit(ev.Tick(at=runtime.now()))
    assert table.phase == "resolving"


def _latencies(runtime: Runtime, parts: SimulatedBoard) -> list[float]:
    """Lift and put back a stone again and again; return what its lights took, milliseconds."""
    waits = []
    for sample in range(SAMPLES):
        left: list[float] = []
        parts.wire.on_frame = lambda left=left: left.append(time.perf_counter())  # type: ignore[misc]
        began = time.perf_counter()
        runtime.submit(ev.SensorChanged(at=runtime.now(), node=STONE, sensed="" if sample % 2 == 0 else "x"))
        if sample % 2 == 0:
            waits.append((left[0] - began) * 1000)
        time.sleep(0.01)
    return waits


def _thinking(runtime: Runtime, parts: SimulatedBoard) -> tuple[list[float], bool]:
    """Return what the lights take while a computer's search runs, and whether it ran to the end of that."""
    game, thinker = registry.game("coil"), Thinker()
    first, endless = (Question("coil", (), game.text(game.start("2")), 1, 5, 1, nodes=most) for most in (1, 10**9))
    try:
        thinker.want([first, endless])
        eventually(lambda: thinker.found(first), "the process is started")
        return _latencies(runtime, parts), thinker.found(endless) is None
    finally:
        thinker.close()


def _share(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]
