"""A workbench for wizards: a simulated board, its helper and a simulated clock."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.workshop.checking import BoardReport, merge_items, stone_items, wiring_items
from firmware_host.extensions.workshop.mapping import MapWizard
from firmware_host.extensions.workshop.wizard import Patience, Wizard
from hw.ports import BoardDescription, NodeWiring
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from simulator.helper import Helper

PATIENCE = Patience(hint=0.8, give_up=1.5, clear=0.4)
SCAN_S = 0.01
NAMES = ("A1", "B1", "B2", "B3", "B4", "C1", "C2", "C3")


def small_board(kind: str = "presence", nodes: Sequence[str] = NAMES) -> BoardDescription:
    """A few nodes of Spokes, wired in order."""
    whole = load_board(find_board("spokes-45"), backend="sim", kind=kind)
    picked = {name: dataclasses.replace(whole.nodes[name], channel=n, pixel=n) for n, name in enumerate(nodes)}
    strip = dataclasses.replace(whole.lights.strips[0], length=len(nodes))
    lights = dataclasses.replace(whole.lights, strips=(strip,))
    return dataclasses.replace(whole, nodes=picked, lights=lights, lines=())


def rewired(board: BoardDescription, channels: Sequence[int], pixels: Sequence[int]) -> BoardDescription:
    """Return the same board with another wiring."""
    nodes: dict[str, NodeWiring] = {}
    for (name, wiring), channel, pixel in zip(board.nodes.items(), channels, pixels, strict=True):
        nodes[name] = dataclasses.replace(wiring, channel=channel, pixel=pixel)
    return dataclasses.replace(board, nodes=nodes)


def wiring_of(board: BoardDescription) -> dict[str, tuple[int, int]]:
    return {name: (wiring.channel, wiring.pixel) for name, wiring in board.nodes.items()}


Bend = Callable[[list[int]], list[int]]


class Workshop:
    """The board with its real wiring, and a helper that does a wizard's tasks."""

    def __init__(self, board: BoardDescription, seed: int = 0, *, bend: Bend = list) -> None:
        self.clock = Clock()
        self.parts = SimulatedBoard(board, self.clock, seed, is_stepped=True)
        self.world = self.parts.world
        self.sensors = self.parts.sensors()
        self.strip = self.parts.strip()
        self.bend = bend
        """Function that simulates faulty wires by changing the readings."""
        self.hand = Hand(self.world, "helper", sleep=lambda _: None)
        self.helper = Helper(self.hand, 0.03, clock=self.clock, lit_node=self.parts.lit_node)
        self.told: list[str] = []

    def step(self, wizard: Wizard) -> None:
        """Run one round of the terminal's loop."""
        self.clock.now += SCAN_S
        wizard.feed(self.bend(list(self.sensors.scan())), self.clock.now)
        self.told += wizard.news()
        lights = wizard.lights
        self.strip.show([lights.get(pixel, (0, 0, 0)) for pixel in range(self.strip.length)])
        self.helper.attend(wizard.tasks)
        self.helper.work()

    def rest(self, seconds: float = 0.2) -> None:
        """Scan for a while before a wizard begins: a part that sleeps has then measured what is there."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now += SCAN_S
            self.sensors.scan()

    def run(self, wizard: Wizard, seconds: float = 600.0, until: Callable[[], bool] = lambda: False) -> None:
        end = self.clock.now + seconds
        while not wizard.is_done and not until():
            assert self.clock.now < end, f"the wizard does not end; last: {self.told[-5:]}"
            self.step(wizard)
        self.told += wizard.news()

    @property
    def text(self) -> str:
        return "\n".join(self.told)


def report(board: BoardDescription, shop: Workshop, wizard: MapWizard) -> BoardReport:
    """Return what a check with stones finds."""
    shop.run(wizard, seconds=900.0)
    return BoardReport(board, merge_items([*wiring_items(board, wizard), *stone_items(board, wizard)]))
