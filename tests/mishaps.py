"""Parts of a running table that break one at a time, at any moment, and are mended again."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from simulator.faults import LINE_FAULTS, SENSOR_FAULTS

if TYPE_CHECKING:
    from tests.faulty_table import FaultyTable

STRIP_FAULTS = ("strip-dead", "pixel-broken")
FAULTS = ("none", *SENSOR_FAULTS, *LINE_FAULTS, "lost", *STRIP_FAULTS)


class Mishaps:
    """Breaks one part at a time, at any moment, and mends it again."""

    def __init__(self, table: FaultyTable, kinds: tuple[str, ...], random: Random) -> None:
        self.table, self.kinds, self.random = table, kinds, random
        self.kind, self.node = "none", ""
        self.begins = self.ends = 0.0
        self.broken = False
        self.plan()

    def plan(self) -> None:
        self.kind = self.random.choice(self.kinds)
        self.begins = self.table.clock.now + self.random.uniform(0, 6)
        long = 5.0 if self.kind == "lost" else self.random.choice((0.03, 0.3, 2.0, 6.0, 15.0))
        self.ends = self.begins + long * self.random.uniform(0.8, 1.2)

    def pass_time(self) -> None:
        now = self.table.clock.now
        if not self.broken and now >= self.begins:
            self.broken = True
            self.table.account.faults[self.kind] += 1
            self._break()
        elif self.broken and now >= self.ends:
            self.mend()
            self.plan()

    def stop(self) -> None:
        """Mend everything, and break nothing before the next plan."""
        self.mend()
        self.kind, self.begins = "none", float("inf")

    def mend(self) -> None:
        self.broken = False
        self.table.parts.world.clear_faults()
        self.table.parts.wire.dead = False
        self.table.parts.wire.broken_from = None

    def _break(self) -> None:
        world, wire = self.table.parts.world, self.table.parts.wire
        if self.kind in SENSOR_FAULTS:
            near = [*self.table.busy, *world.stones()] if self.random.random() < 0.7 else []
            self.node = self.random.choice(near or list(world.nodes))
            world.set_fault(self.kind, self.node)
        elif self.kind == "strip-dead":
            wire.dead = True
        elif self.kind == "pixel-broken":
            wire.broken_from = self.random.randrange(wire.length)
        elif self.kind != "none":
            world.set_fault(self.kind)
