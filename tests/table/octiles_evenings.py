"""People who play Octiles by hand: they lay tiles and move runners, make errors and mend them.

They know what they mean; whatever the table commits in the meantime, and after each turn, is compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.table.hypotheses import Timings
from firmware_host.table.sensor_model import QUIET_S
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.evening import Evening
from tests.games.octiles_positions import greedy_action

KINDS = ("presence", "coded")
SETTLED_S = 0.7
NAMES = ("Ada", "Bob", "Cleo", "Dan")


@dataclass(frozen=True)
class Error:
    """What hands do wrongly and mend, before the ``tile`` or the ``runner`` of the turn that they mean."""

    name: str
    when: str
    deed: Callable[[Octiles, Step], None]


class Octiles:
    """A game of Octiles at a table, with the hands that play it."""

    def __init__(self, kind: str, mode: str, seed: int, *, position: str = "") -> None:
        self.evening = Evening("octiles", mode, kind)
        self.random = Random(seed)
        self.meant: list[str] = []
        """The actions that are to be in force."""
        self.coming: str | None = None
        """The action that the hands are doing."""
        self.asked = 0
        for seat in self.evening.table.ledger.all_seats:
            self.evening.say(SeatTaken(at=0.0, seat=seat, name=NAMES[seat - 1], claim=f"c{seat}"))
        self.evening.say(GameStarted(at=0.0, seed=seed))
        if position:
            self.evening.begin_at(position)
        else:
            self.mend()

    # -- what is so ------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Any:
        return self.evening.table.ledger.now.position

    @property
    def over(self) -> bool:
        return self.evening.phase == "over"

    @property
    def stage(self) -> list[str]:
        return list(self.evening.view()["stage"])

    @property
    def seat(self) -> int:
        return self.evening.table.actor or 0

    def free(self) -> list[str]:
        """Return the wells in which nothing lies."""
        layout = self.evening.game.layout()
        return [node for node in layout.nodes if node in layout.wells and not self.evening.stones.get(node)]

    def step(self, action: str) -> Step:
        """Return a whole turn as hands do it."""
        return next(step for step in self.evening.game.steps(self.position) if step.action == action)

    def carried(self) -> list[Step]:
        """Return the legal turns in which a runner is carried to another node."""
        steps = self.evening.game.steps(self.position)
        return [step for step in steps if step.moves and step.moves[-1].source != step.moves[-1].target]

    def check(self) -> None:
        """What is in force is what was meant, whatever is on its way."""
        done = self.evening.done()
        assert done == self.meant or done == [*self.meant, self.coming], (done[-2:], self.meant[-2:], self.coming)

    def wait(self, seconds: float) -> None:
        self.evening.wait(seconds)
        self.check()

    def soon(self, shortest: float = 0.05, longest: float = 0.5) -> None:
        self.wait(self.random.uniform(shortest, longest))

    # -- hands -----------------------------------------------------------------------------------------------------

    def away(self, node: str) -> None:
        """Take off what lies uppermost on a node."""
        self.evening.lift(node)
        self.evening.hand = []

    def deed(self, move: PieceMove) -> None:
        """Carry one piece: off the board, from the supply, or from node to node."""
        if move.source is not None and move.target is not None:
            self.evening.lift(move.source)
            self.soon(0.05, 0.3)
            self.evening.put(move.target)
        elif move.source is not None:
            self.away(move.source)
        else:
            self.evening.put(str(move.target), move.pieces[0])
        self.check()

    def answer(self, stage: str, *, others: bool = False) -> None:
        """Say on the phone how the tile lies, once that is asked; it must be among what is offered."""
        question = self.evening.view()["question"]
        if question is None:
            return
        offered = [choice["action"] for choice in question["choices"]]
        assert stage in offered or others, (stage, question)
        self.asked += 1
        said = stage if stage in offered else offered[0]
        self.evening.say(Confirmed(at=self.evening.at, seat=self.seat, action=said))
        self.check()

    # -- a turn ----------------------------------------------------------------------------------------------------

    def turn(self, *errors: Error) -> str:
        """Play one turn, with these errors made and mended on the way; return it."""
        game, position = self.evening.game, self.position
        greedy = self.random.random() < 0.7
        choose = greedy_action if greedy else game.random_action
        action = choose(position, position.seat, self.random)
        return self.play(action, *errors)

    def play(self, action: str, *errors: Error) -> str:
        self.coming = action
        if action == "pass":
            self.evening.say(ActionChosen(at=self.evening.at, seat=self.seat, action=action))
        else:
            step = self.step(action)
            *tile, runner = step.moves
            for error in errors:
                if error.when == "tile":
                    error.deed(self, step)
            self.lay(tile, action)
            for error in errors:
                if error.when == "runner":
                    error.deed(self, step)
            assert self.stage == [stage_of(action)], (self.stage, action, self.evening.view()["message"])
            self.run(runner)
        self.finish()
        return action

    def lay(self, moves: Sequence[PieceMove], action: str) -> None:
        for move in moves:
            self.deed(move)
            self.soon(0.08, 0.4)
        self.wait(0.5)
        self.answer(stage_of(action))
        assert self.stage == [stage_of(action)], (self.stage, action, self.evening.view()["message"])

    def run(self, runner: PieceMove) -> None:
        if runner.source == runner.target:
            self.evening.wait(QUIET_S)  # Whoever has felt it just before is not understood sooner.
            for _ in range(2):
                self.evening.tap(str(runner.source))
                self.soon(0.1, 0.3)
            self.wait(Timings().spoken)
        else:
            self.deed(runner)

    def finish(self) -> None:
        """Wait until the turn counts."""
        self.wait(SETTLED_S)
        self.meant.append(self.coming or "")
        done, view = self.evening.done(), self.evening.view()
        assert done == self.meant, (done[-1:], self.coming, view["message"], view["question"])
        self.coming = None
        assert self.over or (view["stage"] == [] and view["problem"] is None), view["message"]

    def at_once(self, step: Step) -> None:
        """Let two hands do tile and runner at once: any interleaving of lifts and puts that hands can do."""
        action, self.coming = step.action, step.action
        *tile, runner = step.moves
        rows: list[list[tuple[str, str, str]]] = [
            [("away", str(m.source), "") if m.target is None else ("put", str(m.target), m.pieces[0]) for m in tile],
            [("lift", str(runner.source), ""), ("drop", str(runner.target), "")],
        ]
        while any(rows):
            what, node, piece = self.random.choice([row for row in rows if row]).pop(0)
            if what == "put":
                self.evening.put(node, piece)
            elif what == "away":
                self.evening.lift(node)
                self.evening.hand.pop(0)
            elif what == "lift":
                self.evening.lift(node)
            else:
                self.evening.put(node)
            self.check()
            if self.random.random() < 0.7:
                self.soon(0.03, 0.3)
        self.wait(0.8)
        self.answer(stage_of(action))
        self.wait(0.5)
        view = self.evening.view()
        if view["question"] is not None:
            self.answer(action)
        self.finish()

    def quickly(self, turns: int) -> None:
        """Play turns of which each begins before the last one counts."""
        action = ""
        for _ in range(turns):
            steps = self.carried() if not self.coming else self._after(self.coming)
            if not steps:
                break
            before, step = self.coming, self.random.choice(steps)
            for move in step.moves[:-1]:
                self.deed(move)
                self.soon(0.06, 0.3)
            self.wait(0.5)
            if before is not None:
                self.meant.append(before)
            action = self.coming = step.action
            self.answer(stage_of(action))
            assert self.stage == [stage_of(action)], (before, action, self.evening.view()["message"])
            self.soon(0.0, 0.3)
            self.run(step.moves[-1])
            self.soon(0.03, 0.2)
        if action:
            self.finish()

    def _after(self, action: str) -> list[Step]:
        game = self.evening.game
        before = self.position if self.evening.done() == self.meant else None
        after = self.position if before is None else game.apply(before, {self.seat: action}).position
        return [one for one in game.steps(after) if one.moves and one.moves[-1].source != one.moves[-1].target]

    def last(self) -> tuple[Step, dict[str, tuple[str, ...]]]:
        """Return the last turn as hands did it, and what lay on the board before."""
        moments, game = self.evening.table.ledger.moments, self.evening.game
        (action,) = moments[-1].actions.values()
        before = moments[-2].position
        return next(one for one in game.steps(before) if one.action == action), dict(game.occupancy(before))

    # -- back ------------------------------------------------------------------------------------------------------

    def undo_by_hand(self, step: Step) -> None:
        """Put everything back as it was before the last turn, before anybody else moves."""
        *tile, runner = step.moves
        self.coming, written = None, len(self.evening.entries)
        for move in (runner, *reversed(tile)):
            if move.source == move.target:
                continue
            if move.source is None:
                self.evening.lift(str(move.target))
                self.evening.hand = []
            elif move.target is None:
                self.evening.put(move.source, move.pieces[0])
            else:
                self.evening.carry(move.target, move.source)
            self.evening.wait(self.random.uniform(0.1, 1.5))
        self.evening.wait(SETTLED_S)
        self.meant.pop()
        self.check()
        assert [kind for kind, _ in self.evening.entries[written:]] == ["correction"], "and nothing else on the way"

    def restart(self) -> None:
        """Cut the power, bring it back, and do what the lights then ask for."""
        self.evening = self.evening.restarted()
        self.mend()
        self.check()

    def mend(self) -> None:
        """Do what the phones ask for, one deed at a time, until play goes on."""
        for _ in range(80):
            self.evening.wait(0.3)
            tasks = self.evening.view()["tasks"]
            if self.evening.phase == "resolving" and self.evening.view()["problem"] is None:
                return
            if tasks:
                self.task(tasks[0])
        raise AssertionError(f"not mended: {self.evening.phase}, {self.evening.view()['message']}, {tasks}")

    def task(self, task: dict[str, Any]) -> None:
        evening = self.evening
        if task["do"] == "put":
            evening.put(task["node"], task["piece"])
        elif task["do"] == "take":
            self.away(task["node"])
        elif task["do"] == "turn":
            evening.stones[task["node"]] = [task["piece"]]
            evening.feel(task["node"])
        else:
            evening.carry(task["from"], task["to"])


def stage_of(action: str) -> str:
    return action.partition(":")[0]
