"""Lights, tasks and the sentence ask for the same from the first moment of a fault, not only once it is repaired."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.hands.evening import a_position
from tests.table.octiles_evenings import KINDS
from tests.table.test_octiles_rounds import LOOP

PAIR = "./..../......../...........ww.../................ 2 2 2 resolve -"
"""Spokes: D12 and D13 push each other; D13 is no stone that may go to D14 where a computer has chosen D12 to D11."""


def asks(evening: Evening) -> dict[str, str]:
    """Return what tasks ask for: node → what is to be done there."""
    nodes = [(task.get("node") or task["to"], task["do"]) for task in evening.view()["tasks"]]
    return dict(nodes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.5, 5.0])
def test_beside_a_tile_that_lies_legally_only_the_wrong_runner_is_asked_for(kind: str, seconds: float) -> None:
    evening = Evening("octiles", kind=kind).begin_at(LOOP)
    evening.lift("B2")
    evening.wait(1.5)
    evening.stones["b3"] = ["18r0"]
    evening.feel("b3")
    evening.wait(seconds)
    assert evening.lights() == {"B2": "return"}
    assert asks(evening) == {"B2": "put"}
    assert "tile 18 may lie" not in evening.view()["message"].lower()
    evening.put("B2")
    evening.wait(1.0)
    question = evening.view()["question"]
    if kind == "coded" and seconds < 4.0:
        assert evening.view()["stage"] == ["b3r0"]
    else:  # After a repair what lies there is asked about.
        assert "b3r0" in {choice["action"] for choice in question["choices"]}
    assert evening.done() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_runner_that_was_moved_against_the_rules_goes_back_and_the_tile_stays(kind: str) -> None:
    evening = Evening("octiles", kind=kind).begin_at(LOOP)
    evening.carry("B2", "B5")
    evening.put("b3", "18r0")
    evening.wait(5.0)
    assert evening.lights() == {"B5": "remove", "B2": "best"}
    assert [(task["from"], task["to"]) for task in evening.view()["tasks"]] == [("B5", "B2")]


def test_a_tile_that_may_be_the_one_missing_elsewhere_goes_back() -> None:
    evening = Evening("octiles", kind="presence").begin_at(LOOP)
    evening.lift("F2")
    evening.wait(0.5)
    evening.carry("a3", "b3")
    evening.wait(5.0)
    assert asks(evening) == {"b3": "take", "a3": "put", "F2": "put"}


def test_the_step_that_a_computer_has_chosen_waits_until_the_board_is_right() -> None:
    evening = Evening("spokes", kind="presence").sit_and_start("Ada", "Bob", computers=(2,)).begin_at(PAIR)
    evening.carry("D13", "D14", pause=0.5)
    evening.wait(7.0)
    evening.say(ActionChosen(at=evening.at, seat=2, action="D13-D12-D11"))
    for _ in range(12):
        assert asks(evening).keys() == {"D13"}
        assert evening.view()["message"].endswith("back on D13.") or "back to D13" in evening.view()["message"]
        assert evening.lights().keys() <= {"D13", "D14"}
        evening.wait(0.5)
    evening.carry("D14", "D13")
    evening.wait(1.0)
    assert asks(evening) == {"D11": "move"}


@pytest.mark.parametrize("name", ["spokes", "phalanx", "coil", "octiles"])
@pytest.mark.parametrize("seed", range(6))
def test_no_fault_is_without_a_task(name: str, seed: int) -> None:
    """At any time, and for each node that the sentence of a piece in the hand names."""
    evening, random = Evening(name, kind="presence"), Random(seed)
    evening.begin_at(a_position(name, evening.table.ledger.mode, seed))
    for _ in range(30):
        lying = [node for node, stones in evening.stones.items() if stones]
        free = [node for node in evening.game.layout().nodes if not evening.stones.get(node)]
        if evening.hand and random.random() < 0.5:
            held, evening.hand = evening.hand[:1], evening.hand[1:]
            wells = evening.game.layout().wells
            evening.put(random.choice([node for node in free if (node in wells) == ("r" in held[0])]), held[0])
        elif lying:
            evening.lift(random.choice(lying))
        evening.wait(random.choice([0.05, 0.5, 1.2]))
        problem = evening.view()["problem"]
        assert problem is None or evening.phase == "over" or evening.view()["tasks"], (
            problem,
            evening.view()["message"],
        )
