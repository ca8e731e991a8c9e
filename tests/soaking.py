"""Whole fast games in which the simulated hand and the table get in each other's way, as two threads may.

All runs on one clock and from one seed: the table's loop goes on in the middle of a deed, and between two, for as long
as chance says. So whatever goes wrong once goes wrong again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.lent_hands import EVERYBODY, LentHands
from firmware_host.table import events as ev
from simulator.hand import Hand
from simulator.helper import Helper
from tests.tables import RunningTable

HUNG_S = 120.0
"""A table at which nothing has changed for so long has stopped for good."""
PAUSE_S = 0.005


@dataclass(frozen=True)
class Played:
    """What is played, and what happens meanwhile."""

    board: str
    kind: str | None
    mode: str
    seed: int
    push: bool = False
    """Whether the computers push lines of pieces whenever they can."""
    lost: float = 0.0
    """How often, in deeds of the hand, a piece falls from the board meanwhile."""

    def __str__(self) -> str:
        return "-".join(filter(None, (self.board, self.kind, self.mode, str(self.seed), self.lost and "lost")))


class Soak:
    """A game of computers, with a hand that does what the lights ask."""

    def __init__(self, folder: Path, played: Played, patch: pytest.MonkeyPatch) -> None:
        # What computers play follows from the game's id.
        patch.setattr("firmware_host.runtime.secrets.token_hex", lambda _: f"{played.seed:08x}")
        self.table = RunningTable(folder, board=played.board, kind=played.kind, mode=played.mode)
        if played.push:
            patch.setattr(self.table.runtime.setting.game, "random_action", self._pushing)
        self.rng = Random(played.seed)
        self.world = self.table.parts.world
        self._lost = played.lost
        self._owed = 0.0
        self.helper = Helper(Hand(self.world, "helper", sleep=self._travel), PAUSE_S, clock=self.table.clock)
        self.table.board.attend = self.helper.attend
        LentHands(self.table.runtime, EVERYBODY)
        self.world.on_change = self._meanwhile
        for seat in self.table.runtime.view(None)[1]["seats"]:
            name = f"C{seat['seat']}"
            self._say(ev.SeatTaken(at=self._now, seat=seat["seat"], name=name, claim="", computer=True))
        self._say(ev.GameStarted(at=self._now, seed=played.seed))

    @property
    def _now(self) -> float:
        return self.table.runtime.now()

    def _say(self, event: ev.Event) -> None:
        self.table.runtime.submit(event)

    def _pushing(self, position: Any, seat: int, rng: Random) -> str:
        game: Any = self.table.runtime.setting.game
        pushes = [step.action for step in game.steps(position) if step.line]
        return str(rng.choice(pushes or game.actions(position)[seat]))

    # -- what happens at the same time -------------------------------------------------------------------------------

    def _let(self, seconds: float) -> None:
        """Let the table's loop go on for so long: often for no round at all."""
        self._owed += seconds
        each = 1 / self.table.description.scan_hz
        while self._owed >= each:
            self._owed -= each
            self.table.clock.now += each
            self.table.runtime.step()

    def _travel(self, seconds: float) -> None:
        self._let(seconds * self.rng.choice((0, 0.2, 1, 1, 1, 1)))

    def _meanwhile(self) -> None:
        if self.rng.random() < self._lost and (stones := self.world.stones()):
            self._lose(self.rng.choice(sorted(stones)))
        if self.rng.random() < 0.3:
            self._let(self.rng.choice((0.02, 0.04, 0.1)))

    def _lose(self, node: str) -> None:
        often, self._lost = self._lost, 0.0
        Hand(self.world, "sleeve", sleep=lambda _: None).take_off(node)
        self._lost = often

    # -- the game ----------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play to the end. Raise AssertionError where nothing goes on, or pieces lie where they don't belong."""
        told, since = "", self._now
        while (view := self.table.runtime.view(None)[1])["phase"] != "over":
            self._let(self.rng.choice((0.005, 0.01, 0.02, 0.05)))
            self.helper.work()
            now = str((view["log"], view["phase"], view["tasks"]))
            if now != told:
                told, since = now, self._now
            hung = f"{view['message']} {view['tasks']}; on the board {self.world.stones()}"
            assert self._now < since + HUNG_S, hung
        self._let(2.0)
        assert self.world.snapshot()["hands"] == {}
        wanted = {node: sorted(stack) for node, stack in view["board"].items()}
        lies = {node: sorted(stack) for node, stack in self.world.stones().items()}
        assert lies == wanted


def soak(folder: Path, played: Played) -> None:
    """Play one game to its end."""
    with pytest.MonkeyPatch.context() as patch:
        game = Soak(folder, played, patch)
        try:
            game.play()
        finally:
            game.table.close()
