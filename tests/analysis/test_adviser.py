"""The adviser: a child process that may be slow, hang, die or talk nonsense, and nobody waits for it."""

from __future__ import annotations

import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.analysis.adviser import Adviser, foresight_of
from firmware_host.analysis.engine_process import NICENESS, Broken, EngineChild
from firmware_host.games.game import Analysis
from firmware_host.games.registry import game as find_game
from firmware_host.table.resolving import is_settled
from tests.e2e.program import PATIENCE_S, eventually
from tests.sampling import together

OPEN = {"rest_reachable": None, "in_loop": None, "loop_nodes": ["C2"], "way": [], "end": None, "cells": None}
ANSWER = {"ok": True, **OPEN, "exact": False, "worth": []}
CHILD = """
import json, os, sys, time
print("not for us") if {chatty} else None
for line in sys.stdin:
    asked = json.loads(line)
    open({log!r}, "a").write(f"{{os.getpid()}} {{asked['position']}} {{asked['seconds']}}\\n")
    answer = {{"id": asked["id"], **{answer}}}
    {deed}
    print(json.dumps(answer), flush=True)
"""
LOOKS = (0.01, 0.6, 0.7)


class Asked:
    """An adviser whose child is a script of ours, and what came of it."""

    def __init__(self, folder: Path, deed: str = "pass", *, answer: Any = ANSWER, chatty: bool = False) -> None:
        self.log = folder / "log"
        self.log.touch()
        script = folder / "child.py"
        script.write_text(CHILD.format(log=str(self.log), answer=answer, deed=deed, chatty=chatty))
        self.told: list[tuple[str, Analysis, float]] = []
        self.adviser = Adviser("spokes", self.tell, command=[sys.executable, str(script)], looks=LOOKS)

    def tell(self, position: str, foresight: Analysis, seconds: float) -> None:
        self.told.append((position, foresight, seconds))

    @property
    def requests(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]

    @property
    def children(self) -> list[int]:
        return list(dict.fromkeys(int(request[0]) for request in self.requests))


Make = Callable[..., Asked]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Asked] = []

    def new(*words: Any, **more: Any) -> Asked:
        made.append(Asked(tmp_path, *words, **more))
        return made[-1]

    yield new
    for asked in made:
        asked.adviser.close()
        asked.adviser._thread.join(PATIENCE_S)
        assert not asked.adviser._thread.is_alive()
        assert not any(is_alive(child) for child in asked.children)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_it_looks_longer_and_longer_while_something_is_open(make: Make) -> None:
    asked = make()
    asked.adviser.ask("p1")
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.told) == 3, "three answers")
    assert [(position, seconds) for position, _, seconds in asked.told] == [("p1", seconds) for seconds in LOOKS]
    assert asked.told[0][1] == Analysis(None, None, ("C2",))
    asked.adviser.ask("p2")
    eventually(lambda: len(asked.told) == 6, "three more")
    assert len(asked.children) == 1, "one process answers everything"


def test_it_is_quiet_when_all_is_known(make: Make) -> None:
    asked = make(answer={**ANSWER, "rest_reachable": True, "in_loop": False, "exact": True})
    asked.adviser.ask("p1")
    eventually(lambda: asked.told, "an answer")
    asked.adviser.ask("p2")
    eventually(lambda: len(asked.told) == 2, "another")
    assert [seconds for _, _, seconds in asked.told] == [LOOKS[0]] * 2


def test_a_long_search_of_a_position_that_is_gone_is_given_up(make: Make) -> None:
    asked = make("time.sleep(300) if asked['seconds'] > 0.5 and asked['position'] == 'p1' else None")
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.requests) == 2, "the second look")
    asked.adviser.ask("p2")
    eventually(lambda: len(asked.told) == 4, "answers about the next position, long before that search ends")
    assert len(asked.children) == 2
    assert not is_alive(asked.children[0])


def test_a_short_search_is_waited_for_and_its_answer_let_go(make: Make, tmp_path: Path) -> None:
    go = tmp_path / "go"
    asked = make(f"while not os.path.exists({str(go)!r}): time.sleep(0.01)")
    asked.adviser.ask("p1")
    eventually(lambda: asked.requests, "the first look")
    asked.adviser.ask("p2")
    go.touch()
    eventually(lambda: asked.told, "an answer")
    assert asked.told[0][0] == "p2"
    assert len(asked.children) == 1


def test_what_was_compiled_meanwhile_answers_next(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = tmp_path / "compiled.hashes"
    monkeypatch.setattr("firmware_host.analysis.engine_process.HASHES", compiled)
    asked = make()
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.told) == 3, "answers of the plain form")
    compiled.touch()
    asked.adviser.ask("p2")
    eventually(lambda: len(asked.told) == 6, "answers of the compiled form")
    assert [asked.children.index(int(process)) for process, *_ in asked.requests] == [0, 0, 0, 1, 1, 1]
    assert not is_alive(asked.children[0])


def test_asked_about_nothing_it_rests(make: Make) -> None:
    asked = make("time.sleep(300) if asked['seconds'] > 0.5 else None")
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.requests) == 2, "the second look")
    asked.adviser.ask(None)
    eventually(lambda: not is_alive(asked.children[0]), "the end of the search")
    assert [position for position, _, _ in asked.told] == ["p1"]


@pytest.mark.parametrize(
    ("deed", "answer"),
    [
        ("sys.exit(3)", ANSWER),
        ("os.kill(os.getpid(), 9)", ANSWER),
        ("print('rubbish', flush=True)", ANSWER),
        ("print('[]', flush=True)", ANSWER),
        ("sys.stdout.buffer.write(b'x' * 3_000_000)", ANSWER),
        ("[print('{}', flush=True) for _ in range(100_000)]", ANSWER),
        ("pass", {"ok": False, "error": {"code": "bad_request"}}),
        ("pass", {**ANSWER, "way": "D12"}),
    ],
    ids=["ends", "is killed", "rubbish", "a list", "an endless line", "a flood", "a refusal", "another shape"],
)
def test_a_child_that_fails_again_and_again_is_left_alone(
    make: Make, deed: str, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    asked = make(deed, answer=answer)
    numbers = itertools.count()
    eventually(lambda: asked.adviser.ask(f"p{next(numbers)}") or not asked.adviser._thread.is_alive(), "giving up")
    assert asked.told == []
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    assert "play goes on without it" in caplog.text
    for number in range(10_000):  # Nobody listens any more; asking is still free.
        asked.adviser.ask(str(number))


def test_one_death_costs_one_more_try(make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mark = str(tmp_path / "died")
    asked = make(f"os.path.exists({mark!r}) or (open({mark!r}, 'w'), sys.exit(1))")
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.told) == 3, "all answers")
    assert len(asked.children) == 2
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_position_that_kills_the_search_is_left_alone_and_others_are_not(make: Make) -> None:
    asked = make("asked['seconds'] > 0.5 and sys.exit(1)")
    for number in range(8):
        asked.adviser.ask(f"p{number}")
        eventually(lambda: len(asked.told) == number + 1, "the first look's answer")  # noqa: B023
        eventually(lambda: len(asked.requests) == 3 * (number + 1), "two tries of the second")  # noqa: B023


def test_what_the_child_says_unasked_is_not_heard(make: Make) -> None:
    asked = make("print(json.dumps({**answer, 'id': 99}), flush=True)")
    asked.adviser.ask("p1")
    eventually(lambda: len(asked.told) == 3, "all answers")


def test_a_command_that_is_not_there_is_no_disaster(caplog: pytest.LogCaptureFixture) -> None:
    adviser = Adviser("spokes", lambda *_: None, command=["/does/not/exist"])
    numbers = itertools.count()
    eventually(lambda: adviser.ask(f"p{next(numbers)}") or not adviser._thread.is_alive(), "giving up")
    adviser.close()


def test_a_child_that_never_answers_is_ended(monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    """It may not even have begun by then, on a busy machine."""
    started: list[subprocess.Popen[bytes]] = []
    start = EngineChild.start

    def noted(child: EngineChild) -> subprocess.Popen[bytes]:
        started.append(start(child))
        return started[-1]

    monkeypatch.setattr(EngineChild, "start", noted)
    monkeypatch.setattr("firmware_host.analysis.engine_process.GRACE_S", 0.3)
    asked = make("time.sleep(60)")
    asked.adviser.ask("p1")
    eventually(lambda: len(started) == 2, "a second try")
    eventually(lambda: all(child.returncode is not None for child in started), "the end of both")
    assert asked.told == []


def test_asking_never_waits(make: Make) -> None:
    asked = make("time.sleep(300)")
    began = time.monotonic()
    for number in range(2_000):
        asked.adviser.ask(str(number))
    assert time.monotonic() - began < 20, "far less than a child takes that never answers"


def test_the_child_yields_and_can_not_take_all_memory(make: Make) -> None:
    asked = make()
    asked.adviser.ask("p1")
    eventually(lambda: asked.children, "a child")
    child = asked.children[0]
    assert os.getpriority(os.PRIO_PROCESS, child) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, NICENESS)
    limits = Path(f"/proc/{child}/limits").read_text()
    assert next(line for line in limits.splitlines() if "address space" in line).split()[3] == str(1 << 30)


def test_no_child_outlives_a_program_that_was_killed(tmp_path: Path) -> None:
    """It sees the end of its input; nobody has to tell it."""
    program = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from firmware_host.analysis.adviser import Adviser, engine_command
adviser = Adviser("spokes", lambda *_: None, command=engine_command())
adviser.ask("./..../......../...........wb.../................ 2 2 2 resolve -")
while adviser._child._process is None: time.sleep(0.01)
print(adviser._child._process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: not is_alive(child), "the end of the child")


def test_it_survives_a_hundred_changes_of_mind(make: Make) -> None:
    asked = make("time.sleep(0.001)")

    def worry(name: str) -> None:
        for number in range(50):
            asked.adviser.ask(f"{name}{number}")
            time.sleep(0.002)

    threads = [threading.Thread(target=worry, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked.adviser.ask("last")
    eventually(lambda: asked.told and asked.told[-1][::2] == ("last", LOOKS[-1]), "the last position's last look")


# -- the real search ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells", ["./..../.ww...../..........ww..../................", "w/.w../.ww...../.b........wwb.../................"]
)
def test_the_real_search_knows_the_best_way(cells: str) -> None:
    """Whoever follows it comes to the end that was announced."""
    told: list[Analysis] = []
    adviser = Adviser("spokes", lambda _position, foresight, _seconds: told.append(foresight))
    game = find_game("spokes")
    text = f"{cells} 2 2 2 resolve -"
    adviser.ask(text)
    eventually(lambda: told and is_settled(told[-1]), "all that can be known", 30)
    adviser.close()
    known = told[-1]
    assert (known.rest_reachable, known.in_loop, known.end) == (True, False, "rest")
    position = game.parse(text)
    for action in known.way:
        assert not game.simultaneous(position)
        position = game.apply(position, {2: action}).position
    assert game.simultaneous(position)
    assert game.text(position).split()[0] == known.cells


# -- the shape of answers ----------------------------------------------------------------------------------------------


def test_an_answer_is_what_the_search_knows() -> None:
    full = {"ok": True, "id": 1, "rest_reachable": True, "in_loop": False, "loop_nodes": [], "way": ["D12+D13"]}
    found = foresight_of({**full, "end": "rest", "cells": "./", "exact": True, "worth": [0, 2, -1]})
    assert found == Analysis(True, False, (), ("D12+D13",), "rest", "./", True, (0, 2, -1))


@together(
    "wrong",
    [
        {"ok": False},
        {"ok": 1},
        {"rest_reachable": "yes"},
        {"rest_reachable": 1},
        {"in_loop": 0},
        {"exact": None},
        {"loop_nodes": None},
        {"loop_nodes": [1]},
        {"way": {}},
        {"end": "somewhere"},
        {"end": []},
        {"cells": 7},
        {"worth": None},
        {"worth": ["x"]},
    ],
)
def test_whatever_has_another_shape_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Broken):
        foresight_of({**ANSWER, **wrong})
