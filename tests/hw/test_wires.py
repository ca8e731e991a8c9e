"""Faults of nets and parts, predicted from each scheme's circuit."""

from __future__ import annotations

import pytest

from hw.registry import inputs_of, scheme_of, wire_faults
from hw.wires import ways
from tests.sampling import cases
from tests.schemes import EVERY_WAY, described, largest


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
