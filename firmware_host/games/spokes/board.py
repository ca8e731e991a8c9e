"""The board of Spokes: 45 nodes, 76 lines, and the nodes "straight on" and "perpendicular" for each pair.

Source: spokes.md, Board. Nodes are numbered 0 to 44 in label order: A1, B1–B4, C1–C8, D1–D16, homes 1–16; a set of
nodes is an ``int`` with one bit a node. Everything here is computed once, at import, from circles and spokes.
"""

from __future__ import annotations

import math

CIRCLES = (("A", 1), ("B", 4), ("C", 8), ("D", 16), ("", 16))
"""Letter and number of nodes of each circle, from the centre outwards; the Home Circle has no letter."""
NODES = tuple(f"{letter}{k}" for letter, count in CIRCLES for k in range(1, count + 1))
INDEX = {node: number for number, node in enumerate(NODES)}
GROUPS = ((0, 1), (1, 5), (5, 13), (13, 29), (29, 45))
"""First and last + 1 node of each circle."""
CENTRE = 0
HOMES = sum(1 << node for node in range(29, 45))
PLACEABLE = (1 << 29) - 1
ALL = (1 << 45) - 1


def _on_circle() -> list[tuple[int, int]]:
    """Return (node, next node clockwise) for all circles of more than one node."""
    pairs = []
    for first, last in GROUPS[1:]:
        count = last - first
        pairs += [(first + k, first + (k + 1) % count) for k in range(count)]
    return pairs


def _on_spokes() -> list[tuple[int, int]]:
    """Return (inner, outer) of every line along a spoke."""
    pairs = [(CENTRE, INDEX[f"B{k}"]) for k in range(1, 5)]
    pairs += [(INDEX[f"B{k}"], INDEX[f"C{2 * k - 1}"]) for k in range(1, 5)]
    pairs += [(INDEX[f"C{k}"], INDEX[f"D{2 * k - 1}"]) for k in range(1, 9)]
    pairs += [(INDEX[f"D{k}"], INDEX[f"{k}"]) for k in range(1, 17)]
    return pairs


LINES = tuple(_on_spokes() + _on_circle())


def _straight_and_across() -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], tuple[int, ...]]]:
    """Return the node straight on, and the nodes across, for each (pusher, pushed)."""
    clockwise = dict(_on_circle())
    back = {later: node for node, later in clockwise.items()}
    outward = {inner: outer for inner, outer in _on_spokes() if inner != CENTRE}
    inward = {outer: inner for inner, outer in _on_spokes()}
    straight: dict[tuple[int, int], int] = {}
    across: dict[tuple[int, int], tuple[int, ...]] = {}
    for node, later in clockwise.items():
        for pusher, pushed, onward in ((node, later, clockwise), (later, node, back)):
            straight[pusher, pushed] = onward[pushed]
            across[pusher, pushed] = tuple(way[pushed] for way in (inward, outward) if pushed in way)
    ring_b = [INDEX[f"B{k}"] for k in range(1, 5)]
    for inner, outer in _on_spokes():
        if outer in outward:
            straight[inner, outer] = outward[outer]
        across[inner, outer] = (back[outer], clockwise[outer])
        if inner == CENTRE:
            k = ring_b.index(outer)
            straight[outer, inner] = ring_b[(k + 2) % 4]
            across[outer, inner] = (ring_b[(k + 1) % 4], ring_b[(k + 3) % 4])
        else:
            if inner in inward:
                straight[outer, inner] = inward[inner]
            across[outer, inner] = (back[inner], clockwise[inner])
    return straight, across


STRAIGHT, ACROSS = _straight_and_across()


def _neighbours() -> tuple[tuple[int, ...], ...]:
    near: list[list[int]] = [[] for _ in NODES]
    for one, other in LINES:
        near[one].append(other)
        near[other].append(one)
    return tuple(tuple(sorted(nodes)) for nodes in near)


NEIGHBOURS = _neighbours()
NEAR = tuple(sum(1 << other for other in nodes) for nodes in NEIGHBOURS)
"""The neighbours of each node as a set."""

PUSHES = tuple(
    tuple(
        (pushed, STRAIGHT[pusher, pushed], 1 << STRAIGHT[pusher, pushed], ACROSS[pusher, pushed])
        for pushed in NEIGHBOURS[pusher]
        if (pusher, pushed) in STRAIGHT
    )
    for pusher in range(45)
)
"""For each pusher: (pushed, node straight on, its bit, nodes across), if there is a node straight on."""


def coordinates() -> dict[str, tuple[float, float]]:
    """Return node → (x, y): the radius is the circle's number; node 1 is north, the others follow clockwise."""
    places = {}
    for radius, (first, last) in enumerate(GROUPS):
        for k in range(last - first):
            angle = 2 * math.pi * k / (last - first)
            places[NODES[first + k]] = (radius * math.sin(angle), radius * math.cos(angle))
    return places


def members(nodes: int) -> list[int]:
    """Return the nodes of a set, in label order."""
    found = []
    while nodes:
        low = nodes & -nodes
        found.append(low.bit_length() - 1)
        nodes ^= low
    return found


def span(first: str, last: str) -> int:
    """Return the set of the nodes from one label to another of the same circle."""
    return sum(1 << node for node in range(INDEX[first], INDEX[last] + 1))
