"""Pushes and pulls on sets of nodes, forwards and backwards: the one place that knows when each is possible.

Source: spokes.md, "Interactions". Play, search and proofs all read these scans. A set of nodes is a number with one
bit a node (:mod:`firmware_host.games.spokes.board`). This text also compiles (docs/architecture.md, "The compiled
core"), which is why it is written with ``i64``, flat lists and classes whose methods are called for each step found.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board

WHITE: Final = 0
BLACK: Final = 1

_NODE_OF_BIT: Final[list[i64]] = [next((i64(n) for n in range(45) if (1 << n) % 67 == rest), 0) for rest in range(67)]
"""A set of one node, modulo 67 (in which all powers of two differ) → the node."""
_NEAR: Final[list[i64]] = [i64(nodes) for nodes in board.NEAR]
_NOWHERE: Final = 60
"""Stands for a node across that does not exist; taken in every position."""
_WALL: Final = 1 << 60


def _pushes() -> tuple[list[int], list[int]]:
    """Return (pusher, pushed) → row, and the rows: straight on, two nodes across."""
    at = [-1] * (45 * 64)
    rows: list[int] = []
    for pusher, pushes in enumerate(board.PUSHES):
        for pushed, onward, _, across in pushes:
            at[pusher * 64 + pushed] = len(rows)
            rows += [onward, *across, *[_NOWHERE] * (2 - len(across))]
    return at, rows


def _origins() -> tuple[list[int], list[int]]:
    """Return node → first row, and the rows of every push that ends there: pusher, pushed from, own stone needed.

    A push straight on needs no further stone; there the pusher stands twice.
    """
    ends: list[list[int]] = [[] for _ in range(45)]
    for pusher, pushes in enumerate(board.PUSHES):
        for pushed, onward, _, across in pushes:
            ends[onward] += [pusher, pushed, pusher]
            for node in across:
                ends[node] += [pusher, pushed, onward]
    first = [0]
    rows: list[int] = []
    for found in ends:
        rows += found
        first.append(len(rows))
    return first, rows


_PUSH_AT: Final[list[i64]] = [i64(n) for n in _pushes()[0]]
_PUSH: Final[list[i64]] = [i64(n) for n in _pushes()[1]]
_ORIGIN_AT: Final[list[i64]] = [i64(n) for n in _origins()[0]]
_ORIGIN: Final[list[i64]] = [i64(n) for n in _origins()[1]]


class Moves:
    """Finds every push and pull; a subclass says what to do with each."""

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:
        """Take a push: the stone of ``pushed`` goes to ``target``."""
        raise NotImplementedError

    def pull(self, puller: i64, pulled: i64) -> None:
        """Take a pull: the stone of ``pulled`` is stacked on ``puller``."""
        raise NotImplementedError

    def scan(self, white: i64, black: i64, taken: i64) -> None:
        """Find all, given the single stones of each colour and all nodes that carry anything."""
        self.scan_pushes(white, taken, WHITE)
        self.scan_pushes(black, taken, BLACK)
        ones = white
        while ones:
            low = ones & -ones
            ones ^= low
            one = _NODE_OF_BIT[low % 67]
            others = _NEAR[one] & black
            while others:
                low = others & -others
                others ^= low
                other = _NODE_OF_BIT[low % 67]
                self.pull(one, other)
                self.pull(other, one)

    def scan_pushes(self, mine: i64, taken: i64, colour: i64) -> None:
        """Find the pushes among the single stones ``mine`` of one colour.

        A pushed stone goes straight on where that is empty; where a single stone of its own colour stands there, it
        goes across to an empty node. R3: a stone of the other colour straight on forbids the push. R4: so does a
        block, a stack, or no node at all (such pushes have no row).
        """
        taken |= _WALL
        pushers = mine
        while pushers:
            low = pushers & -pushers
            pushers ^= low
            pusher = _NODE_OF_BIT[low % 67]
            near = _NEAR[pusher] & mine
            while near:
                low = near & -near
                near ^= low
                pushed = _NODE_OF_BIT[low % 67]
                row = _PUSH_AT[pusher * 64 + pushed]
                if row < 0:
                    continue
                onward = _PUSH[row]
                if not taken >> onward & 1:
                    self.push(pusher, pushed, onward, colour)
                elif mine >> onward & 1:
                    across = _PUSH[row + 1]
                    if not taken >> across & 1:
                        self.push(pusher, pushed, across, colour)
                    across = _PUSH[row + 2]
                    if not taken >> across & 1:
                        self.push(pusher, pushed, across, colour)


class Origins:
    """Finds every push and pull that may have led to a position: :class:`Moves` backwards."""

    def unpush(self, pushed: i64, target: i64, colour: i64) -> None:
        """Take a push backwards: the stone that is on ``target`` came from ``pushed``."""
        raise NotImplementedError

    def unpull(self, puller: i64, pulled: i64, colour: i64) -> None:
        """Take a pull backwards: of the block on ``puller``, the stone of this colour came from ``pulled``."""
        raise NotImplementedError

    def scan_back(self, white: i64, black: i64, taken: i64, divisible: i64) -> None:
        """Find all; ``divisible`` are the blocks that may have been made by a pull."""
        self.scan_back_pushes(white, taken, WHITE)
        self.scan_back_pushes(black, taken, BLACK)
        while divisible:
            low = divisible & -divisible
            divisible ^= low
            puller = _NODE_OF_BIT[low % 67]
            sources = _NEAR[puller] & ~taken
            while sources:
                low = sources & -sources
                sources ^= low
                pulled = _NODE_OF_BIT[low % 67]
                self.unpull(puller, pulled, WHITE)
                self.unpull(puller, pulled, BLACK)

    def scan_back_pushes(self, mine: i64, taken: i64, colour: i64) -> None:
        """Find the pushes backwards of one colour."""
        targets = mine
        while targets:
            low = targets & -targets
            targets ^= low
            target = _NODE_OF_BIT[low % 67]
            row = _ORIGIN_AT[target]
            end = _ORIGIN_AT[target + 1]
            while row < end:
                pushed = _ORIGIN[row + 1]
                if mine >> _ORIGIN[row] & 1 and not taken >> pushed & 1 and mine >> _ORIGIN[row + 2] & 1:
                    self.unpush(pushed, target, colour)
                row += 3


class MoveList(Moves):
    """Collects what is found: ``pushes`` (pusher, pushed, target, colour) and ``pulls`` (puller, pulled)."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.pushes: list[tuple[int, int, int, int]] = []
        self.pulls: list[tuple[int, int]] = []

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:
        """Keep a push."""
        self.pushes.append((pusher, pushed, target, colour))

    def pull(self, puller: i64, pulled: i64) -> None:
        """Keep a pull."""
        self.pulls.append((puller, pulled))


class Partners(Moves):
    """Collects the nodes of pushing and pushed stones (R7)."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.nodes: i64 = 0
        self._one: i64 = 1

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Keep the two nodes."""
        self.nodes |= self._one << pusher | self._one << pushed

    def pull(self, puller: i64, pulled: i64) -> None:
        """Pass over pulls: they make blocks, which never circle."""


def moves(white: int, black: int, taken: int) -> MoveList:
    """Return every push and pull of a position without excess."""
    found = MoveList()
    found.scan(white, black, taken)
    return found


def partners(white: int, black: int, taken: int) -> int:
    """Return the nodes on which pushing and pushed stones stand."""
    found = Partners()
    found.scan_pushes(white, taken, WHITE)
    found.scan_pushes(black, taken, BLACK)
    return found.nodes
