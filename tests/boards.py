"""Simulated boards for tests, on a clock of their own."""

from __future__ import annotations

from firmware_host.boardfile.load import find_board, load_board
from simulator.board import SimulatedBoard


class Clock:
    """A time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def simulated(kind: str = "presence", clock: Clock | None = None, seed: int = 0) -> SimulatedBoard:
    description = load_board(find_board("spokes-45"), backend="sim", kind=kind)
    return SimulatedBoard(description, clock or Clock(), seed)
