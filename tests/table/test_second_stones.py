"""The second stone of a stack that hands build stone by stone while a board is set up or mended: no sensor shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.table.doors import Direct, Refused

TWO = "./..../xx....../................/................ 2 3 1 place -"
"""Black and white lie on each other on two nodes."""
ACTS = "./..../x......./...........wb.../................ 2 2 2 resolve -"


class Board(Direct):
    """A table of Spokes whose sensors are told one by one."""

    def __init__(self, position: str, kind: str = "presence", **more: Any) -> None:
        super().__init__()
        self.at = 0.0
        self.now: Mapping[str, Any] = self.ask(do="open", game="spokes", kind=kind, position=position, **more)

    def send(self, do: str, after: float = 0.5, **fields: Any) -> None:
        self.at = round(self.at + after, 3)
        self.now = self.ask(do=do, time=self.at, **fields)

    def sense(self, after: float = 0.5, **nodes: str) -> None:
        self.send("sense", after, nodes=nodes)

    def wait(self, seconds: float) -> None:
        self.send("tick", seconds)

    def tap(self, node: str, shown: str = "x") -> None:
        self.sense(1.0, **{node: ""})
        self.sense(0.3, **{node: shown})
        self.wait(1.0)

    def asked(self, node: str) -> list[str]:
        """Return what tasks ask for on a node, in order; lights and sentence must ask for the same."""
        todo = [task["do"] for task in self.now["tasks"] if task.get("node") == node]
        if todo and self.now["tasks"][0].get("node") == node:
            assert self.now["lights"][node] in {"put", "return"}
            assert node in self.now["message"]
        return todo


@pytest.mark.parametrize(("kind", "shown"), [("presence", "x"), ("polarity", "N"), ("polarity", "S")])
def test_a_stack_that_hands_set_up_is_asked_for_until_it_is_tapped(kind: str, shown: str) -> None:
    board = Board(TWO, kind)
    assert board.asked("C1") == ["put", "put"]
    board.sense(C1=shown)
    board.wait(3.0)
    assert board.asked("C1") == ["put", "tap"]
    assert board.now["lights"] == {"C1": "put"}
    assert "then tap it" in board.now["message"]
    board.tap("C1", shown)
    assert board.asked("C1") == []
    assert board.asked("C2") == ["put", "put"]
    board.sense(C2=shown)
    board.wait(20.0)
    assert board.now["phase"] == "setup"
    board.tap("C2", shown)
    assert board.now["phase"] == "sealing"


def test_a_phone_says_that_the_stacks_lie() -> None:
    board = Board(TWO)
    with pytest.raises(Refused):
        board.send("request", what="confirm", seat=2, action="placed")
    board.sense(C1="x")
    board.sense(C2="x")
    board.wait(2.0)
    assert board.now["phase"] == "setup"
    board.send("request", what="confirm", seat=2, action="placed")
    board.wait(1.0)
    assert board.now["phase"] == "sealing"


@pytest.mark.parametrize("position", [TWO, "./..../x......./................/................ 2 2 1 place -"])
def test_what_is_reported_at_once_is_taken_as_whole(position: str) -> None:
    """So a board is read that lies there already, or that a program sets up."""
    board = Board(position)
    board.sense(0.1, **{task["node"]: "x" for task in board.now["tasks"]})
    board.wait(2.5)
    assert board.now["phase"] == "sealing"
    board.send("restart")
    board.wait(2.5)
    assert board.now["phase"] == "sealing"


def test_a_contact_that_drops_out_asks_for_nothing() -> None:
    board = Board(TWO)
    board.sense(0.1, C1="x", C2="x")
    board.sense(0.01, C1="")
    board.sense(0.05, C1="x")
    board.wait(2.5)
    assert board.now["phase"] == "sealing"


def test_where_levels_are_seen_nothing_is_tapped() -> None:
    board = Board(TWO, "level")
    board.sense(C1="N")
    board.sense(C1="N<")
    board.sense(C2="S")
    board.wait(2.0)
    assert [(task["do"], task["node"]) for task in board.now["tasks"]] == [("put", "C2")]
    board.sense(C2="S<")
    board.wait(1.0)
    assert board.now["phase"] == "sealing"


@pytest.mark.parametrize(("kind", "shown"), [("presence", "x"), ("polarity", "N")])
def test_a_block_that_is_mended_in_play_is_tapped(kind: str, shown: str) -> None:
    board = Board(ACTS, kind)
    white, black = ("x", "x") if kind == "presence" else ("N", "S")
    board.sense(0.1, C1=shown, D12=white, D13=black)
    board.wait(2.5)
    assert board.now["phase"] == "resolving"
    board.sense(C1="")
    board.wait(5.0)
    assert board.asked("C1") == ["put", "put"]
    board.sense(C1=shown)
    board.wait(10.0)
    assert board.asked("C1") == ["put", "tap"]
    assert "then tap it" in board.now["problem"]["text"]
    board.tap("C1", shown)
    assert board.now["problem"] is None
    assert board.now["committed"] == []


def test_a_block_that_is_mended_locks_nobody_out() -> None:
    """Who goes on instead has the next step count as ever."""
    board = Board(ACTS.replace("wb", "ww"))
    board.sense(0.1, C1="x", D12="x", D13="x")
    board.wait(2.5)
    board.sense(C1="")
    board.wait(5.0)
    board.sense(C1="x")
    board.wait(2.0)
    assert board.now["problem"] is not None
    board.sense(D13="")
    assert board.now["lights"] == {"D14": "target"}
    board.sense(D14="x")
    board.wait(1.0)
    assert board.now["committed"] == ["D12-D13-D14"]


def test_a_block_that_is_mended_in_play_is_told_by_a_phone() -> None:
    board = Board(ACTS)
    board.sense(0.1, C1="x", D12="x", D13="x")
    board.wait(2.5)
    board.sense(C1="")
    board.wait(5.0)
    board.sense(C1="x")
    board.wait(2.0)
    board.send("request", what="confirm", seat=1, action="placed")
    board.wait(1.0)
    assert board.now["problem"] is None


def test_after_a_restart_no_stone_of_three_is_forgotten() -> None:
    board = Board("./..../......../................/................ 4 1 1 place -", mode="4")
    for seat, action in enumerate(("wD5", "bD5", "wD5", "wC1"), 1):
        board.send("request", what="seal", seat=seat, action=action)
    board.sense(D6="x")
    board.send("restart")
    board.sense(D6="")
    board.sense(D5="x")
    board.sense(C1="x")
    board.wait(20.0)
    assert board.now["phase"] == "setup"
    assert board.asked("D5") == ["put", "put", "tap"]
    assert board.asked("C1") == []
    board.tap("D5")
    assert board.now["phase"] == "resolving"
