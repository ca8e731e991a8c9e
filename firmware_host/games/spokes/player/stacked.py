"""Boards on which stacks lie that are neither single stones nor one block: rare, so by the rules' own slow ways."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.games.spokes import endings, rules
from firmware_host.games.spokes.board import ALL
from firmware_host.games.spokes.player.judge import WIN, Judge
from firmware_host.games.spokes.position import TEAMS, Cells, Position
from firmware_host.games.spokes.resolution import cleared
from firmware_host.games.spokes.search.leftovers import Leftovers

_COLOURS = (("w",), ("b",))


class Stacked:
    """Judges ends of a phase with stacks left over, which a pair of sets alone does not tell."""

    def __init__(self, position: Position, leftovers: Leftovers, judge: Judge) -> None:
        """``position`` gives all but the cells."""
        self._position = position
        self._leftovers = leftovers
        self._judge = judge

    def rest(self, a: int, b: int, team: int) -> int:
        """Return what a rest is worth to a team."""
        return self._value(self._leftovers.cells(a, b), team, loop=False)

    def loop(self, a: int, b: int, nodes: int, team: int) -> int:
        """Return what a loop is worth to a team."""
        return self._value(cleared(self._leftovers.cells(a, b), nodes), team, loop=True)

    def _value(self, cells: Cells, team: int, *, loop: bool) -> int:
        ended = replace(self._position, cells=cells)
        reason = endings.ending(ended, loop=loop)
        if reason is None:
            # A stack counts like a block, which is near enough where nothing is certain.
            stacks = self._leftovers.nodes(self._leftovers.pair(cells)[0] >> 45)
            white, black, blocks, _ = cells
            return self._judge.chance((white | blocks | stacks) & ALL, black | blocks | stacks, team)
        winners = endings.status(replace(ended, phase="over"), reason).winners
        return WIN if TEAMS[self._position.mode][team] == winners else 0


def placed(cells: Cells, placements: list[int]) -> Cells:
    """Return the cells with stones put down: a placement is its node, and 64 more for a black stone."""
    for placement in placements:
        cells = rules.add(cells, placement & 63, _COLOURS[placement >> 6])
    return cells
