"""Whose tasks the simulated hand is given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from firmware_host.session import host
from firmware_host.session.host import COMPUTERS, EVERYBODY, NOBODY, LentHands, tasks_for
from firmware_host.table.subjects.boardless import HandsLent
from tests.e2e.program import eventually
from tests.sampling import together

MINE: dict[str, Any] = {"do": "put", "node": "A1", "piece": "w", "seat": 1}
ITS: dict[str, Any] = {"do": "put", "node": "B1", "piece": "w", "seat": 2}
MEND: dict[str, Any] = {"do": "take", "node": "B2", "seat": None}


def view(*tasks: dict[str, Any], phase: str = "placing", resolver: int = 1, **more: Any) -> dict[str, Any]:
    seats = [{"seat": 1, "computer": False}, {"seat": 2, "computer": True}]
    rest = {"turn": 1, "board": {}, "wanted": None, "stage": [], **more}
    return {"seats": seats, "tasks": list(tasks), "phase": phase, "resolver": resolver, **rest}


def given(whose: str, shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in task.items() if name != "step"} for task in tasks_for(whose, shown)]


@together(
    ("whose", "shown", "expected"),
    [
        (NOBODY, view(MINE, ITS, MEND), []),
        (COMPUTERS, view(MINE, ITS), [ITS]),
        (COMPUTERS, view(MEND), []),
        (COMPUTERS, view(MEND, resolver=2), [MEND]),
        (COMPUTERS, view(MEND, phase="setup"), [MEND]),
        (COMPUTERS, view(MEND, phase="clearing"), [MEND]),
        (EVERYBODY, view(MINE, ITS), [MINE, ITS]),
        (EVERYBODY, view(MEND), [MEND]),
    ],
)
def test_whose_tasks_are_done(whose: str, shown: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    assert given(whose, shown) == expected


def test_tasks_name_the_step_that_they_belong_to() -> None:
    def named(**more: Any) -> list[dict[str, Any]]:
        return tasks_for(EVERYBODY, view(MINE, **more))

    assert named() == named()
    assert named(wanted="x") != named()
    assert named(board={"A1": ["w"]}) != named()
    assert "step" not in tasks_for(EVERYBODY, view(MEND))[0], "what is mended belongs to no step"


def test_the_hand_leaves_a_loop_until_its_lights_have_gone_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "LOOP_S", 0.1)
    attended: list[Any] = []
    told: list[Any] = []
    shown = view(MEND, phase="clearing", game={"id": "g1"}, lights={"B2": {"meaning": "loop"}})
    room: Any = SimpleNamespace(
        follow=lambda _told: None,
        view=lambda _seat: (0, shown),
        submit=told.append,
        now=lambda: 1.0,
        setting=SimpleNamespace(board=SimpleNamespace(attend=attended.append)),
    )
    hands = LentHands(room, EVERYBODY)
    hands.lend(everybody=True)
    hands.lend(everybody=True)
    assert attended == [[], []], "it is not taken off before it was seen"
    eventually(lambda: attended[-1] == [MEND], "the stones of the loop are taken off")
    hands.lend(everybody=True)
    assert attended[-1] == [MEND], "once is enough"
    assert told == [HandsLent(at=1.0, everybody=True)], "a table is told once that nobody has a board"
    hands.lend(everybody=False)
    assert told[1:] == [HandsLent(at=1.0, everybody=False)]


def test_the_table_shows_at_once_what_it_is_told() -> None:
    """The table's thread calls the hand again, from within."""
    followers: list[Any] = []
    told: list[Any] = []
    attended: list[Any] = []

    def submit(event: Any) -> None:
        told.append(event)
        for follow in followers:
            follow({})

    room: Any = SimpleNamespace(
        follow=followers.append,
        view=lambda _seat: (0, view(MINE, game={"id": "g1"})),
        submit=submit,
        now=lambda: 1.0,
        setting=SimpleNamespace(board=SimpleNamespace(attend=attended.append)),
    )
    LentHands(room, EVERYBODY)
    followers[0]({})
    assert told == [HandsLent(at=1.0, everybody=True)]
    assert [len(tasks) for tasks in attended] == [1, 1]
