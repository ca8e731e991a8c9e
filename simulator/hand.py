"""A person's hand over the board."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence

from hw.ports import Message
from simulator.stones import Impossible, World, unknown

TRAVEL_S = 0.15
"""How long a hand is in the air between two nodes."""


class Hand:
    """One hand. What it holds stays in it until it is put down."""

    def __init__(self, world: World, name: str = "hand", *, sleep: Callable[[float], None] = time.sleep) -> None:
        """``name`` tells hands apart; ``sleep`` lets time pass while something is carried."""
        self.name = name
        self._world = world
        self._sleep = sleep
        self._came_from: str | None = None
        """The node that what the hand holds was lifted from."""

    def put(self, node: str, piece: str | None = None) -> None:
        """Put a piece from the supply onto a node, or (no piece named) what the hand holds."""
        if piece is None:
            self._world.place(self.name, node)
            self._came_from = None
        elif self._world.holding(self.name):
            raise Impossible(Message("the hand is full"))
        else:
            self._world.put(node, piece)

    def lift(self, node: str, pieces: Sequence[str] | None = None) -> None:
        """Lift the top piece of a node, or just these pieces."""
        if self._world.holding(self.name):
            raise Impossible(Message("the hand is full"))
        self._world.lift(self.name, node, pieces)
        self._came_from = node

    def carry(self, source: str, target: str, pieces: Sequence[str] | None = None) -> None:
        """Lift from one node and put down on another, through the air. What can't be put down is put back."""
        if target not in self._world.nodes:
            raise unknown(target)
        self.lift(source, pieces)
        try:
            self._sleep(TRAVEL_S)
            self._world.place(self.name, target)
        finally:
            self.put_back()

    def put_back(self) -> None:
        """Put what the hand still holds back where it lifted it; what it did not lift goes to the supply."""
        source, self._came_from = self._came_from, None
        if not self._world.holding(self.name):
            return
        if source is None:
            self._world.drop(self.name)
        else:
            self._world.place(self.name, source)

    def slide(self, way: Sequence[str], pieces: Sequence[str] | None = None) -> None:
        """Slide from node to node, each sensor on the way feeling the stone for a moment."""
        for source, target in itertools.pairwise(way):
            self.carry(source, target, pieces)

    def tap(self, node: str) -> None:
        """Lift everything on a node and put it back."""
        self.carry(node, node, self._world.stones().get(node))

    def rest(self) -> None:
        """Let as much time pass as the hand takes from one node to another."""
        self._sleep(TRAVEL_S)

    def take_off(self, node: str) -> None:
        """Take the top piece of a node back to the supply."""
        self.lift(node)
        self._world.drop(self.name)

    def lying(self, nodes: Iterable[str]) -> dict[str, list[str]]:
        """Return what lies on some nodes, from bottom to top."""
        stones = self._world.stones()
        return {node: stones.get(node, []) for node in nodes}

    def count(self, node: str) -> int:
        """Return how many stones lie on a node."""
        return len(self._world.stones().get(node, ()))

    def drop(self) -> None:
        """Put what the hand holds back to the supply."""
        self._world.drop(self.name)
