"""Cells as the pair of numbers that searches work on, and back; leftover stacks get a number of their own."""

from __future__ import annotations

from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import ALL
from firmware_host.games.spokes.position import Cells, Stacks

NODES = 45
"""Bits of a pair that stand for nodes; above them stands the number of the stacks."""
MOST = 1 << 16
"""Different arrangements of leftover stacks that one search can tell apart; more are met in made-up positions only."""


class Leftovers:
    """Numbers the arrangements of stacks that are neither single stones nor one block. No stacks at all is number 0."""

    def __init__(self) -> None:
        """Begin with the empty arrangement."""
        self._numbers: dict[Stacks, int] = {(): 0}
        self._stacks: list[Stacks] = [()]
        self._nodes = [0]
        self.full = False
        """Something was left out, as there are too many arrangements: the search is not exact."""

    def pair(self, cells: Cells) -> tuple[int, int]:
        """Return cells as a pair."""
        white, black, blocks, stacks = cells
        number = self._numbers.get(stacks)
        if number is None:
            number = len(self._stacks)
            if number >= MOST:
                self.full = True
                return -1, -1
            self._numbers[stacks] = number
            self._stacks.append(stacks)
            self._nodes.append(sum(1 << node for node, _, _ in stacks))
        return white | blocks | number << NODES, black | blocks

    def cells(self, a: int, b: int) -> Cells:
        """Return the cells of a pair."""
        stacks = self._stacks[a >> NODES]
        blocks = a & b & ALL
        return a & ~blocks & ALL, b & ~blocks, blocks, stacks

    def nodes(self, number: int) -> int:
        """Return the nodes that carry the stacks of an arrangement."""
        return self._nodes[number]

    def shifted(self, a: int, b: int) -> list[tuple[int, int]]:
        """Return the pairs after every move of excess; empty when all of it is inert."""
        cells = self.cells(a, b)
        later = [rules.after(cells, act) for act in rules.excess_acts(cells)]
        return [pair for pair in map(self.pair, later) if pair[0] >= 0]
