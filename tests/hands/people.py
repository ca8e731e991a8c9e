"""People at the fuzzed table: they know what they mean, and hands that do it in every way that hands do.

Whatever the table commits meanwhile is compared with what was meant. Where it asks, they answer truthfully on a phone;
where it lights a way, they follow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.games.registry import game as find_game
from tests.hands.doors import Events
from tests.hands.world import World

MOST_FIXES = 60
PATIENCE_S = 12.0


class Lost(Exception):
    """The table did something that was not meant, or leads nobody on. The text says what."""


@dataclass
class Account:
    """What a run has shown."""

    actions: int = 0
    questions: int = 0
    faults: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    """Seconds from the last touch to the commit, of actions that left no doubt."""
    verdicts: list[float] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    """How often each mishap was made."""

    def add(self, other: Account) -> None:
        self.actions += other.actions
        self.questions += other.questions
        self.faults += other.faults
        self.waits += other.waits
        self.verdicts += other.verdicts
        self.done += other.done


class People:
    """The people at one table, their world and what they mean."""

    def __init__(
        self, name: str, mode: str, kind: str, position: str | None, seed: int, door: type[Events] = Events
    ) -> None:
        self.game = find_game(name)
        self.kind = kind
        self.random = Random(seed)
        opening = {"game": name, "mode": mode, "kind": kind, "seed": seed}
        self.door = door(**opening, **({"position": position} if position else {}))
        layout = self.game.layout()
        self.world = World(
            self.door,
            list(layout.nodes),
            "coded" if kind == "coded" else kind,
            self.game.poles,
            layout.wells,
            self.random,
        )
        self.account = Account()
        self.meant: list[str] = self.in_force()
        self.coming: set[tuple[str, ...]] = set()
        """What may be added to the actions in force while hands are busy."""
        self.near: set[tuple[str, ...]] = set()
        self._entries = self.door.count()
        self._asked = 0
        self._committed = 0.0
        self._clear = False
        self._count = 1
        self.lay_out()

    # -- what is so ------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Any:
        return self.door.table

    @property
    def position(self) -> Any:
        return self.table.ledger.now.position

    @property
    def phase(self) -> str:
        return str(self.table.phase)

    def in_force(self) -> list[str]:
        return [a for m in self.table.ledger.moments if m.kind == "action" for a in m.actions.values()]

    def truth(self) -> dict[str, tuple[str, ...]]:
        return {node: tuple(sorted(stack)) for node, stack in self.world.stacks.items() if stack}

    def wanted(self) -> dict[str, tuple[str, ...]]:
        """Return what should lie now by the position, stages included."""
        staging = self.table.done_stages
        if staging:
            return dict(self.game.begun(self.position, staging))  # type: ignore[attr-defined]
        return dict(self.game.occupancy(self.position))

    def lay_out(self) -> None:
        """Put everything where the position wants it, without hands."""
        for node in self.world.stacks:
            self.world.set(node, self.wanted().get(node, ()))
        self.wait(0.6)

    # -- time ------------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass; whatever is committed meanwhile must be meant."""
        self.world.wait(seconds)
        self.check()

    def check(self) -> None:
        if self.door.count() == self._entries:
            return
        self._entries = self.door.count()
        self._committed = self.world.at
        done, meant = self.in_force(), self.meant
        more = tuple(done[len(meant) :])
        if done[: len(meant)] == meant and (not more or more in self.coming):
            return
        if tuple(meant[len(done) :]) in self.near and done == meant[: len(done)]:
            return
        raise Lost(f"in force {done[-3:]}, meant {meant[-3:]}, coming {sorted(self.coming)}")

    def settle(self, patience: float = PATIENCE_S) -> None:
        """Wait until the table has nothing left to wait for."""
        until = self.world.at + patience
        while self.world.at < until and not (self.world.still and self.table.watch._idle):
            self.wait(0.02)

    def soon(self, shortest: float = 0.06, longest: float = 0.5) -> None:
        self.wait(self.random.uniform(shortest, longest))

    # -- hands -----------------------------------------------------------------------------------------------------

    def carry(self, move: PieceMove, pause: float | None = None) -> None:
        if move.source is not None:
            pieces = self.world.lift(move.source, move.pieces)
            self.wait(self.random.choice((0.06, 0.1, 0.3, 0.7)) if pause is None else pause)
        else:
            pieces = list(move.pieces)
        if move.target is not None:
            self.world.put(move.target, pieces)

    def phone(self, what: str, seat: int | None = None, **more: Any) -> str | None:
        refused = self.door.deed(self.world.at, what, seat=self.table.actor if seat is None else seat, **more)
        self.check()
        return refused

    # -- a meant action --------------------------------------------------------------------------------------------

    def choose(self) -> Step | None:
        """Return a legal action to do by hand, more often one that touches several pieces.

        Not one that only puts the last action back: by the ruling that takes it back.
        """
        back = [self.game.occupancy(moment.position) for moment in self.table.ledger.moments[-2:-1]]
        steps = [step for step in self.game.steps(self.position) if step.moves and step.after not in back]
        if not steps:
            return None
        many = [step for step in steps if len(step.moves) > 1]
        return self.random.choice(many if many and self.random.random() < 0.4 else steps)

    def expect(self, *steps: Step) -> None:
        """Mean these steps from now on, or any that leave the same board."""
        self._asked = self.account.questions
        self._clear = self.shown(steps[0])
        self._count = len(steps)
        first = self.alike(steps[0], self.game.steps(self.position))
        self.coming = {(one,) for one in first}
        if len(steps) > 1:
            self.coming |= {(one, other) for one in first for other in self.alike_after(steps[0], steps[1])}
            legal = self.game.steps(self.position)
            for now in (one for one in legal if one.action == steps[1].action):  # Whichever is seen first.
                after = self.alike_after(now, steps[0])
                for other in self.alike(now, legal):
                    self.coming |= {(other,), *((other, one) for one in after)}

    def alike(self, step: Step, among: Sequence[Step]) -> list[str]:
        return [other.action for other in among if other.moves and other.after == step.after] or [step.action]

    def alike_after(self, first: Step, second: Step) -> list[str]:
        after = self.game.apply(self.position, {self.table.actor: first.action}).position
        steps = self.game.steps(after)
        return self.alike(next((one for one in steps if one.action == second.action), second), steps)

    def finish(self, step: Step) -> None:
        """The hands have done a step: wait until it counts, answering what is asked."""
        begun = self.world.last_touch
        self.settle()
        for _ in range(6):
            if self.counted(step):
                break
            self.answer(step)
            self.settle()
        if not self.counted(step):
            raise Lost(f"{step.action} never counted: {self.table.phase}, {self.door.look()['message']}")
        if self._clear and self.account.questions == self._asked:
            self.account.waits.append(self._committed - begun)
        self.meant = self.in_force()
        self.coming = set()
        self.account.actions += 1
        self.clear_away()
        self.settle()
        if self.table.watch.problem is not None:
            self.follow()

    def counted(self, step: Step) -> bool:
        del step
        done = tuple(self.in_force()[len(self.meant) :])
        return len(done) == self._count and done in self.coming

    def answer(self, step: Step) -> None:
        """Answer on the phone what is asked, or say what no sensor shows."""
        if self.counted(step):
            return
        view = self.door.look()
        question = view["asked"]
        stage = next((part for part in self._parts(step) if part not in view["stage"]), step.action)
        if question is not None:
            offered = [choice["action"] for choice in question["choices"]]
            alike = [one for (one, *_) in sorted(self.coming)]
            said = next((a for a in (step.action, *alike, stage) if a in offered), None)
            self.account.questions += 1
            if self.phone("confirm", action=said or step.action) is not None:
                raise Lost(f"asked {offered}, but it was {step.action}")
        elif self.phone("confirm", action=step.action) is not None and stage != step.action:
            self.phone("confirm", action=stage)

    def _parts(self, step: Step) -> list[str]:
        return [step.action.partition(":")[0]] if ":" in step.action else []

    def shown(self, step: Step) -> bool:
        """Tell whether sensors show where all pieces of a step have come to, and no tile has to be told."""
        if self.kind != "coded" and ":" in step.action:
            return False
        before = self.game.occupancy(self.position)
        return all(
            move.target is None or self.world.tells(move.target, before.get(move.target, ()), step.after[move.target])
            for move in step.moves
        )

    def clear_away(self) -> None:
        """Take off what the rules remove, and end turns that nobody can go on with."""
        for _ in range(MOST_FIXES):
            if self.phase != "clearing":
                return
            task = next((task for task in self.door.look()["tasks"] if task["do"] == "take"), None)
            if task is None:
                self.settle(2.0)
                continue
            self.world.set(task["node"], ())
            self.wait(0.3)
        raise Lost(f"clearing never ends: {self.door.look()['message']}")

    # -- following the lights ----------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Mend the board as the tasks say, one at a time; it must end."""
        hand: list[str] = []
        differing = 4 + sum(
            len((Counter(self.wanted().get(n, ())) - Counter(s)) + (Counter(s) - Counter(self.wanted().get(n, ()))))
            for n, s in self.truth_of_all().items()
        )
        for _ in range(2 * differing):
            self.settle(6.0)
            view = self.door.look()
            problem, tasks = view["problem"], view["tasks"]
            if problem is None or not tasks:
                break
            self.follow_one(tasks[0], hand)
        else:
            raise Lost(f"following the lights never ends: {self.door.look()['message']}")
        self.correct_unseen()

    def truth_of_all(self) -> Mapping[str, Sequence[str]]:
        return self.world.stacks

    def follow_one(self, task: Mapping[str, Any], hand: list[str]) -> None:
        world = self.world
        if task["do"] == "take":
            stack = world.stacks[task["node"]]
            wanted = Counter(self.wanted().get(task["node"], ()))
            surplus = list((Counter(stack) - wanted).elements())
            hand += world.lift(task["node"], surplus[:1] or stack[-1:]) if stack else []
        elif task["do"] == "move":
            stack = world.stacks[task["from"]]
            if stack:
                pieces = [p for p in task["pieces"] if p in stack][:1] or stack[-1:]
                taken = world.lift(task["from"], pieces)
                self.wait(0.2)
                world.put(task["to"], taken)
        elif task["do"] == "put":
            piece = task["piece"]
            if piece in hand:
                hand.remove(piece)
            world.put(task["node"], [piece])
        else:
            raise Lost(f"what to do is {task}")
        self.wait(0.3)

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

    # -- after a mishap --------------------------------------------------------------------------------------------

    def mend(self) -> None:
        """Follow the lights until the board is in order; what counts then must be what was meant."""
        self.settle(6.0)
        self.follow()
        self.settle(6.0)
        if self.table.watch.problem is not None:
            raise Lost(f"not mended: {self.door.look()['message']}")
        self.coming, self.near = set(), set()
        self.meant = self.in_force()
        self.correct_unseen()

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

    def ask_for_back(self) -> int:
        """Answer a question about taking back; return how many were asked."""
        question = self.door.look()["asked"]
        if question is None:
            return 0
        self.account.questions += 1
        offered = [choice["action"] for choice in question["choices"]]
        if "take-back" not in offered:
            raise Lost(f"asked {offered}, but it was put back")
        self.phone("confirm", action="take-back")
        return 1

    def in_doubt(self, move: PieceMove) -> bool:
        """Tell whether no sensor shows where a piece that was put back has come to."""
        return move.target is None or len(self.world.stacks[move.target]) > 1
