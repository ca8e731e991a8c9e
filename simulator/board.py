"""The back end ``sim``: the very drivers that a Pi runs, over simulated parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from hw.lights import BoardLights
from hw.neopixel_strip import NeoPixelStrip, SpiStrip, assemble
from hw.ports import BoardDescription, OpenBoard, SensorBank, Strip, StripWiring
from hw.shift_register import ShiftRegisterBank
from simulator.chips import Hc165Chain
from simulator.gpio import SimulatedGpio
from simulator.hand import Hand
from simulator.helper import Helper
from simulator.lights import SpiWire, capture_all, join
from simulator.server import Watcher, blueprint
from simulator.stones import World

Clock = Callable[[], float]


class LevelBank:
    """Linear hall sensors read as levels. There is no driver for an ADC yet: this one feels the world directly."""

    kind = "level"

    def __init__(self, world: World) -> None:
        """Read the sensors of a world, a channel a node."""
        self.channels = len(world.nodes)
        self._world = world

    def scan(self) -> Sequence[int]:
        """Return 0 to 255 a channel, 128 for no field."""
        return self._world.levels()

    def close(self) -> None:
        """Do nothing: there are no pins."""


class SimulatedBoard:
    """The parts of a simulated board, soldered together as the description says."""

    def __init__(self, description: BoardDescription, clock: Clock = time.monotonic, seed: int = 0) -> None:
        """Wire world, chips, pins and strip; nothing runs by itself."""
        wirings = sorted(description.nodes.values(), key=lambda wiring: wiring.channel)
        self.description = description
        self.world = World([wiring.name for wiring in wirings], description.kind, clock, seed)
        self.gpio = SimulatedGpio()
        self.wires = capture_all(description.lights)
        self.wire = join(self.wires)

    def sensors(self) -> SensorBank:
        """Return the driver over the simulated chips."""
        if self.description.kind == "level":
            return LevelBank(self.world)
        pins, gpio = self.description.pins, self.gpio
        chain = Hc165Chain(self.world.contacts, len(self.world.nodes) * self.description.inputs_per_channel)
        gpio.drive(pins["load"], chain.set_load)
        gpio.drive(pins["clock"], chain.set_clock)
        gpio.sense(pins["data"], chain.data)
        if "inhibit" in pins:
            gpio.drive(pins["inhibit"], chain.set_inhibit)
        gpio.setmode(gpio.BCM)
        return ShiftRegisterBank(gpio, pins, len(self.world.nodes), self.description.kind)

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
) -> OpenBoard:
    """Open a simulated board with its virtual board pages and a helpful hand that pauses so long before each deed."""
    parts = SimulatedBoard(description, clock, seed)
    helper = Helper(Hand(parts.world, "helper"), pause_s)
    helper.start()
    watcher = Watcher()
    pages: Any = blueprint(description, parts.world, parts.wire, watcher)
    return OpenBoard(
        parts.sensors(),
        parts.strip(),
        description,
        web=pages,
        attend=helper.attend,
        close_hooks=[helper.close, watcher.close],
    )
