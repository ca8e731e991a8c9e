"""Boards with wells for tests: the shipped board of 189 channels, and small ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import BoardDescription
from lodestone.boards import Clock
from simulator.board import SimulatedBoard

CODED = "octiles-189"
PLAIN = "octiles-53"


def described(name: str = CODED) -> BoardDescription:
    """Return a shipped board, simulated."""
    return load_board(find_board(name), backend="sim")


def small(**changes: object) -> BoardDescription:
    """Return a board of two wells and two round nodes: 20 channels."""
    whole = described()
    ring = tuple(range(8))
    nodes = {
        "b3": replace(whole.nodes["b3"], ring=(*ring, 16), channel=16, pixel=0),
        "c3": replace(whole.nodes["c3"], ring=(*(8 + place for place in ring), 17), channel=17, pixel=1),
        "B3": replace(whole.nodes["B3"], channel=18, pixel=2),
        "C3": replace(whole.nodes["C3"], channel=19, pixel=3),
    }
    strip = replace(whole.lights.strips[0], length=4)
    board = replace(whole, nodes=nodes, lights=replace(whole.lights, strips=(strip,)), lines=(), paths_mm=())
    return replace(board, **changes)  # type: ignore[arg-type]


def bench(
    board: BoardDescription | None = None, seed: int = 0
) -> tuple[SimulatedBoard, Clock, Callable[[], list[int]]]:
    """Return a simulated board, its clock, and a function that scans it after all bounces."""
    clock = Clock()
    parts = SimulatedBoard(board or described(), clock, seed)
    sensors = parts.sensors()

    def scan() -> list[int]:
        clock.now += 0.02
        return list(sensors.scan())

    return parts, clock, scan
