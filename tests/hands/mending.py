"""People who follow the lights: one task at a time, until the board is in order."""

from __future__ import annotations

from collections import Counter

from firmware_host.games.game import PieceMove, Step
from tests.hands.account import Lost
from tests.hands.people import MAX_FIXES, People
from tests.hands.tasks import obey


class Mending(People):
    """What people do when something has to be put right, or taken off."""

    def carry(self, move: PieceMove, pause: float | None = None) -> None:
        """Move a piece with one hand, holding it for a while."""
        pieces = list(move.pieces)
        if move.source is not None:
            pieces = self.world.lift(move.source, move.pieces)
            self.wait(self.random.choice((0.06, 0.1, 0.3, 0.7)) if pause is None else pause)
        if move.target is not None:
            self.world.put(move.target, pieces)

    def finish(self, step: Step) -> None:
        """The hands have done a step: wait until it counts, and clear away what the rules remove."""
        self.until_it_counts(step)
        self.note_done()
        self.tidy()

    def tidy(self) -> None:
        """Clear away what the rules remove, and follow the lights where something is wrong all the same."""
        self.clear_away()
        self.settle()
        if self.table.watch.problem is not None:
            self.follow()

    def clear_away(self) -> None:
        """Take off what the rules remove."""
        for _ in range(MAX_FIXES):
            if self.phase != "clearing":
                return
            task = next((task for task in self.door.look()["tasks"] if task["do"] == "take"), None)
            if task is None:
                self.settle(2.0)
                continue
            self.world.set(task["node"], ())
            self.wait(0.3)
        raise Lost(f"clearing never ends: {self.message}")

    # -- following the lights --------------------------------------------------------------------------------------

    def mend(self) -> None:
        """Follow the lights until the board is in order; what counts then must be what was meant."""
        self.settle(6.0)
        self.follow()
        self.settle(6.0)
        if self.table.watch.problem is not None:
            raise Lost(f"not mended: {self.message}")
        self.mean_what_counts()
        self.correct_unseen()

    def follow(self) -> None:
        """Mend the board as the tasks say, one at a time; it must end."""
        wanted = self.wanted()
        pieces = [(Counter(wanted.get(node, ())), Counter(stack)) for node, stack in self.world.stacks.items()]
        differing = 4 + sum(len((right - lying) + (lying - right)) for right, lying in pieces)
        for _ in range(2 * differing):
            self.settle(6.0)
            view = self.door.look()
            if view["problem"] is None or not view["tasks"]:
                break
            obey(view["tasks"][0], self.world, self.wanted(), self.wait)
        else:
            raise Lost(f"following the lights never ends: {self.message}")
        self.correct_unseen()

    def correct_unseen(self) -> None:
        """Exchange what no sensor tells from what should lie: a person would see it, the table can't."""
        wanted = self.wanted()
        if self.table.watch.problem is not None or self.phase not in {"resolving", "sealing"}:
            return
        for node, stack in self.world.stacks.items():
            right = wanted.get(node, ())
            if Counter(stack) != Counter(right) and node not in self.table.watch.tracker.mismatch(wanted):
                self.world.set(node, right)
                self.wait(0.1)

    def next_step(self) -> None:
        """Do something simple: play goes on."""
        if self.phase != "resolving":
            return
        step = self.choose()
        if step is None or len(step.moves) > 1:
            return
        self.expect(step)
        for move in step.moves:
            self.carry(move)
            self.soon()
        self.finish(step)
