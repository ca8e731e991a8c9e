"""The back end ``sim``: the very drivers that a Pi runs, over simulated parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hw.banks import open_bank
from hw.lights import BoardLights
from hw.neopixel_strip import NeoPixelStrip, SpiStrip, assemble
from hw.ports import BoardDescription, HardwareError, OpenBoard, SensorBank, Strip, StripWiring
from simulator.gpio import SimulatedGpio
from simulator.hand import Hand
from simulator.helper import Helper
from simulator.lights import SpiWire, capture_all, join
from simulator.scanner import Plugged, SimulatedScanner, scanner_of
from simulator.server import Watcher, blueprint
from simulator.soldering import Bench, fitted, solder
from simulator.stones import World, trait_of
from simulator.tiles import Pieces

Clock = Callable[[], float]


class SimulatedBoard:
    """The parts of a simulated board, soldered together as the description says."""

    def __init__(self, description: BoardDescription, clock: Clock = time.monotonic, seed: int = 0) -> None:
        """Wire world, chips, pins and strip; nothing runs by itself."""
        wirings = sorted(description.nodes.values(), key=lambda wiring: wiring.channels)
        self.description = description = fitted(description)
        names = [wiring.name for wiring in wirings]
        sensors = [sensor for _, sensor in sorted(description.sensors().items())]
        pieces = Pieces.of(description)
        self.world = World(names, description.kind, clock, seed, pieces=pieces, sensors=sensors)
        self.world.traits.update({node: trait_of(levels) for node, levels in description.calibration.items()})
        self.bench = Bench()
        if description.scheme != "serial":
            solder(description, self.world, self.bench)
        self.scanner: SimulatedScanner | None = None
        """What is at the other end of the port, once the sensors of a serial board are open: pull its cable here."""
        self.wires = capture_all(description.lights)
        self.wire = join(self.wires)

    @property
    def gpio(self) -> SimulatedGpio:
        """The pins, which count their calls."""
        return self.bench.pins

    def lit_node(self) -> str | None:
        """Return the node over the brightest pixel, None where all is dark."""
        brightness = list(map(sum, self.wire.pixels()))
        nodes = {wiring.pixel: wiring.name for wiring in self.description.nodes.values()}
        return nodes.get(brightness.index(max(brightness))) if any(brightness) else None

    def sensors(self) -> SensorBank:
        """Return the driver over the simulated chips, or over a simulated scanner on a port of its own."""
        if self.description.scheme != "serial":
            return open_bank(self.description, self.bench)
        self.scanner = scanner_of(self.world)
        options = {**self.description.options, "device": self.scanner.pattern}
        try:
            return Plugged(open_bank(replace(self.description, options=options), self.bench), self.scanner)
        except HardwareError:
            self.scanner.close()
            raise

    def strip(self) -> BoardLights:
        """Return the real libraries' strips, their bytes captured."""
        wires = iter(self.wires)

        def open_one(wiring: StripWiring) -> Strip:
            wire = next(wires)
            if isinstance(wire, SpiWire):
                return SpiStrip(wire.bus(), wiring.length, wiring.order, wiring.pin)
            return NeoPixelStrip(wire.pin(), wiring.length, wiring.order, wiring.pin)

        return assemble(self.description.lights, open_one)


def open_board(
    description: BoardDescription,
    *,
    clock: Clock = time.monotonic,
    seed: int = 0,
    pause_s: float = 0.5,
    count_calls: bool = True,
) -> OpenBoard:
    """Open a simulated board with its virtual board pages and a helpful hand that pauses so long before each deed.

    Its pins count their calls anyway; ``count_calls`` False only does not tell.
    """
    parts = SimulatedBoard(description, clock, seed)
    helper = Helper(Hand(parts.world, "helper"), pause_s, eyes=parts.lit_node)
    helper.start()
    watcher = Watcher()
    pages: Any = blueprint(parts.description, parts.world, parts.wire, watcher)
    return OpenBoard(
        parts.sensors(),
        parts.strip(),
        parts.description,
        web=pages,
        attend=helper.attend,
        gpio_calls=(lambda: parts.gpio.calls) if count_calls else None,
        close_hooks=[helper.close, watcher.close],
    )
