"""Random games and counts of sequences, on flat numbers: the engine's ``playouts`` and ``perft``.

The ends of turns are few beside steps, so they are asked from the reference (:func:`rules.phase_over`).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from firmware_host.games.game import Status
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
