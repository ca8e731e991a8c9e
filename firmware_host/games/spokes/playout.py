"""A random game on cells, for thousands of playouts."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from firmware_host.games.game import Status
from firmware_host.games.spokes import endings, rules
from firmware_host.games.spokes.board import members
from firmware_host.games.spokes.position import Cells, Position
from firmware_host.games.spokes.resolution import LoopFinder, cleared, loop_nodes

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
    while position.phase != "over":
        cells = position.cells
        if position.phase == "place":
            colours = endings.colours_left(cells, len(position.active))
            nodes = members(endings.empty_nodes(cells))
            for _ in position.active:
                cells = rules.add(cells, rng.choice(nodes), (rng.choice(colours),))
        cells, nodes_of_loop = _resolve(cells, loops, rng)
        position = replace(position, cells=cleared(cells, nodes_of_loop))
        reason = endings.ending(position, loop=bool(nodes_of_loop))
        if reason is not None:
            return endings.status(replace(position, phase="over"), reason)
        position = replace(position, turn=position.turn + 1, resolver=endings.next_resolver(position), phase="place")
    return endings.status(position)


def _resolve(cells: Cells, loops: LoopFinder, rng: Random) -> tuple[Cells, int]:
    """Walk to a rest or into a loop. Return the cells, and the nodes that the loop clears."""
    steps = moved = 0
    while True:
        acts = rules.acts(cells)
        if not acts:
            return cells, 0
        steps += 1
        if steps % LONG_PHASE == 0:
            nodes = loops.nodes(cells)
            if nodes or steps > ENDLESS_PHASE:
                return cells, nodes or moved
            moved |= loop_nodes(cells)
        cells = rules.after(cells, rng.choice(acts))
