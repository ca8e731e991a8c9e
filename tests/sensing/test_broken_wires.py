"""Broken wires and parts under a running game: named, and nobody is asked to move what nobody touched."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.sensing.diagnosis import Diagnosis, Habits
from firmware_host.sensing.health import BrokenSensors, ScanHealth
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
    habits.note(empty, first, 1.0)
    habits.note(first, both, 2.0)
    habits.count(3.0)
    habits.blame({diagnosis.nodes[other]}, both)
    assert habits.proved is None
    habits = Habits(diagnosis)
    habits.note(empty, both, 1.0)
    habits.count(2.0)
    habits.blame({diagnosis.nodes[other]}, both)
    assert habits.proved is touch, "two nodes that answer for one stone are suspected"


class Row:
    """A line of stones on neighbouring inputs, pushed to and fro; scans come every 20 ms."""

    def __init__(self, length: int) -> None:
        self.board = load_board(find_board("go-9x9"), backend="sim")
        self.nodes = [node for node, _ in sorted(self.board.nodes.items(), key=lambda one: one[1].channel)]
        self.length, self.end = length, set[str]()
        ends = lambda: [(self.end, lambda _: ())] if self.end else []  # noqa: E731
        self.health = ScanHealth(self.board, ends=ends)
        self.at, self.found = 0.0, list[BrokenSensors]()
        self.stones = {40, 50, 60}
        self.wait(0.1)
        for one in range(9, 9 + length):
            self.stones.add(one)
            self.wait(0.4)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            self.at += 0.02
            reads = [int(at in self.stones) for at in range(self.board.channels)]
            self.found += self.health.judge(reads, self.at).broken

    def push(self, at: int, way: int, random: Random, spread: float, carried: float) -> None:
        """Push the line that begins at an input; each stone leaves and arrives within the spread."""
        line = range(at, at + self.length)
        leaves = {one: random.random() * spread for one in line}
        comes = {one: carried + random.random() * spread for one in line}
        rest, begin = self.stones - set(line), self.at
        while self.at < begin + carried + spread + 0.02:
            gone = self.at - begin
            self.stones = rest | {one for one in line if gone < leaves[one]}
            self.stones |= {one + way for one in line if gone >= comes[one]}
            self.wait(0.02)


@pytest.mark.parametrize("known", [True, False], ids=["a step", "nobody's turn"])
@pytest.mark.parametrize(("length", "spread"), [(2, 0.01), (3, 0.03), (3, 0.06), (4, 0.03)])
def test_a_line_that_is_pushed_does_not_make_wires_touch(length: int, spread: float, known: bool) -> None:
    """Two of its stones leave or arrive within one scan, now and then; the others follow in the next."""
    for seed in range(12):
        row, random = Row(length), Random(seed)
        for number in range(6):
            at, way = (9, 1) if number % 2 == 0 else (10, -1)
            row.end = {row.nodes[one + way] for one in range(at, at + length)} if known else set()
            # Where nobody knows of a step only the hands' haste tells, and slow ones carry one stone after the other.
            row.push(at, way, random, spread, 0.5 if known else 0.2)
            row.wait(0.5)
        assert not row.found, row.found


def test_wires_that_touch_beside_a_pushed_line_are_found_all_the_same() -> None:
    row = Row(3)
    row.push(9, 1, Random(1), 0.03, 0.2)
    row.wait(1)
    for _ in range(2):
        row.stones |= {0, 1}
        row.wait(0.5)
        row.stones -= {0, 1}
        row.wait(0.5)
    (broken,) = row.found
    assert broken.fault == "touch:0"
    assert broken.nodes == tuple(row.nodes[:2])
