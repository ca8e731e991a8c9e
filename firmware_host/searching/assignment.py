"""Distances on a graph, and the cheapest pairing of two kinds of things: the *assignment problem*.

:func:`assign` solves it exactly with the Hungarian method (Kuhn 1955) in the form with potentials and shortest
augmenting paths (Jonker and Volgenant, Computing 38, 1987), in cubic time.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from firmware_host.games.game import bounded_cache


def neighbours(nodes: Iterable[str], lines: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return node → the nodes that lines join it to, in the order of the lines; of every node, also without any."""
    joined: dict[str, list[str]] = {node: [] for node in nodes}
    for one, other in lines:
        joined[one].append(other)
        joined[other].append(one)
    return joined


class Distances:
    """The number of lines between any two nodes, two bytes each: a mapping for each of 127 nodes took 0.7 MB."""

    def __init__(self, nodes: Iterable[str], lines: Iterable[tuple[str, str]]) -> None:
        joined = neighbours(nodes, lines)
        self._rank = {node: rank for rank, node in enumerate(joined)}
        self._rows = [array("H", self._from(node, joined)) for node in joined]

    def _from(self, start: str, joined: Mapping[str, Sequence[str]]) -> list[int]:
        row = [len(joined)] * len(joined)
        row[self._rank[start]] = 0
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for near in joined[node]:
                if row[self._rank[near]] == len(joined):
                    row[self._rank[near]] = row[self._rank[node]] + 1
                    queue.append(near)
        return row

    def __getitem__(self, pair: tuple[str, str]) -> int:
        """Return the number of lines between two nodes; one that can't be reached is as far as there are nodes."""
        return self._rows[self._rank[pair[0]]][self._rank[pair[1]]]


@bounded_cache(8)
def distances(nodes: tuple[str, ...], lines: tuple[tuple[str, str], ...]) -> Distances:
    """Return the distances between nodes. Cached: they take long on large boards; a table restarts on the same one."""
    return Distances(nodes, lines)


def assign(cost: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return pairs (row, column) of least total cost, as many as the smaller side has (the Hungarian method).

    ``cost`` is a rectangular matrix of whole numbers; rows and columns are used at most once.
    """
    if not cost or not cost[0]:
        return []
    if len(cost) > len(cost[0]):
        turned = [list(column) for column in zip(*cost, strict=True)]
        return sorted((row, column) for column, row in assign(turned))
    rows, columns = len(cost), len(cost[0])
    row_price, column_price = [0] * (rows + 1), [0] * (columns + 1)
    owner = [0] * (columns + 1)  # Row (from 1) that holds each column; column 0 stands for the row being placed.
    for row in range(1, rows + 1):
        came_from = _grow(cost, row, owner, row_price, column_price)
        column = came_from.pop()
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    return sorted((owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column])


def _grow(
    cost: Sequence[Sequence[int]], row: int, owner: list[int], row_price: list[int], column_price: list[int]
) -> list[int]:
    """Grow a tree of tight edges from ``row`` to a free column.

    Return each column's predecessor in the tree, and last the free column.
    """
    columns = len(cost[0])
    owner[0] = row
    slack = [float("inf")] * (columns + 1)
    came_from = [0] * (columns + 1)
    done = [False] * (columns + 1)
    column = 0
    while owner[column]:
        done[column] = True
        current = owner[column]
        for other in range(1, columns + 1):
            gap = cost[current - 1][other - 1] - row_price[current] - column_price[other]
            if not done[other] and gap < slack[other]:
                slack[other], came_from[other] = gap, column
        best = min((other for other in range(1, columns + 1) if not done[other]), key=lambda other: slack[other])
        step = int(slack[best])
        for other in range(columns + 1):
            if done[other]:
                row_price[owner[other]] += step
                column_price[other] -= step
            else:
                slack[other] -= step
        column = best
    return [*came_from, column]
