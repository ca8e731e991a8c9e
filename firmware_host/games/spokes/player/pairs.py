"""Pairs of placements that are made at the same time, weighed by one graph that all of them share."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board
from firmware_host.games.spokes.player.ends import Ends
from firmware_host.games.spokes.player.judge import WIN
from firmware_host.games.spokes.player.stacked import placed
from firmware_host.games.spokes.position import Cells

_NEAR: Final[list[i64]] = [i64(nodes) for nodes in board.NEAR]
_NODES: Final = 45


class Pairs:
    """Weighs pairs of placements: what each position after both is worth. A placement is its node, and 64 if black."""

    def __init__(self, ends: Ends, cells: Cells, resolver: i64, team: i64, most: i64) -> None:
        """The board before the placements, the team that resolves, the team to which all is worth something.

        ``most`` positions are looked at in all. Two teams only.
        """
        self._ends = ends
        self._cells = cells
        a, b = ends.leftovers.pair(cells)
        self._a: i64 = a
        self._b: i64 = b
        self._resolver: i64 = resolver
        self._team: i64 = team
        self._most: i64 = most

    def matrix(self, own: list[int], replies: list[int]) -> list[int]:
        """Return the values of each own placement with each reply, row by row.

        All pairs share one graph, as their ways meet: most positions are reached from many pairs.
        """
        self.explore(own, replies)
        return self.values(own, replies)

    def explore(self, own: list[int], replies: list[int]) -> None:
        """Look at what follows from each own placement with each reply."""
        self._ends.begin(self._resolver)
        alike = own == replies
        for row, first in enumerate(own):
            for second in replies[row if alike else 0 :]:
                self._root(first, second)
        self._ends.explore(self._most)
        self._ends.spread()

    def values(self, own: list[int], replies: list[int]) -> list[int]:
        """Return the values of pairs that were explored, as the ends are valued now."""
        alike = own == replies
        values: list[int] = []
        count = len(own)
        for row, first in enumerate(own):
            for column, second in enumerate(replies):
                # Two stones are the same, whichever player has placed which.
                if alike and column < row:
                    values.append(values[column * count + row])
                else:
                    value = self._ends.value(self._root(first, second))
                    values.append(value if self._resolver == self._team else WIN - value)
        return values

    def end_of(self, first: i64, second: i64) -> i64:
        """Return the end that the resolver takes after a pair that was explored, -1 where none is known."""
        return self._ends.end_of(self._root(first, second))

    def value(self, first: i64, second: i64) -> i64:
        """Return the value of one pair of placements."""
        self._ends.begin(self._resolver)
        self._root(first, second)
        self._ends.explore(self._most)
        self._ends.spread()
        value = self._ends.value(self._root(first, second))
        return value if self._resolver == self._team else WIN - value

    def _root(self, first: i64, second: i64) -> i64:
        """Return the number of the position after two placements: of the best one, where a double leads to several."""
        if first == second:
            return self._double(first)
        one: i64 = 1
        a, b = self._a, self._b
        if first & 64:
            b |= one << (first & 63)
        else:
            a |= one << first
        if second & 64:
            b |= one << (second & 63)
        else:
            a |= one << second
        return self._ends.root(a, b)

    def _double(self, placement: i64) -> i64:
        """Return the number after two like stones on one node have become two nodes' again, in the best way.

        One of them moves first: to an empty node beside it, or onto a single stone of the other colour. Where it can do
        neither, or other stacks lie on the board, the rules say where it goes.
        """
        one: i64 = 1
        bit = one << (placement & 63)
        other = (self._a if placement & 64 else self._b) & ~(self._a & self._b)
        targets = _NEAR[placement & 63] & (~(self._a | self._b) | other)
        if targets == 0 or self._a >> _NODES:
            a, b = self._ends.leftovers.pair(placed(self._cells, [placement, placement]))
            return self._ends.root(a, b)
        best: i64 = -1
        while targets:
            target = targets & -targets
            targets ^= target
            if placement & 64:
                number = self._ends.root(self._a, self._b | bit | target)
            else:
                number = self._ends.root(self._a | bit | target, self._b)
            if best < 0 or self._ends.graph.label(number) > self._ends.graph.label(best):
                best = number
        return best
