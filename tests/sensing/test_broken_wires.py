"""Broken wires and parts under a running game: named, and nobody is asked to move what nobody touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.sensing.diagnosis import Diagnosis, Habits
from lodestone.boards import BareBoard
from lodestone.tables import SimulatedTable
from simulator.stones import Impossible
from tests.bench_wires import breaks, outcome
from tests.sampling import cases, few
from tests.schemes import there
from tests.sentences import is_in

NAMED = [
    ("spokes-45", 0, "data-high"),
    ("spokes-45", 0, "data-shifted"),
    ("spokes-45", 8, "part chip 2 of 6, part chip 3 of 6 low"),
    ("spokes-45", 0, "touch D14 D13"),
    ("spokes-45", 30, "part chip 5 of 6 high"),
    ("spokes-45-4067", 0, "data-high"),
    ("spokes-45-4067", 8, "part multiplexer 1 of 3, part multiplexer 2 of 3 low"),
    ("spokes-45-4067", 30, "select S1 low"),
    ("spokes-45-matrix", 8, "net columns[2] low"),
    ("spokes-45-matrix", 30, "net rows[3] high"),
    ("spokes-45-mcp23017", 30, "part MCP23017 2 low"),
    ("spokes-45-pcf8575", 8, "part PCF8575 1, part PCF8575 2 low"),
    ("spokes-45-mcp3008", 8, "part multiplexer 2 of 3 low"),
    ("spokes-45-ads1115", 30, "part multiplexer 2 of 3 high"),
    ("spokes-45-mcp3008", 43, "select S3 low"),
]
NAMED = there(NAMED)
BOARDS = ("spokes-45", "spokes-45-4067", "spokes-45-pcf8575", "spokes-45-mcp3008")


@pytest.mark.parametrize(("board", "fill", "name"), few(cases(NAMED, *NAMED[:6]), 3))
def test_what_is_broken_is_named_in_play(tmp_path: Path, board: str, fill: int, name: str) -> None:
    found = {one.name: one for one in breaks(load_board(find_board(board), backend="sim"))}
    what, read = outcome(board, fill, found[name], tmp_path)
    assert what == "named", read


@pytest.mark.parametrize("fault", ["two-chips", "chip-low", "chip-high"])
@pytest.mark.parametrize("board", few(there(BOARDS), 2))
def test_simulated_chips_break_as_the_board_is_wired(tmp_path: Path, board: str, fault: str) -> None:
    with SimulatedTableAt(tmp_path, board) as table:
        for node in list(table.description.nodes)[:40:3]:
            table.parts.world.put(node, "w")
            table.wait(0.3)
        table.parts.world.set_fault(fault)
        table.wait(4)
        sensors: Any = table.view["sensors"]
        told = " ".join([str(table.view["standstill"]), *sensors["masked"].values()])
        assert "chip" in told or "multiplexer" in told, told


class SimulatedTableAt:
    """A table with a game that has begun, closed at the end."""

    def __init__(self, folder: Path, board: str) -> None:
        self._table = SimulatedTable(folder, board=board, seats=["Ann", "Bob"])

    def __enter__(self) -> SimulatedTable:
        return self._table

    def __exit__(self, *_: object) -> None:
        self._table.close()


def test_a_fault_that_the_wiring_can_not_have_is_refused() -> None:
    board = BareBoard("spokes-45")
    with pytest.raises(Impossible, match="nothing that breaks like select-stuck"):
        board.break_("select-stuck")
    with pytest.raises(Impossible, match="keeps settings"):
        board.break_("restarted")
    board.close()


def test_what_several_silent_sensors_have_in_common() -> None:
    found = Diagnosis(load_board(find_board("spokes-45"), backend="sim"))
    assert is_in("No sensor has answered since", str(found.silent(["D12"], ())))
    chip = found.nodes_of(range(16, 24))
    assert "chip 3 of 6" in str(found.silent(chip[:2], {0, 9, 30}))
    assert found.silent(chip[:1], {0, 9, 30}) is None, "a single sensor is suspected by itself"
    assert found.silent(chip[:2], {0, 17}) is None, "the chip has answered"


def test_a_stone_beside_an_occupied_input_is_no_bridge() -> None:
    """It may be wrong and be asked to come off: one node that changes is a hand's."""
    diagnosis = Diagnosis(load_board(find_board("spokes-45"), backend="sim"))
    touch = next(one for one in diagnosis.mixed if one.name.startswith("touch"))
    one, other = (at for at in touch.inputs[:2])
    empty = [0] * len(diagnosis.nodes)
    habits = Habits(diagnosis)
    first = [int(at == one) for at in range(len(empty))]
    both = [int(at in (one, other)) for at in range(len(empty))]
    habits.note(empty, first)
    habits.note(first, both)
    habits.blame({diagnosis.nodes[other]}, both)
    assert habits.proved is None
    habits = Habits(diagnosis)
    habits.note(empty, both)
    habits.blame({diagnosis.nodes[other]}, both)
    assert habits.proved is touch, "two nodes that answer for one stone are suspected"
