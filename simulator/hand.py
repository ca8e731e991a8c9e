"""A simulated hand that moves pieces on the board."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing

from hw.ports import Message
from simulator.stones import Impossible, World, unknown

TRAVEL_S = 0.15
"""Time that a hand takes from one node to another."""
TAP_S = 0.3
"""Time for which a hand that taps holds a piece: well longer than a drop-out, though its lift is scanned late."""
Parts = Generator[float, None, None]
"""Work in parts: it yields the seconds that pass before its next one."""


class Hand:
    """One hand, which keeps its pieces until it puts them down. Its methods raise Impossible.

    What takes time comes in two forms: ``carry`` waits, ``carrying`` yields the seconds that its caller has to let pass
    before it goes on.
    """

    def __init__(self, world: World, name: str = "hand", *, sleep: Callable[[float], None] = time.sleep) -> None:
        """``name`` identifies the hand; ``sleep`` waits some seconds while the hand moves."""
        self.name = name
        self._world = world
        self._sleep = sleep

    def put(self, node: str, piece: str | None = None) -> None:
        """Put a piece from the supply onto a node or, without ``piece``, all held pieces."""
        if piece is None:
            self._world.place(self.name, node)
        elif self._world.holding(self.name):
            raise Impossible(Message("the hand is full"))
        else:
            self._world.put(node, piece)

    def lift(self, node: str, pieces: Sequence[str] | None = None) -> None:
        """Lift these pieces of a node, or its top piece."""
        self._world.lift(self.name, node, pieces)

    def carry(self, source: str, target: str, pieces: Sequence[str] | None = None) -> None:
        """Lift pieces from one node and put them on another; put them back where that is impossible."""
        self.wait(self.carrying(source, target, pieces))

    def carrying(self, source: str, target: str, pieces: Sequence[str] | None = None) -> Parts:
        """Do the same in parts; given up between two, it puts the pieces back, too."""
        if target not in self._world.nodes:
            raise unknown(target)
        self.lift(source, pieces)
        try:
            yield TAP_S if source == target else TRAVEL_S
            self._world.place(self.name, target)
        finally:
            self.put_back()

    def check_holds(self) -> None:
        """Raise Impossible for a hand that is to push, and holds nothing."""
        if not self._world.holding(self.name):
            raise Impossible(Message("the hand holds nothing to push with"))

    def put_back(self) -> None:
        """Put held pieces back where they came from."""
        self._world.put_back(self.name)

    def tap(self, node: str) -> None:
        """Lift everything on a node and put it back."""
        self.wait(self.tapping(node))

    def tapping(self, node: str) -> Parts:
        """Do the same in parts."""
        return self.carrying(node, node, self._world.stones().get(node))

    def wait(self, parts: Parts) -> None:
        """Do all parts of some work, with the time that each takes."""
        with closing(parts):
            for seconds in parts:
                self._sleep(seconds)

    def take_off(self, node: str) -> None:
        """Move the top piece of a node to the supply."""
        self.lift(node)
        self._world.drop(self.name)

    def lying(self, nodes: Iterable[str]) -> dict[str, list[str]]:
        """Return node → stack, from bottom to top, for these nodes."""
        stones = self._world.stones()
        return {node: stones.get(node, []) for node in nodes}

    def count(self, node: str) -> int:
        """Return the number of pieces on a node."""
        return len(self._world.stones().get(node, ()))

    def drop(self) -> None:
        """Put all held pieces into the supply."""
        self._world.drop(self.name)
