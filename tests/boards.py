"""Simulated boards for tests, on a simulated clock."""

from __future__ import annotations

import time
from collections.abc import Sequence

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.hardware.tap import TappedBoard, with_taps
from hw.ports import BoardDescription, OpenBoard, SensorBank
from simulator.board import SimulatedBoard
from simulator.stones import World

RESTS = 9
"""Number of scans of an unchanged board that are skipped between two real ones, which linear sensors need for noise."""


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Resting:
    """Sensors that repeat their last readings while nothing changes, without driving each pin."""

    def __init__(self, bank: SensorBank, world: World) -> None:
        self.channels, self.kind, self.close = bank.channels, bank.kind, bank.close
        self._bank, self._world = bank, world
        self._read: Sequence[int] = ()
        self._at, self._left = -1, 0

    def scan(self) -> Sequence[int]:
        if self._world.calm and self._world.changes == self._at and self._left:
            self._left -= 1
            return self._read
        self._at = self._world.changes if self._world.calm else -1
        self._read, self._left = self._bank.scan(), RESTS
        return self._read


def opened(parts: SimulatedBoard, description: BoardDescription, clock: Clock | None = None) -> TappedBoard:
    """Open a simulated board as the program does."""
    board = OpenBoard(Resting(parts.sensors(), parts.world), parts.strip(), description)
    return with_taps(board, clock=clock or time.monotonic)


def simulated(kind: str = "presence", clock: Clock | None = None, seed: int = 0) -> SimulatedBoard:
    description = load_board(find_board("spokes-45"), backend="sim", kind=kind)
    return SimulatedBoard(description, clock or Clock(), seed)
