"""The simulated multiplexer, matrix and shift register follow their datasheets, and detect faults of drivers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.ports import SensorBank
from simulator.breadboard import Breadboard, Hc4067
from simulator.buses import ChipViolation, PinError, SimulatedGpio, SimulatedSpi
from simulator.schemes.hc165 import Hc165Chain
from simulator.schemes.hc165_spi import ChainOnSpi
from simulator.schemes.matrix import DiodeMatrix
from tests.schemes import Desk, opened


class Time:
    """A simulated clock in microseconds."""

    def __init__(self) -> None:
        self.us = 0.0

    def __call__(self) -> float:
        return self.us

    def wait(self, microseconds: float) -> None:
        self.us += microseconds


# -- CD74HC4067 --------------------------------------------------------------------------------------------------------


def selected(chip: Hc4067, number: int) -> None:
    for line in range(4):
        chip.set_select(line, number >> line & 1)


def test_a_4067_joins_the_channel_that_its_lines_name() -> None:
    now = Time()
    chip = Hc4067(lambda index: index / 16, now)
    for number in range(16):
        selected(chip, number)
        now.wait(5)
        assert chip.common() == number / 16


def test_a_disabled_4067_floats() -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    selected(chip, 3)
    chip.set_enable(1)
    now.wait(5)
    assert chip.common() is None
    chip.set_enable(0)
    now.wait(5)
    assert chip.common() == 1.0


def test_a_4067_without_all_its_lines_driven_is_a_violation() -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    for line in range(3):
        chip.set_select(line, 0)
    now.wait(5)
    with pytest.raises(ChipViolation, match="before all its select lines"):
        chip.common()


@pytest.mark.parametrize("move", [lambda chip: chip.set_select(2, 1), lambda chip: chip.set_enable(0)])
def test_a_4067_read_too_soon_is_a_violation(move: Callable[[Hc4067], None]) -> None:
    now = Time()
    chip = Hc4067(lambda index: 1.0, now)
    selected(chip, 0)
    now.wait(100)
    move(chip)
    now.wait(4)
    with pytest.raises(ChipViolation, match="less than 5"):
        chip.common()


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


# -- 74HC165 on SPI ----------------------------------------------------------------------------------------------------

LEVELS = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(("mode", "lost"), [(0, 0), (1, 1), (2, 0), (3, 0)])
def test_spi_modes_see_the_chain_as_its_edges_come(mode: int, lost: int) -> None:
    """Mode 1 samples after the edge that shifts, and loses the first bit; the others sample before it or at it."""
    chain = Hc165Chain(lambda: LEVELS, 16)
    chain.set_clock(mode >> 1)
    chain.set_load(0)
    chain.set_load(1)
    high, low = SimulatedSpi(ChainOnSpi(chain), mode, 1_000_000).xfer2([0, 0])
    seen = [(high << 8 | low) >> bit & 1 for bit in range(15, -1, -1)]
    assert seen[: 16 - lost] == LEVELS[lost:]


def test_a_chain_clocked_too_fast_is_a_violation() -> None:
    chain = Hc165Chain(lambda: LEVELS, 16)
    chain.set_load(0)
    chain.set_load(1)
    with pytest.raises(ChipViolation, match="20000000 Hz"):
        SimulatedSpi(ChainOnSpi(chain), 0, 20_000_000).xfer2([0])


@pytest.mark.parametrize("values", [[], [256], [0] * 4097])
def test_spi_takes_bytes_only(values: list[int]) -> None:
    with pytest.raises(ValueError, match="1 to 4096 bytes"):
        SimulatedSpi(ChainOnSpi(Hc165Chain(lambda: LEVELS, 16))).xfer2(values)


def test_time_on_the_bench_is_what_drivers_wait() -> None:
    bench = Breadboard()
    bench.wait_us(7)
    assert bench.now() == 7
