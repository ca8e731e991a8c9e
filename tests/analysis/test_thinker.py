"""The thinker: a child process that may be slow, die or talk nonsense while nobody waits; and the real engine in it."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.analysis.engine_process import Broken
from firmware_host.analysis.thinker import MEMORY, Answer, Question, Thinker, answer_of
from firmware_host.games.registry import game as find_game
from firmware_host.text.words import Text, packed, say
from tests.e2e.program import eventually

CHILD = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    open({log!r}, "a").write(line)
    {deed}
    print(json.dumps({{"id": asked["id"], "ok": True, "action": str(asked["seed"])}}), flush=True)
"""
QUESTION = Question("phalanx", (), "position", 1, 2, 7)

Make = Callable[[str], Thinker]


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Make]:
    made: list[Thinker] = []

    def make(deed: str = "pass") -> Thinker:
        script = tmp_path / "child.py"
        script.write_text(CHILD.format(log=str(tmp_path / "log"), deed=deed))
        made.append(Thinker([sys.executable, str(script)]))
        return made[-1]

    yield make
    for thinker in made:
        thinker.close()


def test_questions_are_answered_in_their_order_and_others_forgotten(scripted: Make, tmp_path: Path) -> None:
    thinker = scripted("pass")
    first, second = QUESTION, replace(QUESTION, seed=8)
    thinker.want([first, second])
    eventually(lambda: thinker.found(second) is not None)
    assert (thinker.found(first), thinker.found(second)) == (Answer("7"), Answer("8"))
    third = replace(QUESTION, seed=9)
    thinker.want([third])
    eventually(lambda: thinker.found(third) is not None)
    assert thinker.found(first) is None
    told = (tmp_path / "log").read_text()
    assert told.count("\n") == 3
    assert '"level": 2' in told


def test_a_question_that_is_not_wanted_any_more_is_given_up(scripted: Make) -> None:
    thinker = scripted('time.sleep(300 if asked["seed"] == 7 else 0)')
    thinker.want([QUESTION])
    other = replace(QUESTION, seed=8)
    thinker.want([other])
    eventually(lambda: thinker.found(other) == Answer("8"))
    assert thinker.found(QUESTION) is None


def test_a_child_that_dies_costs_one_answer_and_the_next_question_has_a_new_one(scripted: Make, tmp_path: Path) -> None:
    thinker = scripted('os._exit(1) if asked["seed"] == 7 else None')
    thinker.want([QUESTION, replace(QUESTION, seed=8)])
    eventually(lambda: thinker.found(replace(QUESTION, seed=8)) == Answer("8"))
    assert thinker.found(QUESTION) == Answer(None)
    assert (tmp_path / "log").read_text().count('"seed": 7') == 2


CHOICE = {"action": "C1", "value": 0.5, "share": 0.5, "line": [], "packed": []}


def nested(depth: int) -> list[object]:
    found: list[object] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    "answer",
    [
        f'"packed": {"[" * 930}{"]" * 930}',
        f'"choices": [{{"action": "C1", "value": 1{"0" * 400}, "share": 0, "line": [], "packed": []}}]',
    ],
)
def test_nonsense_of_any_kind_ends_no_thread(answer: str, scripted: Make) -> None:
    """A number too large for a fraction ended it, and from then on all computers played at random."""
    told = f'{{"id": %d, "ok": true, "action": "C1", {answer}}}'
    thinker = scripted(f'print({told!r} % asked["id"], flush=True) if asked["seed"] == 7 else None')
    other = replace(QUESTION, seed=8)
    thinker.want([QUESTION, other])
    eventually(lambda: thinker.found(other) is not None)
    assert thinker.found(QUESTION) == Answer(None)


@pytest.mark.parametrize(
    "given",
    [
        {"ok": False, "error": {"code": "bad_position", "message": "rows"}},
        {"ok": True},
        {"ok": True, "action": 5},
        {"ok": True, "action": "C1", "packed": "because"},
        {"ok": True, "action": "C1", "packed": [{"by": "open", "of": ["/etc/passwd"], "with": {}}]},
        {"ok": True, "action": "C1", "packed": [5]},
        {"ok": True, "action": "C1", "packed": [nested(960)]},
        {"ok": True, "choices": [{**CHOICE, "value": 10**400}]},
        {"ok": True, "choices": [{**CHOICE, "share": -(10**400)}]},
        {"ok": True, "choices": [{**CHOICE, "value": float("nan")}]},
        {"ok": True, "choices": [{**CHOICE, "value": 1.5}]},
        {"ok": True, "choices": [{**CHOICE, "share": -0.5}]},
        {"ok": True, "choices": [{**CHOICE, "packed": nested(960)}]},
        {"ok": True, "choices": [["action"]]},
    ],
)
def test_an_answer_of_another_shape_is_none(given: dict[str, object]) -> None:
    with pytest.raises(Broken):
        answer_of(given)


def test_reasons_come_as_sentences_that_can_be_told_in_any_language() -> None:
    answer = answer_of({"ok": True, "action": "C1", "packed": [packed(say("It looks good."))]})
    assert isinstance(answer.reasons[0], Text)


def test_the_engine_thinks_within_its_memory_and_gives_the_same_answer_again() -> None:
    game = find_game("phalanx")
    question = Question("phalanx", (), game.text(game.start("2")), 1, 1, 5, nodes=200)
    found = []
    for _ in range(2):
        thinker = Thinker()
        try:
            thinker.want([question])
            eventually(lambda thinker=thinker: thinker.found(question) is not None, patience=60)
            process = thinker._child._process
            assert process is not None
            assert resource.prlimit(process.pid, resource.RLIMIT_AS) == (MEMORY, MEMORY)
            found.append(thinker.found(question))
        finally:
            thinker.close()
    assert found[0] == found[1]
    assert found[0] is not None
    assert found[0].action in game.actions(game.start("2"))[1]
