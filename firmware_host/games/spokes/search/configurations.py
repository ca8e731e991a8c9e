"""All configurations at rest with so many stones and these blocks: where there is none, no way can lead to one.

At rest no neighbours differ in colour, and where two neighbours p, q of one colour have a node r straight on that
carries no block, r and the nodes across from q carry their colour too: else p could push q (kernel, spokes.md R3, R4).
So two neighbours force further stones, and each stone forbids the other colour round it. The search goes sector by
sector, forces and forbids after each choice, and gives up where too few nodes are left for the stones.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board
from firmware_host.games.spokes.search.explore import ALL, Clock


def _sectors() -> list[int]:
    """Return the nodes sector by sector, the centre first: those that force each other stand close together."""
    order = [board.CENTRE]
    for k in range(16):
        order += [board.INDEX[f"B{k // 4 + 1}"]] if k % 4 == 0 else []
        order += [board.INDEX[f"C{k // 2 + 1}"]] if k % 2 == 0 else []
        order += [board.INDEX[f"D{k + 1}"], board.INDEX[f"{k + 1}"]]
    return order


_ORDER: Final[list[i64]] = [i64(node) for node in _sectors()]
_PAIRS: Final = [1 << one | 1 << other for one, other in board.LINES]
_LINES: Final[list[i64]] = [i64(line) for line in _PAIRS]
_55: Final = 0x1555555555555555
_33: Final = 0x3333333333333333
_0F: Final = 0x0F0F0F0F0F0F0F0F


def size(nodes: i64) -> i64:
    """Return the number of nodes of a set."""
    nodes -= nodes >> 1 & _55
    nodes = (nodes & _33) + (nodes >> 2 & _33)
    nodes = nodes + (nodes >> 4) & _0F
    nodes += nodes >> 8
    nodes += nodes >> 16
    return (nodes + (nodes >> 32)) & 127


_NEVER: Final = 1 << 60
"""Among the nodes that two neighbours force: there can't be two such neighbours."""


def _forced(blocks: int, most: int) -> list[int]:
    """Return for each line the nodes that carry a stone of the same colour when both its ends do.

    What one pair forces makes further pairs; where that comes to more than ``most`` stones the pair can't be.
    """
    found = []
    for one, other in board.LINES:
        nodes = 0
        for pusher, pushed in ((one, other), (other, one)):
            for towards, _, onward, across in board.PUSHES[pusher]:
                if towards == pushed and not blocks & onward:
                    nodes |= onward | sum(1 << node for node in across)
        found.append(nodes & ~blocks)
    return [nodes if _spread(line, found) <= most else _NEVER for line, nodes in zip(_PAIRS, found, strict=True)]


def _spread(stones: int, forced: list[int]) -> int:
    """Return how many stones some stones make it, with all that they force."""
    before = 0
    while before != stones:
        before = stones
        for line, nodes in zip(_PAIRS, forced, strict=True):
            if stones & line == line:
                stones |= nodes
    return stones.bit_count()


class Configurations:
    """Lists the configurations at rest of one layer: ``found`` pairs of white and black nodes, ``complete`` or not."""

    def __init__(self, blocks: int, white: int, black: int, most: int, clock: Clock) -> None:
        """``white`` and ``black`` stones stand on nodes without a block; stop after ``most`` are found."""
        self.found: list[tuple[int, int]] = []
        self.complete = True
        self._forced: list[i64] = [i64(nodes) for nodes in _forced(blocks, max(white, black))]
        self._blocks: i64 = blocks
        self._white: i64 = white
        self._black: i64 = black
        self._most: i64 = most
        self._clock = clock
        self._one: i64 = 1
        # What the last call of _settle came to; four results cost no tuple this way.
        self._w: i64 = 0
        self._b: i64 = 0
        self._not_w: i64 = 0
        self._not_b: i64 = 0

    def run(self) -> bool:
        """Search; return whether the list is complete."""
        not_w = self._blocks if self._white else ALL
        not_b = self._blocks if self._black else ALL
        self._branch(0, 0, 0, not_w | _NEVER, not_b | _NEVER)
        return self.complete

    def _branch(self, at: i64, w: i64, b: i64, not_w: i64, not_b: i64) -> None:
        """Decide the nodes from the ``at``-th on; ``not_w`` and ``not_b`` are those that can't be of a colour."""
        if self._clock.tick() or len(self.found) >= self._most:
            self.complete = False
            return
        if not self._settle(w, b, not_w, not_b):
            return
        w, b, not_w, not_b = self._w, self._b, self._not_w, self._not_b
        while at < 45:
            bit = self._one << _ORDER[at]
            if not (w | b | not_w & not_b) & bit:
                break
            at += 1
        if at == 45:
            if size(w) == self._white and size(b) == self._black:
                self.found.append((w, b))
            return
        if not not_w & bit:
            self._branch(at + 1, w | bit, b, not_w, not_b)
        if not not_b & bit:
            self._branch(at + 1, w, b | bit, not_w, not_b)
        self._branch(at + 1, w, b, not_w | bit, not_b | bit)

    def _settle(self, w: i64, b: i64, not_w: i64, not_b: i64) -> bool:
        """Force and forbid until nothing changes; return False where that contradicts itself or the numbers."""
        while True:
            before_w, before_b = w, b
            before = not_w ^ not_b << 1
            index: i64 = 0
            while index < 76:
                line = _LINES[index]
                forced = self._forced[index]
                ends = w & line
                if ends:
                    if ends == line:
                        w |= forced
                    elif forced & not_w:
                        not_w |= line ^ ends
                ends = b & line
                if ends:
                    if ends == line:
                        b |= forced
                    elif forced & not_b:
                        not_b |= line ^ ends
                # Neighbours differ in nothing.
                if w & line:
                    not_b |= line
                if b & line:
                    not_w |= line
                index += 1
            if w & not_w or b & not_b:
                return False
            if w == before_w and b == before_b and (not_w ^ not_b << 1) == before:
                break
        self._w, self._b, self._not_w, self._not_b = w, b, not_w, not_b
        return self._can(w, not_w, self._white) and self._can(b, not_b, self._black)

    def _can(self, mine: i64, never: i64, wanted: i64) -> bool:
        """Tell whether ``wanted`` stones may fit. Of two neighbours whose pair forces something forbidden only one
        counts; pairs are matched greedily."""
        have = size(mine)
        if have > wanted:
            return False
        left = ALL & ~mine & ~never
        room = size(left)
        if have + room < wanted:
            return False
        index: i64 = 0
        while index < 76:
            line = _LINES[index]
            if left & line == line and (self._forced[index] & never or have + 2 > wanted):
                left &= ~line
                room -= 1
                if have + room < wanted:
                    return False
            index += 1
        return True
