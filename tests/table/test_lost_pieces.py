"""A piece that was lifted for a step and does not come back is asked for: nobody may hold it any more."""

from __future__ import annotations

from typing import Any

from firmware_host.session.computers import UNSEEN_S, ComputerPlayers
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.sampling import together
from tests.table.phalanx_evenings import KINDS, PUSH


def pushing(kind: str, *computers: int) -> Evening:
    evening = Evening("phalanx", kind=kind).sit_and_start(computers=computers).begin_at(PUSH)
    action = next(step.action for step in evening.game.steps(evening.table.ledger.now.position) if step.line)
    evening.say(ActionChosen(at=evening.at, seat=1, action=action))
    return evening


def work(evening: Evening, task: dict[str, Any]) -> None:
    """Do a task as it is said, with pieces from the supply."""
    if task["do"] == "put":
        evening.put(task["node"], task["piece"])
    elif task["do"] == "take":
        evening.take_off(task["node"])
    else:
        evening.carry(task["from"], task["to"])
    evening.wait(0.3)


@together("kind", KINDS)
@together("computers", [(), (1, 2)])
@together("lost", [1, 2, 3])
def test_the_table_asks_for_what_is_missing(kind: str, computers: tuple[int, ...], lost: int) -> None:
    """Of a line that is pushed, one, two or all pieces are gone: told what to put where, any hand ends the push."""
    evening = pushing(kind, *computers)
    (wanted,) = (step for step in evening.table.watch.tracker.steps if step.action == evening.table.chosen_action)
    for move in wanted.moves[:lost]:
        evening.take_off(str(move.source))
    evening.wait(1.0)
    assert {task["do"] for task in evening.view()["tasks"]} == {"move"}, "somebody may still hold it"
    evening.wait(4.0)
    for _ in range(12):
        tasks = evening.view()["tasks"]
        if not tasks:
            break
        assert tasks[0]["do"] != "move" or tasks[0]["from"] in evening.stones, "what is not there can't be moved"
        work(evening, tasks[0])
    evening.wait(1.0)
    assert evening.done() == [wanted.action]
    position = evening.table.ledger.now.position
    assert {node: tuple(stack) for node, stack in evening.stones.items()} == evening.game.occupancy(position)


def test_a_computers_step_that_no_sensor_can_see_is_taken_after_a_while() -> None:
    """Nobody could say that it lies: a computer has no phone."""
    evening = Evening("coil", kind="presence").sit_and_start(computers=(1, 2))
    evening.say(SensorMasked(at=evening.at, node="d4", reason="dead"))
    evening.say(ActionChosen(at=evening.at, seat=1, action="d4"))
    computers = ComputerPlayers(b"k" * 32, 0.0)

    def let(seconds: float) -> None:
        ends = evening.at + seconds
        while evening.at < ends:
            evening.wait(0.1)
            for event in computers.act(evening.table, evening.at):
                evening.say(event)

    let(UNSEEN_S - 1)
    assert evening.done() == []
    assert evening.view()["tasks"][0]["node"] == "d4"
    let(1.5)
    assert evening.done()[:1] == ["d4"]


def test_nobody_is_asked_about_a_computers_action_because_another_piece_has_fallen() -> None:
    evening = Evening("phalanx").sit_and_start(computers=(1, 2)).begin_at("9/1ww6/1ww6/9/9/9/5bbb1/6b2/9 b 1 1")
    evening.say(ActionChosen(at=evening.at, seat=1, action="F3-G1"))
    evening.lift("C7")
    evening.carry("F3", "G1")
    evening.wait(3)
    assert evening.done() == ["F3-G1"]
    evening.wait(8)
    assert evening.view()["problem"]["nodes"] == ["C7"]


@together("computers", [(), (1, 2)])
def test_what_was_chosen_stays_while_another_stone_is_missing(computers: tuple[int, ...]) -> None:
    """A stone falls while a chosen action is laid: only the fallen one is asked for, by whomever it was chosen."""
    evening = Evening("coil", kind="polarity").sit_and_start(computers=computers)
    for stone in ("d4", "e5"):
        evening.say(ActionChosen(at=evening.at, seat=evening.table.actor, action=stone))
        work(evening, evening.view()["tasks"][0])
        evening.wait(2)
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor, action="g7"))
    (task,) = evening.view()["tasks"]
    evening.put("g7", task["piece"])
    evening.take_off("d4")
    for _ in range(8):
        assert "take" not in {task["do"] for task in evening.view()["tasks"]}
        evening.wait(1)
    (task,) = evening.view()["tasks"]
    assert (task["do"], task["node"]) == ("put", "d4")
    work(evening, task)
    evening.wait(2)
    assert evening.done()[-1] == "g7"
