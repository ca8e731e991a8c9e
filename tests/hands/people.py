"""People at a table: they know what they mean, and compare it with what the table commits.

Where the table asks, they answer truthfully on a phone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.games.registry import game as find_game
from tests.hands.account import Account, Lost
from tests.hands.doors import Events
from tests.hands.world import SCAN_S, World

MAX_FIXES = 60
PATIENCE_S = 12.0
MAX_QUESTIONS = 6
"""So many questions about one action, and no more."""

Actions = tuple[str, ...]


class People:
    """The people at one table, their world and what they mean."""

    def __init__(
        self, name: str, mode: str, kind: str, position: str | None, seed: int, door: type[Events] = Events
    ) -> None:
        self.game = find_game(name)
        self._steps = lru_cache(maxsize=8)(self.game.steps)
        self.kind = kind
        self.random = Random(seed)
        opening = {"game": name, "mode": mode, "kind": kind, "seed": seed}
        self.door = door(**opening, **({"position": position} if position else {}))
        layout = self.game.layout()
        self.world = World(self.door, list(layout.nodes), kind, self.game.poles, layout.wells, self.random)
        self.account = Account()
        self.account.verdicts, self.account.restarts = self.door.verdicts, self.door.restarts
        self.way = ""
        """The way in which the present action is done, for the account."""
        self.meant: list[str] = self.in_force()
        """The actions that count, in order."""
        self.coming: set[Actions] = set()
        """What may be added to them while hands are busy."""
        self.goals: set[Actions] = set()
        """What is to be added to them in the end."""
        self.near: set[Actions] = set()
        """What may be missing of them while hands take something back."""
        self._entries = self.door.count()
        self._waits = 0.0, 0.0
        """The time from the last change of a sensor, and from the last touch, to the last commit."""
        self._asked_before = 0
        self._timed = False
        self.lay_out()

    # -- how things are --------------------------------------------------------------------------------------------

    @property
    def table(self) -> Any:
        return self.door.table

    @property
    def position(self) -> Any:
        return self.table.ledger.now.position

    @property
    def legal(self) -> Sequence[Step]:
        """Return the legal steps of the position."""
        return self._steps(self.position)

    @property
    def phase(self) -> str:
        return str(self.table.phase)

    @property
    def message(self) -> str:
        return str(self.door.look()["message"])

    def legal_after(self, step: Step) -> Sequence[Step]:
        """Return the legal steps after one of the present ones; none where all act together, or nobody does."""
        after = self.game.apply(self.position, {self.table.actor: step.action}) if self.phase == "resolving" else None
        if after is None or after.status.over or self.game.simultaneous(after.position):
            return ()
        return self._steps(after.position)

    def in_force(self) -> list[str]:
        return [a for m in self.table.ledger.moments if m.kind == "action" for a in m.actions.values()]

    def wanted(self) -> dict[str, tuple[str, ...]]:
        """Return what should lie now by the position, stages included."""
        staging = self.table.done_stages
        if staging:
            return dict(self.game.board_after(self.position, staging))  # type: ignore[attr-defined]
        return dict(self.game.occupancy(self.position))

    def earlier(self) -> list[Mapping[str, tuple[str, ...]]]:
        """Return what lay before the last action; nothing before the first."""
        return [self.game.occupancy(moment.position) for moment in self.table.ledger.moments[-2:-1]]

    def lay_out(self) -> None:
        """Put everything where the position wants it, without hands."""
        for node in self.world.stacks:
            self.world.set(node, self.wanted().get(node, ()))
        self.wait(0.6)

    # -- time ------------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass; whatever is committed meanwhile must be meant."""
        for _ in range(max(1, round(seconds / SCAN_S))):
            self.world.scan()
            self.check()

    def soon(self, shortest: float = 0.06, longest: float = 0.5) -> None:
        self.wait(self.random.uniform(shortest, longest))

    def settle(self, patience: float = PATIENCE_S) -> None:
        """Wait until the table has nothing left to wait for."""
        until = self.world.at + patience
        while self.world.at < until and not (self.world.still and self.table.watch._idle):
            self.wait(0.02)

    def check(self) -> None:
        """Compare what is in force with what is meant, whenever something has been journalled."""
        if self.door.count() == self._entries:
            return
        self._entries = self.door.count()
        self._waits = self.world.at - self.world.last_change, self.world.at - self.world.last_touch
        done, meant = self.in_force(), self.meant
        more, less = tuple(done[len(meant) :]), tuple(meant[len(done) :])
        if done[: len(meant)] == meant and (not more or more in self.coming):
            return
        if less in self.near and done == meant[: len(done)]:
            return
        raise Lost(f"in force {done[-3:]}, meant {meant[-3:]}, coming {sorted(self.coming)}")

    # -- phones ----------------------------------------------------------------------------------------------------

    def phone(self, what: str, seat: int | None = None, **more: Any) -> str | None:
        """Send something from a phone, the actor's where no seat is given; return the code of a refusal."""
        refused = self.door.deed(self.world.at, what, seat=self.table.actor if seat is None else seat, **more)
        self.check()
        return refused

    def note_question(self, question: Mapping[str, Any]) -> None:
        """Count a question, by what it lets people choose from."""
        self.account.questions += 1
        self.account.told_apart += self._tells_apart([one.step for one in self.table.watch.verdict.choices])
        offered = sorted(str(choice["action"]) for choice in question["choices"])
        back = any(action.startswith("take-back") for action in offered)
        about = f"{len(offered)} choices" if len(offered) < 5 else "many choices"
        self.account.asked[self.way, f"{about}, the step back among them" if back else about] += 1

    def answer(self, step: Step) -> None:
        """Answer on a phone what is asked, or say what no sensor shows."""
        if self.counted():
            return
        view = self.door.look()
        question = view["asked"]
        stage = next((part for part in _stages(step) if part not in view["stage"]), step.action)
        if question is not None:
            offered = [choice["action"] for choice in question["choices"]]
            alike = [one for (one, *_) in sorted(self.goals)]
            both = f"{stage}+{step.action}"  # Two stages at once.
            names = (step.action, *alike, stage, both, *(f"take-back+{one}" for one in (step.action, *alike)))
            said = next((name for name in names if name in offered), None)
            self.note_question(question)
            if self.phone("confirm", action=said or step.action) is not None:
                raise Lost(f"asked {offered}, but it was {step.action}")
        elif self.phone("confirm", action=step.action) is not None and stage != step.action:
            self.phone("confirm", action=stage)

    def ask_for_back(self) -> None:
        """Answer a question in which the step back is offered."""
        question = self.door.look()["asked"]
        if question is None:
            return
        self.note_question(question)
        offered = [choice["action"] for choice in question["choices"]]
        if "take-back" not in offered:
            raise Lost(f"asked {offered}, but it was put back")
        self.phone("confirm", action="take-back")

    # -- a meant action --------------------------------------------------------------------------------------------

    def choose(self) -> Step | None:
        """Return a legal action to do by hand, more often one that touches several pieces.

        Not one that only puts the last action back: by the ruling that takes it back.
        """
        back = self.earlier()
        steps = [step for step in self.legal if step.moves and step.after not in back]
        if not steps:
            return None
        many = [step for step in steps if len(step.moves) > 1]
        return self.random.choice(many if many and self.random.random() < 0.4 else steps)

    def expect(self, step: Step, second: Step | None = None) -> None:
        """Mean a step from now on, or any that leaves the same board; perhaps a second one after it."""
        self._asked_before = self.account.questions
        self._timed = self.shown(step)
        first = alike(step, self.legal)
        self.coming = self.goals = {(one,) for one in first}
        if second is not None:
            self.goals = self._two(step, second)
            self.coming = self.coming | self.goals | {goal[:1] for goal in self.goals}

    def _two(self, step: Step, second: Step) -> set[Actions]:
        """Return all pairs of actions of the same pieces that lead where two steps do.

        The table may have seen either first, and of pieces that are alike it does not matter which went where.
        """
        nodes, end = ends_of(step) | ends_of(second), self._then(step, second.action).after
        return {
            (one.action, other.action)
            for one in self.legal
            if one.moves and not one.removed and ends_of(one) <= nodes
            for other in self._after(one)
            if other.moves and ends_of(other) <= nodes and other.after == end
        }

    def _after(self, step: Step) -> Sequence[Step]:
        return self._steps(self.game.apply(self.position, {self.table.actor: step.action}).position)

    def _then(self, step: Step, action: str) -> Step:
        return next(other for other in self._after(step) if other.action == action)

    def counted(self) -> bool:
        """Tell whether what was meant is in force, and nothing else."""
        done, meant = self.in_force(), self.meant
        return done[: len(meant)] == meant and tuple(done[len(meant) :]) in self.goals

    def until_it_counts(self, step: Step) -> None:
        """The hands have done a step: wait until it counts, answering what is asked."""
        self.settle()
        for _ in range(MAX_QUESTIONS):
            if self.counted():
                break
            self.answer(step)
            self.settle()
        if not self.counted():
            done = self.in_force()[len(self.meant) :]
            raise Lost(f"{step.action} never counted: {done} in force, {self.phase}, {self.message}")

    def note_done(self) -> None:
        """What was meant has counted: it stands."""
        since_change, since_touch = self._waits
        if self._timed and self.account.questions == self._asked_before and since_change > 0:
            self.account.waits.append(since_change)
            self.account.waits_since_touch.append(since_touch)
        actions = len(self.in_force()) - len(self.meant)
        self.account.actions += actions
        self.account.acted[self.way] += actions
        self.mean_what_counts()

    def mean_what_counts(self) -> None:
        """Take what is in force for what is meant, and nothing to come."""
        self.meant = self.in_force()
        self.coming, self.goals, self.near = set(), set(), set()

    # -- what sensors can show -------------------------------------------------------------------------------------

    def shown(self, step: Step) -> bool:
        """Tell whether sensors show where all pieces of a step have come to, and no tile has to be told."""
        if self.kind != "coded" and ":" in step.action:
            return False
        return all(self._arrival_shown(step, move.target) for move in step.moves if move.target is not None)

    def _arrival_shown(self, step: Step, target: str) -> bool:
        """Tell whether a sensor reports that something has come to a node, be it where a like piece left."""
        now = self.world.stacks[target]
        left = [piece for move in step.moves if move.source == target for piece in move.pieces]
        came = [piece for move in step.moves if move.target == target for piece in move.pieces]
        if left:
            return Counter(left) == Counter(came) or self.world.tells(target, now, came)
        return self.world.tells(target, now, [*now, *came])

    def leaving_shown(self, move: PieceMove) -> bool:
        """Tell whether a sensor reports that a piece leaves the node to which it was moved."""
        now = self.world.stacks[str(move.target)]
        return self.world.tells(str(move.target), now, [piece for piece in now if piece not in move.pieces])

    def _tells_apart(self, choices: Sequence[Step]) -> bool:
        """Tell whether some sensor reports the boards of choices differently; of one, whether it shows its arrival."""
        boards = [dict(step.after) for step in choices]
        if len(choices) == 1:
            (held,) = boards
            boards.append(dict(held))
            for move in choices[0].moves:
                if move.target is not None:
                    held[move.target] = tuple((Counter(held[move.target]) - Counter(move.pieces)).elements())
        return not all(self.look_alike(boards[0], other) for other in boards[1:])

    def in_doubt(self, moves: Iterable[PieceMove]) -> bool:
        """Tell whether no sensor shows where one of these pieces, now put back, has come to."""
        return any(move.target is None or len(self.world.stacks[move.target]) > 1 for move in moves)

    def look_alike(self, one: Mapping[str, Sequence[str]], other: Mapping[str, Sequence[str]]) -> bool:
        """Tell whether no sensor surely tells two boards apart: of a stack it may see any piece as the lowest one."""
        return not any(
            all(self.world.tells(node, a, b) for a in permutations(was) for b in permutations(now))
            for node in self.world.stacks
            if (was := one.get(node, ())) != (now := other.get(node, ()))
        )


def ends_of(step: Step) -> set[str]:
    """Return the nodes from which and to which a step carries pieces."""
    return {node for move in step.moves for node in (move.source, move.target) if node is not None}


def alike(step: Step, among: Sequence[Step]) -> list[str]:
    """Return the actions that leave the same board as a step, its own included."""
    return [other.action for other in among if other.moves and other.after == step.after] or [step.action]


def _stages(step: Step) -> list[str]:
    return [step.action.partition(":")[0]] if ":" in step.action else []
