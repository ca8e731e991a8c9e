"""A chain of 74HC165 on an SPI bus."""

from __future__ import annotations

from hw.pins import number, single
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.schemes.hc165 import Hc165Chain
from simulator.stones import World


class ChainOnSpi:
    """A chain of 74HC165 with SCLK at CLK and MISO at QH, without chip select and data input."""

    FASTEST = 10_000_000

    def __init__(self, chain: Hc165Chain) -> None:
        """Connect the chain to the bus; SH/LD has its own pin."""
        self._chain = chain
        self.set_clock = chain.set_clock
        self.data = chain.data

    def set_select(self, level: int, hertz: int) -> None:
        """Check the clock; nothing is connected to CS."""
        if not level and hertz > self.FASTEST:
            raise ChipViolation(f"74HC165: clocked with {hertz} Hz, at 3.3 V it takes {self.FASTEST}")

    def set_data(self, level: int) -> None:
        """Do nothing: nothing is connected to MOSI."""


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect the chain to the bus, and SH/LD to its pin."""
    chain = Hc165Chain(world.contacts, board.switches)
    breadboard.pins.drive(single(board.pins, "load"), chain.set_load)
    breadboard.on_spi[number(board.options, "spi_bus"), number(board.options, "spi_device")] = ChainOnSpi(chain)


PARTS = SimulatedParts("74hc165-spi", connect)
