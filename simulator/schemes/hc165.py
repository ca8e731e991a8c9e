"""The 74HC165, written from its datasheet: an 8-bit parallel-in, serial-out shift register.

- While SH/LD is low the chip loads the parallel inputs A to H, asynchronously and independently of CLK and CLK INH, and
  QH shows H. The levels at the rising edge of SH/LD are kept.
- CLK and CLK INH are the two inputs of an OR gate: a rising edge of (CLK or CLK INH) shifts, while SH/LD is high. So
  CLK does nothing while CLK INH is high, and CLK INH must rise only while CLK is high, or it clocks the chip.
- A shift takes SER into the first stage; QH shows the last, and QH' its opposite. Chips are chained QH to SER, all
  other pins in parallel.

A real chip would only misbehave after these faults of a driver; here they raise ChipViolation: a clock edge while SH/LD
is low, CLK INH rising while CLK is low, QH read before the first load.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from hw.pins import single
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.stones import World


class Hc165Chain:
    """Chips with common SH/LD, CLK and CLK INH; the first chip's QH goes to the host, the last one's SER to ground.

    ``levels`` returns the level at each parallel input of the chain in the order of shifting: H of the first chip
    (input 0), G, … A, then H of the second chip. All chips shift at the same edge, and each takes in the next one's QH
    from before it, so the chain is one long register here.
    """

    def __init__(self, levels: Callable[[], Sequence[int]], count: int) -> None:
        """Connect ``count`` inputs to as few chips as possible; unused inputs are tied high."""
        self.chips = -(-count // 8)
        self._levels = levels
        self._spare = [1] * (self.chips * 8 - count)
        self._stages: deque[int] = deque([1] * (self.chips * 8))
        """From the first chip's stage H to the last chip's stage A; the contents after power-up are arbitrary."""
        self._load, self._clock, self._inhibit = 1, 0, 0
        self._loaded = False

    def set_load(self, level: int) -> None:
        """Set the level of SH/LD."""
        before, self._load = self._load, level
        if not level or not before:  # Asynchronous: the inputs are last loaded at the rising edge.
            self._take()

    def set_clock(self, level: int) -> None:
        """Set the level of CLK."""
        if level and not self._clock:
            if not self._load:
                raise ChipViolation("CLK rises while SH/LD is low: the chip ignores it, the driver is wrong")
            if not self._inhibit:
                self._stages.popleft()
                self._stages.append(0)
        self._clock = level

    def set_inhibit(self, level: int) -> None:
        """Set the level of CLK INH."""
        if level and not self._inhibit and not self._clock and self._load:
            raise ChipViolation("CLK INH rises while CLK is low: that clocks the chip")
        self._inhibit = level

    def float_inhibit(self) -> None:
        """Leave CLK INH to nobody: high, say, until something drives it."""
        self._inhibit = 1

    def data(self) -> int:
        """Return the level at the first chip's QH."""
        if not self._load:
            self._take()
        if not self._loaded:
            raise ChipViolation("QH is read before anything was loaded: its level is undefined")
        return self._stages[0]

    def _take(self) -> None:
        self._loaded = True
        self._stages = deque([*self._levels(), *self._spare])


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect the chain to pins: input i is the i-th bit that is shifted out."""
    chain = Hc165Chain(world.contacts, board.switches)
    breadboard.pins.drive(single(board.pins, "load"), chain.set_load)
    breadboard.pins.drive(single(board.pins, "clock"), chain.set_clock)
    breadboard.pins.sense(single(board.pins, "data"), chain.data)
    if "inhibit" in board.pins:
        chain.float_inhibit()
        breadboard.pins.drive(single(board.pins, "inhibit"), chain.set_inhibit)


PARTS = SimulatedParts("74hc165", connect)
