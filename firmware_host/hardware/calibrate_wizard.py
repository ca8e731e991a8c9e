"""The wizard that measures the levels of each linear sensor: at rest, under either pole, under a stack.

Steps for each node: a white stone, a black one on top of it, both off, a black stone, off. If two levels are too close
to be distinguished, the node is named, and the table will ask the players there.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.hardware.margins import overlaps
from firmware_host.hardware.touch import SETTLE_S, Touch
from firmware_host.hardware.wizard import ASKED, FELT, Doing, Patience, Task, named, put, rest_news, take
from hw.ports import BoardDescription, Colour, NodeLevels

SAMPLE_S = 0.4
"""Time for which a steady level is sampled."""
LEAST_STEP = 5
"""Least change in level steps that means that a stone was put or taken."""
STILL = 8
"""Largest range in level steps of steady readings."""
HELP = "Enter: it lies there (or is off), go on.   s: skip this node.   u: the last node anew.   q: stop."

STAGES = ("white", "stack", "bare", "black", "off")
ASK = {
    "white": "put a white stone on {node}",
    "stack": "put a black stone on top of it",
    "bare": "take both off",
    "black": "put a black stone on {node}",
    "off": "take it off",
}


@dataclass(frozen=True)
class Measured:
    """The measured levels of one sensor."""

    levels: NodeLevels
    spread: int
    """Largest distance of a reading from its level, in level steps."""


class CalibrateWizard:
    """Measures every node. Call :meth:`feed` until ``done``; then read ``measured`` and ``failed``."""

    def __init__(
        self, board: BoardDescription, nodes: Sequence[str] | None = None, patience: Patience | None = None
    ) -> None:
        """Start with the empty board; measure these nodes (None: all)."""
        self.done = False
        self.stopped = False
        self.measured: dict[str, Measured] = {}
        self.failed: dict[str, str] = {}
        """Node → why it was not measured."""
        self._board = board
        self._patience = patience or Patience()
        self._touch = Touch("level", len(board.nodes))
        self._queue = list(nodes if nodes is not None else board.nodes)
        self._of = len(self._queue)
        self._order: list[str] = []
        self._node = ""
        self._stage = "rest"
        self._asked = 0.0
        self._hinted = False
        self._go = False
        self._before = 0
        """Level of the sensor before this stage."""
        self._found: dict[str, tuple[int, int]] = {}
        """Stage → (level, spread) of the present node."""
        self._samples: list[tuple[float, int]] = []
        self._news: list[str] = []

    def resume(self, kept: object) -> None:
        """Continue from an earlier result of :meth:`kept`. Raise ValueError when it does not fit this board."""
        if not isinstance(kept, dict) or kept.get("board") != self._board.name or "measured" not in kept:
            raise ValueError(f"expected what was measured of board {self._board.name!r}")
        try:
            for node, (rest, north, south, stack, stacks, spread) in kept["measured"].items():
                self.measured[node] = Measured(
                    NodeLevels(int(rest), int(north), int(south), int(stack), bool(stacks)), int(spread)
                )
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"expected levels of nodes: {error}") from error
        self._queue = [node for node in self._queue if node not in self.measured]
        self._news.append(f"{len(self.measured)} nodes are measured already")

    # -- what a front sees ---------------------------------------------------------------------------------------

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return the pixel of the present node → its colour."""
        if not self._node or self.done:
            return {}
        colour = FELT if self._stage in {"bare", "off"} else ASKED
        return {self._board.nodes[self._node].pixel: colour}

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present task for a hand, in a list."""
        if not self._node or self.done:
            return []
        step = f"{self._node} {self._stage} {self._asked:.3f}"
        if self._stage in {"bare", "off"}:
            return [{**take(step, self._node), "all": True}]
        return [put("w" if self._stage == "white" else "b", step, self._node)]

    @property
    def touch(self) -> Touch:
        """Return what is known of the sensors."""
        return self._touch

    def doing(self) -> Doing:
        """Return the step as data; ``stage`` is one of :data:`STAGES`."""
        done = len(self.measured.keys() | self.failed.keys())
        if not self._node or self.done:
            return Doing("wait", done=done, of=self._of)
        do, piece = ("off" if self._stage in {"bare", "off"} else "put"), ("w" if self._stage == "white" else "b")
        return Doing(do, self._node, piece, self._hinted, done, self._of, self._stage)

    def news(self) -> list[str]:
        """Return the lines to show since the last call."""
        news, self._news = self._news, []
        return news

    def kept(self) -> Mapping[str, Any]:
        """Return the state for a later :meth:`resume`, ready for JSON."""
        rows = {
            node: [one.levels.rest, one.levels.north, one.levels.south, one.levels.stack, one.levels.stacks, one.spread]
            for node, one in self.measured.items()
        }
        return {"board": self._board.name, "measured": rows}

    # -- what happens --------------------------------------------------------------------------------------------

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self.done:
            return
        self._touch.feed(readings, at)
        if self._stage == "rest":
            if self._touch.ready:
                names = {wiring.channel: node for node, wiring in self._board.nodes.items()}
                self._news += rest_news(self._touch.stuck, names)
                self._next_node(at)
            return
        reading = readings[self._channel]
        self._samples.append((at, reading))
        while self._samples[0][0] < at - SAMPLE_S:
            self._samples.pop(0)
        if self._moved(at):
            self._settle(at)
        else:
            self._wait(at)

    def say(self, words: str, at: float) -> None:
        """Process a typed line: see :data:`HELP`."""
        word = words.strip()
        if word == "q":
            self.done = self.stopped = True
        elif not self._node:
            self._news.append("the empty board is being watched; wait a moment")
        elif not word:
            self._go = True
        elif word == "s":
            self._fail("skipped", at)
        elif word == "u":
            self._undo(at)
        else:
            self._news.append(HELP)

    @property
    def _channel(self) -> int:
        return self._board.nodes[self._node].channel

    # -- one node after the other --------------------------------------------------------------------------------

    def _next_node(self, at: float) -> None:
        while self._queue:
            self._node = self._queue.pop(0)
            if self._channel in self._touch.stuck:
                self.failed[self._node] = f"channel {self._channel} reads {self._touch.stuck[self._channel]} at rest"
                continue
            self._order.append(self._node)
            self._found = {"rest": (self._touch.rest[self._channel], self._touch.noise[self._channel])}
            self._before = self._touch.rest[self._channel]
            self._news.append(f"[{len(self._queue) + 1}] {self._node}")
            self._ask("white", at)
            return
        self._node, self.done = "", True

    def _ask(self, stage: str, at: float) -> None:
        self._stage, self._asked, self._hinted, self._go = stage, at, False, False
        self._samples.clear()
        self._news.append("    " + ASK[stage].format(node=self._node))

    def _moved(self, at: float) -> bool:
        """Return whether the step is done, by the sensor or by the maker's word."""
        if self._go:
            return True
        level = self._samples[-1][1]
        if self._stage in {"bare", "off"}:
            rest, noise = self._found["rest"]
            return abs(level - rest) < max(LEAST_STEP, noise + 1) and at - self._asked >= SETTLE_S
        return abs(level - self._before) >= max(LEAST_STEP, 2 * self._found["rest"][1] + 1)

    def _settle(self, at: float) -> None:
        """Record the level after it has been steady for long enough."""
        readings = [reading for _, reading in self._samples]
        if self._stage in {"bare", "off"}:
            self._done_with(self._found["rest"], at)
        elif max(readings) - min(readings) > STILL:
            self._samples = self._samples[-1:]
        elif at - self._samples[0][0] >= SAMPLE_S * 0.9:
            level = int(statistics.median_low(readings))
            self._done_with((level, max(abs(reading - level) for reading in readings)), at)

    def _done_with(self, found: tuple[int, int], at: float) -> None:
        self._found[self._stage] = found
        self._before = found[0]
        if self._stage == "off":
            self._conclude(at)
        else:
            self._ask(STAGES[STAGES.index(self._stage) + 1], at)

    def _wait(self, at: float) -> None:
        waited = at - self._asked
        if self._patience.give_up is not None and waited >= self._patience.give_up:
            # Two levels may be too close for a visible change: accept the present level.
            self._go = True
        elif not self._hinted and waited >= self._patience.hint:
            self._hinted = True
            other = sorted(self._touch.answers - {self._channel})
            names = {wiring.channel: node for node, wiring in self._board.nodes.items()}
            if other:
                self._news.append(
                    f"    channel {other[0]}{named(other[0], names)} answers instead: map the board first"
                )
            else:
                self._news.append(f"    channel {self._channel} shows no change. Enter goes on with what it reads")

    def _conclude(self, at: float) -> None:
        """Record the levels of the node, or its failure if a stone does not change them."""
        rest, north, south, stack = (self._found[stage][0] for stage in ("rest", "white", "black", "stack"))
        spread = max(spread for _, spread in self._found.values())
        low, high = sorted((north, south))
        if not low < rest < high or min(rest - low, high - rest) <= spread:
            self._fail(f"rest {rest}, white {north}, black {south}: either colour must move the sensor its own way", at)
            return
        inside = min(max(stack, min(rest, north)), max(rest, north))
        levels = NodeLevels(rest, north, south, inside)
        close = overlaps(levels, spread)
        if close:
            levels = NodeLevels(rest, north, south, inside, stacks=False)
            self._news.append(f"    {self._node}: can't tell {'; '.join(close)}. The table will ask here")
        self.measured[self._node] = Measured(levels, spread)
        self.failed.pop(self._node, None)
        self._next_node(at)

    def _fail(self, why: str, at: float) -> None:
        self.failed[self._node] = why
        self._news.append(f"    {self._node}: {why}")
        self._next_node(at)

    def _undo(self, at: float) -> None:
        """Start the present node again or, in its first stage, the node before it."""
        if self._stage == "white" and len(self._order) > 1:
            self._queue.insert(0, self._order.pop())
        self._queue.insert(0, self._order.pop())
        self.measured.pop(self._queue[0], None)
        self._news.append(f"{self._queue[0]} anew: take off what lies there")
        self._next_node(at)
