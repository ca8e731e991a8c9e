"""A running table whose parts break, watched for committing what nobody did; and what came of an evening at it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Timings
from lodestone.tables import SimulatedTable
from tests.mishaps import Mishaps

ASKING = Timings(one_sensor=False)
"""No sensor decides alone: one that dies under a stone with one stack to go to would move that stone."""
BOARDS = {"spokes": "spokes-45", "phalanx": "go-9x9", "coil": "hexhex-7", "octiles": "octiles-53"}
CODED = {"octiles": "octiles-189"}
"""Boards whose wells read tiles; the kind of sensing is their own."""


@dataclass
class Account:
    """What came of it."""

    turns: int = 0
    steps: int = 0
    lines: int = 0
    """Steps of several stones."""
    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)

    def add(self, other: Account) -> None:
        """Sum up."""
        self.turns += other.turns
        self.steps += other.steps
        self.lines += other.lines
        self.games += other.games
        self.faults += other.faults
        self.noticed += other.noticed
        self.wrong += other.wrong
        self.stuck += other.stuck


class WrongAction(AssertionError):
    """The table has committed what nobody did."""


class Stuck(AssertionError):
    """The table does not go on."""


class FaultyTable(SimulatedTable):
    """A running table whose parts break, and which is watched for committing what nobody did."""

    def __init__(
        self,
        folder: Path,
        *,
        kind: str,
        mode: str,
        kinds: tuple[str, ...],
        seed: int,
        timings: Timings = ASKING,
        game: str = "spokes",
    ) -> None:
        self.account = Account()
        self.random = Random(seed)
        self.busy: tuple[str, ...] = ()
        """Nodes that hands are dealing with."""
        self.allowed: set[Any] = set()
        """The positions that the table may hold by what the people have done."""
        self.mishaps: Mishaps | None = None
        self._looked: Any = None
        coded = kind == "coded"
        board = (CODED if coded else BOARDS)[game]
        super().__init__(folder, board=board, kind=None if coded else kind, mode=mode, timings=timings)
        self.mishaps = Mishaps(self, kinds, self.random)

    def lies(self, node: str, sensed: str) -> bool:
        """Tell whether a sensed state is not what the pieces on a node give."""
        stack = self.parts.world.stones().get(node, [])
        if self.description.kind == "coded" and node in self.runtime.setting.game.layout().wells:
            return sensed != (stack[0] if len(stack) == 1 else "?" if stack else "")
        return bool(sensed) != bool(stack)

    @property
    def table(self) -> Any:
        return self.runtime._table

    @property
    def position(self) -> Any:
        return self.table.ledger.now.position

    def wait(self, seconds: float) -> None:
        period = 1 / self.description.scan_hz
        for _ in range(max(1, round(seconds / period))):
            self.clock.now += period
            if self.mishaps is not None:
                self.mishaps.pass_time()
            self.runtime.step()
            moments = self.table.ledger.moments if self.table is not None else None
            if moments and moments[-1] is not self._looked:
                self._looked = moments[-1]
                if self.allowed and self._looked.position not in self.allowed:
                    raise WrongAction(f"{self._looked.kind} {dict(self._looked.actions)}")

    def say(self, event: ev.Event) -> bool:
        """Let a phone say something; a refusal is shown on it, and that is all."""
        try:
            self.runtime.submit(event)
        except TableError:
            return False
        return True
