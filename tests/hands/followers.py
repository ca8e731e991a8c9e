"""Three followers: one obeys the lights alone, one the tasks alone, one the sentence alone.

From a disturbed board on which nothing has moved for six seconds each of them must reach the position or a question, in
at most twice as many acts (a lift, a put, a tap) as pieces differ, and two more; and nothing may count, or be undone,
that nobody did: hands that obey do no action. From the position the next legal action must count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.games.registry import game as find_game
from tests.hands.account import Lost
from tests.hands.disorder import FAMILIES, UNMEANT, refused
from tests.hands.doors import Events
from tests.hands.evening import SENSED, a_position
from tests.hands.world import World

STILL_S = 6
POSITIONS = 200
"""Positions of each game and mode."""
ENDINGS = 40
"""Positions of each game and mode before pieces are cleared, or before the end."""

_position = cache(a_position)


@cache
def _sealing(name: str, mode: str, seed: int) -> str:
    """Return a position from random play in which all choose a placement."""
    game: Any = find_game(name)
    rng = Random(seed)
    found, most = game.start(mode), rng.randrange(40)
    position = found
    for _ in range(most):
        offered = game.actions(position)
        if not offered:
            break
        if game.simultaneous(position):
            found = position
        chosen = {seat: game.random_action(position, seat, rng) for seat in offered}
        position = game.apply(position, chosen).position
    return str(game.text(found))


@cache
def an_ending(name: str, mode: str, phase: str, seed: int) -> tuple[str, str]:
    """Return a position and an action after which pieces are cleared, or the game is over."""
    game: Any = find_game(name)
    rng = Random(seed)
    while True:
        position = game.parse(_looped(rng) if name == "spokes" else a_position(name, mode, rng.randrange(1 << 20)))
        steps = [step for step in game.steps(position) if step.moves] if not game.status(position).over else []
        rng.shuffle(steps)
        for step in steps[:60]:
            if phase == "over" and step.removed and name != "spokes":
                continue  # It is cleared first.
            ends = game.apply(position, {game.actor(position): step.action}).status.over
            if ends if phase == "over" else step.removed:
                return str(game.text(position)), step.action


LOOP = ("w", "..bw", "........", "w...........w.w.", ".b..w.......w...")
"""Spokes: a loop is broken open; a pull closes it. Random play hardly ever gets there."""


def _looped(rng: Random) -> str:
    """Return a position of Spokes with this loop, turned by quarters, among other stones."""
    share, quarters, rings = rng.uniform(0, 0.2), rng.randrange(4), []
    for ring in LOOP:
        filled = "".join(rng.choice("wb") if at == "." and rng.random() < share else at for at in ring)
        by = len(ring) * quarters // 4
        rings.append(filled[by:] + filled[:by])
    return "/".join(rings) + " 2 3 1 resolve -"


class Disturbed:
    """A board at a table that hands have disturbed, and what lies in the hand."""

    def __init__(self, name: str, mode: str, kind: str, seed: int, phase: str = "") -> None:
        self.random = Random(seed)
        self.game, self.kind = find_game(name), kind
        sealing = name == "spokes" and seed % 4 < 2 if not phase else phase in {"sealing", "placing"}
        text = (_sealing if sealing else _position)(name, mode, seed % POSITIONS)
        action = ""
        if phase in {"clearing", "over"}:
            mode = "2" if name == "spokes" else mode
            text, action = an_ending(name, mode, phase, seed % ENDINGS)
        self.door = Events(game=name, mode=mode, kind=kind, position=text, seed=seed)
        layout = self.game.layout()
        self.world = World(self.door, list(layout.nodes), kind, self.game.poles, layout.wells, self.random)
        self.tallest = 1 + (name == "spokes")
        self.hand: list[str] = []
        self.refused: dict[str, list[str]] = {}
        """The pieces that were put on a node while the lights were followed, and had to come off again."""
        self.laid: dict[str, str] = {}
        self.told: list[str] = []
        """What was done and shown, for a fault's report."""
        self.lifted_by_hand: dict[str, None] = {}
        self.laid_by_hand: dict[str, None] = {}
        """The nodes from which and to which hands have carried pieces, in order, without being told to."""
        self.meant: set[str] = set()
        """What was chosen or answered on a phone."""
        self.unmeant = False
        """Whether no step was begun, whatever it looks like."""
        self.went_on = False
        """Whether the last act was one of several that were shown."""
        self.before: list[str] = []
        """What was in force when hands began to obey."""
        self.same: dict[str, set[str]] = {}
        """The actions that leave the same board as a step."""
        self.ended = False
        """Whether the game was over before hands disturbed the board."""
        self.done: Step | None = None
        """The step after which pieces are cleared, or which ends the game."""
        for node, stack in self.wanted.items():
            self.world.stacks[node] = list(stack)
        self.feel(*self.world.stacks)
        self.wait(1.0)
        if action:
            self.done = next(step for step in self.steps() if step.action == action)
            if not self.perform(self.done):
                self.done = None
            elif phase == "over":
                for node in self.done.removed:
                    self.world.stacks[node] = []
                self.feel(*self.done.removed)
                self.wait(1.0)
        if sealing and (
            phase == "placing" if phase else seed % 4
        ):  # The seals are opened, and the stones have to be put down.
            for seat, offered in self.game.actions(self.table.ledger.now.position).items():
                self.door.deed(self.world.at, "seal", seat=seat, action=self.random.choice(self.alike(offered)))
            self.wait(0.5)

    def alike(self, placements: Sequence[str]) -> Sequence[str]:
        """Return the placements on one node, so that several stones often come to share it."""
        node = min(placements, key=lambda one: one[1:])[1:] if self.random.random() < 0.5 else ""
        return [one for one in placements if one[1:] == node] or list(placements)

    @property
    def table(self) -> Any:
        return self.door.table

    @property
    def wanted(self) -> Mapping[str, tuple[str, ...]]:
        """Return what should lie."""
        if self.table.phase in {"placing", "clearing"}:
            target: Mapping[str, tuple[str, ...]] = self.table.watch.target
            return target
        position, done = self.table.ledger.now.position, self.table.done_stages
        game: Any = self.game
        lying: Mapping[str, tuple[str, ...]] = game.board_after(position, done) if done else game.occupancy(position)
        return lying

    @property
    def in_order(self) -> bool:
        table = self.table
        if table.phase == "over":
            return True  # It is packed up as anybody likes.
        return table.phase in {"resolving", "sealing"} and not table.watch.tracker.mismatch(self.wanted)

    def differences(self) -> int:
        """Return how many pieces differ where sensors see it: one on a wrong node is one."""
        if self.table.phase == "placing":  # Of a stack no sensor may show how many stones are missing.
            return sum((Counter(self.wanted[n]) - Counter(self.world.stacks[n])).total() + 1 for n in self.wanted)
        wrong = self.table.watch.tracker.mismatch(self.wanted)
        surplus, missing = Counter[str](), Counter[str]()
        for node in wrong:
            lying, right = Counter(self.world.stacks[node]), Counter(self.wanted.get(node, ()))
            surplus += lying - right
            missing += right - lying
        return max(len(wrong), (surplus | missing).total())

    # -- hands -----------------------------------------------------------------------------------------------------

    def feel(self, *nodes: str) -> None:
        """Let the sensors of some nodes report what lies there, all in one moment."""
        seen = self.table.watch.tracker.sensed
        changed = [(node, now) for node in dict.fromkeys(nodes) if (now := self.world.reading(node)) != seen[node]]
        if changed:
            self.told.append(f"{self.world.at:.2f} {dict(changed)}")
            self.door.sense(self.world.at, changed)

    def wait(self, seconds: float) -> None:
        until = round(self.world.at + seconds, 6)
        while self.world.at < until:
            self.world.at = round(min(self.world.at + 0.1, until), 6)
            self.door.tick(self.world.at)

    def lift(self, node: str, *pieces: str | None) -> None:
        """Take pieces into the hand, all at once: these, else the uppermost."""
        stack = self.world.stacks[node]
        for piece in pieces or stack[-1:]:
            taken = piece if piece in stack else stack[-1]
            stack.remove(taken)
            self.hand.append(taken)
        self.lifted_by_hand[node] = None
        self.feel(node)

    def put(self, node: str, *pieces: str) -> None:
        """Put pieces of the hand, or from the supply, all at once."""
        for piece in pieces:
            if piece in self.hand:
                self.hand.remove(piece)
            self.world.stacks[node].append(piece)
        self.laid_by_hand.pop(node, None)
        self.laid_by_hand[node] = None
        self.feel(node)

    def tap(self, node: str) -> int:
        for _ in range(2):
            stack = list(self.world.stacks[node])
            self.world.stacks[node] = []
            self.feel(node)
            self.wait(0.3)
            self.world.stacks[node] = stack
            self.feel(node)
            self.wait(0.3)
        return 1

    def fits(self, node: str, piece: str) -> bool:
        tile = piece in self.table.watch.tracker.model.tiles
        room = len(self.world.stacks[node]) < (1 if tile else max(self.tallest, len(self.wanted.get(node, ()))))
        return room and (node in self.world.wells) is tile

    # -- disturbing ------------------------------------------------------------------------------------------------

    def disturb(self) -> None:
        if self.random.random() < 0.2:
            self.choose()
        for _ in range(self.random.randrange(1, 4)):
            steps = [step for step in self.table.watch.tracker.steps if step.moves]
            if steps and self.random.random() < 0.6:
                self._begin(self.random.choice(steps))
            else:
                self.random.choice((self._carry, self._carry, self._pour, self._swap, self._lift))()
            self.pause()
        if self.hand and self.random.random() < 0.5:
            self.hand.pop()

    def pause(self) -> None:
        self.wait(self.random.choice((0.05, 0.14, 0.3, 0.5, 1.2, 3.0)))

    def _begin(self, step: Step) -> None:
        """Do a part of a step, perhaps with its partners in the hand, or following."""
        deeds: list[tuple[str, str, str | None]] = []
        for move in step.moves:
            if move.source:
                deeds.append(("lift", move.source, move.pieces[0]))
            if move.target:
                deeds.append(("put", move.target, move.pieces[0]))
        if self.random.random() < 0.5:
            lifts = [one for one in deeds if one[0] == "lift"]
            puts = [one for one in deeds if one[0] == "put"]
            self.random.shuffle(puts)
            deeds = lifts + puts
        if step.partners and self.random.random() < 0.6:
            partner = self.random.choice(step.partners)
            deeds.insert(self.random.randrange(len(deeds) + 1), ("lift", partner, None))
            if self.random.random() < 0.5 and step.moves[0].source:
                deeds.append(("put", step.moves[0].source, None))
        for what, node, piece in deeds[: self.random.randrange(1, len(deeds) + 1)]:
            if what == "lift":
                if self.world.stacks[node]:
                    self.lift(node, piece)
            else:
                held = piece if piece in self.hand or not self.hand else self.hand[-1]
                if held and self.fits(node, held):
                    self.put(node, held)
            self.wait(self.random.choice((0.05, 0.14, 0.3, 1.0)))

    def _some(self) -> str | None:
        lying = [node for node, stack in self.world.stacks.items() if stack]
        return self.random.choice(lying) if lying else None

    def _lift(self) -> None:
        node = self._some()
        if node:
            self.lift(node)

    def _carry(self) -> None:
        self._lift()
        self.wait(self.random.choice((0.1, 0.5)))
        self._drop()

    def _drop(self) -> None:
        if self.hand:
            free = [node for node in self.world.stacks if self.fits(node, self.hand[-1])]
            if free:
                self.put(self.random.choice(free), self.hand[-1])

    def _pour(self) -> None:
        piece = self.random.choice(list(self.game.poles))
        free = [node for node in self.world.stacks if self.fits(node, piece)]
        if free:
            self.put(self.random.choice(free), piece)

    def _swap(self) -> None:
        one, other = self._some(), self._some()
        if one and other and one != other and (one in self.world.wells) is (other in self.world.wells):
            stacks = self.world.stacks
            stacks[one], stacks[other] = stacks[other], stacks[one]
            self.feel(one, other)

    # -- steps -----------------------------------------------------------------------------------------------------

    def in_force(self) -> list[str]:
        return [a for m in self.table.ledger.moments if m.kind == "action" for a in m.actions.values()]

    def steps(self) -> list[Step]:
        """Return the legal steps that need hands, where somebody acts and no stage lies."""
        return [] if self.table.done_stages else self.legal()

    def legal(self) -> list[Step]:
        """Return the legal steps that need hands, where somebody acts, whatever lies of them."""
        if self.table.phase != "resolving":
            return []
        return [step for step in self.game.steps(self.table.ledger.now.position) if step.moves]

    def after(self, step: Step) -> list[Step]:
        """Return the steps after one of the present ones, where its player goes on."""
        after = self.game.apply(self.table.ledger.now.position, {self.table.actor: step.action})
        if after.status.over or step.removed or self.game.simultaneous(after.position):
            return []
        touched = step.touches
        return [one for one in self.game.steps(after.position) if one.moves and touched.isdisjoint(one.touches)]

    def a_step(self, among: Sequence[Step] | None = None, *, ends_turn: bool = False) -> Step | None:
        """Return a step of few moves that hands can do and that only one action is, and no step back."""
        before = [self.game.occupancy(moment.position) for moment in self.table.ledger.moments[-2:-1]]
        offered = [
            step
            for step in (self.steps() if among is None else among)
            if not step.removed
            and step.after not in before
            and all(move.source != move.target for move in step.moves)
            and (len(step.moves) == 1 or ":" in step.action)
            and step.moves[-1].target
        ]
        for step in offered:
            self.same[step.action] = {one.action for one in offered if one.after == step.after}
        self.random.shuffle(offered)
        if ends_turn and among is None:
            now = self.table.ledger.now.position
            for step in offered[:8]:
                after = self.game.apply(now, {self.table.actor: step.action})
                if not after.status.over and self.game.actor(after.position) != self.table.actor:
                    return step
        return offered[0] if offered else None

    def arrives_seen(self, step: Step) -> bool:
        """Tell whether sensors show that a step's pieces have come."""
        stacks = self.world.stacks
        return all(
            self.world.tells(m.target, stacks[m.target], [*stacks[m.target], *m.pieces]) for m in step.moves if m.target
        )

    def make_move(self, move: PieceMove, pauses: Sequence[float] = (0.3, 0.5)) -> None:
        if move.source:
            self.lift(move.source, *move.pieces)
            self.wait(self.random.choice(pauses))
        if move.target:
            self.put(move.target, *move.pieces)
            self.wait(self.random.choice(pauses))
        else:
            for piece in set(move.pieces).intersection(self.hand):
                self.hand.remove(piece)

    def make(self, step: Step, pauses: Sequence[float] = (0.3, 0.5)) -> None:
        """Do a step by hand."""
        self.told.append(f"{self.world.at:.2f} {step.action} by hand")
        for move in step.moves:
            self.make_move(move, pauses)

    def perform(self, step: Step) -> bool:
        """Do a step by hand and say so where that is asked; return whether it counts."""
        before = self.in_force()
        self.make(step)
        try:
            self.say(step, before)
        except Lost:
            return False
        return True

    def say(self, step: Step, before: list[str], *, seen: bool = False, later: str = "") -> None:
        """A step lies on the board: it must count, be asked, or be taken from a phone; and nothing else counts.

        One whose pieces are ``seen`` to have come must not be called wrong; a ``later`` one may lie already.
        """
        seat = self.table.actor
        alike = self.same.get(step.action, {step.action})
        for wait in (0.5, 1.5, 3.0, STILL_S):
            self.wait(wait)
            now = self.in_force()
            then = self.same.get(later, set())
            first, *more = [*now[len(before) :], ""]
            if now[: len(before)] == before and first in alike and {*more[:-1]} <= then:
                return
            if now != before:
                raise Lost(f"counted: {step.action} was done, in force {now[-3:]} after {before[-2:]}")
            asked = self.door.look()["asked"]
            stages = [step.action.partition(":")[0]] if ":" in step.action else []
            offered = [choice["action"] for choice in asked["choices"]] if asked else []
            said = next((one for one in (step.action, *alike, *stages) if one in offered), None)
            if said is not None:
                self.told.append(f"{self.world.at:.2f} said {said}")
                self.door.deed(self.world.at, "confirm", seat=asked["seat"], action=said)
        problem = self.door.look()["problem"]
        if seen and problem:
            raise refused(step, problem["text"])
        refusal = self.door.deed(self.world.at, "confirm", seat=seat, action=step.action)
        self.wait(1.0)
        now = self.in_force()
        if now[: len(before)] != before or alike.isdisjoint(now[len(before) :][:1]):
            raise refused(step, f"{refusal}, {self.in_force()[-2:]}, {self.door.look()['message']}")

    def next_action(self, *, felt: bool = False) -> None:
        """Do a legal action by hand, perhaps while another stone is felt: it must be taken."""
        for node, stack in self.wanted.items():  # What no sensor tells a person sees.
            self.world.stacks[node] = list(stack)
        self.hand, before = [], self.in_force()
        self.feel(*self.world.stacks)
        self.wait(1.0)
        if self.table.phase == "resolving":  # What was chosen before is not what is done now.
            self.door.deed(self.world.at, "choose", seat=self.table.actor, action="")
        step = self.a_step()
        if step is None or not self.in_order or self.table.phase != "resolving" or self.door.look()["asked"]:
            return
        last = {
            n
            for m in self.table.ledger.moments[-2:-1]
            for n, s in self.wanted.items()
            if self.game.occupancy(m.position).get(n) != s
        }
        seen = self.arrives_seen(step)
        sources = {
            move.source
            for one in self.steps()
            for move in one.moves
            if move.target == step.moves[-1].target and move.source
        }
        others = [node for node in self.some(9, *sources, *step.touches, *last) if len(self.world.stacks[node]) == 1]
        if felt and others and ":" not in step.action:
            (piece,) = self.world.stacks[others[0]]
            self.lift(others[0])
            self.wait(0.4)
            self.make(step, (0.4,))
            self.put(others[0], piece)
        else:
            self.make(step)
        self.say(step, before, seen=seen)

    def some(self, most: int, *besides: str) -> list[str]:
        """Return some occupied nodes outside of wells."""
        lying = [n for n, s in self.world.stacks.items() if s and n not in self.world.wells and n not in besides]
        return self.random.sample(lying, min(most, len(lying)))

    def lift_some(self, count: int, *besides: str) -> None:
        for node in self.some(count, *besides):
            self.lift(node)
            self.wait(self.random.choice((0.14, 0.5)))

    def choose(self) -> None:
        """Choose any action on a phone."""
        steps = self.steps()
        if steps:
            self.told.append(f"{self.world.at:.2f} choose")
            legal = sorted(self.game.actions(self.table.ledger.now.position)[self.table.actor])
            action = self.random.choice(legal)
            if self.door.deed(self.world.at, "choose", seat=self.table.actor, action=action) is None:
                self.meant.add(action)

    def answer(self, asked: Mapping[str, Any] | None) -> None:
        """Answer a question by any of its choices."""
        if asked:
            action = self.random.choice(asked["choices"])["action"]
            code = self.door.deed(self.world.at, "confirm", seat=asked["seat"], action=action)
            self.told.append(f"{self.world.at:.2f} answered {action} {code or ''}")
            self.wait(1.0)

    def in_force_is_old(self) -> bool:
        return self.in_force() == self.before

    # -- following -------------------------------------------------------------------------------------------------

    def follow(self, act: Callable[[Disturbed, Mapping[str, Any]], int]) -> None:
        """Obey one of the three until the position or a question is reached. Raise Lost where that fails."""
        self.wait(STILL_S + 0.5)
        most, acts, moments = 2 * self.differences() + 2, 0, len(self.table.ledger.moments)
        self.before, begun = self.in_force(), self.begun()
        while True:
            self.judge(begun)
            if len(self.table.ledger.moments) != moments:  # An action counts: from here on it is another way.
                most, acts, moments = 2 * self.differences() + 2, 0, len(self.table.ledger.moments)
            now = self.door.look()
            shown = {key: now[key] for key in ("lights", "tasks", "message", "asked")}
            self.told.append(f"{self.world.at:.2f}    {shown} {self.table.watch.verdict.kind}")
            if now["asked"] or self.in_order:
                return
            if not now["tasks"]:
                raise Lost("stuck: no task" if now["lights"] or now["problem"] else "dark: nothing leads on")
            acts += act(self, now)
            if acts > most:
                raise Lost(f"{acts} acts, at most {most}")
            self.wait(STILL_S + 0.5)

    def begun(self) -> set[str]:
        """Return the actions that hands have truly begun, or that phones have said; with those that look like them."""
        if self.unmeant:
            return set(self.meant)
        lifted, laid, steps = self.lifted_by_hand, self.laid_by_hand, self.legal()
        begun = [
            step
            for step in steps
            if step.action in self.meant
            or any((m.source is None or m.source in lifted) and m.target in laid for m in step.moves)
        ]
        boards = [step.after for step in begun]
        return self.meant | {step.action for step in steps if step.after in boards}

    def back_begun(self) -> bool:
        """Tell whether hands have put back the piece of the last action."""
        moves = self.done.moves if self.done else ()
        return bool(moves) and all(m.target in self.lifted_by_hand and m.source in self.laid_by_hand for m in moves)

    def judge(self, begun: set[str]) -> None:
        """While hands only obey, nothing counts that nobody began, and nothing is undone."""
        now = self.in_force()
        if now == self.before[:-1] and (self.back_begun() or self.went_on) and not self.ended:
            pass
        elif now != self.before and (now[:-1] != self.before or not (self.went_on or now[-1] in begun)):
            raise Lost(f"counted: {now[-2:]} in force, before {self.before[-2:]}, though hands only obeyed")
        self.before = now

    def missing(self, node: str) -> str:
        """Return a piece for a node: what eyes see to be missing by the game, else what is in the hand.

        What was wrong there before is not tried again, as long as there is another.
        """
        found = self._missing(node)
        like = [p for p in self.game.poles if self.fits(node, p) and p not in self.refused.get(node, ())]
        return like[0] if found in self.refused.get(node, ()) and like else found

    def _missing(self, node: str) -> str:
        right, lying = Counter(self.wanted.get(node, ())), Counter(self.world.stacks[node])
        wanted = next(iter((right - lying).elements()), None)
        if wanted is not None:
            return wanted
        fitting = [piece for piece in self.hand if self.fits(node, piece)]
        tiles = self.table.watch.tracker.model.tiles
        return (
            fitting[-1] if fitting else next(p for p in self.game.poles if (p in tiles) is (node in self.world.wells))
        )

    def surplus(self, node: str) -> str | None:
        lying, right = Counter(self.world.stacks[node]), Counter(self.wanted.get(node, ()))
        return next(iter((lying - right).elements()), None)

    def lay_on_one(self, nodes: Sequence[str]) -> int:
        """Put the piece on any of some nodes on which eyes see room: where there are several, that is a choice."""
        self.went_on = len(nodes) > 1
        free = [node for node in nodes if self.fits(node, self.missing(node))]
        return self.lay(self.random.choice(free or list(nodes)))

    def take(self, node: str) -> int:
        if not self.world.stacks[node]:
            raise Lost(f"take off {node}, where nothing lies")
        before = len(self.hand)
        self.lift(node, self.laid.get(node) or self.surplus(node))
        for piece in self.hand[before:]:
            if self.laid.pop(node, None) == piece:
                self.refused.setdefault(node, []).append(piece)
        return 1

    def move(self, source: str, target: str, piece: str | None = None) -> int:
        if not self.world.stacks[source]:
            raise Lost(f"move {source}, where nothing lies")
        self.lift(source, piece or self.surplus(source))
        self.wait(0.4)
        if source not in self.world.wells and not self.fits(target, self.hand[-1]):
            if self.table.watch.tracker.model.tells(target, self.wanted.get(target), self.wanted.get(target, ())[:-1]):
                raise Lost(f"move to {target}, where no room is")
            return 1  # Eyes see what its sensor can't tell: nothing is missing there. The piece is laid aside.
        self.put(target, self.hand[-1])
        return 2

    def is_tapped(self, node: str) -> bool:
        """Tell whether the table asks for a tap there once all has been put down."""
        return any(task["do"] == "tap" and task["node"] == node for task in self.door.look()["tasks"])

    def lay(self, node: str, piece: str | None = None) -> int:
        one = piece or self.missing(node)
        if len(self.world.stacks[node]) >= len(self.wanted.get(node, ())) > 1 and self.is_tapped(node):
            self.tap(node)  # Eyes see that as many stones lie as should: that is what no sensor tells.
            return 1
        if not self.fits(node, one):
            raise Lost(f"put {one} on {node}, where no room is")
        self.put(node, one)
        self.laid[node] = one
        return 1


def by_tasks(board: Disturbed, now: Mapping[str, Any]) -> int:
    task = now["tasks"][0]
    if task["do"] == "put":
        return board.lay(task["node"], task["piece"])
    if task["do"] == "take":
        return board.take(task["node"])
    if task["do"] == "tap":
        board.tap(task["node"])
        return 1
    return board.move(task["from"], task["to"], task["pieces"][0] if task["pieces"] else None)


def by_lights(board: Disturbed, now: Mapping[str, Any]) -> int:
    lit: dict[str, list[str]] = {}
    for node, meaning in now["lights"].items():
        lit.setdefault(meaning, []).append(node)
    if "remove" in lit:
        node = lit["remove"][0]
        return board.move(node, lit["best"][0]) if "best" in lit else board.take(node)
    for meaning in ("wrong", "loop"):
        if meaning in lit:
            return board.take(lit[meaning][0])
    if "movable" in lit and "best" in lit:
        return board.move(lit["movable"][0], lit["best"][0])
    goals = [node for meaning in ("return", "put", "best", "target") for node in lit.get(meaning, ())]
    if goals:
        if "return" in lit and (board.unmeant or (not board.hand and len(goals) > 1)):
            goals = lit["return"]
        return board.lay_on_one(goals)
    if "confirm" in lit:
        board.tap(lit["confirm"][0])
        return 1
    raise Lost(f"no light leads on: {now['lights']}")


NODE = r"([A-Za-z]?\d+)"
SENTENCES: tuple[tuple[str, Callable[[Disturbed, re.Match[str]], int]], ...] = (
    (rf"[Mm]ove [^.;(]*? from {NODE} (?:back )?to {NODE}", lambda b, m: b.move(m[1], m[2])),
    (rf"[Tt]ake [^.;(]*? (?:on|off|out of) {NODE}(?: off| first)?", lambda b, m: b.take(m[1])),
    (rf"(?:not belong on {NODE}|on {NODE} is one too many), take", lambda b, m: b.take(m[1] or m[2])),
    (
        rf"[Tt]ile (\d+), (?:not turned|turned by (\d) eighths?) is missing on {NODE}",
        lambda b, m: b.lay(m[3], f"{m[1]}r{m[2] or 0}"),
    ),
    (
        rf"[Tt]he (?:(\w+) )?\w+ is missing on {NODE}",
        lambda b, m: b.lay(m[2], next((p for p, name in b.game.pieces.items() if name == m[1] and len(p) == 1), None)),
    ),
    (rf"[Tt]urn [^.;(]*? on {NODE} ", lambda b, m: b.take(m[1])),
    (
        rf"[Pp]ut tile (\d+), turned (?:by )?(\d)(?:/8| eighths?),? on {NODE}",
        lambda b, m: b.lay(m[3], f"{m[1]}r{m[2]}"),
    ),
    (rf"[Pp]ut (?:the \w+ )?back on {NODE}", lambda b, m: b.lay(m[1])),
    (rf"[Pp]ut the \w+ from {NODE}", lambda b, m: b.lay(m[1])),
    (
        rf"[Pp]ut (?:an? )?(\w+) [^.;(]*?on {NODE}",
        lambda b, m: b.lay(m[2], next((p for p, name in b.game.pieces.items() if name == m[1] and len(p) == 1), None)),
    ),
    (
        rf"may go to (?:any of the lit nodes|({NODE}(?:, {NODE})*))(?:, or off the board)?(?:, or back on {NODE})?",
        lambda b, m: b.lay_on_one([m[4]] if m[4] and b.unmeant else re.findall(NODE, m[0].partition("go to")[2])),
    ),
    (rf"comes off the board,[^.]* {NODE}", lambda b, m: b.lay(m[1])),
    (rf"tap {NODE}", lambda b, m: b.tap(m[1])),
)


def by_words(board: Disturbed, now: Mapping[str, Any]) -> int:
    for pattern, deed in SENTENCES:
        found = re.search(pattern, now["message"])
        if found:
            return deed(board, found)
    raise Lost("the sentence says nothing to do")


FOLLOWERS = {"lights": by_lights, "tasks": by_tasks, "words": by_words}


@dataclass(frozen=True)
class Fault:
    """What was wrong with a board, and how to repeat it."""

    kind: str
    """``stuck``, ``counted`` (what nobody did), ``refused`` (a legal action), ``dark`` or ``error``."""
    text: str


FAULTS = ("stuck", "counted", "refused", "dark", "error")
Case = tuple[str, str, str, int, str, str, str]
"""Game, mode, kind, seed, follower, family and phase."""
PHASES = {
    "spokes": ("resolving", "sealing", "placing", "clearing", "over"),
    "phalanx": ("resolving", "clearing"),
    "coil": ("resolving", "over"),
    "octiles": ("resolving",),
}
"""The phases that random play of each game gets to."""


def lead(
    name: str, mode: str, kind: str, seed: int, follower: str, family: str = "anything", phase: str = ""
) -> Fault | None:
    """Disturb a board and follow; return the fault, None where all went well."""
    board = Disturbed(name, mode, kind, seed, phase)
    try:
        board.unmeant = family in UNMEANT
        _lead(board, follower, family)
    except Lost as lost:
        what, colon, _ = str(lost).partition(":")
        return Fault(what if colon and what in FAULTS else "stuck", _told(board, lost, follower, family, phase, seed))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the table
        return Fault("error", _told(board, error, follower, family, phase, seed))
    return None


def _told(board: Disturbed, why: Exception, *case: object) -> str:
    return f"{board.game.name} {board.kind} {' '.join(map(str, case))}: {why!r}: {' '.join(board.told[-1:])[:500]}"


def _lead(board: Disturbed, follower: str, family: str) -> None:
    board.before, board.ended = board.in_force(), board.table.ledger.over
    board.lifted_by_hand.clear()
    board.laid_by_hand.clear()
    FAMILIES[family][0](board)
    if board.ended and board.unmeant:  # Else hands may have put the last piece back.
        board.wait(STILL_S)
        if board.in_force() != board.before and not board.meant:
            raise Lost("counted: the end is undone, and nobody was asked")
    for _ in range(3):
        board.follow(FOLLOWERS[follower])
        asked = board.door.look()["asked"]
        if asked is None:
            break
        board.answer(asked)
    else:
        return
    board.unmeant = False
    if board.table.phase == "resolving" and board.in_order and not board.table.done_stages:
        board.next_action(felt=board.random.random() < 0.5)


def plan(family: str, boards: int, first: int = 0) -> Iterator[Case]:
    """Give so many boards of a family, all games, kinds, phases and followers in turn."""
    places = [
        (name, modes, kind, phase)
        for name, modes, kinds in SENSED
        for kind in kinds
        for phase in PHASES[name]
        if phase in FAMILIES[family][1].split()
    ]
    for seed in range(first, first + boards):
        name, modes, kind, phase = places[seed % len(places)]
        turn = seed // len(places)
        who = list(FOLLOWERS)[turn % len(FOLLOWERS)]
        yield name, modes[turn // len(FOLLOWERS) % len(modes)], kind, seed, who, family, phase
