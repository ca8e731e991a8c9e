"""A simulated scanner on a serial port of its own (see :mod:`simulator.scanner`)."""

from __future__ import annotations

from hw.ports import BoardDescription
from simulator.scanner import scanner_of
from simulator.scheme import SimulatedParts
from simulator.soldering import Bench
from simulator.stones import World


class ScannerParts(SimulatedParts):
    """The scanner is plugged in when its port is opened."""

    name = "serial"

    def solder(self, board: BoardDescription, world: World, bench: Bench) -> None:  # noqa: ARG002
        """Lay its cable ready."""
        bench.on_serial = lambda: scanner_of(world)


PARTS = ScannerParts()
