"""Who has a say in what is proposed, and which proposals a turn ends."""

from __future__ import annotations

import json
from typing import Any

from firmware_host.services.table_protocol import TableSession


class Lines:
    """A table that is spoken to in lines."""

    def __init__(self, **opening: Any) -> None:
        self._session = TableSession()
        self.now = self.send(do="open", **opening)
        self.send(do="tick", time=1)

    def send(self, **line: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._session.answer_line(json.dumps(line)))
        self.now = answer if answer["ok"] else self.now
        return answer

    def request(self, what: str, **more: Any) -> dict[str, Any]:
        return self.send(do="request", what=what, **more)


def test_who_has_resigned_has_no_say() -> None:
    table = Lines(game="spokes", mode="4", kind="level")
    table.request("resign", seat=4)
    table.request("propose", seat=1, proposal="draw")
    for what in ("decline", "agree"):
        assert table.request(what, seat=4, proposal="draw")["error"]["code"] == "bad_proposal"
    assert table.now["proposal"]["waiting"] == [2, 3]
    table.request("decline", seat=1, proposal="draw")
    table.request("resign", seat=3)
    assert table.request("propose", seat=4, proposal="take-back")["error"]["code"] == "bad_proposal"


def test_whose_resignation_would_be_taken_back_has_a_say() -> None:
    table = Lines(game="spokes", mode="4", kind="level")
    table.request("resign", seat=4)
    assert table.request("propose", seat=4, proposal="take-back")["proposal"]["waiting"] == [1, 2, 3]
    table.request("decline", seat=4, proposal="take-back")
    assert table.request("propose", seat=1, proposal="take-back")["proposal"]["waiting"] == [2, 3, 4]


def test_a_take_back_lapses_once_somebody_has_sealed() -> None:
    """Then the turn has to be played: nothing else could be proposed either."""
    table = Lines(game="spokes", mode="2", kind="level")
    table.request("seal", seat=1, action="wA1")
    table.request("seal", seat=2, action="bC1")
    table.send(do="sense", time=2, nodes={"A1": "N", "C1": "S"})
    assert table.send(do="tick", time=5)["turn"] == 2
    assert table.request("propose", seat=1, proposal="take-back")["ok"]
    assert table.request("seal", seat=1, action="wD1")["proposal"] is None
    assert table.request("agree", seat=2, proposal="take-back")["error"]["code"] == "bad_proposal"
    assert table.now["turn"] == 2


def test_a_resignation_while_stones_are_put_down_leaves_their_turn() -> None:
    table = Lines(game="spokes", mode="4", kind="level")
    for seat, action in {1: "wA1", 2: "bC1", 3: "wD3", 4: "bD9"}.items():
        table.request("seal", seat=seat, action=action)
    assert (table.now["phase"], table.now["turn"]) == ("placing", 1)
    assert table.request("resign", seat=4)["turn"] == 1
    table.send(do="sense", time=2, nodes={"A1": "N", "C1": "S", "D3": "N", "D9": "S"})
    assert table.send(do="tick", time=5)["turn"] == 2


def test_a_resignation_leaves_the_stage_of_who_acts() -> None:
    """A tile whose turning was told is not asked for again because somebody else has gone."""
    table = Lines(game="octiles", mode="3", kind="presence", seed=1)
    lying = {task["node"] for task in table.now["tasks"] if task["do"] == "put"}
    table.send(do="sense", time=1, nodes=dict.fromkeys(lying, "x"))
    well = next(node for node in table.send(do="tick", time=3)["lights"] if node not in lying and node[0].islower())
    table.send(do="sense", time=4, nodes={well: "x"})
    choice = table.send(do="tick", time=6)["asked"]["choices"][0]["action"]
    stage = table.request("confirm", seat=1, action=choice)["stage"]
    assert stage
    assert table.request("resign", seat=3)["stage"] == stage
    assert table.send(do="tick", time=12)["asked"] is None
