"""The simulated parts of sensor schemes: one object per scheme, found by entry point (docs/adding-a-sensor.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hw.plugins import Plugins
from hw.ports import BoardDescription
from simulator.soldering import Bench
from simulator.stones import World


@dataclass(frozen=True)
class SimulatedParts:
    """The chips of one scheme, written from their datasheets, never from the drivers."""

    name: str
    """Name of the scheme and of the entry point."""
    solder: Callable[[BoardDescription, World, Bench], None]
    """Connects the chips of a board to the pins and buses of a bench, and their inputs to the sensors of a world."""


SIMULATED = Plugins("lodestone.simulated_sensors", "scheme, simulated", SimulatedParts)


def solder(board: BoardDescription, world: World, bench: Bench) -> None:
    """Connect the chips of a board to a bench. Raise HardwareError for a scheme without simulated parts."""
    SIMULATED.get(board.scheme).solder(board, world, bench)
