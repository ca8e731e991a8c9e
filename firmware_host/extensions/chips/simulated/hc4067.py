"""Multiplexers for switches, with one pin for each common (see :mod:`firmware_host.link.simulated`)."""

from __future__ import annotations

from firmware_host.link.simulated import WalkReadings, on_select_lines
from hw.pins import pin_list, single
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts, switch
from simulator.stones import World


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect input i to channel i % 16 of multiplexer i // 16."""
    common = pin_list(board.pins, "common")
    readings = WalkReadings(world.contacts, walks=board.switches > 1)
    chips = on_select_lines(board, readings, breadboard, len(common), switch)
    for pin, chip in zip(common, chips, strict=True):
        breadboard.pins.sense(pin, chip.common)

    def enable(level: int) -> None:
        for chip in chips:
            chip.set_enable(level)

    if "enable" in board.pins:
        breadboard.pins.drive(single(board.pins, "enable"), enable)


PARTS = SimulatedParts("4067", connect)
