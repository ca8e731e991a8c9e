"""Who has a say in what is proposed, and which proposals a turn ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service import Table
from tests.table.doors import Refused


def opened(**fields: Any) -> Table:
    table = Table()
    table.ask(do="open", **fields)
    table.tick(1)
    return table


def test_who_has_resigned_has_no_say() -> None:
    table = opened(game="spokes", mode="4", kind="level")
    table.deed("resign", seat=4)
    table.deed("propose", seat=1, proposal="draw")
    for what in ("decline", "agree"):
        with pytest.raises(Refused, match="bad_proposal"):
            table.deed(what, seat=4, proposal="draw")
    assert table.ask(do="look")["proposal"]["waiting"] == [2, 3]
    table.deed("decline", seat=1, proposal="draw")
    table.deed("resign", seat=3)
    with pytest.raises(Refused, match="bad_proposal"):
        table.deed("propose", seat=4, proposal="take-back")


def test_whose_resignation_would_be_taken_back_has_a_say() -> None:
    table = opened(game="spokes", mode="4", kind="level")
    table.deed("resign", seat=4)
    assert table.deed("propose", seat=4, proposal="take-back")["proposal"]["waiting"] == [1, 2, 3]
    table.deed("decline", seat=4, proposal="take-back")
    assert table.deed("propose", seat=1, proposal="take-back")["proposal"]["waiting"] == [2, 3, 4]


def test_a_take_back_lapses_once_somebody_has_sealed() -> None:
    """Then the turn has to be played: nothing else could be proposed either."""
    table = opened(game="spokes", mode="2", kind="level")
    table.deed("seal", seat=1, action="wA1")
    table.deed("seal", seat=2, action="bC1")
    table.sense(2, A1="N", C1="S")
    assert table.tick(5)["turn"] == 2
    assert table.deed("propose", seat=1, proposal="take-back")["proposal"] is not None
    assert table.deed("seal", seat=1, action="wD1")["proposal"] is None
    with pytest.raises(Refused, match="bad_proposal"):
        table.deed("agree", seat=2, proposal="take-back")
    assert table.ask(do="look")["turn"] == 2


def test_a_resignation_while_stones_are_put_down_leaves_their_turn() -> None:
    table = opened(game="spokes", mode="4", kind="level")
    for seat, action in {1: "wA1", 2: "bC1", 3: "wD3", 4: "bD9"}.items():
        table.deed("seal", seat=seat, action=action)
    now = table.ask(do="look")
    assert (now["phase"], now["turn"]) == ("placing", 1)
    assert table.deed("resign", seat=4)["turn"] == 1
    table.sense(2, A1="N", C1="S", D3="N", D9="S")
    assert table.tick(5)["turn"] == 2


def test_a_resignation_leaves_the_stage_of_who_acts() -> None:
    """A tile whose turning was told is not asked for again because somebody else has gone."""
    table = opened(game="octiles", mode="3", kind="presence", seed=1)
    lying = {task["node"] for task in table.ask(do="look")["tasks"] if task["do"] == "put"}
    table.sense(1, **dict.fromkeys(lying, "x"))
    well = next(node for node in table.tick(3)["lights"] if node not in lying and node[0].islower())
    table.sense(4, **{well: "x"})
    choice = table.tick(6)["asked"]["choices"][0]["action"]
    stage = table.deed("confirm", seat=1, action=choice)["stage"]
    assert stage
    assert table.deed("resign", seat=3)["stage"] == stage
    assert table.tick(12)["asked"] is None
