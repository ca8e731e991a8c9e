"""Faults of select lines and columns, predicted from a scheme's circuit, against the simulated parts."""

from __future__ import annotations

from random import Random

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.sensing.diagnosis import Diagnosis, mixed_words
from hw.pins import pin_list
from hw.registry import has_switch_pairs, wire_faults
from hw.wires import Fault
from lodestone.boards import SETTLED_S, Clock
from simulator.board import SimulatedBoard

SHIPPED = ("spokes-45-4067", "spokes-45-matrix")


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


def test_a_diode_that_does_not_block_is_named_by_the_pieces_that_it_hides() -> None:
    board = load_board(find_board("spokes-45-matrix"))
    found = Diagnosis(board)
    (fault,) = (one for one in wire_faults(board) if one.name == "diode C3")
    at, *others = fault.inputs
    now = [int(one == at) for one in found.whole]
    hidden = [found.nodes[one] for one in others[:3]]
    assert found.silent(hidden, {at}, now) == mixed_words(fault)
    assert found.silent(hidden[:1], {at}, now) is None, "a single sensor is suspected by itself"
    shown = [int(one in {at, others[3]}) for one in found.whole]
    assert found.silent(hidden, {at}, shown) is None, "a neighbour in the column that answers contradicts it"
