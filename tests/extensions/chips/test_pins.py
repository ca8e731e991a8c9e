"""Multiplexers and a matrix on the Pi's pins: the walk over channels, and faults of drivers that are detected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.extensions.chips.simulated.matrix import DiodeMatrix
from firmware_host.link.simulated import Hc4067
from hw.ports import SensorBank
from simulator.buses import ChipViolation, PinError, SimulatedGpio
from tests.schemes import Desk, opened
from tests.simulator.test_sensor_chips import Time

# -- CD74HC4067 --------------------------------------------------------------------------------------------------------


def banked(gpio: SimulatedGpio, now: Time, *, wait_us: Callable[[float], None] | None = None) -> SensorBank:
    chip = Hc4067(lambda index: None, now)
    for line, pin in enumerate((5, 6, 13, 19)):
        gpio.drive(pin, lambda level, line=line: chip.set_select(line, level))  # type: ignore[misc]
    gpio.sense(16, chip.common)
    gpio.setmode(gpio.BCM)
    return opened("4067", "presence", 16, {"select": (5, 6, 13, 19), "common": (16,)}, Desk(gpio, wait_us or now.wait))


def test_a_driver_that_does_not_wait_is_caught() -> None:
    with pytest.raises(ChipViolation, match="less than 5"):
        banked(SimulatedGpio(), Time(), wait_us=lambda _: None).scan()


def test_a_common_without_a_pull_up_is_caught() -> None:
    gpio, now = SimulatedGpio(), Time()
    bank = banked(gpio, now)
    gpio.cleanup(16)
    gpio.setup(16, gpio.IN)
    with pytest.raises(PinError, match="floats"):
        bank.scan()


def test_one_select_line_moves_a_step() -> None:
    """The walk is a ring: every channel once, one line at a time, and back to the first."""
    gpio, now, moves = SimulatedGpio(), Time(), []
    for pin in (5, 6, 13, 19):
        gpio.drive(pin, lambda level, pin=pin: moves.append((pin, level)))  # type: ignore[misc]
    gpio.sense(16, lambda: None)
    gpio.setmode(gpio.BCM)
    bank = opened("4067", "presence", 16, {"select": (5, 6, 13, 19), "common": (16,)}, Desk(gpio, now.wait))
    levels = dict(moves)
    seen = []
    for _ in range(2):
        moves.clear()
        bank.scan()
        assert len(moves) == 16
        for pin, level in moves:
            assert levels[pin] != level
            levels[pin] = level
            seen.append(tuple(levels.values()))
    assert len(set(seen[:16])) == 16
    assert seen[:16] == seen[16:]


@pytest.mark.parametrize(("nodes", "writes"), [(1, 0), (2, 2), (3, 4), (8, 8), (9, 16), (40, 16)])
def test_no_more_channels_are_walked_than_are_wired(nodes: int, writes: int) -> None:
    gpio, now = SimulatedGpio(), Time()
    common = tuple(range(20, 20 + -(-nodes // 16)))
    for pin in common:
        gpio.sense(pin, lambda: None)
    gpio.setmode(gpio.BCM)
    bank = opened("4067", "presence", nodes, {"select": (5, 6, 13, 19), "common": common}, Desk(gpio, now.wait))
    before = gpio.calls
    bank.scan()
    assert gpio.calls - before == writes + nodes


# -- matrix ------------------------------------------------------------------------------------------------------------


@given(closed=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4))))
def test_no_stones_make_a_ghost_in_a_matrix(closed: set[tuple[int, int]]) -> None:
    now = Time()
    matrix = DiodeMatrix(4, lambda row, column: (row, column) in closed, now)
    for row in range(4):
        matrix.set_row(row, 1)
    for row in range(4):
        matrix.set_row(row, 0)
        now.wait(5)
        assert {(row, column) for column in range(5) if matrix.column(column) == 0} == {
            (at, column) for at, column in closed if at == row
        }
        matrix.set_row(row, 1)


def test_a_matrix_catches_its_drivers_faults() -> None:
    now = Time()
    matrix = DiodeMatrix(2, lambda row, column: False, now)
    with pytest.raises(ChipViolation, match="not driven"):
        matrix.column(0)
    matrix.set_row(0, 1)
    matrix.set_row(1, 1)
    now.wait(5)
    with pytest.raises(ChipViolation, match="0 rows are low"):
        matrix.column(0)
    matrix.set_row(0, 0)
    with pytest.raises(ChipViolation, match="less than 5"):
        matrix.column(0)
    matrix.set_row(1, 0)
    now.wait(5)
    with pytest.raises(ChipViolation, match="2 rows are low"):
        matrix.column(0)
