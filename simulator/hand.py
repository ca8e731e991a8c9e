"""A person's hand over the board, and a helpful person who does what the table asks."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator.stones import Impossible, World

TRAVEL_S = 0.15
"""How long a hand is in the air between two nodes."""
AGAIN_S = 4.0
"""After so long without a new list the helper looks again: what it did may not have been noticed."""


class Hand:
    """One hand. What it holds stays in it until it is put down."""

    def __init__(self, world: World, name: str = "hand", *, sleep: Callable[[float], None] = time.sleep) -> None:
        """``name`` tells hands apart; ``sleep`` lets time pass while something is carried."""
        self.name = name
        self._world = world
        self._sleep = sleep

    def put(self, node: str, piece: str | None = None) -> None:
        """Put a piece from the supply onto a node, or (no piece named) what the hand holds."""
        if piece is not None:
            if self._world.holding(self.name):
                raise Impossible("the hand is full")
            self._world.take(self.name, piece)
        try:
            self._world.place(self.name, node)
        except Impossible:
            if piece is not None:
                self._world.drop(self.name)
            raise

    def lift(self, node: str, pieces: Sequence[str] | None = None) -> None:
        """Lift the top piece of a node, or just these pieces."""
        if self._world.holding(self.name):
            raise Impossible("the hand is full")
        self._world.lift(self.name, node, pieces)

    def carry(self, source: str, target: str, pieces: Sequence[str] | None = None) -> None:
        """Lift from one node and put down on another, through the air."""
        if target not in self._world.nodes:
            raise Impossible(f"node: there is no node {target!r} on this board")
        self.lift(source, pieces)
        self._sleep(TRAVEL_S)
        self._world.place(self.name, target)

    def slide(self, way: Sequence[str], pieces: Sequence[str] | None = None) -> None:
        """Slide from node to node, each sensor on the way feeling the stone for a moment."""
        for source, target in itertools.pairwise(way):
            self.carry(source, target, pieces)

    def tap(self, node: str) -> None:
        """Lift everything on a node and put it back."""
        self.carry(node, node, self._world.stones().get(node) or None)

    def take_off(self, node: str) -> None:
        """Take the top piece of a node back to the supply."""
        self.lift(node)
        self._world.drop(self.name)

    def drop(self) -> None:
        """Put what the hand holds back to the supply."""
        self._world.drop(self.name)


class Helper:
    """Does the first of the table's tasks after a pause, then looks again: in simulation, the helpful person.

    :meth:`attend` is called with every new list of tasks; a list is acted upon once.
    """

    def __init__(self, hand: Hand, pause_s: float = 0.5) -> None:
        """Start the person's own thread."""
        self._hand = hand
        self._pause = pause_s
        self._tasks: Sequence[Mapping[str, Any]] = ()
        self._fresh = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._live, name="helper", daemon=True)
        self._thread.start()

    def attend(self, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Take note of what is to be done now."""
        if list(tasks) != list(self._tasks):
            self._tasks = list(tasks)
            self._fresh.set()

    def close(self) -> None:
        """Go home."""
        self._closed.set()
        self._fresh.set()
        self._thread.join(timeout=5)

    def _live(self) -> None:
        while not self._closed.is_set():
            self._fresh.wait(AGAIN_S if self._tasks else None)
            if self._closed.wait(self._pause):
                return
            self._fresh.clear()  # After the pause: of all lists that came meanwhile, the newest is done, once.
            tasks = self._tasks
            for number, task in enumerate(tasks):
                # Of one list only what belongs together is done: a stack that no sensor sees is tapped at once.
                if number and task["do"] != "tap":
                    break
                self._do(task)

    def _do(self, task: Mapping[str, Any]) -> None:
        hand = self._hand
        try:
            if task["do"] == "put" and task["piece"]:
                hand.put(task["node"], task["piece"])
            elif task["do"] == "move":
                hand.carry(task["from"], task["to"], task["pieces"] or None)
            elif task["do"] == "take":
                hand.take_off(task["node"])
            elif task["do"] == "tap":
                hand._sleep(TRAVEL_S)
                hand.tap(task["node"])
        except Impossible:
            hand.drop()  # Somebody else did it first; the next list of tasks will say what is left.
