"""The physical world: stones with magnets on nodes, and what the sensors under them feel.

White stones (``w``) carry the magnet north up, black ones (``b``) south up. Contacts bounce when a stone comes or goes:
for 0.1 to 5 ms they chatter, from a seed. Every method is safe to call from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from random import Random

from hw.ports import HardwareError

SUPPLY = {"w": 44, "b": 44}
POLE = {"w": 1, "b": -1}
BOUNCE_S = (0.0001, 0.005)
STONE_FIELD = 75
"""Level steps that a lone stone moves a linear hall sensor from 128."""
SHARES = (1.0, 0.47, 0.2, 0.1)
"""What reaches the sensor of the stones of a stack, the lowest first."""
NOISE = 2
FLAP_HZ = 25

FAULTS = ("stuck-on", "stuck-off", "flapping", "lost")


class Impossible(ValueError):
    """A deed that no hand can do; the message says why."""


class World:
    """The stones on the board, in the supply and in hands; faults of sensors."""

    def __init__(self, nodes: Sequence[str], kind: str, clock: Callable[[], float], seed: int = 0) -> None:
        """Begin with an empty board. ``clock`` tells seconds; ``seed`` makes bounce and noise repeatable."""
        self.nodes = tuple(nodes)
        self.kind = kind
        self.supply = dict(SUPPLY)
        self.faults: dict[str, str] = {}
        """Node → fault; the key ``board`` with ``lost`` when nothing answers."""
        self.on_change: Callable[[], None] | None = None
        self._stacks: dict[str, list[str]] = {}
        self._hands: dict[str, list[str]] = {}
        self._clock = clock
        self._random = Random(seed)
        self._lock = threading.RLock()
        self._bounces: dict[str, tuple[float, list[float], tuple[bool, bool]]] = {}
        self._steady: list[int] | None = None

    # -- looking -------------------------------------------------------------------------------------------------

    def stones(self) -> dict[str, list[str]]:
        """Return node → pieces from bottom to top."""
        with self._lock:
            return {node: list(stack) for node, stack in self._stacks.items()}

    def holding(self, hand: str) -> list[str]:
        """Return what a hand holds."""
        with self._lock:
            return list(self._hands.get(hand, ()))

    # -- deeds ---------------------------------------------------------------------------------------------------

    def take(self, hand: str, piece: str) -> None:
        """Take a piece from the supply into a hand. Raise Impossible."""
        with self._lock:
            if piece not in self.supply:
                raise Impossible(f"piece: expected w or b, got {piece!r}")
            if not self.supply[piece]:
                raise Impossible(f"there are no more {'white' if piece == 'w' else 'black'} stones in the supply")
            self.supply[piece] -= 1
            self._hands.setdefault(hand, []).append(piece)
            self._changed()

    def lift(self, hand: str, node: str, pieces: Sequence[str] | None = None) -> list[str]:
        """Lift the top piece of a node, or just these pieces. Raise Impossible."""
        with self._lock:
            stack = self._stack(node)
            if not stack:
                raise Impossible(f"nothing lies on {node}")
            wanted = list(pieces) if pieces is not None else [stack[-1]]
            rest = list(stack)
            for piece in reversed(wanted):
                if piece not in rest:
                    raise Impossible(f"{node} carries {' '.join(stack)}: there is no {piece} to lift")
                del rest[len(rest) - 1 - rest[::-1].index(piece)]
            self._set(node, rest)
            self._hands.setdefault(hand, []).extend(wanted)
            return wanted

    def place(self, hand: str, node: str) -> None:
        """Put everything that a hand holds onto a node. Raise Impossible."""
        with self._lock:
            held = self._hands.get(hand)
            if not held:
                raise Impossible("the hand holds nothing")
            self._set(node, [*self._stack(node), *held])
            self._hands[hand] = []

    def drop(self, hand: str) -> None:
        """Put everything that a hand holds back into the supply."""
        with self._lock:
            for piece in self._hands.pop(hand, []):
                self.supply[piece] += 1
            self._changed()

    def set_fault(self, fault: str, node: str | None = None) -> None:
        """Break a sensor (``stuck-on``, ``stuck-off``, ``flapping``), or lose the whole board (``lost``)."""
        with self._lock:
            if fault not in FAULTS:
                raise Impossible(f"kind: expected one of {', '.join(FAULTS)} or clear, got {fault!r}")
            if fault != "lost":
                self._stack(node or "")
            self.faults["board" if fault == "lost" else str(node)] = fault
            self._changed()

    def clear_faults(self, node: str | None = None) -> None:
        """Mend one sensor, or everything."""
        with self._lock:
            for name in list(self.faults) if node is None else [node]:
                self.faults.pop(name, None)
            self._changed()

    def _stack(self, node: str) -> list[str]:
        if node not in self.nodes:
            raise Impossible(f"node: there is no node {node!r} on this board")
        return self._stacks.get(node, [])

    def _set(self, node: str, stack: list[str]) -> None:
        before = bool(self._stacks.get(node))
        if stack:
            self._stacks[node] = stack
        else:
            self._stacks.pop(node, None)
        if before != bool(stack):
            now = self._clock()
            end = now + self._random.uniform(*BOUNCE_S)
            flips = sorted(self._random.uniform(now, end) for _ in range(2 * self._random.randrange(0, 5)))
            self._bounces[node] = (end, flips, (before, bool(stack)))
        self._changed()

    def _changed(self) -> None:
        self._steady = None
        if self.on_change is not None:
            self.on_change()

    # -- what sensors feel ---------------------------------------------------------------------------------------

    def field(self, node: str) -> float:
        """Return the field at a node's sensor in level steps, positive for north up."""
        stack = self._stacks.get(node, ())
        shares = (*SHARES, *[0.0] * len(stack))
        return STONE_FIELD * sum(POLE[piece] * share for piece, share in zip(stack, shares, strict=False))

    def levels(self) -> list[int]:
        """Return a level reading a node, 0 to 255, with noise. Raise HardwareError when the board is lost."""
        with self._lock:
            self._check_lost()
            return [self._level(node) for node in self.nodes]

    def _level(self, node: str) -> int:
        fault = self.faults.get(node)
        if fault == "stuck-on" or (fault == "flapping" and self._flap()):
            return 128 + STONE_FIELD
        if fault is not None:
            return 128
        reading = 128 + round(self.field(node)) + self._random.randint(-NOISE, NOISE)
        return min(255, max(0, reading))

    def contacts(self) -> Sequence[int]:
        """Return the levels at the switch inputs, low where a contact is closed: one a node, or with ``polarity`` two.

        Raise HardwareError when the board is lost.
        """
        with self._lock:
            self._check_lost()
            if self._steady is not None:
                return self._steady
            now = self._clock()
            levels = []
            for node in self.nodes:
                levels += self._contacts(node, now)
            if not any(end > now for end, _, _ in self._bounces.values()) and "flapping" not in self.faults.values():
                self._bounces.clear()
                self._steady = levels
            return levels

    def _contacts(self, node: str, now: float) -> list[int]:
        stack = self._stacks.get(node)
        closed = self._closed(node, now, present=bool(stack))
        if self.kind == "presence":
            return [0 if closed else 1]
        north = stack[0] == "w" if stack else True
        return [0 if closed and north else 1, 0 if closed and not north else 1]

    def _closed(self, node: str, now: float, *, present: bool) -> bool:
        fault = self.faults.get(node)
        if fault == "flapping":
            return self._flap()
        if fault is not None:
            return fault == "stuck-on"
        bounce = self._bounces.get(node)
        if bounce is None or now >= bounce[0]:
            return present
        _, flips, (before, after) = bounce
        chattered = sum(1 for flip in flips if flip <= now)
        return before if chattered % 2 == 0 else after

    def _flap(self) -> bool:
        return int(self._clock() * FLAP_HZ) % 2 == 0

    def _check_lost(self) -> None:
        if "board" in self.faults:
            raise HardwareError("the board does not answer")
