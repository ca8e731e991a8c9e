"""What each node is worth to the runners of a seat: thousandths of a logit of winning, from ``worth.toml``.

The file has them for blue, mode by mode; quarter turns of the board make the other sides' of them. A row counts for
more the nearer the end is. So there are values for some stages of the game, and between two stages they change evenly.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from firmware_host.games.octiles.board import BEYOND, FIRST_NODE, MEETS, NODES, ROWS_GAINED, SIDES, quarter_edge
from firmware_host.games.octiles.rules import GOAL, SEATED, Position, active

FILE = Path(__file__).with_name("worth.toml")
A_ROW = 350
"""What a row of stops is worth in the simple evaluation, which knows nothing but how far it is.

With more than two players it is worth half, as the fitted values are: the same spread of a level's choices then means
the same in both evaluations.
"""
SIMPLE, FITTED = 0, 1
STAGES = 4
"""The first is the beginning, when no runner has moved, the last the end, when all are in their goals."""
STEPS = 60
"""Steps of the way from the beginning to the end, so that few values are kept."""
_ROWS = 5
"""Rows from a home to the goal."""

Worth = tuple[tuple[int, ...], ...]
"""Seat, from 0 → node → what it is worth."""
Shares = tuple[tuple[int, float], tuple[int, float]]
"""Two stages that follow each other, and the share of each."""


def quarter_node(node: int) -> int:
    """Return the node that a quarter turn of the board clockwise makes of one."""
    return BEYOND[quarter_edge(MEETS[node][0])] - FIRST_NODE


def worth_for_side(worth: list[int], side: str) -> tuple[int, ...]:
    """Return what nodes are worth to a side, given what they are worth to blue."""
    nodes = list(range(len(NODES)))
    for _ in range(SIDES.index(side)):
        nodes = [quarter_node(node) for node in nodes]
    found = [0] * len(NODES)
    for blue, own in enumerate(nodes):
        found[own] = worth[blue]
    return tuple(found)


def rows_left(side: str, node: int) -> int:
    """Return how many rows a runner of a side is before its goal."""
    return ROWS_GAINED[side][node * len(NODES) + next(iter(GOAL[side]))]


def step_of(left: int, runners: int) -> int:
    """Return the step of a game, 0 to :data:`STEPS`, in which so many runners have so many rows left together."""
    return STEPS - STEPS * left // (_ROWS * runners)


def stages_at(step: int) -> Shares:
    """Return the two stages between which a step is, and the share of each."""
    first = min(step * (STAGES - 1) // STEPS, STAGES - 2)
    share = step * (STAGES - 1) / STEPS - first
    return (first, 1 - share), (first + 1, share)


def between(values: Sequence[int], shares: Shares) -> int:
    """Return the value between two stages, of one value a stage."""
    return round(sum(share * values[stage] for stage, share in shares))


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def fitted_worth(mode: str, step: int) -> tuple[Worth, tuple[int, ...]]:
    """Return the fitted worth of nodes, and what it is worth to be the first, second … to move."""
    table, shares = _tables()[f"players-{mode}"], stages_at(step)
    blue = [between(table["nodes"].get(name, [0] * STAGES), shares) for name in NODES]
    to_move = tuple(between(values, shares) for values in table["to_move"])
    return tuple(worth_for_side(blue, side) for side in SEATED[mode]), to_move


@cache
def simple_worth(mode: str) -> tuple[Worth, tuple[int, ...]]:
    """Return the worth of nodes by the rows that are left from them."""
    worth = []
    row = A_ROW if len(SEATED[mode]) == 2 else A_ROW // 2
    for side in SEATED[mode]:
        worth.append(tuple(-row * rows_left(side, node) for node in range(len(NODES))))
    return tuple(worth), (0,) * len(worth)


def evaluation(position: Position, form: int) -> tuple[Worth, tuple[int, ...]]:
    """Return the evaluation of a position and those after it by its form: 0 the simple one, else the fitted one."""
    if form == SIMPLE:
        return simple_worth(position.mode)
    sides = [(SEATED[position.mode][seat - 1], position.runners[seat - 1]) for seat in active(position)]
    left = sum(rows_left(side, node) for side, nodes in sides for node in nodes)
    return fitted_worth(position.mode, step_of(left, sum(len(nodes) for _, nodes in sides)))
