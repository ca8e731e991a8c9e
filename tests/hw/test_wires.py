"""Faults of nets and parts, predicted from each scheme's circuit, against the simulated chips."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.boardfile.load import find_board, load_board
from hw.pins import pin_list
from hw.registry import has_switch_pairs, inputs_of, scheme_of, wire_faults
from hw.wires import Fault, ways
from lodestone.boards import SETTLED_S, Clock
from simulator.board import SimulatedBoard
from tests.sampling import cases
from tests.schemes import EVERY_WAY, described, largest

SHIPPED = ("spokes-45-4067", "spokes-45-matrix")


@pytest.mark.parametrize(("scheme", "kind"), cases(EVERY_WAY))
def test_each_reading_has_its_own_way_and_each_part_its_own_inputs(scheme: str, kind: str) -> None:
    board = described(scheme, kind, largest(scheme, kind)[0])
    found = ways(scheme_of(board).circuit(board))
    assert len(found) == inputs_of(board)
    assert len({str(way[:2]) for way in found}) == len(found), "no two readings begin alike"
    every = set(range(inputs_of(board)))
    for fault in wire_faults(board):
        assert fault.inputs, fault.name
        assert set(fault.inputs) <= every
        assert set(fault.reads or ()) <= set(fault.inputs)
    parts = [set(one.inputs) for one in wire_faults(board) if one.name.startswith("part ")]
    assert not parts or set().union(*parts) == every, "each reading passes a part"


def read(board: SimulatedBoard, clock: Clock) -> list[int]:
    """Return the states of all inputs as the driver reads them."""
    bank = board.sensors()
    clock.sleep(SETTLED_S)
    seen = list(bank.scan())
    bank.close()
    if has_switch_pairs(board.description):
        return [bit for one in seen for bit in (one & 1, one >> 1)]
    if board.description.kind == "level":
        return [one - 128 if abs(one - 128) > 20 else 0 for one in seen]
    return seen


def held(fault: Fault) -> tuple[str, int, int]:
    """Return list, number and level of the Pi's pin that is shorted if all of a net is stuck so."""
    kind, what, *rest = fault.name.split()
    if kind == "select":
        return "select", int(what[1:]), int(rest[0] == "high")
    name, _, number = what.partition("[")
    return name, int(number[:-1]), 0


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("stones", [0, 8, 30])
def test_a_line_at_the_pi_that_is_stuck_reads_as_predicted(name: str, stones: int) -> None:
    """The simulated chips know nothing of the predictions: they get the levels on their pins."""
    description = load_board(find_board(name), backend="sim")
    lines = [one for one in wire_faults(description) if len(one.name.split()) == (3 if "select" in one.name else 2)]
    lines = [one for one in lines if one.name.startswith("select") or "columns[" in one.name]
    assert lines
    for fault in lines:
        clock = Clock()
        board = SimulatedBoard(description, clock, seed=1)
        for node in Random(f"{fault.name} {stones}").sample(list(description.nodes), stones):
            board.world.put(node, "w")
        true = read(board, clock)
        assert sum(map(bool, true)) == stones
        name_of_list, at, level = held(fault)
        board = rewound(board, clock)
        board.breadboard.pins.hold(pin_list(description.pins, name_of_list)[at], level)
        stuck = 1 if fault.reads is None else 0
        assert list(map(bool, read(board, clock))) == list(map(bool, fault.predicts(true, stuck))), fault.name


def rewound(board: SimulatedBoard, clock: Clock) -> SimulatedBoard:
    """Return the same board once more, with the stones where they lie: its pins have not been set up."""
    again = SimulatedBoard(board.description, clock, seed=1)
    for node, stack in board.world.stones().items():
        again.world.put(node, stack[0])
    return again
