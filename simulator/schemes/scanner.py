"""A simulated scanner on its own serial port (see :mod:`simulator.scanner`)."""

from __future__ import annotations

from hw.ports import BoardDescription
from simulator.scanner import scanner_of
from simulator.scheme import SimulatedParts
from simulator.soldering import Bench
from simulator.stones import World


def solder(_board: BoardDescription, world: World, bench: Bench) -> None:
    """Let the scanner be plugged in when its port is opened."""
    bench.on_serial = lambda: scanner_of(world)


PARTS = SimulatedParts("serial", solder)
