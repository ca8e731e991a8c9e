"""What of an engine's answers is believed."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.analysis.questions import ActionQuestion, EndsQuestion, UnreadableAnswer
from firmware_host.games.game import Analysis
from firmware_host.text.words import Text, pack_text, say
from tests.sampling import together

CHOICE = {"action": "C1", "value": 0.5, "share": 0.5, "line": [], "packed": []}
ENDS = {
    **{"ok": True, "rest_reachable": None, "in_loop": None, "loop_nodes": ["C2"], "way": [], "end": None},
    **{"cells": None, "exact": False, "worth": []},
}


def nested(depth: int) -> list[object]:
    found: list[object] = []
    for _ in range(depth):
        found = [found]
    return found


@together(
    "given",
    [
        {"ok": False, "error": {"code": "bad_position", "message": "rows"}},
        {"ok": True},
        {"ok": True, "action": 5},
        {"ok": True, "action": "C1", "packed": "because"},
        {"ok": True, "action": "C1", "packed": [{"by": "open", "of": ["/etc/passwd"], "with": {}}]},
        {"ok": True, "action": "C1", "packed": [5]},
        {"ok": True, "action": "C1", "packed": [nested(960)]},
        {"ok": True, "choices": []},
        {"ok": True, "choices": [{**CHOICE, "value": 10**400}]},
        {"ok": True, "choices": [{**CHOICE, "share": -(10**400)}]},
        {"ok": True, "choices": [{**CHOICE, "value": float("nan")}]},
        {"ok": True, "choices": [{**CHOICE, "value": 1.5}]},
        {"ok": True, "choices": [{**CHOICE, "share": -0.5}]},
        {"ok": True, "choices": [{**CHOICE, "packed": nested(960)}]},
        {"ok": True, "choices": [["action"]]},
    ],
)
def test_an_action_of_another_shape_is_none(given: dict[str, object]) -> None:
    with pytest.raises(UnreadableAnswer):
        ActionQuestion.read(given)


def test_reasons_come_as_sentences_that_can_be_told_in_any_language() -> None:
    answer = ActionQuestion.read({"ok": True, "action": "C1", "packed": [pack_text(say("It looks good."))]})
    assert isinstance(answer.reasons[0], Text)


def test_an_analysis_is_what_the_search_knows() -> None:
    full = {**ENDS, "id": 1, "rest_reachable": True, "in_loop": False, "loop_nodes": [], "way": ["D12+D13"]}
    found = EndsQuestion.read({**full, "end": "rest", "cells": "./", "exact": True, "worth": [0, 2, -1]})
    assert found.ends == Analysis(True, False, (), ("D12+D13",), "rest", "./", True, (0, 2, -1))
    assert EndsQuestion.read(ENDS).ends == Analysis(None, None, ("C2",))


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
def test_an_analysis_of_another_shape_is_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(UnreadableAnswer):
        EndsQuestion.read({**ENDS, **wrong})
