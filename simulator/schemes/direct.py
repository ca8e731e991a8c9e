"""Switches with one pin each."""

from __future__ import annotations

from collections.abc import Callable

from hw.pins import pin_list
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts, switch
from simulator.stones import World


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect input i to the i-th pin."""

    def wire(index: int) -> Callable[[], float | None]:
        return lambda: switch(world.contacts()[index])

    for index, pin in enumerate(pin_list(board.pins, "inputs")):
        breadboard.pins.sense(pin, wire(index))


PARTS = SimulatedParts("direct", connect)
