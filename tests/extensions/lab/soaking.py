"""Whole fast games in which the simulated hand and the table get in each other's way, as two threads may.

All runs on one clock and from one seed: the table's loop goes on in the middle of a deed, and between two, for as long
as chance says. So whatever goes wrong once goes wrong again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from firmware_host.session.host import EVERYBODY, LentHands
from firmware_host.table import events as ev
from firmware_host.table.state import Table
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, may_open, open_seats
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.evening import NONCE
from lodestone.tables import SimulatedTable
from simulator.hand import TAP_S, Hand
from simulator.helper import Helper

HUNG_S = 120.0
"""A table at which nothing has changed for so long has stopped for good."""
PAUSE_S = 0.005
CONFIRMED_S = 10.0
"""After so long somebody says on the phone that a step was done, where no sensor can show it."""


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
    phones: bool = False
    """Whether people play, who never touch the board: they choose on their phones, and the hand moves all."""

    def __str__(self) -> str:
        marks = ("lost" if self.lost else None, "phones" if self.phones else None)
        return "-".join(filter(None, (self.board, self.kind, self.mode, str(self.seed), *marks)))


@dataclass(eq=False)
class LaterCall:
    """A call that comes at a time of the table's clock."""

    due: float
    call: Callable[[], None]
    waits: bool = True

    def come(self) -> None:
        if self.waits:
            self.call()
        self.waits = False

    def cancel(self) -> None:
        self.waits = False

    def is_alive(self) -> bool:
        return self.waits


class Soak:
    """A game of computers, with a hand that does what the lights ask."""

    def __init__(self, folder: Path, played: Played, patch: pytest.MonkeyPatch) -> None:
        def draw(size: int) -> str:  # What computers play follows from the game's id.
            return f"{played.seed:0{2 * size}x}"

        self.table = SimulatedTable(folder, board=played.board, kind=played.kind, mode=played.mode, draw=draw)
        if played.push:
            patch.setattr(self.table.runtime.setting.game, "random_action", self._pushing)
        self.rng = Random(played.seed)
        self.world = self.table.parts.world
        self._lost = played.lost
        self._owed = 0.0
        self.helper = Helper(Hand(self.world, "helper", sleep=self._travel), PAUSE_S, clock=self.table.clock)
        self.table.board.attend = self.helper.attend
        self._calls: list[LaterCall] = []
        LentHands(self.table.runtime, EVERYBODY, self._later)
        self.world.on_change = self._meanwhile
        for seat in self.table.runtime.view(None)[1]["seats"]:
            name = f"C{seat['seat']}"
            claim = f"c{seat['seat']}" if played.phones else ""
            self.say(SeatTaken(at=self.now, seat=seat["seat"], name=name, claim=claim, computer=not played.phones))
        self.phones = Phones(self) if played.phones else None
        self.say(GameStarted(at=self.now, seed=played.seed))

    @property
    def now(self) -> float:
        return self.table.runtime.now()

    def say(self, event: ev.Event) -> None:
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
            for call in [one for one in self._calls if one.due <= self.table.clock.now]:
                self._calls.remove(call)
                call.come()

    def _later(self, seconds: float, call: Callable[[], None]) -> LaterCall:
        self._calls.append(LaterCall(self.table.clock.now + seconds, call))
        return self._calls[-1]

    def _travel(self, seconds: float) -> None:
        """Let a hand be on its way, often a quick one; but what is tapped quickly looks like a sensor's drop-out."""
        self._let(seconds * (self.rng.choice((0.2, 0.4, 1, 1, 1, 1)) if seconds < TAP_S else 1))

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
        told, since = "", self.now
        while (view := self.table.runtime.view(None)[1])["phase"] != "over":
            self._let(self.rng.choice((0.005, 0.01, 0.02, 0.05)))
            self.helper.work()
            if self.phones is not None:
                self.phones.act(view)
            now = str((view["log"], view["phase"], view["tasks"]))
            if now != told:
                told, since = now, self.now
            hung = f"{view['message']} {view['tasks']}; on the board {self.world.stones()}"
            assert self.now < since + HUNG_S, hung
        self._let(2.0)
        assert self.world.snapshot()["hands"] == {}
        wanted = {node: sorted(stack) for node, stack in view["board"].items()}
        lies = {node: sorted(stack) for node, stack in self.world.stones().items()}
        assert lies == wanted
        if self.phones is not None:
            assert self._reached() == self.phones.aims

    def _reached(self) -> list[str]:
        """Return the position after each action that counts, sealed ones left out."""
        entries = self.table.journal.entries(self.table.view["game"]["id"])
        return [str(entry.data["position"]) for entry in entries if entry.kind == "action"]


class Phones:
    """People who play at random on their phones, and touch nothing else."""

    def __init__(self, soak: Soak) -> None:
        self.aims: list[str] = []
        """The positions to which the actions lead that were chosen."""
        self._soak = soak
        self._sealed: dict[int, tuple[str, str]] = {}
        self._since = 0.0

    def act(self, view: Mapping[str, Any]) -> None:
        """Do what a phone is asked for, if anything."""
        at, table = self._soak.now, self._soak.table.runtime._table
        assert table is not None
        if view["phase"] in {"sealing", "revealing"}:
            self._seal(table, at)
        elif view["phase"] == "resolving" and view["wanted"] is not None:
            self._confirm(view, at)
        elif view["phase"] == "resolving" and table.in_order and not view["stage"]:
            position, seat = table.ledger.now.position, view["resolver"]
            action = table.game.random_action(position, seat, self._soak.rng)
            self.aims.append(table.game.text(table.game.apply(position, {seat: action}).position))
            self._soak.say(ActionChosen(at=at, seat=seat, action=action))
            self._since = at

    def _confirm(self, view: Mapping[str, Any], at: float) -> None:
        """Say what lies, when the table asks; or that it was done, when no sensor shows it for long."""
        question = view["question"]
        offered = question["choices"] if question else [step for step in view["steps"] if step["hidden"]]
        action = next((one["action"] for one in offered if view["wanted"].startswith(one["action"])), None)
        assert action is not None or question is None, f"{view['wanted']} was chosen: {question}"
        if action is not None and (question is not None or at > self._since + CONFIRMED_S):
            self._soak.say(Confirmed(at=at, seat=view["resolver"], action=action))
            self._since = at

    def _seal(self, table: Table, at: float) -> None:
        sealing = table.ledger.round
        assert sealing is not None
        for seat in sealing.seats:
            if seat not in sealing.commitments:
                action = table.game.random_action(table.ledger.now.position, seat, self._soak.rng)
                self._sealed[seat] = action, NONCE
                digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
                self._soak.say(SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest))
            elif not may_open(table):
                self._soak.say(SealReady(at=at, seat=seat, turn=sealing.turn))
            elif seat not in open_seats(table):
                action, nonce = self._sealed[seat]
                self._soak.say(SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce))
                return


def soak(folder: Path, played: Played) -> None:
    """Play one game to its end."""
    with pytest.MonkeyPatch.context() as patch:
        game = Soak(folder, played, patch)
        try:
            game.play()
        finally:
            game.table.close()
