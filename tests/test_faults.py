"""Broken parts under a whole running table: noticed, named, shown, survived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import Confirmed, Resigned
from firmware_host.table.subjects.seats import ModeChosen
from hw.ports import HardwareError, Message
from lodestone.tables import SimulatedTable
from tests.sampling import cases, few, some
from tests.schemes import needs
from tests.sentences import is_in
from tests.session.test_runtime import kinds, seal, sit

KINDS = ["presence", "polarity", "level"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take each fault with one kind of sensors, another for each test; in the thorough run with all of them."""
    if "table" in metafunc.fixturenames:
        metafunc.parametrize("table", cases(KINDS, *some(KINDS, 3, metafunc.function.__name__)), indirect=True)


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path, kind=request.param)
    sit(here)
    yield here
    here.close()


def sensors(table: SimulatedTable) -> dict[str, Any]:
    found: Any = table.view["sensors"]
    return dict(found)


def test_a_strip_that_fails_is_told_and_play_goes_on(table: SimulatedTable) -> None:
    table.parts.wire.dead = True
    seal(table, {1: "wD12", 2: "bB3"})
    table.wait(1)
    notices: Any = table.view["notices"]
    assert len(notices) == 1
    assert is_in("phones show the way meanwhile", notices[0])
    table.hand.put("D12", "w")
    table.hand.put("B3", "b")
    table.wait(1)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 2), "nothing waits for lights"
    seal(table, {1: "wD1", 2: "bD9"})
    table.wait(1)
    table.parts.wire.dead = False
    table.wait(1.5)
    assert table.view["notices"] == []
    assert table.pixel("D1") != (0, 0, 0), "what should be lit is lit again"


def test_a_broken_pixel_shows_on_no_sensor_so_the_panel_shows_what_should_be_lit(table: SimulatedTable) -> None:
    table.parts.wire.broken_from = 3
    seal(table, {1: "wD12", 2: "bB3"})
    table.wait(0.5)
    assert table.pixel("D12") == (0, 0, 0)
    lights: Any = table.view["lights"]
    assert lights["D12"]["words"] == "Ann: put a white stone on D12"
    table.hand.put("D12", "w")
    table.hand.put("B3", "b")
    table.wait(1)
    assert table.view["turn"] == 2


@pytest.mark.parametrize("fault", few(["data-high", "data-low", "data-shifted"], 1))
def test_a_broken_data_line_pauses_play_with_its_name(table: SimulatedTable, fault: str) -> None:
    play_some(table)
    before = kinds(table)
    table.parts.world.set_fault(fault)
    table.wait(3)
    assert "line" in str(table.view["standstill"])
    assert "line" in str(table.view["message"])
    table.parts.world.clear_faults()
    table.wait(1)
    assert table.view["standstill"] is None
    assert table.view["problem"] is None
    assert kinds(table) == before


@pytest.mark.thorough
def test_one_bad_scan_in_ten_is_told_and_disturbs_nobody(table: SimulatedTable) -> None:
    play_some(table)
    before = kinds(table)
    table.parts.world.set_fault("spikes")
    table.wait(6)
    notices: Any = table.view["notices"]
    assert "sparks" in notices[0]
    assert table.view["standstill"] is None
    assert table.view["problem"] is None
    assert sensors(table)["masked"] == {}
    assert kinds(table) == before
    table.parts.world.clear_faults()
    table.wait(12)
    assert table.view["notices"] == []


@needs("mcp23017")
def test_a_part_that_restarts_again_and_again_and_scans_that_often_fail_are_told(tmp_path: Path) -> None:
    board = SimulatedTable(tmp_path, game="spokes", kind="presence", scheme="mcp23017", seats=["Ann", "Bob"])
    with closing(board) as table:
        for _ in range(3):
            table.parts.world.set_fault("restarted")
            table.wait(2)
        notices: Any = table.view["notices"]
        assert any("has restarted by itself 3 times" in one for one in notices), notices
        bank, random = table.board.sensors, Random(5)
        read = bank.scan

        def sometimes() -> Sequence[int]:
            if random.random() < 0.4:
                raise HardwareError(Message("chip {address} does not answer", address="0x20"))
            return read()

        bank.scan = sometimes  # type: ignore[method-assign]
        table.wait(12)
        notices = table.view["notices"]
        assert any(is_in("Many scans of", one) and "0x20" in one for one in notices), notices
        bank.scan = read  # type: ignore[method-assign]
        table.wait(12)
        assert not any("Many scans" in one for one in table.view["notices"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("fault", few(["chip-high", "chip-low"], 1))
def test_the_nodes_of_a_dead_chip_are_masked_and_believed_again(table: SimulatedTable, fault: str) -> None:
    play_some(table)
    table.parts.world.set_fault(fault)
    table.wait(1)
    assert "chip" in str(table.view["standstill"])
    table.wait(3)
    assert table.view["standstill"] is None
    masked = sensors(table)["masked"]
    assert "D8" in masked
    assert "A1" not in masked
    # Two chips may be silent together: then it is the wire that feeds both, else the channels of one are named.
    assert all("chip" in one and ("channels" in one or "They share" in one) for one in masked.values()), masked
    assert all("chip 3" in one or "chip 6 of 12" in one for one in masked.values()), masked
    assert all("pin 16 (VCC)" in one and "pin 8 (GND)" in one for one in masked.values()), masked
    assert table.view["problem"] is None
    table.parts.world.clear_faults()
    table.wait(2)
    assert sensors(table)["masked"] == {}


def test_a_chip_that_works_for_a_moment_stays_masked(table: SimulatedTable) -> None:
    play_some(table)
    table.parts.world.set_fault("chip-low")
    table.wait(4)
    masked = sensors(table)["masked"]
    table.parts.world.clear_faults()
    table.wait(0.1)
    table.parts.world.set_fault("chip-low")
    table.wait(5)
    assert sensors(table)["masked"] == masked
    assert table.view["problem"] is None
    table.parts.world.clear_faults()
    table.wait(1)
    assert sensors(table)["masked"] == {}


def test_an_unplugged_board_comes_back_and_the_game_with_it(table: SimulatedTable) -> None:
    seal(table, {1: "wD12", 2: "bB3"})
    table.parts.world.set_fault("lost")
    table.hand.put("D12", "w")
    table.wait(5)
    assert table.view["standstill"] is not None
    table.parts.world.clear_faults()
    table.hand.put("B3", "b")
    table.wait(2)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 2)


def test_a_stuck_sensor_is_asked_about_and_masked_by_a_player(table: SimulatedTable) -> None:
    seal(table, {1: "wD12", 2: "bB3"})
    table.parts.world.set_fault("stuck-off", "B3")
    table.hand.put("D12", "w")
    table.hand.put("B3", "b")
    table.wait(32)
    (suspect,) = sensors(table)["suspects"]
    assert suspect["node"] == "B3"
    assert f"channel {table.description.nodes['B3'].channel}" in suspect["words"]
    table.runtime.submit(SensorMasked(at=table.runtime.now(), node="B3", reason="a player says so", seat=1))
    table.wait(2)
    assert table.view["phase"] == "placing", "a node without a sensor is confirmed on a phone"
    table.runtime.submit(Confirmed(at=table.runtime.now(), seat=2, action="placed"))
    table.wait(2)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 2)
    assert sensors(table)["suspects"] == []


def test_exchanged_sensors_are_named_and_mislead_nobody(table: SimulatedTable) -> None:
    """The wires of D12 and D13 are exchanged while D12 has a stone: that looks as if one had been moved."""
    seal(table, {1: "wD12", 2: "bB3"})
    table.hand.put("D12", "w")
    table.hand.put("B3", "b")
    table.wait(2)
    before = table.view["turn"]
    table.parts.world.set_fault("swap", "D12")
    table.wait(5)
    problem: Any = table.view["problem"]
    assert set(problem["nodes"]) == {"D12", "D13"}, "nothing else is asked for"
    table.wait(32)
    suspects = sensors(table)["suspects"]
    assert [one["node"] for one in suspects] == ["D12", "D13"]
    for one in suspects:
        assert is_in("the wires of the two sensors are exchanged", one["words"])
        assert f"{table.description.nodes['D13'].channel}" in one["words"]
    for one in suspects:
        table.runtime.submit(SensorMasked(at=table.runtime.now(), node=one["node"], reason="a player says so", seat=1))
    table.wait(2)
    assert table.view["problem"] is None, "play goes on without both"
    assert table.view["turn"] == before
    assert sensors(table)["suspects"] == []


def play_some(table: SimulatedTable) -> None:
    """Place stones that leave each other in peace."""
    game = table.runtime.setting.game
    position = game.start("2")
    random = Random(3)
    while len(game.occupancy(position)) < 8:
        actions = {seat: game.random_action(position, seat, random) for seat in (1, 2)}
        after = game.apply(position, actions).position
        if not game.simultaneous(after) or len({action[1:] for action in actions.values()}) < 2:
            continue
        position = after
        seal(table, actions)
        table.wait(0.2)
        for action in actions.values():
            table.hand.put(action[1:], action[0])
            table.wait(0.2)
        table.wait(1)
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 5), table.view["message"]


def test_a_new_game_hears_what_is_wrong_already(table: SimulatedTable) -> None:
    play_some(table)
    table.parts.world.set_fault("chip-low")
    table.parts.wire.dead = True
    seal(table, free_placements(table))  # Their nodes are lit, so the strip has something to show.
    table.wait(4)
    masked = sensors(table)["masked"]
    assert masked
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    table.wait(0.2)
    table.runtime.new_game()
    table.wait(0.2)
    assert table.view["phase"] == "lobby"
    assert sensors(table)["masked"] == masked
    assert len(list(table.view["notices"])) == 1  # type: ignore[call-overload]
    table.parts.world.set_fault("data-low")
    table.wait(2)
    table.runtime.submit(ModeChosen(at=table.runtime.now(), mode="4"))
    assert table.view["standstill"] is not None


def free_placements(table: SimulatedTable) -> dict[int, str]:
    """Return placements of both players on nodes that are empty."""
    free = (node for node in table.description.nodes if node[0] in "BCD" and node not in table.view["board"])
    return {1: f"w{next(free)}", 2: f"b{next(free)}"}
