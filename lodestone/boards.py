"""Simulated boards, on a simulated clock."""

from __future__ import annotations

import time
from typing import Self

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.plug import wrap_board
from hw.ports import BoardDescription, OpenBoard
from simulator.board import Resting, SimulatedBoard
from simulator.hand import Hand

SETTLED_S = 0.2
"""After this time no contact bounces any more."""


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time, in seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


def opened(parts: SimulatedBoard, description: BoardDescription, clock: Clock | None = None) -> OpenBoard:
    """Open a simulated board as the program does."""
    board = OpenBoard(Resting(parts.sensors(), parts.world), parts.strip(), description)
    return wrap_board(board, clock or time.monotonic)


def simulated(kind: str = "presence", clock: Clock | None = None, seed: int = 0) -> SimulatedBoard:
    """Return the parts of the shipped board ``spokes-45``."""
    description = load_board(find_board("spokes-45"), backend="sim", kind=kind)
    return SimulatedBoard(description, clock or Clock(), seed)


class BareBoard:
    """A board without a game: its drivers over simulated chips, its hands, its pixels, and faults by name."""

    def __init__(self, board: str = "spokes-45", kind: str | None = None, seed: int = 0) -> None:
        """``board`` is a board file or the name of a shipped one. Raise BoardFileError or HardwareError."""
        self._open(load_board(find_board(board), backend="sim", kind=kind), seed)

    @classmethod
    def of(cls, description: BoardDescription, seed: int = 0) -> Self:
        """Open a board that no file describes. Raise HardwareError."""
        board = cls.__new__(cls)
        board._open(description, seed)
        return board

    def _open(self, description: BoardDescription, seed: int) -> None:
        self.clock = Clock()
        self.description = description
        self.parts = SimulatedBoard(self.description, self.clock, seed)
        self.hand = Hand(self.parts.world, sleep=self.clock.sleep)
        self._bank = self.parts.sensors()

    def scan(self) -> dict[str, tuple[int, ...]]:
        """Return node → what its sensor reads at rest, in the driver's numbers; nine in a well that reads tiles.

        Raise HardwareError.
        """
        self.clock.sleep(SETTLED_S)
        read = self._bank.scan()
        nodes = self.description.nodes.items()
        return {node: tuple(read[channel] for channel in wiring.channels) for node, wiring in nodes}

    def break_(self, fault: str, node: str | None = None) -> None:
        """Break a part: ``stuck-on``, ``stuck-off``, ``flapping``, ``swap`` with a node; ``lost``, … without.

        ``swap`` exchanges the wires of the node's sensor and the next one. Raise Impossible for a fault or a node that
        is not there.
        """
        self.parts.world.set_fault(fault, node)

    def mend(self) -> None:
        """Mend everything."""
        self.parts.world.clear_faults()

    def close(self) -> None:
        """Close the drivers."""
        self._bank.close()
