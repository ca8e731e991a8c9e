"""The robot of boardspace.net for two players of Octiles, restated: a peer to measure our player against.

It looks up to six turns ahead by alpha-beta and knows the order of the whole stack, which no player at a table does.
A position is worth to a side 1000, and 1 for each runner on the goal, less the straight-line distance of each other
runner to the first open pad of the goal. The lists of turns come from the project's core; evaluation and search are
written anew here.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from firmware_host.games.octiles.board import HOMES, NODE, NODES, OPPOSITE, layout
from firmware_host.games.octiles.flat import LISTED, SHOWN, FlatOctiles, action
from firmware_host.games.octiles.notation import PASS
from firmware_host.games.octiles.rules import SEATED, Position

WON = 1e6
LISTS = 200
"""Lists of turns a decision: as much time as the highest level of the player takes, 0.02 to 0.03 s, and three turns
ahead, a part of the fourth. Four turns ahead take eight times as long."""
DEEPEST = 6
AIM = 0.75
"""Score of the highest level against this player, at least."""

PLACES = layout().nodes
PADS = {side: [NODE[pad] for pad in HOMES[OPPOSITE[side]]] for side in HOMES}
"""Side → the pads of its goal, clockwise."""
DISTANCE = [[math.dist(PLACES[one], PLACES[other]) for other in NODES] for one in NODES]


class Enough(Exception):
    """As many lists of turns have been made as a decision may take."""


def choose(game: Any, position: Position, seat: int, rng: Random, nodes: int = LISTS) -> str:  # noqa: ARG001
    """Return the robot's action, the same for the same position: it looks ever deeper until it has made its lists.

    Raise ValueError for more than two players.
    """
    if position.mode != "2":
        raise ValueError(f"mode: the robot plays with two, got {position.mode}")
    robot = Robot(position, nodes)
    turn = robot.best(1)
    for depth in range(2, DEEPEST + 1):
        try:
            turn = robot.best(depth)
        except Enough:
            break
    return PASS if turn is None else action(turn)


class Robot:
    """One decision."""

    def __init__(self, position: Position, lists: int) -> None:
        """Set the core up."""
        self._core = FlatOctiles()
        self._core.begin(position)
        self._sides = SEATED[position.mode]
        self._left = lists

    def best(self, depth: int) -> int | None:
        """Return the turn with which the seat to move comes out best after some turns; None where there is none."""
        core, found, most = self._core, None, -math.inf
        while core.made:  # What was broken off is taken back.
            core.unmake()
        for turn, at_once in self._order_turns(0):
            value = at_once
            if depth > 1 and at_once < WON / 2:
                core.make(turn)
                value = -self._replies(1, depth - 1, -math.inf, -most)
                core.unmake()
            if value > most:
                found, most = turn, value
        return found

    def _replies(self, made: int, left: int, alpha: float, beta: float) -> float:
        """Return what the position is worth to the seat to move, less what it is to the other."""
        if self._left <= 0:
            raise Enough
        core = self._core
        turns = self._order_turns(made)
        if not turns:
            if left == 1:
                return self._side(int(core.seat)) - self._side(1 - int(core.seat))
            core.skip()
            value = -self._replies(made + 1, left - 1, -beta, -alpha)
            core.unmake()
            return value
        if left == 1 or turns[0][1] >= WON / 2:
            return turns[0][1] - (made if turns[0][1] >= WON / 2 else 0)
        for turn, _ in turns:
            core.make(turn)
            alpha = max(alpha, -self._replies(made + 1, left - 1, -beta, -alpha))
            core.unmake()
            if alpha >= beta:
                break
        return alpha

    def _order_turns(self, made: int) -> list[tuple[int, float]]:
        """Return the turns with what the position is worth after each, the best first."""
        core, seat = self._core, int(self._core.seat)
        self._left -= 1
        first = made * LISTED
        last = int(core.turns(first, SHOWN))
        pads = PADS[self._sides[seat]]
        nodes = self._nodes(seat)
        other = self._side(1 - seat)
        known: dict[int, float] = {}
        found = []
        for at in range(first, last):
            turn = int(core.move_list[at])
            moved = turn & 4095
            if moved not in known:
                after = [moved & 63 if node == moved >> 6 else node for node in nodes]
                known[moved] = self._worth(after, pads, int(core.taken)) - other
            found.append((turn, known[moved]))
        found.sort(key=lambda one: -one[1])
        return found

    def _side(self, seat: int) -> float:
        return self._worth(self._nodes(seat), PADS[self._sides[seat]], int(self._core.taken))

    def _nodes(self, seat: int) -> list[int]:
        return [int(self._core.nodes[seat * 5 + place]) for place in range(int(self._core.runners))]

    @staticmethod
    def _worth(nodes: list[int], pads: list[int], taken: int) -> float:
        """Return what a side's nodes are worth to it; ``taken`` are the nodes where runners stood before."""
        home = [node for node in nodes if node in pads]
        if len(home) == len(nodes):
            return WON
        pad = next((pad for pad in pads if not taken >> pad & 1 and pad not in home), pads[0])
        to_pad = DISTANCE[pad]
        return 1000 + len(home) - sum(to_pad[node] for node in nodes if node not in pads)
