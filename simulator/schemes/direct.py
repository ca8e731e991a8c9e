"""Switches on pins of their own."""

from __future__ import annotations

from collections.abc import Callable

from hw.pins import listed
from hw.ports import BoardDescription
from simulator.scheme import SimulatedParts
from simulator.soldering import Bench, switch
from simulator.stones import World


class DirectParts(SimulatedParts):
    """Input i is the i-th pin."""

    name = "direct"

    def solder(self, board: BoardDescription, world: World, bench: Bench) -> None:
        """Solder each switch between its pin and ground."""

        def wire(index: int) -> Callable[[], float | None]:
            return lambda: switch(world.contacts()[index])

        for index, pin in enumerate(listed(board.pins, "inputs")):
            bench.pins.sense(pin, wire(index))


PARTS = DirectParts()
