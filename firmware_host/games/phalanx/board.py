"""The board of Phalanx: nine by nine points, sets of points as one ``int``, and the four directions as shifts.

Source: phalanx.md, Board and Set-up. Rows are numbered from the top (row 9) and ten bits apart: the tenth column is
never used, so that a step over an edge ends on no point.
"""

from __future__ import annotations

LETTERS = "ABCDEFGHJ"
SIZE = 9
ROW = 10
NODES = tuple(f"{letter}{SIZE - row}" for row in range(SIZE) for letter in LETTERS)
"""Row 9 first, each from A to J: the order of the position's text."""
BIT = {node: 1 << (number // SIZE * ROW + number % SIZE) for number, node in enumerate(NODES)}
NODE = {bit: node for node, bit in BIT.items()}
BOARD = sum(BIT.values())

SIDES = ("b", "w")
"""Black is seat 1 and begins."""
OTHER = {"b": "w", "w": "b"}
GOAL = {"b": "A9", "w": "J1"}
PLAYABLE = BOARD & ~BIT["A9"] & ~BIT["J1"]
"""R1: nobody moves to, is added on or stays on a goal."""
SET_UP = {
    "b": sum(BIT[node] for node in ("G3", "H3", "G2", "H2")),
    "w": sum(BIT[node] for node in ("B8", "C8", "B7", "C7")),
}
HOPLITES = 9
"""Hoplites of each side."""

SHIFT = {"n": -ROW, "e": 1, "s": ROW, "w": -1}


def shift_points(points: int, by: int) -> int:
    """Return a set moved by a :data:`SHIFT`; points beyond an edge are on no node, but may remain as bits."""
    return points << by if by > 0 else points >> -by


def near(points: int) -> int:
    """Return the points next to any point of a set, including points of the set with a neighbour in it."""
    return (points << 1 | points >> 1 | points << ROW | points >> ROW) & BOARD


NEAR_GOAL = {side: near(BIT[goal]) for side, goal in GOAL.items()}
"""A side's hoplite on one of these points has won."""


def members(points: int) -> list[int]:
    """Return the single points of a set as bits, in the order of :data:`NODES`."""
    found = []
    while points:
        low = points & -points
        found.append(low)
        points ^= low
    return found


def names(points: int) -> tuple[str, ...]:
    """Return the names of a set's points, in the order of :data:`NODES`."""
    return tuple(NODE[bit] for bit in members(points))


def coordinates() -> dict[str, tuple[float, float]]:
    """Return node → (x, y), E5 at (0, 0), one unit apart."""
    return {node: (float(LETTERS.index(node[0]) - 4), float(int(node[1]) - 5)) for node in NODES}


def lines() -> tuple[tuple[str, str], ...]:
    """Return the pairs of neighbours."""
    return tuple((node, NODE[bit << by]) for node, bit in BIT.items() for by in (1, ROW) if bit << by & BOARD)
