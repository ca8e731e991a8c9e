"""What the player needs of a position before it thinks: teams as numbers, a judge, and a search for ends."""

from __future__ import annotations

from firmware_host.games.spokes import endings, kernel
from firmware_host.games.spokes.board import NODES, members
from firmware_host.games.spokes.player.ends import Ends
from firmware_host.games.spokes.player.graph import Graph, PlainGraph
from firmware_host.games.spokes.player.judge import Judge, Weights
from firmware_host.games.spokes.player.stacked import Stacked, placed
from firmware_host.games.spokes.player.weights import learned, simple
from firmware_host.games.spokes.position import TEAMS, Position
from firmware_host.games.spokes.search.explore import Clock
from firmware_host.games.spokes.search.leftovers import Leftovers
from firmware_host.games.thinking import Budget

COMPILED = not kernel.__file__.endswith(".py")
FORMS = 2
"""Forms of the evaluation: 0 knows the leads alone, 1 the fitted patterns."""


def new_graph() -> Graph:
    """Return an empty graph of the form that runs."""
    if COMPILED:
        from firmware_host.games.spokes.player.packed_graph import PackedGraph  # noqa: PLC0415 - needs librt

        return PackedGraph()
    return PlainGraph()


class Scene:
    """One position and all that looks at it."""

    def __init__(self, position: Position, budget: Budget, weights: Weights | None = None) -> None:
        """``weights``: others than those that the budget's form of the evaluation has."""
        patterns = self.patterns = budget.evaluation > 0
        self.weights = weights
        self.position = position
        self.teams = TEAMS[position.mode]
        self.clock = Clock(budget.out_of_time)
        self.leftovers = Leftovers()
        mode = position.mode
        self.judge = Judge(
            list(endings.HOMES[mode].values()),
            list(endings.SECTORS[mode].values()),
            list(endings.GATES[mode].values()),
            weights or (learned() if patterns else simple()),
            patterns or weights is not None,
        )
        standing = sum(1 << self.teams.index(team) for team in endings.teams_left(position))
        following = self.team(endings.next_resolver(position))
        self.judge.turn_to(len(position.active), standing, following)
        stacked = Stacked(position, self.leftovers, self.judge)
        self.ends = Ends(new_graph(), self.leftovers, self.judge, stacked, self.clock)

    def team(self, seat: int) -> int:
        """Return the number of a seat's team."""
        return next(number for number, team in enumerate(self.teams) if seat in team)

    @property
    def resolver(self) -> int:
        """Return the number of the team that resolves."""
        return self.team(self.position.resolver)

    def placements(self) -> list[int]:
        """Return all placements that are offered: a node, and 64 more for a black stone."""
        colours = endings.colours_left(self.position.cells, len(self.position.active))
        nodes = members(endings.empty_nodes(self.position.cells))
        return [node + 64 * (colour == "b") for colour in colours for node in nodes]

    def after(self, placements: list[int]) -> tuple[int, int]:
        """Return the position after some placements."""
        nodes = {placement & 63 for placement in placements}
        if len(nodes) < len(placements):
            return self.leftovers.pair(placed(self.position.cells, placements))
        a, b = self.leftovers.pair(self.position.cells)
        for placement in placements:
            if placement & 64:
                b |= 1 << (placement & 63)
            else:
                a |= 1 << placement
        return a, b


def placement_text(placement: int) -> str:
    """Return a placement as an action."""
    return "wb"[placement >> 6] + NODES[placement & 63]
