"""Multiplexers for switches, with one pin for each common (see :mod:`simulator.breadboard`)."""

from __future__ import annotations

from hw.pins import listed, single
from hw.ports import BoardDescription
from simulator.breadboard import Bench, Glance, SimulatedParts, on_select_lines, switch
from simulator.stones import World


def solder(board: BoardDescription, world: World, bench: Bench) -> None:
    """Connect input i to channel i % 16 of multiplexer i // 16."""
    common = listed(board.pins, "common")
    glance = Glance(world.contacts, walks=board.switches > 1)
    chips = on_select_lines(board, glance, bench, len(common), switch)
    for pin, chip in zip(common, chips, strict=True):
        bench.pins.sense(pin, chip.common)

    def enable(level: int) -> None:
        for chip in chips:
            chip.set_enable(level)

    if "enable" in board.pins:
        bench.pins.drive(single(board.pins, "enable"), enable)


PARTS = SimulatedParts("4067", solder)
