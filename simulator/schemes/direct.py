"""Switches with one pin each."""

from __future__ import annotations

from collections.abc import Callable

from hw.pins import listed
from hw.ports import BoardDescription
from simulator.breadboard import Bench, SimulatedParts, switch
from simulator.stones import World


def solder(board: BoardDescription, world: World, bench: Bench) -> None:
    """Connect input i to the i-th pin."""

    def wire(index: int) -> Callable[[], float | None]:
        return lambda: switch(world.contacts()[index])

    for index, pin in enumerate(listed(board.pins, "inputs")):
        bench.pins.sense(pin, wire(index))


PARTS = SimulatedParts("direct", solder)
