"""The CD4021B, written from its data sheet (TI SCHS024): eight stages, parallel in, serial out.

- While P/S CONTROL is high the stages take the parallel inputs, independently of the clock; Q8 shows PI-8.
- While it is low a rising edge of CLOCK shifts: SERIAL IN goes into the first stage, Q8 shows the next one.

A clock edge while P/S CONTROL is high does nothing: here it raises, because the driver is wrong.
"""

from collections import deque

from hw.pins import single
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.stones import World


class Cd4021Chain:
    """Chips with a common P/S CONTROL and CLOCK, as one long register."""

    def __init__(self, world: World, count: int) -> None:
        """Connect ``count`` inputs; unused ones are tied high, SERIAL IN of the last chip to ground."""
        self._world, self._spare = world, [1] * (-count % 8)
        self._stages: deque[int] = deque()
        self._load = self._clock = 0

    def set_load(self, level: int) -> None:
        """Set the level of P/S CONTROL."""
        if level or self._load:  # The inputs are last taken at its falling edge.
            self._stages = deque([*self._world.contacts(), *self._spare])
        self._load = level

    def set_clock(self, level: int) -> None:
        """Set the level of CLOCK."""
        if level and not self._clock:
            if self._load:
                raise ChipViolation("CD4021: CLOCK rises while P/S CONTROL is high: it does not shift")
            self._stages.popleft()
            self._stages.append(0)
        self._clock = level

    def data(self) -> int:
        """Return the level at Q8 of the first chip."""
        if not self._stages:
            raise ChipViolation("CD4021: Q8 is read before anything was loaded")
        return self._stages[0]


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect a chain to the board's pins."""
    chain = Cd4021Chain(world, board.switches)
    breadboard.pins.drive(single(board.pins, "load"), chain.set_load)
    breadboard.pins.drive(single(board.pins, "clock"), chain.set_clock)
    breadboard.pins.sense(single(board.pins, "data"), chain.data)


PARTS = SimulatedParts("cd4021", connect)
