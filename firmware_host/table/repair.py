"""Guiding a board back to where it should be: one stone at a time, along the shortest ways, off before on."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmware_host.games.game import Layout, Occupancy, Stack
from firmware_host.table.senses import NOTHING, Senses

_NEVER = 1_000_000
"""Cost of a pairing across colours: only taken where nothing else is left, and then dropped."""


@dataclass(frozen=True)
class Fix:
    """One thing to do: move a stone (both nodes), take one off (``target`` None) or put one on (``source`` None).

    From a node to the same node: what lies there is only turned.
    """

    source: str | None
    target: str | None
    pieces: Stack = ()

    @property
    def is_turn(self) -> bool:
        """Tell whether a tile is to be turned where it lies."""
        return self.source is not None and self.source == self.target


def distances(layout: Layout) -> dict[str, dict[str, int]]:
    """Return the number of lines between any two nodes (unreachable nodes are far away, not missing)."""
    joined: dict[str, list[str]] = {node: [] for node in layout.nodes}
    for one, other in layout.lines:
        joined[one].append(other)
        joined[other].append(one)
    far = len(joined)
    table = {}
    for start in joined:
        reached = {start: 0}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for near in joined[node]:
                if near not in reached:
                    reached[near] = reached[node] + 1
                    queue.append(near)
        table[start] = {node: reached.get(node, far) for node in joined}
    return table


def plan(
    target: Occupancy,
    seen: Mapping[str, str],
    differing: Sequence[str],
    senses: Senses,
    ways: Mapping[str, Mapping[str, int]],
) -> list[Fix]:
    """Return what mends the board, in the order in which to do it.

    ``seen`` maps node → sight; ``differing`` are the nodes whose sight doesn't fit ``target``. Surplus and missing
    stones are paired by least total distance, never across colours where sensors show them.
    """
    turns = [Fix(node, node, target[node]) for node in differing if _only_turned(target.get(node), seen[node])]
    differing = [node for node in differing if node not in {fix.source for fix in turns}]
    surplus = [
        node
        for node in differing
        if seen[node] != NOTHING and not _lacks(target.get(node), seen[node], senses.at(node))
    ]
    missing = [node for node in differing if node in target and (seen[node] == NOTHING or node not in surplus)]
    wanted = {node: target[node] for node in missing}
    for node in surplus:  # A stone of the wrong colour: off first, the right one comes later.
        if node in target:
            wanted[node] = target[node]
    targets = list(wanted)
    cost = [
        [
            ways[source][node] if source != node and _may_be(source, seen[source], wanted[node], senses) else _NEVER
            for node in targets
        ]
        for source in surplus
    ]
    pairs = {surplus[i]: targets[j] for i, j in assign(cost) if cost[i][j] < _NEVER}
    moves = [Fix(source, node, wanted[node][:1]) for source, node in pairs.items()]
    takes = [Fix(source, None) for source in surplus if source not in pairs]
    puts = [Fix(None, node, _lacking(wanted[node], seen[node], senses.at(node))) for node in targets]
    blocked = set(surplus)
    free_moves = [fix for fix in moves if fix.target not in blocked]
    late_moves = [Fix(fix.source, None) for fix in moves if fix.target in blocked]
    placed = set(pairs.values())
    return [*takes, *turns, *free_moves, *late_moves, *(fix for fix in puts if fix.target not in placed)]


def _only_turned(stack: Stack | None, sight: str) -> bool:
    """Tell whether the right tile is seen, turned in another way."""
    name, turned, _ = sight.rpartition("r")
    return bool(turned) and stack is not None and len(stack) == 1 and stack[0].rpartition("r")[:2] == (name, "r")


def _lacks(stack: Stack | None, sight: str, senses: Senses) -> bool:
    """Tell whether the node needs more stones on top of what is seen (a level sensor shows a stone too few)."""
    if not stack or len(stack) < 2:
        return False
    return any(
        senses.fits(stack[:count], sight) or senses.fits(stack[-count:], sight) for count in range(1, len(stack))
    )


def _lacking(stack: Stack, sight: str, senses: Senses) -> Stack:
    """Return the pieces still to be put: all, or what is missing on top of a lone stone."""
    if sight == NOTHING or not _lacks(stack, sight, senses):
        return stack
    lower = next((piece for piece in stack if senses.fits((piece,), sight)), stack[0])
    rest = list(stack)
    rest.remove(lower)
    return tuple(rest)


def _may_be(node: str, sight: str, stack: Stack, senses: Senses) -> bool:
    """Tell whether what is seen at a node may be (the lower piece of) what is wanted somewhere."""
    here = senses.at(node)
    if here.takes_tiles is not None:  # Where no sensor tells tiles apart, which one is seen somewhere is not known.
        return here.fits(stack[:1], sight) and (here.kind == "coded" or not here.takes_tiles)
    pole = senses.pole(sight)
    return pole is None or pole in {senses.poles[piece] for piece in stack}


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
