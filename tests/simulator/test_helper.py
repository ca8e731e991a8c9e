"""The simulated helper on a simulated clock: one task at a time, none of them twice."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firmware_host import platform
from firmware_host.session.host import EVERYBODY, tasks_for
from firmware_host.table.hypotheses import Timings
from firmware_host.table.sensor_model import NOTHING, Taps
from lodestone.boards import Clock
from lodestone.tables import SimulatedTable
from simulator.hand import Hand, Parts
from simulator.helper import AGAIN_S, BELOW_S, TAP_AGAIN_S, Helper
from simulator.stones import Impossible, World
from tests.e2e.program import eventually
from tests.sampling import together
from tests.session.test_runtime import sit
from tests.turns import Machine

Task = dict[str, Any]
PUT: Task = {"do": "put", "node": "A1", "piece": "w", "seat": 1}
MOVE: Task = {"do": "move", "from": "A1", "to": "B1", "pieces": ["w"], "seat": 1}


def person(pause: float = 0.5) -> tuple[World, Helper, Clock]:
    clock = Clock()
    world = World(("A1", "B1", "B2"), "presence", clock)
    return world, Helper(Hand(world, "helper", sleep=clock.sleep), pause, clock=clock), clock


def later(helper: Helper, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    helper.work()


def test_the_first_task_is_done_after_a_pause() -> None:
    world, helper, clock = person()
    helper.attend([PUT, {**PUT, "node": "B2"}])
    later(helper, clock, 0.4)
    assert world.stones() == {}
    later(helper, clock, 0.2)
    assert world.stones() == {"A1": ["w"]}, "one deed, then a new look at the list"


def test_a_helper_that_fails_is_told_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The next attempt comes by itself: a game must not stand still for one fault."""
    world = World(("A1", "B1", "B2"), "presence", time.monotonic)
    helper = Helper(Hand(world, "helper"), 0.0)
    put, faults = world.put, [OSError("a fault"), KeyError("another")]

    def failing(node: str, piece: str) -> Any:
        if faults:
            raise faults.pop()
        return put(node, piece)

    monkeypatch.setattr(world, "put", failing)
    monkeypatch.setattr("simulator.helper.AGAIN_S", 0.01)
    helper.start()
    with closing(helper):
        helper.attend([PUT])
        eventually(world.stones, "the stone")
    assert not faults
    assert "it tries again" in caplog.text


def test_a_line_is_pushed_stone_by_stone_and_the_front_one_may_go_off() -> None:
    world, helper, clock = person()
    for node in ("A1", "B1", "B2"):
        world.put(node, "w" if node == "B2" else "b")
    push: list[Task] = [
        {"do": "take", "node": "B2", "seat": 1},
        {"do": "move", "from": "B1", "to": "B2", "pieces": ["b"], "seat": 1},
        {"do": "move", "from": "A1", "to": "B1", "pieces": ["b"], "seat": 1},
    ]
    helper.attend(push)
    later(helper, clock, 1)
    assert world.stones() == {"B1": ["b"], "B2": ["b"]}
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"B1": ["b"], "B2": ["b"]}, "and not again for the same list"


def test_two_taps_that_were_not_noticed_are_made_again_together() -> None:
    """A single tap, seconds later, would never count as the second of two."""
    world, helper, clock = person()
    world.put("A1", "w")
    lifted: list[float] = []
    world.on_change = lambda: lifted.append(clock.now) if not world.stones() else None
    helper.attend([{**MOVE, "to": "A1"}, {"do": "tap", "node": "A1", "seat": 1}])
    for times in (1, 2, 3):
        later(helper, clock, AGAIN_S + 1)
        assert len(lifted) == 2 * times
        assert lifted[-1] - lifted[-2] < 1


def test_of_what_is_mended_one_stone_is_moved_at_a_time() -> None:
    world, helper, clock = person()
    for node in ("A1", "B1"):
        world.put(node, "b")
    helper.attend([{"do": "take", "node": node, "seat": None} for node in ("A1", "B1")])
    later(helper, clock, 1)
    assert world.stones() == {"B1": ["b"]}


def test_no_stone_is_put_twice_for_one_list() -> None:
    """A dead sensor makes the table ask again and again; the helper must not pile stones up."""
    world, helper, clock = person()
    helper.attend([PUT])
    for _ in range(5):
        helper.attend([PUT])
        later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"A1": ["w"]}


def test_a_stack_is_put_down_whole_though_its_pieces_are_alike() -> None:
    """A sensor may tell one stone from two, or not: in either case both have to lie."""
    world, helper, clock = person()
    put: Task = {**PUT, "seat": None}
    helper.attend([put, put, {**put, "node": "B1"}])
    later(helper, clock, 1)
    assert world.stones() == {"A1": ["w", "w"]}, "the stack, then a new look at the list"
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"A1": ["w", "w"]}
    Hand(world, "other", sleep=clock.sleep).take_off("A1")
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"A1": ["w", "w"]}, "what somebody has taken off is put down again"


def test_the_newest_list_counts() -> None:
    world, helper, clock = person()
    helper.attend([PUT])
    clock.now += 0.3
    helper.attend([{**PUT, "node": "B1"}])
    later(helper, clock, 0.3)
    assert world.stones() == {"B1": ["w"]}
    helper.attend([])
    later(helper, clock, 60)
    assert world.stones() == {"B1": ["w"]}


def test_the_same_list_again_after_another_is_a_new_one() -> None:
    world, helper, clock = person()
    for tasks in ([PUT], [], [PUT]):
        helper.attend(tasks)
        later(helper, clock, 1)
    assert world.stones() == {"A1": ["w", "w"]}


def test_what_cant_be_done_is_left_and_tried_again_later() -> None:
    world, helper, clock = person()
    helper.attend([MOVE])
    later(helper, clock, 1)
    assert world.snapshot()["stones"] == world.snapshot()["hands"] == {}
    world.put("A1", "w")
    later(helper, clock, AGAIN_S - 1)
    assert world.stones() == {"A1": ["w"]}
    later(helper, clock, 1.5)
    assert world.stones() == {"B1": ["w"]}


def test_a_stack_is_made_and_tapped_and_tapped_again() -> None:
    world, helper, clock = person()
    world.put("A1", "w")
    world.put("B1", "b")
    lifted: list[bool] = []
    world.on_change = lambda: lifted.append("B1" not in world.stones())
    helper.attend([MOVE, {"do": "tap", "node": "B1", "seat": 1}])
    later(helper, clock, 1)
    assert world.stones() == {"B1": ["b", "w"]}
    assert lifted.count(True) == 1
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"B1": ["b", "w"]}
    assert lifted.count(True) == 2


def test_a_block_is_taken_off_whole_as_long_as_the_table_asks_for_it() -> None:
    """A sensor does not tell a block from a stone: the table asks for the same once more."""
    world, helper, clock = person()
    for node, piece in (("A1", "w"), ("A1", "b"), ("B1", "w")):
        world.put(node, piece)
    take: Task = {"do": "take", "node": "A1", "seat": None}
    helper.attend([take, {**take, "node": "B1"}])
    later(helper, clock, 1)
    assert world.stones() == {"A1": ["w"], "B1": ["w"]}
    later(helper, clock, BELOW_S - 0.1)
    assert world.stones() == {"A1": ["w"], "B1": ["w"]}, "the table may not have noticed yet"
    later(helper, clock, 0.2)
    assert world.stones() == {"B1": ["w"]}
    for _ in range(3):  # A broken sensor: there is nothing left to take.
        later(helper, clock, AGAIN_S)
    assert world.stones() == {"B1": ["w"]}


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_a_game_begins_after_one_that_left_blocks_behind(tmp_path: Path, kind: str) -> None:
    with closing(SimulatedTable(tmp_path, kind=kind)) as table:
        for node, stack in (("A1", "ww"), ("C4", "wb"), ("D12", "b")):
            for piece in stack:
                table.hand.put(node, piece)
        table.wait(0.3)
        sit(table)
        set_up(table, "sealing")
        assert table.parts.world.stones() == {}


@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
def test_a_board_with_a_stack_is_set_up(tmp_path: Path, kind: str) -> None:
    with closing(SimulatedTable(tmp_path, kind=kind)) as table:
        sit(table, position="./..../......../.w...........(bb)../................ 2 2 2 resolve -")
        set_up(table, "resolving")
        assert table.parts.world.stones() == {"D2": ["w"], "D14": ["b", "b"]}


def set_up(table: SimulatedTable, phase: str) -> None:
    """Let a helper do all that the table asks for until a phase has come."""
    helper = Helper(Hand(table.parts.world, "helper", sleep=table.wait), 0.1, clock=table.clock)
    ends = table.clock.now + 60
    while table.view["phase"] != phase:
        assert table.clock.now < ends, table.view["tasks"]
        helper.attend(tasks_for(EVERYBODY, table.view))
        helper.work()
        table.wait(0.1)


def test_a_tap_alone_and_taking_off() -> None:
    world, helper, clock = person()
    world.put("A1", "w")
    helper.attend([{"do": "tap", "node": "A1", "seat": None}])
    later(helper, clock, 1)
    assert world.stones() == {"A1": ["w"]}
    helper.attend([{"do": "take", "node": "A1", "seat": None}])
    later(helper, clock, 1)
    assert world.stones() == {}
    assert world.supply == {"w": 44, "b": 44}


def test_a_tap_counts_though_its_lift_is_scanned_late() -> None:
    """On a busy machine; a shorter one is a sensor that drops out, which is named after three."""
    slept: list[float] = []
    world = World(("A1",), "presence", Clock())
    world.put("A1", "w")
    Hand(world, sleep=slept.append).tap("A1")
    lifted = Taps(Timings().taps).after("A1", "w", NOTHING, 20.1, playing=True)
    assert lifted.after("A1", NOTHING, "w", 20.0 + sum(slept), playing=True).tapped_node == "A1"


def test_a_node_is_left_alone_between_taps_however_fast_new_lists_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taps without a pause are a flapping contact to the table, and none of them counts."""
    world, helper, clock = person(pause=0)
    world.put("A1", "w")
    taps: list[float] = []
    tapping = Hand.tapping

    def noted(hand: Hand, node: str) -> Parts:
        taps.append(clock.now)
        return tapping(hand, node)

    monkeypatch.setattr(Hand, "tapping", noted)
    tap: Task = {"do": "tap", "node": "A1", "seat": 1}
    for _ in range(30):
        helper.attend([])
        helper.attend([tap])
        later(helper, clock, 0.1)
    assert len(taps) >= 3
    assert min(later - before for before, later in pairwise(taps)) >= TAP_AGAIN_S


# -- new lists during the work ----------------------------------------------------------------------------------------


def line(*more: Task) -> list[Task]:
    """Return the tasks of a line whose foremost stone is pushed off the board, as one step."""
    push = [
        {"do": "move", "from": "B1", "to": "B2", "pieces": ["b"], "seat": 1},
        {"do": "move", "from": "A1", "to": "B1", "pieces": ["b"], "seat": 1},
    ]
    return [{**task, "step": "push"} for task in (*more, *push)]


def lying_line(world: World) -> None:
    for node in ("A1", "B1", "B2"):
        world.put(node, "b")


@together("at", range(1, 7))
@together("meanwhile", [["whole"], ["rest"], ["none", "whole"], ["rest", "none", "whole"]])
def test_a_line_is_pushed_once_whatever_the_table_says_meanwhile(at: int, meanwhile: list[str]) -> None:
    """Sensors report late, and one may already detect the next stone of the line."""
    world, helper, clock = person()
    lying_line(world)
    take: Task = {"do": "take", "node": "B2", "seat": 1}
    lists = {"whole": line(take), "rest": line(), "none": []}
    changes = 0

    def say() -> None:
        nonlocal changes
        changes += 1
        if changes == at:
            for said in meanwhile:
                helper.attend(lists[said])

    world.on_change = say
    helper.attend(lists["whole"])
    for _ in range(4):
        later(helper, clock, 0.6)
        helper.attend(lists["whole"])
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"B1": ["b"], "B2": ["b"]}
    assert world.snapshot()["hands"] == {}


def test_what_the_table_no_longer_asks_for_is_left() -> None:
    world, helper, clock = person()
    lying_line(world)
    world.on_change = lambda: helper.attend([]) if not world.holding("helper") else None
    helper.attend(line({"do": "take", "node": "B2", "seat": 1}))
    later(helper, clock, 1)
    assert world.stones() == {"A1": ["b"], "B1": ["b"]}


def test_what_somebody_undoes_is_done_again() -> None:
    world, helper, clock = person()
    world.put("A1", "b")
    helper.attend([{**MOVE, "pieces": ["b"], "step": "s"}])
    later(helper, clock, 1)
    Hand(world, "child", sleep=clock.sleep).carry("B1", "A1")
    later(helper, clock, AGAIN_S + 1)
    assert world.stones() == {"B1": ["b"]}


def test_after_a_stone_that_no_sensor_shows_the_next_one_is_put() -> None:
    """The table asks for the second stone of a stack, before all others, as long as no sensor detects it."""
    world, helper, clock = person()
    helper.attend(
        [{**PUT, "seat": seat, "node": node, "step": "s"} for seat, node in ((1, "A1"), (2, "A1"), (3, "B1"))]
    )
    for _ in range(4):
        later(helper, clock, 0.6)
    assert world.stones() == {"A1": ["w", "w"], "B1": ["w"]}


def test_a_list_that_was_made_in_the_middle_of_a_deed_is_not_trusted_at_once() -> None:
    world, helper, clock = person(pause=0.0)
    world.put("A1", "w")
    put: Task = {"do": "put", "node": "B1", "piece": "w", "seat": None}
    world.on_change = lambda: helper.attend([put]) if world.holding("helper") else None
    helper.attend([{**MOVE, "seat": None}])
    later(helper, clock, 0.1)
    later(helper, clock, 0.1)
    assert world.stones() == {"B1": ["w"]}
    helper.attend([])
    later(helper, clock, AGAIN_S)
    assert world.stones() == {"B1": ["w"]}


def test_where_a_board_is_mended_the_right_stone_is_fetched() -> None:
    world, helper, clock = person()
    world.put("A1", "b")
    helper.attend([{**MOVE, "seat": None}])
    later(helper, clock, 1)
    assert world.stones() == {"B1": ["w"]}


def test_what_cant_be_put_down_is_put_back() -> None:
    world = World(("A1", "B1"), "presence", Clock())
    world.put("A1", "w")

    def stumble(_: float) -> None:
        raise Impossible("a sleeve")

    with pytest.raises(Impossible):
        Hand(world, "helper", sleep=stumble).carry("A1", "B1")
    assert world.stones() == {"A1": ["w"]}
    assert world.holding("helper") == []


def test_on_its_own_thread_it_works_and_goes_home() -> None:
    world = World(("A1", "B1"), "presence", time.monotonic)
    put = threading.Event()
    world.on_change = lambda: put.set() if world.stones() else None
    helper = Helper(Hand(world, "helper"), 0.01)
    helper.start()
    helper.attend([PUT])
    assert put.wait(60)
    helper.close()
    helper.attend([{**PUT, "node": "B1"}])
    helper.close()
    assert world.stones() == {"A1": ["w"]}


def test_without_threads_the_table_sees_what_a_hand_lifts(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser tab it looks at its board between turns: a hand that waited within one would lift nothing for it."""
    monkeypatch.setattr(platform, "HAS_THREADS", False)
    world = World(("A1", "B1"), "presence", time.monotonic)
    world.put("A1", "w")
    helper = Helper(Hand(world, "helper"), 0.0)
    helper.start()
    helper.attend([{"do": "tap", "node": "A1", "seat": 1}])

    def lies(stones: dict[str, list[str]]) -> bool:
        platform.take_turns()
        return world.stones() == stones

    eventually(lambda: lies({}), "the stone is lifted")
    eventually(lambda: lies({"A1": ["w"]}), "it lies there again")
    helper.close()
    platform.take_turns()
    assert not platform._turns


def test_without_threads_a_slow_machine_looks_often_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two turns a little time passes, however long they take: a lifted stone is away for several scans."""
    machine = Machine(monkeypatch, 1.5)
    world = World(("A1", "B1"), "presence", platform.now)
    world.put("A1", "w")
    helper = Helper(Hand(world, "helper"), 0.0)
    helper.start()
    helper.attend([{"do": "tap", "node": "A1", "seat": 1}])
    scans = []
    for _ in range(100):
        machine.turn()
        platform.take_turns()
        scans.append(bool(world.stones()))
    helper.close()
    platform.take_turns()
    away = [len(one) for one in "".join("x" if lies else "." for lies in scans).split("x") if one]
    assert away
    assert min(away) >= 4
