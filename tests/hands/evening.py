"""Evenings of people whose hands do right things in strange order, and wrong things, and mend them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from firmware_host.games.game import Step
from firmware_host.games.registry import game as find_game
from tests.hands.account import Account, Lost
from tests.hands.hands import Hands, one_piece
from tests.hands.in_strange_order import IN_STRANGE_ORDER
from tests.hands.mistakes import MISTAKES

Way = Callable[[Hands, Step], None]

WAYS: tuple[Way, ...] = (*IN_STRANGE_ORDER, *MISTAKES)
"""How an action may be done, and what may happen instead of it."""

SENSED: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("spokes", ("2", "4", "2v2"), ("presence", "polarity", "level")),
    ("phalanx", ("2",), ("presence", "polarity")),
    ("coil", ("2",), ("presence", "polarity")),
    ("octiles", ("2", "3", "4"), ("presence", "coded")),
)
"""Game, its modes, and the kinds of sensing of its boards (all magnets of Octiles are alike: no poles)."""

ACTIONS = 15
"""So many actions of an evening are tried."""
RESIGNING = 0.25
"""The share of evenings at whose end somebody resigns."""


class Evening(Hands):
    """Play some actions, each in one of several ways."""

    def play(self, count: int, ways: tuple[Way, ...] = WAYS) -> Account:
        """Try so many actions; stop at the first fault."""
        for _ in range(count):
            if not self._attempt("placements", self.to_actions) or self.phase != "resolving":
                return self.account
            step = self.choose()
            if step is None:
                went = self._attempt("said", self.say_it)
            else:
                way = self.random.choice(ways)
                went = self._attempt(way.__name__, lambda way=way, step=step: way(self, step), step.action)  # type: ignore[misc]
            if not went:
                return self.account
        if self.phase == "resolving" and self.random.random() < RESIGNING:
            self._attempt("resigned", self.resign)
        return self.account

    def _attempt(self, way: str, deed: Callable[[], None], about: str = "") -> bool:
        """Do something in some way; return whether the table went along."""
        self.way = way
        self.account.done[way] += 1
        try:
            deed()
        except Lost as lost:
            self.account.faults.append(f"{way} {about}: {lost}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the table
            self.account.faults.append(f"{way} {about}: {error!r}")
        return not self.account.faults

    def to_actions(self) -> None:
        """Seal, place and clear away until somebody acts."""
        for _ in range(4):
            if self.phase == "sealing":
                for seat, offered in self.game.actions(self.position).items():
                    self.phone("seal", seat=seat, action=self.random.choice(list(offered)))
            if self.phase == "placing":
                self._place()
            elif self.phase == "setup":
                self.mend()
            self.clear_away()
            if self.phase in {"resolving", "over"}:
                break
        self.mean_what_counts()

    def _place(self) -> None:
        """Put what was revealed, in any order, now and then onto a wrong node first."""
        wanted = self.table.watch.target  # With what the rules remove as soon as it lies.
        missing = [
            (node, piece)
            for node, stack in wanted.items()
            for piece in (Counter(stack) - Counter(self.world.stacks[node])).elements()
        ]
        self.random.shuffle(missing)
        for node, piece in missing:
            if self.random.random() < 0.1:
                wrong = self.empty(*wanted)
                self.world.put(wrong, [piece])
                self.soon(0.1, 3.0)
                self.world.lift(wrong)
                self.soon()
            self.world.put(node, [piece])
            self.soon()
        self.settle(2.0)
        for task in self.door.look()["tasks"] if self.phase == "placing" else ():
            if task["do"] == "tap":
                self.tap(task["node"])
                self.soon()
        until = self.world.at + 6.0
        while self.phase == "placing":
            if self.world.at > until:
                raise Lost(f"all stones lie, and it never counts: {self.message}")
            self.wait(0.1)

    def say_it(self) -> None:
        """Do what needs no hands, a pass or the end of a turn: on a phone, or by tapping a piece twice."""
        steps = {step.action: step for step in self.legal}
        action = str(self.random.choice(list(self.game.actions(self.position)[self.table.actor])))
        self.coming = self.goals = {(action,)}
        lying = sorted(steps[action].tap_twice) if action in steps else []
        if lying and self.random.random() < 0.5:
            node = self.random.choice(lying)
            for _ in range(2):
                self.tap(node)
                self.wait(0.2)
            self.until_it_counts(steps[action])
        else:
            self.phone("choose", action=action)
        self.mean_what_counts()

    def resign(self) -> None:
        """Somebody resigns while a piece is in a hand: it is put back, and nothing counts."""
        step = self.choose()
        move = one_piece(step) if step is not None else None
        held = self.world.lift(str(move.source), move.pieces) if move is not None else []
        self.soon()
        self.phone("resign", seat=self.random.choice(sorted(self.table.ledger.sittings)))
        self.soon(0.1, 2.0)
        if move is not None:
            self.world.put(str(move.source), held)
        self.wait(3.0)
        if self.phase == "over":
            self.scatter(2)
            self.wait(3.0)
        else:
            self.mend()


def a_position(name: str, mode: str, seed: int) -> str:
    """Return a position from random play in which somebody acts with hands."""
    game: Any = find_game(name)
    rng = Random(seed)
    while True:
        position = game.start(mode)
        for _ in range(rng.randrange(60)):
            offered = game.actions(position)
            if not offered:
                break
            chosen = {seat: game.random_action(position, seat, rng) for seat in offered}
            position = game.apply(position, chosen).position
        if not game.status(position).over and game.steps(position):
            return str(game.text(position))


def run(name: str, mode: str, kind: str, seed: int, actions: int = ACTIONS, **more: Any) -> Account:
    """Play one evening from a random position."""
    ways = more.pop("ways", WAYS)
    return Evening(name, mode, kind, a_position(name, mode, seed), seed, **more).play(actions, ways)
