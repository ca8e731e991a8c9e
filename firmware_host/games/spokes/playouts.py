"""Random games and counts of sequences, on flat numbers: the engine's ``playouts`` and ``perft``.

The ends of turns are few beside steps, so they are asked from the reference (:func:`rules.phase_over`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random

from firmware_host.games.game import OverBudget, Status
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import members
from firmware_host.games.spokes.flat import Leftovers, Listing, Partners
from firmware_host.games.spokes.rules import Cells, Position
from firmware_host.games.spokes.search.proofs import LoopFinder

LONG_PHASE = 24
"""Number of steps in one phase after which a random walk is checked for a loop, again and again."""
ENDLESS_PHASE = 1200
"""Number of steps after which a playout treats a phase as a loop of the stones that took part, even without a proof:
playouts are estimates."""
LOOP_BUDGET = 2_000
"""Number of positions explored to check a playout for a loop; most loops are far smaller."""


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions to the end and return the status; ``position`` may be in any phase."""
    loops = LoopFinder(LOOP_BUDGET)
    status = rules.status(position)
    while not status.over:
        cells = position.cells
        if position.phase == "place":
            colours = rules.colours_left(cells, len(position.active))
            nodes = members(rules.empty_nodes(cells))
            for _ in position.active:
                cells = rules.add(cells, rng.choice(nodes), (rng.choice(colours),))
        cells, nodes_of_loop = _resolve(cells, loops, rng)
        position, status = rules.phase_over(replace(position, cells=cells), nodes_of_loop)
    return status


def _resolve(cells: Cells, loops: LoopFinder, rng: Random) -> tuple[Cells, int]:
    """Walk to a rest or into a loop. Return the cells, and the nodes that the loop clears."""
    leftovers = Leftovers()
    listing, moved = Listing(leftovers), Partners(leftovers)
    here = leftovers.pair(cells)
    steps = 0
    while True:
        following = listing.after(*here)
        if not following:
            return leftovers.cells(*here), 0
        steps += 1
        if steps % LONG_PHASE == 0:
            nodes = loops.nodes(leftovers.cells(*here))
            if nodes or steps > ENDLESS_PHASE:
                return leftovers.cells(*here), nodes or moved.nodes
            moved.look(*here)
        here = rng.choice(following)


class Counting:
    """Counts sequences of actions: the placements of all players are one, and the end of the game ends a sequence."""

    def __init__(self, loops: LoopFinder, out_of_time: Callable[[], bool]) -> None:
        """``loops`` finds those that end a phase at once."""
        self._loops = loops
        self._out_of_time = out_of_time
        self._leftovers = Leftovers()
        self._listing = Listing(self._leftovers)

    def count(self, position: Position, depth: int) -> int:
        """Return the number of sequences of a length. Raise OverBudget when time is out: a part is no answer."""
        if depth == 0 or position.phase == "over":
            return 1
        if position.phase == "resolve":
            return self._steps(position, self._leftovers.pair(position.cells), depth)
        offered, players = rules.placements(position), len(position.active)
        if depth == 1:
            return int(len(offered) ** players)
        total = 0
        for chosen in product(offered, repeat=players):
            cells = position.cells
            for colour, node in chosen:
                cells = rules.add(cells, node, (colour,))
            total += self._arrive(position, self._leftovers.pair(cells), depth - 1)
        return total

    def _steps(self, position: Position, here: tuple[int, int], depth: int) -> int:
        following = self._listing.after(*here)
        return len(following) if depth == 1 else sum(self._arrive(position, later, depth - 1) for later in following)

    def _arrive(self, position: Position, here: tuple[int, int], depth: int) -> int:
        """Count from cells within a phase of a position's turn, which they may end."""
        if self._out_of_time():
            raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
        cells = self._leftovers.cells(*here)
        rest = not self._listing.after(*here)
        nodes = 0 if rest else self._loops.nodes(cells)
        if rest or nodes:
            return self.count(rules.phase_over(replace(position, cells=cells), nodes)[0], depth)
        return 1 if depth == 0 else self._steps(position, here, depth)
