"""The simulated shift register follows its datasheet, and detects faults of drivers."""

from __future__ import annotations

import pytest

from simulator.breadboard import Breadboard
from simulator.buses import ChipViolation, SimulatedSpi
from simulator.schemes.hc165 import Hc165Chain
from simulator.schemes.hc165_spi import ChainOnSpi


class Time:
    """A simulated clock in microseconds."""

    def __init__(self) -> None:
        self.us = 0.0

    def __call__(self) -> float:
        return self.us

    def wait(self, microseconds: float) -> None:
        self.us += microseconds


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
