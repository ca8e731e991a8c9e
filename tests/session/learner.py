"""Somebody who takes a lesson at a table without threads: ideal sensors, hands that do what the table asks for."""

from __future__ import annotations

from firmware_host.games.lessons import Exercise, lessons_of
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment
from firmware_host.session.lessons import Practice
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.state import Table
from firmware_host.table.subjects.resolving import ActionChosen, BoardChanged, SensorChanged
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, may_open
from firmware_host.table.table import handle
from firmware_host.table.view_form import Task
from lodestone.evening import Stones

NONCE = "f" * 32
TICK = 0.25
KINDS = {"octiles": "coded"}
"""The kind of sensing that sees all of a game's pieces, where it is not ``level``."""


class Learner(Stones):
    """A practice, its physical board and the time of day."""

    def __init__(self, game: str, lesson: str, *, phone: bool = False) -> None:
        super().__init__(find_game(game), KINDS.get(game, "level"))
        self.at = 0.0
        lessons = lessons_of(self.game)
        self.practice = Practice(
            self.game, lessons, lesson, self._fresh, "claim", lambda count: "0" * 2 * count, phone=phone
        )
        self._sit_at(self.practice.begin(self.at))

    def _fresh(self, word: str, mode: str) -> Table:
        return Table(self.game, word, mode, kind=self.kind)

    @property
    def table(self) -> Table:
        return self.practice.table

    @property
    def shown(self) -> dict[str, object]:
        assert self.table.lesson is not None
        return dict(self.table.lesson)

    @property
    def exercise(self) -> Exercise:
        return self.practice.exercise

    def _sit_at(self, table: Table | None) -> None:
        if table is not None and not self.practice.phone:
            sensed_states = tuple((node, self.sensed(node)) for node in self.stones)
            self.say(BoardChanged(at=self.at, sensed_states=sensed_states))

    def say(self, event: ev.Event) -> None:
        handle(self.table, event)
        self._sit_at(self.practice.follow(self.at))

    def feel(self, node: str) -> None:
        self.say(SensorChanged(at=self.at, node=node, sensed=self.sensed(node)))

    def wait(self, seconds: float) -> None:
        until = self.at + seconds
        while self.at < until:
            self.at += TICK
            self.say(ev.Tick(at=self.at))
            for event in self.practice.events(self.at):
                self.say(event)

    # -- what the learner does ---------------------------------------------------------------------------------------

    def do_tasks(self, most: int = 60) -> None:
        """Do what the table asks hands for, until it asks for nothing."""
        for _ in range(most):
            self.wait(1.0)
            tasks = guide.tasks(self.table)
            if not tasks or self.table.lesson is None or self.shown["done"]:
                return
            in_a_row = tasks if self.table.phase == "resolving" and self.table.watch.problem is None else tasks[:1]
            for task in in_a_row:  # The moves of a line belong together.
                self._do(task)
        raise AssertionError(f"the table never has enough: {tasks}")

    def _do(self, task: Task) -> None:
        if task["do"] == "put":
            if task["node"] in self.game.layout().wells and task["node"] in self.stones:
                self.take_off(task["node"])
            self.put(task["node"], task["piece"])
        elif task["do"] == "take":
            self.take_off(task["node"])
        elif task["do"] == "move":
            if self.stones[task["from"]] == list(task["pieces"]) or len(self.stones[task["from"]]) > 1:
                self.lift(task["from"], task["pieces"])
                self.put(task["to"])
            else:  # No sensor has told its colour: people look themselves, and take the right one.
                self.take_off(task["from"])
                self.put(task["to"], task["pieces"][0])
        else:
            raise AssertionError(f"sensors that see all need no tap: {task}")

    def act(self, action: str) -> None:
        """Do an action of the learner: seal it, or choose it and let the hands follow the lights."""
        if self.table.phase == "sealing":
            self.seal(action)
        else:
            self.say(ActionChosen(at=self.at, seat=self.exercise.seat, action=action))
            self.wait(TICK)
        self.do_tasks()

    def seal(self, action: str) -> None:
        seat = self.exercise.seat
        sealing = self.table.ledger.round
        assert sealing is not None
        digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
        self.say(SealCommitted(at=self.at, seat=seat, turn=sealing.turn, commitment=digest))
        self.wait(TICK)
        self.say(SealReady(at=self.at, seat=seat, turn=sealing.turn))
        self.wait(TICK)
        assert may_open(self.table)
        opening = SealOpened(at=self.at, seat=seat, turn=sealing.turn, action=action, nonce=NONCE)
        self.say(opening)
