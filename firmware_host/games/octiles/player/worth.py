"""What each node is worth to the runners of a seat: thousandths of a logit of winning, from ``worth.toml``.

The file has them for blue, mode by mode; quarter turns of the board make the other sides' of them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from firmware_host.games.octiles.board import BEYOND, FIRST_NODE, MEETS, NODES, ROWS_GAINED, SIDES, quarter_edge
from firmware_host.games.octiles.rules import GOAL, SEATED

FILE = Path(__file__).with_name("worth.toml")
A_ROW = 350
"""What a row of stops is worth in the simple evaluation, which knows nothing but how far it is.

With more than two players it is worth half, as the fitted values are: the same spread of a level's choices then means
the same in both evaluations.
"""
SIMPLE, FITTED = 0, 1

Worth = tuple[tuple[int, ...], ...]
"""Seat, from 0 → node → what it is worth."""


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


@cache
def fitted_worth(mode: str) -> tuple[Worth, tuple[int, ...]]:
    """Return the fitted worth of nodes, and what it is worth to be the first, second … to move."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))[f"players-{mode}"]
    blue = [table["nodes"].get(name, 0) for name in NODES]
    return tuple(worth_for_side(blue, side) for side in SEATED[mode]), tuple(table["to_move"])


@cache
def simple_worth(mode: str) -> tuple[Worth, tuple[int, ...]]:
    """Return the worth of nodes by the rows that are left from them."""
    worth = []
    row = A_ROW if len(SEATED[mode]) == 2 else A_ROW // 2
    for side in SEATED[mode]:
        to_goal = next(iter(GOAL[side]))
        worth.append(tuple(-row * ROWS_GAINED[side][node * len(NODES) + to_goal] for node in range(len(NODES))))
    return tuple(worth), (0,) * len(worth)


def evaluation(mode: str, form: int) -> tuple[Worth, tuple[int, ...]]:
    """Return an evaluation by its form: 0 the simple one, else the fitted one."""
    return simple_worth(mode) if form == SIMPLE else fitted_worth(mode)
