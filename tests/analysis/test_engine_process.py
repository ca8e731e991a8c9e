"""The search's process: it may be slow, hang, die or talk nonsense; nobody waits for it; what is urgent is first."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.analysis import engine_process
from firmware_host.analysis.engine_process import NICENESS, AnalysisProcess, EngineChild
from firmware_host.analysis.questions import (
    ACTION_MEMORY,
    ENDS_MEMORY,
    ActionQuestion,
    Answer,
    EndsQuestion,
    Question,
)
from firmware_host.games.registry import game as find_game
from tests.e2e.program import PATIENCE_S, eventually
from tests.sampling import few

pytestmark = pytest.mark.linux  # Its children are told by signals, and looked at in /proc.
CHILD = """
import json, os, queue, signal, sys, threading, time
lines, stopped, busy = queue.Queue(), 0, False
def read():
    global stopped
    for number, line in enumerate(sys.stdin):
        if {obeys} and json.loads(line)["do"] == "stop":
            stopped = number
            os.kill(os.getpid(), signal.SIGUSR1)
        lines.put(line)
    lines.put("")
def stop(*_):
    if busy:
        raise InterruptedError
signal.signal(signal.SIGUSR1, stop)
threading.Thread(target=read, daemon=True).start()
print("not for us") if {chatty} else None
for number, line in enumerate(iter(lines.get, "")):
    asked = json.loads(line)
    if asked["do"] == "stop":
        print(json.dumps({{"id": asked["id"], "ok": True}}), flush=True)
        continue
    open({log!r}, "a").write(f"{{os.getpid()}} {{asked['position']}} {{asked['seconds']}}\\n")
    answer = {{"id": asked["id"], "ok": True, "action": str(asked.get("seed"))}}
    try:
        busy = True
        if stopped > number:
            raise InterruptedError
        {task}
    except InterruptedError:
        open({log!r}, "a").write(f"{{os.getpid()}} stopped {{asked['position']}}\\n")
    finally:
        busy = False
    print(json.dumps(answer), flush=True)
"""
QUESTION = ActionQuestion("phalanx", (), "position", 1, 2, 7)
HARD = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 20 2 resolve -"
"""A position of Spokes at which a search for ends is at work for as long as it may."""


def about(position: str, **more: Any) -> ActionQuestion:
    return replace(QUESTION, position=position, **more)


class Searching:
    """A search whose child is a script of ours, and the log of what that was asked."""

    def __init__(self, folder: Path, task: str = "pass", *, obeys: bool = True, chatty: bool = False) -> None:
        self.log = folder / "log"
        self.log.touch()
        script = folder / "child.py"
        script.write_text(CHILD.format(log=str(self.log), task=task, obeys=obeys, chatty=chatty))
        self.process = AnalysisProcess([sys.executable, str(script)])

    def ask(self, *questions: Question) -> None:
        self.process.ask(questions)

    def answered(self, question: Question) -> Answer:
        return eventually(lambda: self.process.answer(question), f"an answer to {question}")

    @property
    def lines(self) -> Sequence[Sequence[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]

    @property
    def requests(self) -> Sequence[str]:
        """The positions of all requests, in order."""
        return [line[1] for line in self.lines if line[1] != "stopped"]

    @property
    def children(self) -> Sequence[int]:
        return list(dict.fromkeys(int(line[0]) for line in self.lines))


Make = Callable[..., Searching]


@pytest.fixture
def searching(tmp_path: Path) -> Iterator[Make]:
    made: list[Searching] = []

    def make(*words: Any, **more: Any) -> Searching:
        made.append(Searching(tmp_path, *words, **more))
        return made[-1]

    yield make
    for one in made:
        one.process.close()
        one.process._thread.join(PATIENCE_S)
        assert not one.process._thread.is_alive()
        assert not any(is_alive(child) for child in one.children)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


# -- the queue ---------------------------------------------------------------------------------------------------------


def test_questions_are_answered_in_their_order_and_others_forgotten(searching: Make) -> None:
    search = searching()
    first, second, third = about("p1", seed=7), about("p2", seed=8), about("p3", seed=9)
    search.ask(first, second)
    assert search.answered(second) == Answer("8")
    assert search.process.answer(first) == Answer("7")
    search.ask(third)
    assert search.answered(third) == Answer("9")
    assert search.process.answer(first) is None
    assert search.requests == ["p1", "p2", "p3"]
    assert len(search.children) == 1, "one process answers everything"


def test_a_search_that_nobody_wants_any_more_stops_and_its_process_goes_on(searching: Make) -> None:
    search = searching("time.sleep(300 if asked['position'] == 'p1' else 0)")
    search.ask(about("p1"))
    eventually(lambda: search.requests, "the search")
    search.ask(about("p2"))
    assert search.answered(about("p2")) == Answer("7")
    assert search.lines[1][1:] == ["stopped", "p1"]
    assert search.process.answer(about("p1")) is None, "what it has found until then depends on the machine"
    assert len(search.children) == 1


def test_what_is_urgent_interrupts_what_is_not_and_that_begins_again_afterwards(
    searching: Make, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    search = searching(f"while asked['position'] == 'review' and not os.path.exists({str(go)!r}): time.sleep(0.01)")
    search.ask(about("review", ranked=True), about("next"))
    eventually(lambda: search.requests, "the review")
    search.ask(about("turn"), about("review", ranked=True), about("next"))
    assert search.answered(about("turn")) == Answer("7")
    go.touch()
    eventually(lambda: search.process.answer(about("next")), "the rest")
    assert search.requests[:2] == ["review", "turn"]
    assert search.requests[-1] == "next"
    assert len(search.children) == 1


def test_a_less_urgent_question_interrupts_nothing(searching: Make, tmp_path: Path) -> None:
    go = tmp_path / "go"
    search = searching(f"while not os.path.exists({str(go)!r}): time.sleep(0.01)")
    search.ask(about("turn"))
    eventually(lambda: search.requests, "the computer's search")
    search.ask(about("turn"), about("review"))
    go.touch()
    assert search.answered(about("review"))
    assert not any("stopped" in line for line in search.lines)


def test_who_does_not_stop_is_ended(searching: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_process, "STOP_S", 0.3)
    search = searching("time.sleep(300 if asked['position'] == 'p1' else 0)", obeys=False)
    search.ask(about("p0"))
    search.answered(about("p0"))
    search.ask(about("p1"))
    eventually(lambda: len(search.requests) == 2, "the search")
    search.ask(about("p2"))
    assert search.answered(about("p2")) == Answer("7")
    assert len(search.children) == 2
    assert not is_alive(search.children[0])


def test_a_process_that_is_starting_is_not_ended_by_a_change_of_mind(
    searching: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_process, "STOP_S", 0.0001)  # Much less than a start takes.
    search = searching()
    for number in range(20):
        search.ask(about(f"p{number}"))
    search.ask(about("last"))
    assert search.answered(about("last")) == Answer("7")
    assert len(search.children) == 1


def test_asked_about_nothing_it_rests(searching: Make) -> None:
    search = searching("time.sleep(300)")
    search.ask(about("p1"))
    eventually(lambda: search.requests, "the search")
    search.ask()
    eventually(lambda: any("stopped" in line for line in search.lines), "the end of the search")
    assert search.requests == ["p1"]


def test_asking_never_waits(searching: Make) -> None:
    search = searching("time.sleep(300)", obeys=False)
    began = time.monotonic()
    for number in range(2_000):
        search.ask(about(str(number)))
    assert time.monotonic() - began < 20, "far less than a child takes that never answers"


def test_it_survives_a_hundred_changes_of_mind(searching: Make) -> None:
    search = searching("time.sleep(0.001)")

    def worry(name: str) -> None:
        for number in range(50):
            search.ask(about(f"{name}{number}"))
            time.sleep(0.002)  # Threads change their minds one after the other.

    threads = [threading.Thread(target=worry, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    search.ask(about("last"))
    assert search.answered(about("last")) == Answer("7")


def test_what_was_compiled_meanwhile_answers_next(
    searching: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = tmp_path / "compiled.hashes"
    monkeypatch.setattr(engine_process, "HASHES", compiled)
    search = searching()
    search.ask(about("p1"))
    search.answered(about("p1"))
    compiled.touch()
    search.ask(about("p2"))
    search.answered(about("p2"))
    assert [int(line[0]) for line in search.lines] == search.children
    assert not is_alive(search.children[0])


# -- what may fail -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task",
    few(
        [
            "sys.exit(3)",
            "os.kill(os.getpid(), 9)",
            "print('rubbish', flush=True)",
            "print('[]', flush=True)",
            "sys.stdout.buffer.write(b'x' * 3_000_000)",
            "[print('{}', flush=True) for _ in range(100_000)]",
            "answer = {**answer, 'ok': False, 'error': {'code': 'bad_request'}}",
            "answer = {**answer, 'action': 5}",
            "answer = {**answer, 'packed': json.loads('[' * 930 + ']' * 930)}",
            # A number too large for a fraction ended the thread, and from then on all computers played at random.
            "answer['choices'] = [{'action': 'C1', 'value': 10**400, 'share': 0, 'line': [], 'packed': []}]",
        ],
        4,
    ),
    ids=["ends", "killed", "rubbish", "list", "endless", "flood", "refusal", "shape", "deep", "large"],
)
def test_a_failure_costs_one_answer_after_two_tries_and_the_next_question_is_answered(
    searching: Make, task: str
) -> None:
    search = searching(f"if asked['position'] == 'bad': {task}")
    search.ask(about("bad"), about("good"))
    assert search.answered(about("good")) == Answer("7")
    assert search.process.answer(about("bad")) == Answer()
    assert search.requests == ["bad", "bad", "good"]


def test_one_death_costs_one_more_try(searching: Make, tmp_path: Path) -> None:
    mark = str(tmp_path / "died")
    search = searching(f"os.path.exists({mark!r}) or (open({mark!r}, 'w'), sys.exit(1))")
    search.ask(about("p1"))
    assert search.answered(about("p1")) == Answer("7")
    assert len(search.children) == 2


def test_what_the_child_says_unasked_is_no_answer(searching: Make) -> None:
    search = searching("print(json.dumps({**answer, 'id': 99, 'action': 'no'}), flush=True)")
    search.ask(about("p1"))
    assert search.answered(about("p1")) == Answer()


def test_a_command_that_is_not_there_is_no_disaster() -> None:
    process = AnalysisProcess(["/does/not/exist"])
    process.ask([QUESTION])
    assert eventually(lambda: process.answer(QUESTION)) == Answer()
    process.close()


def test_a_child_that_never_answers_is_ended(monkeypatch: pytest.MonkeyPatch, searching: Make) -> None:
    """It may not even have begun by then, on a busy machine."""
    started: list[subprocess.Popen[bytes]] = []
    start = EngineChild.start

    def noted(child: EngineChild) -> subprocess.Popen[bytes]:
        started.append(start(child))
        return started[-1]

    monkeypatch.setattr(EngineChild, "start", noted)
    monkeypatch.setattr(engine_process, "GRACE_S", 0.3)
    search = searching("time.sleep(60)")
    search.ask(about("p1", seconds=0.1))
    assert search.answered(about("p1", seconds=0.1)) == Answer()
    assert len(started) == 2
    assert all(child.returncode is not None for child in started)


# -- the real search ---------------------------------------------------------------------------------------------------


@pytest.fixture
def engine() -> Iterator[AnalysisProcess]:
    process = AnalysisProcess()
    yield process
    process.close()


def child_of(process: AnalysisProcess) -> int:
    child = process._child._process
    assert child is not None
    return child.pid


def test_the_child_yields_and_can_not_take_all_memory(engine: AnalysisProcess) -> None:
    game = find_game("phalanx")
    action = ActionQuestion("phalanx", (), game.text(game.start("2")), 1, 1, 5, nodes=200)
    ends = EndsQuestion("spokes", (), HARD, 0.1)
    for question, memory in ((action, ACTION_MEMORY), (ends, ENDS_MEMORY), (replace(action, seed=6), ACTION_MEMORY)):
        engine.ask([question])
        eventually(lambda question=question: engine.answer(question))  # type: ignore[misc]
        child = child_of(engine)
        assert resource.prlimit(child, resource.RLIMIT_AS) == (memory, ENDS_MEMORY)
    assert os.getpriority(os.PRIO_PROCESS, child) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, NICENESS)


def test_equal_questions_have_equal_answers_also_if_one_was_interrupted(engine: AnalysisProcess) -> None:
    game = find_game("phalanx")
    question = ActionQuestion("phalanx", (), game.text(game.start("2")), 1, 5, 5, nodes=20_000)
    engine.ask([question])
    answer = eventually(lambda: engine.answer(question))
    assert answer.in_time
    assert answer.action in game.actions(game.start("2"))[1]
    engine.ask([])
    engine.ask([question])
    engine.ask([replace(question, nodes=1), question])
    assert eventually(lambda: engine.answer(question)) == answer


@pytest.mark.parametrize(
    "endless",
    few(
        [
            EndsQuestion("spokes", (), HARD, 60.0),
            ActionQuestion("spokes", (), HARD, 2, 5, 1, nodes=10**9),
            ActionQuestion("coil", (), find_game("coil").text(find_game("coil").start("2")), 1, 5, 1, nodes=10**9),
            ActionQuestion(
                "phalanx", (), find_game("phalanx").text(find_game("phalanx").start("2")), 1, 5, 1, nodes=10**9
            ),
        ],
        2,
    ),
    ids=["ends", "spokes", "coil", "phalanx"],
)
def test_a_computer_waits_for_no_other_search(engine: AnalysisProcess, endless: Question) -> None:
    """Every search stops when it is told to, in the process that lives on."""
    game = find_game("octiles")
    position = game.start("2")
    seat = min(game.actions(position))
    turn = ActionQuestion("octiles", (), game.text(position), seat, 1, 1, nodes=1)
    engine.ask([turn])
    eventually(lambda: engine.answer(turn), "the process is started")
    child = child_of(engine)
    engine.ask([endless])
    eventually(lambda: Path(f"/proc/{child}/stat").read_text().split()[2] == "R", "the search")
    again = replace(turn, seed=2)
    engine.ask([again, endless])
    eventually(lambda: engine.answer(again), "the computer's answer")
    assert child_of(engine) == child, "it was not ended, it has stopped"
    assert engine.answer(endless) is None


def test_no_child_outlives_a_program_that_was_killed() -> None:
    """Its search stops when its parent has gone, and it ends with its input; nobody has to tell it."""
    program = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.analysis.questions import EndsQuestion
process = AnalysisProcess()
short, long = (EndsQuestion("spokes", (), {HARD!r}, seconds) for seconds in (0.01, 60.0))
process.ask([short, long])
while process.answer(short) is None: time.sleep(0.01)
print(process._child._process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: not is_alive(child), "the end of the child")


@pytest.mark.parametrize(
    "cells",
    few(["./..../.ww...../..........ww..../................", "w/.w../.ww...../.b........wwb.../................"], 1),
)
def test_the_real_search_knows_the_best_way(engine: AnalysisProcess, cells: str) -> None:
    """Whoever follows it comes to the end that was announced."""
    game = find_game("spokes")
    question = EndsQuestion("spokes", (), f"{cells} 2 2 2 resolve -", 60.0)
    engine.ask([question])
    known = eventually(lambda: engine.answer(question), "all that can be known").ends
    assert known is not None
    assert known.is_settled
    assert (known.rest_reachable, known.in_loop, known.end) == (True, False, "rest")
    position = game.parse(question.position)
    for action in known.way:
        assert not game.simultaneous(position)
        position = game.apply(position, {2: action}).position
    assert game.simultaneous(position)
    assert game.text(position).split()[0] == known.cells
