"""The physical world: stones with magnets on nodes, and what the sensors under them feel.

White stones (``w``) carry the magnet north up, black ones (``b``) south up. When what a sensor feels changes, its
contacts chatter between before and after for 0.1 to 5 ms, and a level passes through everything between, all from a
seed. Every method is safe to call from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hw.ports import HardwareError, NodeLevels
from simulator.faults import Faults

SUPPLY = {"w": 44, "b": 44}
POLE = {"w": 1, "b": -1}
BOUNCE_S = (0.0001, 0.005)
STONE_FIELD = 75
"""Level steps that a lone stone moves a linear hall sensor from 128."""
SHARES = (1.0, 0.47, 0.2, 0.1)
"""What reaches the sensor of the stones of a stack, the lowest first."""
NOISE = 2


@dataclass(frozen=True)
class Trait:
    """How one linear sensor differs from the next: where it rests, and how strongly it feels either pole."""

    offset: int = 0
    """Level steps from 128 at rest."""
    north: float = 1.0
    """Share of :data:`STONE_FIELD` that a stone with north up does to it; below 0 it lies face down."""
    south: float = 1.0
    upper: float = SHARES[1]
    """What reaches it of the second stone of a stack."""


USUAL = Trait()


def trait_of(levels: NodeLevels) -> Trait:
    """Return the sensor that reads what a real one was measured to read."""
    north, south = levels.north - levels.rest, levels.rest - levels.south
    kept = (levels.stack - levels.rest) / north
    return Trait(levels.rest - 128, north / STONE_FIELD, south / STONE_FIELD, 1.0 - kept)


Contacts = tuple[bool, ...]
"""Which contacts of one node are closed: one with ``presence``; north's and south's with ``polarity``."""


class Impossible(ValueError):
    """A deed that no hand can do; the message says why."""


@dataclass(frozen=True)
class Bounce:
    """A change of one node that has not come to rest: from ``start`` to ``end`` (seconds), flipping at ``flips``."""

    start: float
    end: float
    flips: tuple[float, ...]
    before: tuple[str, ...]
    """The stack that lay there before."""

    def shows_before(self, now: float) -> bool:
        """Tell whether a contact is as it was before the change."""
        return sum(flip <= now for flip in self.flips) % 2 == 0

    def passed(self, now: float) -> float:
        """Return how much of the change is over, 0 to 1."""
        return (now - self.start) / (self.end - self.start)


class World:
    """The stones on the board, in the supply and in hands; faults of sensors."""

    def __init__(self, nodes: Sequence[str], kind: str, clock: Callable[[], float], seed: int = 0) -> None:
        """Begin with an empty board. ``clock`` tells seconds; ``seed`` makes bounce and noise repeatable."""
        self.nodes = tuple(nodes)
        self.kind = kind
        self.supply = dict(SUPPLY)
        self.on_change: Callable[[], None] | None = None
        self.traits: dict[str, Trait] = {}
        """Linear sensors that are not as the usual one."""
        self._stacks: dict[str, list[str]] = {}
        self._hands: dict[str, list[str]] = {}
        self._clock = clock
        self._random = Random(seed)
        self._lock = threading.RLock()
        self._faults = Faults(seed)
        self._bounces: dict[str, Bounce] = {}
        self._steady: Sequence[int] | None = None

    # -- looking -------------------------------------------------------------------------------------------------

    def stones(self) -> dict[str, list[str]]:
        """Return node → pieces from bottom to top."""
        with self._lock:
            return {node: list(stack) for node, stack in self._stacks.items()}

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Return everything at one instant: ``stones``, ``hands`` (hand → pieces), ``supply``, ``faults``, ``feels``.

        ``faults`` is node → fault (``board`` → ``lost``); ``feels`` is node → reading at rest (see :mod:`hw.ports`) of
        the sensors that feel anything.
        """
        with self._lock:
            now = self._clock()
            return {
                "stones": self.stones(),
                "hands": {hand: list(held) for hand, held in self._hands.items()},
                "supply": dict(self.supply),
                "faults": self._faults.listed(),
                "feels": {} if self._faults.lost else self._feels(now),
            }

    def _feels(self, now: float) -> dict[str, int]:
        readings = {}
        for node in self.nodes:
            stack, says = self._stacks.get(node, ()), self._faults.says(node, now)
            if self.kind == "level":
                rest = 128 + self._trait(node).offset
                reading = rest + round(self._felt(node, stack) if says is None else STONE_FIELD * says)
            else:
                closed = self._closed(stack) if says is None else (says,)
                reading, rest = sum(weight for weight, one in zip((1, 2), closed, strict=False) if one), 0
            if reading != rest:
                readings[node] = reading
        return readings

    def holding(self, hand: str) -> list[str]:
        """Return what a hand holds."""
        with self._lock:
            return list(self._hands.get(hand, ()))

    # -- deeds ---------------------------------------------------------------------------------------------------

    def take(self, hand: str, piece: str) -> None:
        """Take a piece from the supply into a hand. Raise Impossible."""
        with self._lock:
            self._draw(piece)
            self._hands.setdefault(hand, []).append(piece)
            self._changed()

    def put(self, node: str, piece: str) -> None:
        """Put a piece from the supply onto a node. Raise Impossible."""
        with self._lock:
            stack = self._stack(node)
            self._draw(piece)
            self._set(node, [*stack, piece])

    def lift(self, hand: str, node: str, pieces: Sequence[str] | None = None) -> list[str]:
        """Lift the top piece of a node, or just these pieces. Raise Impossible."""
        with self._lock:
            stack = self._stack(node)
            if not stack:
                raise Impossible(f"nothing lies on {node}")
            wanted = list(pieces) if pieces else [stack[-1]]
            lifted: list[str] = []
            rest: list[str] = []
            for piece in reversed(stack):  # What is lifted keeps its order: nobody turns a stack over in the air.
                if piece in wanted:
                    wanted.remove(piece)
                    lifted.insert(0, piece)
                else:
                    rest.insert(0, piece)
            if wanted:
                raise Impossible(f"{node} carries {' '.join(stack)}: there is no {wanted[0]} to lift")
            self._hands.setdefault(hand, []).extend(lifted)
            self._set(node, rest)
            return lifted

    def place(self, hand: str, node: str) -> None:
        """Put everything that a hand holds onto a node. Raise Impossible."""
        with self._lock:
            held = self._hands.get(hand)
            if not held:
                raise Impossible("the hand holds nothing")
            stack = self._stack(node)
            del self._hands[hand]
            self._set(node, [*stack, *held])

    def drop(self, hand: str) -> None:
        """Put everything that a hand holds back into the supply."""
        with self._lock:
            for piece in self._hands.pop(hand, []):
                self.supply[piece] += 1
            self._changed()

    def set_fault(self, fault: str, node: str | None = None) -> None:
        """Break a sensor (``stuck-on``, ...), a line or chip (``data-high``, ...), or lose the board (``lost``)."""
        with self._lock:
            if node is not None:
                self._stack(node)
            try:
                self._faults.add(fault, node)
            except ValueError as error:
                raise Impossible(str(error)) from error
            self._changed()

    def clear_faults(self, node: str | None = None) -> None:
        """Mend one sensor, or everything."""
        with self._lock:
            if node is not None:
                self._stack(node)
            self._faults.clear(node)
            self._changed()

    def _draw(self, piece: str) -> None:
        if piece not in self.supply:
            raise Impossible(f"piece: expected w or b, got {piece!r}")
        if not self.supply[piece]:
            raise Impossible(f"there are no more {'white' if piece == 'w' else 'black'} stones in the supply")
        self.supply[piece] -= 1

    def _stack(self, node: str) -> list[str]:
        if node not in self.nodes:
            raise Impossible(f"node: there is no node {node!r} on this board")
        return self._stacks.get(node, [])

    def _set(self, node: str, stack: list[str]) -> None:
        before = tuple(self._stacks.get(node, ()))
        if stack:
            self._stacks[node] = stack
        else:
            self._stacks.pop(node, None)
        if self._closed(before) != self._closed(stack) or self.kind == "level":
            now = self._clock()
            end = now + self._random.uniform(*BOUNCE_S)
            # An odd number of flips: it ends as it shall stay.
            flips = sorted(self._random.uniform(now, end) for _ in range(1 + 2 * self._random.randrange(0, 5)))
            self._bounces[node] = Bounce(now, end, tuple(flips), before)
        self._changed()

    def _changed(self) -> None:
        self._steady = None
        if self.on_change is not None:
            self.on_change()

    # -- what sensors feel ---------------------------------------------------------------------------------------

    def field(self, node: str) -> float:
        """Return the field at a node's sensor in level steps, positive for north up, when all is at rest."""
        with self._lock:
            return self._trait(node).offset + self._felt(node, self._stacks.get(node, ()))

    def _trait(self, node: str) -> Trait:
        return self.traits.get(node, USUAL)

    def _felt(self, node: str, stack: Sequence[str]) -> float:
        return _field(stack, self._trait(node))

    def levels(self) -> Sequence[int]:
        """Return a level reading a node, 0 to 255, with noise. Raise HardwareError when the board is lost."""
        with self._lock:
            now = self._look()
            levels = [self._level(node, now) for node in self.nodes]
            return self._faults.arrives(levels, 255, now)

    def _level(self, node: str, now: float) -> int:
        says = self._faults.says(node, now)
        rest = 128 + self._trait(node).offset
        if says is not None:
            return rest + STONE_FIELD * says
        felt = self._felt(node, self._stacks.get(node, ()))
        bounce = self._bounces.get(node)
        if bounce is not None:
            before = self._felt(node, bounce.before)
            felt = before + (felt - before) * bounce.passed(now)
        return min(255, max(0, rest + round(felt) + self._random.randint(-NOISE, NOISE)))

    def contacts(self) -> Sequence[int]:
        """Return the levels at the switch inputs, low where a contact is closed: one a node, or with ``polarity`` two.

        Raise HardwareError when the board is lost.
        """
        with self._lock:
            now = self._look()
            if self._steady is None:
                felt = [0 if closed else 1 for node in self.nodes for closed in self._contacts(node, now)]
                levels = self._faults.arrives(felt, 1, now)
                if self._bounces or self._faults.restless:
                    return levels
                self._steady = levels
            return self._steady

    def _contacts(self, node: str, now: float) -> Contacts:
        says = self._faults.says(node, now)
        if says is not None:
            return (says, False) if self.kind == "polarity" else (says,)
        bounce = self._bounces.get(node)
        if bounce is not None and bounce.shows_before(now):
            return self._closed(bounce.before)
        return self._closed(self._stacks.get(node, ()))

    def _closed(self, stack: Sequence[str]) -> Contacts:
        """Return the closed contacts under a stack at rest: the lowest stone's pole decides."""
        if self.kind != "polarity":
            return (bool(stack),)
        lowest = stack[0] if stack else ""
        return (lowest == "w", lowest == "b")

    def _look(self) -> float:
        """Return the time; what has come to rest by then bounces no more. Raise HardwareError when all is lost."""
        if self._faults.lost:
            raise HardwareError("the board does not answer")
        now = self._clock()
        for node in [node for node, bounce in self._bounces.items() if now >= bounce.end]:
            del self._bounces[node]
        return now


def _field(stack: Sequence[str], trait: Trait) -> float:
    """Return what a stack at rest does to the sensor below it, in level steps: the higher a stone, the less."""
    shares = (SHARES[0], trait.upper, *SHARES[2:])
    felt = STONE_FIELD * sum(POLE[piece] * share for piece, share in zip(stack, shares, strict=False))
    return felt * (trait.north if felt > 0 else trait.south)
