"""Guiding a board back to its target: one piece at a time, along the shortest paths, removing before adding."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from firmware_host.games.caching import cached
from firmware_host.games.game import Layout, Occupancy, Stack
from firmware_host.table.senses import NOTHING, Senses

_NEVER = 1_000_000
"""Cost of a pairing across colours: used only if no other is left, and then dropped."""


@dataclass(frozen=True)
class Fix:
    """One task: move a piece (both nodes), take one off (``target`` None) or put some on (``source`` None).

    ``pieces`` are the pieces meant, empty if their kind is not known. From a node to the same node: the tile is only
    turned.
    """

    source: str | None
    target: str | None
    pieces: Stack = ()
    carried: bool = False
    """Whether the piece was lifted for this fix and is in the air."""

    @property
    def is_turn(self) -> bool:
        """Return whether a tile is to be turned in place."""
        return self.source is not None and self.source == self.target


def distances(layout: Layout) -> Mapping[str, Mapping[str, int]]:
    """Return the number of lines between any two nodes (unreachable nodes are far away, not missing)."""
    return _distances(tuple(layout.nodes), layout.lines)


@cached(8)
def _distances(nodes: tuple[str, ...], lines: tuple[tuple[str, str], ...]) -> Mapping[str, Mapping[str, int]]:
    """Return the same for a graph. Cached: it takes long on large boards, and a table restarts on the same board."""
    joined: dict[str, list[str]] = {node: [] for node in nodes}
    for one, other in lines:
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
    known: Mapping[str, Stack] | None = None,
) -> list[Fix]:
    """Return the fixes that mend the board, in the order in which to do them.

    ``seen`` maps node → sensed state; ``differing`` are the nodes whose state doesn't fit ``target``; ``known`` maps
    nodes to stacks that the events prove. A surplus piece goes to a node that misses one of its kind, by least total
    distance, never across known colours; the rest is taken off or put on. Each fix that is done leaves fewer wrong
    pieces, so that every repair ends.
    """
    turns = [Fix(node, node, target[node]) for node in differing if _only_turned(target.get(node), seen[node])]
    turned = {fix.source for fix in turns}
    surplus: list[tuple[str, str | None]] = []
    missing: list[tuple[str, str]] = []
    for node in differing:
        if node not in turned:
            more, less = _difference(target.get(node, ()), seen[node], senses.at(node), (known or {}).get(node))
            surplus += [(node, piece) for piece in more]
            missing += [(node, piece) for piece in less]
    pairs = _pairs(surplus, missing, senses, ways)
    full = {node for node, _ in surplus}
    moves = [Fix(surplus[i][0], missing[j][0], (missing[j][1],)) for i, j in pairs.items()]
    takes = [Fix(node, None, _named(piece)) for i, (node, piece) in enumerate(surplus) if i not in pairs]
    blocked = [Fix(fix.source, None, fix.pieces) for fix in moves if fix.target in full]
    puts = _together(one for j, one in enumerate(missing) if j not in pairs.values())
    return [*takes, *turns, *(fix for fix in moves if fix.target not in full), *blocked, *puts]


def _pairs(
    surplus: Sequence[tuple[str, str | None]],
    missing: Sequence[tuple[str, str]],
    senses: Senses,
    ways: Mapping[str, Mapping[str, int]],
) -> dict[int, int]:
    """Return the number of each surplus piece → the number of the missing piece that it is used for."""
    cost = [
        [
            ways[node][to] if node != to and _may_be(senses, node, piece, to, wanted) else _NEVER
            for to, wanted in missing
        ]
        for node, piece in surplus
    ]
    return {i: j for i, j in assign(cost) if cost[i][j] < _NEVER}


def _may_be(senses: Senses, node: str, piece: str | None, to: str, wanted: str) -> bool:
    """Return whether a surplus piece on one node may be the missing piece of another."""
    if (node in senses.wells) != (to in senses.wells):
        return False
    if piece is None:  # No sensor tells which tile it is: it goes off the board. The player sees what else it is.
        return node not in senses.wells
    return piece == wanted or (node in senses.wells and piece.rpartition("r")[0] == wanted.rpartition("r")[0])


def _named(piece: str | None) -> Stack:
    return () if piece is None else (piece,)


def _together(missing: Iterable[tuple[str, str]]) -> list[Fix]:
    """Return the fixes that put pieces on, all pieces of a node together."""
    nodes: dict[str, list[str]] = {}
    for node, piece in missing:
        nodes.setdefault(node, []).append(piece)
    return [Fix(None, node, tuple(pieces)) for node, pieces in nodes.items()]


def _only_turned(stack: Stack | None, sensed: str) -> bool:
    """Return whether the right tile is sensed, in another rotation."""
    name, turned, _ = sensed.rpartition("r")
    return bool(turned) and stack is not None and len(stack) == 1 and stack[0].rpartition("r")[:2] == (name, "r")


def _difference(
    wanted: Stack, sensed: str, senses: Senses, known: Stack | None
) -> tuple[Sequence[str | None], Sequence[str]]:
    """Return the surplus pieces on a node (None: of unknown kind), and those that are missing there."""
    if sensed == NOTHING:
        return (), wanted
    lying = [known] if known and senses.fits(known, sensed) else _stacks(sensed, senses, len(wanted) + 1)
    if not lying:
        return (None,), wanted
    lying = [stack for stack in lying if len(stack) <= 2] or lying  # Higher mixed stacks may report anything.
    best = min(lying, key=lambda stack: _distance(stack, wanted))
    if not wanted and len({stack for stack in lying if len(stack) == len(best)}) > 1:
        return (None,), ()
    return tuple((Counter(best) - Counter(wanted)).elements()), tuple((Counter(wanted) - Counter(best)).elements())


def _distance(stack: Stack, wanted: Stack) -> int:
    return (Counter(stack) - Counter(wanted)).total() + (Counter(wanted) - Counter(stack)).total()


def _stacks(sensed: str, senses: Senses, tallest: int) -> list[Stack]:
    """Return the stacks that a node may carry by its sensed state, the smaller ones first."""
    if senses.takes_tiles:
        return [(sensed,)] if sensed in senses.tiles else []
    pieces = [piece for piece in senses.poles if piece not in senses.tiles]
    stacks = (stack for count in range(1, tallest + 1) for stack in combinations_with_replacement(pieces, count))
    return [tuple(sorted(stack)) for stack in stacks if senses.fits(stack, sensed)]


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
