"""What the program has masked is used again once it works: also after the power was off, and once a contact rests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from firmware_host.table.subjects.masks import SensorMasked
from lodestone.tables import SimulatedTable
from tests.sampling import cases

FAULTS_FOUND_S = 8.0
MASKS_END_S = 20.0


@pytest.fixture
def table() -> Iterator[SimulatedTable]:
    """Return a table of Phalanx, set up, in its first turn."""
    with closing(SimulatedTable(game="phalanx", board="go-9x9", kind="presence", seats=("Ada", "Ben"))) as table:
        table.set_up()
        yield table


def masked(table: SimulatedTable) -> dict[str, Any]:
    return dict(table.view["sensors"]["masked"])


def break_chip(table: SimulatedTable, fault: str) -> None:
    table.parts.world.set_fault(fault)
    for _ in range(3):
        table.wait(FAULTS_FOUND_S / 3)
        if not masked(table):  # It is found by what changes.
            table.hand.tap(next(iter(table.stones)))
    assert len(masked(table)) > 8


@pytest.mark.parametrize("fault", cases(["chip-low", "chip-high"], "chip-low"))
def test_a_chip_that_was_mended_with_the_power_off_is_used_again(table: SimulatedTable, fault: str) -> None:
    break_chip(table, fault)
    table.parts.world.clear_faults()
    table.power_cut()
    table.wait(MASKS_END_S)
    assert not masked(table)
    assert table.view["problem"] is None


@pytest.mark.parametrize("fault", cases(["chip-low", "chip-high"], "chip-low"))
def test_a_chip_that_is_still_broken_stays_masked(table: SimulatedTable, fault: str) -> None:
    """Nobody is asked to put right what nobody has touched."""
    break_chip(table, fault)
    before = masked(table)
    table.power_cut()
    for _ in range(10):
        table.wait(MASKS_END_S / 10)
        assert masked(table) == before
        assert table.view["problem"] is None


@pytest.mark.parametrize("restart", [False, True])
def test_a_contact_that_flaps_is_masked_until_it_rests(table: SimulatedTable, restart: bool) -> None:
    table.parts.world.set_fault("flapping", "A1")
    table.wait(FAULTS_FOUND_S)
    assert list(masked(table)) == ["A1"]
    table.wait(2 * MASKS_END_S)
    assert list(masked(table)) == ["A1"], "it flaps on"
    table.parts.world.clear_faults()
    if restart:
        table.power_cut()
    table.wait(MASKS_END_S)
    assert not masked(table)


def test_what_people_have_masked_stays_masked(table: SimulatedTable) -> None:
    table.runtime.submit(SensorMasked(at=table.runtime.now(), node="A1", seat=1))
    table.power_cut()
    table.wait(MASKS_END_S)
    assert list(masked(table)) == ["A1"]
