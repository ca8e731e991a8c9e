"""The search beside the table: what it costs the lights, how soon it answers, and the memory of its process."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.analysis.questions import ActionQuestion, EndsQuestion, Question
from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games import registry
from firmware_host.plug import wrap_board
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.subjects.resolving import SensorChanged
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import OpenBoard
from simulator.board import SimulatedBoard
from tests.e2e.program import eventually

HARD = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 20 2 resolve -"
"""Of spokes_hard.json: what a second decides here is little, so that the search is at work all the time."""
STONE = "D2"
SAMPLES = 300
INTERRUPTIONS = 20


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    with tempfile.TemporaryDirectory() as folder:
        parts = SimulatedBoard(load_board(find_board("spokes-45"), backend="sim"))
        journal = Journal(Path(folder) / "journal.sqlite")
        board = wrap_board(OpenBoard(parts.sensors(), parts.strip(), parts.description))
        runtime = Runtime(Setting(registry.game("spokes"), board, b"k" * 32, "bench"), journal)
        _begin(runtime)
        alone = _latencies(runtime, parts)
        ends = EndsQuestion("spokes", (), HARD, 0.3)
        with closing(AnalysisProcess()) as analysis:
            began = time.perf_counter()
            analysis.ask([ends])
            eventually(lambda: analysis.answer(ends), "a first answer", 30)
            first = time.perf_counter() - began
            searching, searched_on = _while(analysis, replace(ends, seconds=60.0), lambda: _latencies(runtime, parts))
            thinking, thought_on = _while(analysis, _endless("phalanx"), lambda: _latencies(runtime, parts))
            before = {child for child, _ in _children()}
            interrupted = [wait for one in ("ends", "coil", "spokes") for wait in _interruptions(analysis, one)]
            ended = len(before - {child for child, _ in _children()})
        memory = _memory()
        board.close()
        journal.close()
    return [
        ("legal steps lit after a lift, nothing searching, p99", _share(alone, 0.99), "ms"),
        ("legal steps lit after a lift, search at full speed, p50", median(searching), "ms"),
        ("legal steps lit after a lift, search at full speed, p99 (at most: 50)", _share(searching, 0.99), "ms"),
        ("the search was at work to the end of that (1: yes)", float(searched_on), ""),
        ("legal steps lit after a lift, a computer thinking, p50", median(thinking), "ms"),
        ("legal steps lit after a lift, a computer thinking, p99 (at most: 50)", _share(thinking, 0.99), "ms"),
        ("it was thinking to the end of that (1: yes)", float(thought_on), ""),
        ("first answer after a position is reached, process start included", first * 1000, "ms"),
        ("a computer's least search while another runs, p50", median(interrupted), "ms"),
        ("... longest", max(interrupted), "ms"),
        ("... processes that were ended for it (at most: 0)", float(ended), ""),
        *memory,
    ]


def _begin(runtime: Runtime) -> None:
    """Seat two, and put a hard position on the board."""
    runtime.new_lobby("2")
    for seat in (1, 2):
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=f"P{seat}", claim=str(seat)))
    runtime.submit(GameStarted(at=runtime.now()))
    table: Any = runtime._table
    position = table.game.parse(HARD)
    moment = table.ledger.moments[-1]
    table.ledger.moments = [replace(moment, position=position)]
    table.ledger._open_round()
    for node in table.game.occupancy(position):
        runtime.submit(SensorChanged(at=runtime.now(), node=node, sensed="x"))
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
        runtime.submit(SensorChanged(at=runtime.now(), node=STONE, sensed="" if sample % 2 == 0 else "x"))
        if sample % 2 == 0:
            waits.append((left[0] - began) * 1000)
        time.sleep(0.01)  # Frames come with time between them, as in play.
    return waits


def _endless(game: str) -> ActionQuestion:
    """Return a question that is searched for minutes."""
    if game == "spokes":
        return ActionQuestion("spokes", (), HARD, 2, 5, 1, nodes=10**9)
    one = registry.game(game)
    return ActionQuestion(game, (), one.text(one.start("2")), 1, 5, 1, nodes=10**9)


def _while(
    analysis: AnalysisProcess, question: Question, measure: Callable[[], list[float]]
) -> tuple[list[float], bool]:
    """Return what is measured while a question is searched, and whether it was searched to the end of that."""
    analysis.ask([question])
    found = measure()
    return found, analysis.answer(question) is None


def _interruptions(analysis: AnalysisProcess, running: str) -> list[float]:
    """Return how long a computer waits that interrupts another search, milliseconds."""
    endless = EndsQuestion("spokes", (), HARD, 60.0) if running == "ends" else _endless(running)
    waits = []
    for seed in range(INTERRUPTIONS):
        analysis.ask([endless])
        time.sleep(0.1)  # A child at work is measured.
        turn = replace(_endless("coil"), nodes=1, seed=seed)
        began = time.perf_counter()
        analysis.ask([turn, endless])
        while analysis.answer(turn) is None:
            time.sleep(0.0005)  # What is measured is when it has answered.
        waits.append((time.perf_counter() - began) * 1000)
    return waits


def _memory() -> list[tuple[str, float, str]]:
    """Return the number of child processes, and their memory: at rest, and the most while all kinds are searched."""
    with closing(AnalysisProcess()) as analysis:
        coil = replace(_endless("coil"), nodes=None)
        small: list[Question] = [replace(coil, nodes=1), EndsQuestion("spokes", (), HARD, 0.3)]
        large: list[Question] = [coil, EndsQuestion("spokes", (), HARD, 2.0)]
        analysis.ask(small)
        eventually(lambda: all(map(analysis.answer, small)), "all processes are started")
        at_rest = [size for _, size in _children()]
        most = [sum(at_rest)]
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.02):
                most.append(sum(size for _, size in _children()))

        watcher = threading.Thread(target=watch)
        watcher.start()
        analysis.ask(large)
        eventually(lambda: all(map(analysis.answer, large)), "all answers")
        done.set()
        watcher.join()
    return [
        ("processes of the search (at most: 1)", float(len(at_rest)), ""),
        ("their memory at rest (RSS)", sum(at_rest), "MB"),
        ("their memory while a computer thinks and ends are proved, most", max(most), "MB"),
    ]


def _children() -> list[tuple[int, float]]:
    """Return this process's children that are engines, each with its resident memory in MB."""
    tasks = Path("/proc/self/task").glob("*/children")
    found = []
    for child in (child for task in tasks for child in task.read_text().split()):
        if "services.engine" in Path(f"/proc/{child}/cmdline").read_text():
            status = Path(f"/proc/{child}/status").read_text()
            found.append((int(child), int(status.split("VmRSS:")[1].split()[0]) / 1024))
    return found


def _share(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]
