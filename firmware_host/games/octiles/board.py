"""The board and the tiles of Octiles, defined for one side and turned by quarters for the others.

Source: octiles.md, Board and tiles. Wells, nodes and the edges of wells are numbers here:

- a *well* from 0 in the order of :data:`WELLS`, a *node* (stop or pad) from 0 in the order of :data:`NODES`;
- a *direction* from 0 (north) clockwise by eighths to 7 (north-west);
- an *edge* is ``well * 8 + direction``; a *face* is ``tile * 8 + turn``, a tile as it lies, 0 for none.
"""

from __future__ import annotations

import math

from firmware_host.games.game import Layout

COMPASS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Direction → step in x and y (y upwards); a diagonal step is one field in each."""
N, _, _, _, S, SW, W, NW = range(8)

WELLS = ("a2", "a3", "b2", "b3", "b4", "b5", "c1", "c2", "c3", "c4", "c5", "d1", "d2", "d3", "d4", "e3", "e4")
STOPS = tuple(f"{column}{row}" for column in "BCDE" for row in range(2, 6))
SIDES = ("blue", "red", "yellow", "green")
"""Clockwise: a quarter turn clockwise maps each side to the next one."""
HOMES = {
    "blue": ("A1", "A2", "A3", "A4", "A5"),
    "red": ("A6", "B6", "C6", "D6", "E6"),
    "yellow": ("F6", "F5", "F4", "F3", "F2"),
    "green": ("F1", "E1", "D1", "C1", "B1"),
}
"""The pads of each side, clockwise."""
OPPOSITE = {side: SIDES[(number + 2) % 4] for number, side in enumerate(SIDES)}
NODES = tuple(sorted((*STOPS, *(pad for pads in HOMES.values() for pad in pads))))

_PADS = (("a2", S), ("a2", SW), ("a2", W), ("a3", W), ("a3", NW))
"""Blue's pads, in their order: the well and the direction in which each lies."""
_PRINTED = ((("a3", N), ("b4", W)), (("a2", NW), ("a3", SW)))
"""The printed paths of one side."""
CURVE_POINTS = 9
"""Number of points by which a printed path is drawn."""
PAD_DISTANCE = 0.8
"""Distance from a well's centre to its pad, in units of the distance between neighbouring wells."""

WELL = {name: number for number, name in enumerate(WELLS)}
NODE = {name: number for number, name in enumerate(NODES)}
WELL_PLACES = tuple((ord(name[0]) - ord("c"), int(name[1]) - 3) for name in WELLS)
"""Place of each well: x to the right, y upwards, the middle one at (0, 0)."""

EDGES = len(WELLS) * 8
FIRST_NODE = EDGES
"""Code of a line's end at a node: this + the node's number. Smaller codes are edges of the next well."""
DEAD = FIRST_NODE + len(NODES)
"""Code of a line's end at a well without a tile."""


def quarter(well: int) -> int:
    """Return the image of a well under a quarter turn of the board clockwise."""
    x, y = WELL_PLACES[well]
    return WELL_PLACES.index((y, -x))


def quarter_edge(edge: int) -> int:
    """Return the image of an edge under a quarter turn of the board clockwise."""
    return quarter(edge >> 3) * 8 + ((edge & 7) + 2) % 8


def _beyond() -> tuple[int, ...]:
    """Return :data:`BEYOND`."""
    beyond: dict[int, int] = {}
    stops = {(ord(name[0]) - ord("B") - 1.5, int(name[1]) - 3.5): name for name in STOPS}
    for edge in range(EDGES):
        (x, y), (dx, dy) = WELL_PLACES[edge >> 3], COMPASS[edge & 7]
        stop = stops.get((x + dx / 2, y + dy / 2))
        if dx and dy and stop:
            beyond[edge] = FIRST_NODE + NODE[stop]
        elif not (dx and dy) and (x + dx, y + dy) in WELL_PLACES:
            beyond[edge] = WELL_PLACES.index((x + dx, y + dy)) * 8 + ((edge & 7) + 4) % 8
    pads = [WELL[well] * 8 + direction for well, direction in _PADS]
    printed = [tuple(WELL[well] * 8 + direction for well, direction in path) for path in _PRINTED]
    for side in SIDES:
        for edge, pad in zip(pads, HOMES[side], strict=True):
            beyond[edge] = FIRST_NODE + NODE[pad]
        for one, other in printed:
            beyond[one], beyond[other] = other, one
        pads = [quarter_edge(edge) for edge in pads]
        printed = [tuple(quarter_edge(edge) for edge in path) for path in printed]
    return tuple(beyond[edge] for edge in range(EDGES))


BEYOND = _beyond()
"""Edge → the node beyond it (``FIRST_NODE`` + node), or the edge by which a line enters the next well."""
MEETS = tuple(tuple(edge for edge in range(EDGES) if BEYOND[edge] == FIRST_NODE + node) for node in range(len(NODES)))
"""Node → the edges at it."""
PADS = tuple(name not in STOPS for name in NODES)
"""Node → whether it is a pad."""


# -- rows of stops -----------------------------------------------------------------------------------------------------


def _rows_left(side: str) -> list[int]:
    """Return node → number of rows of stops and pads that a side's runner still has to cross from there."""
    axis, ahead = ("ABCDEF", 0) if side in {"blue", "yellow"} else ("654321", 1)
    if side in {"yellow", "green"}:
        axis = axis[::-1]
    rows = [5 - axis.index(name[ahead]) for name in NODES]
    for node, name in enumerate(NODES):
        if PADS[node]:
            rows[node] = 0 if name in HOMES[OPPOSITE[side]] else 5 if name in HOMES[side] else rows[node]
    return rows


def _gains(side: str) -> tuple[int, ...]:
    left = _rows_left(side)
    return tuple(left[source] - left[target] for source in range(len(NODES)) for target in range(len(NODES)))


ROWS_GAINED = {side: _gains(side) for side in HOMES}
"""Side → (runner's node and its end, as the last part of a turn's code) → number of rows gained."""

# -- tiles -----------------------------------------------------------------------------------------------------------

_DRAWN = (
    "04 15 26 37, 05 14 26 37, 05 14 27 36, 04 17 25 36, 04 17 26 35, 02 16 35 47, 03 14 25 67, 04 15 23 67, "
    "04 13 25 67, 04 13 27 56, 02 17 35 46, 05 13 24 67, 02 14 35 67, 05 14 23 67, 07 13 26 45, 03 12 45 67, "
    "02 13 45 67, 01 23 45 67"
)
"""The lines of each unturned tile, from tile 1 on: the pairs of directions that each line joins."""
TILES = range(1, 19)
LINES: dict[int, tuple[tuple[int, int], ...]] = {
    tile: tuple((int(line[0]), int(line[1])) for line in drawn.split())
    for tile, drawn in zip(TILES, _DRAWN.split(", "), strict=True)
}


def _partners(face: int) -> tuple[int, ...]:
    tile, turn = divmod(face, 8)
    partner = [0] * 8
    for line in LINES.get(tile, ()):
        one, other = ((drawn + turn) % 8 for drawn in line)
        partner[one], partner[other] = other, one
    return tuple(partner)


PARTNER = tuple(_partners(face) for face in range(8 * (len(TILES) + 1)))
"""Face → for each direction of entry the direction in which the line leaves; meaningless without a tile."""


def layout() -> Layout:
    """Return the drawing: wells one unit apart, and the lines between wells, stops and pads."""
    places: dict[str, tuple[float, float]] = {}
    for well, (x, y) in zip(WELLS, WELL_PLACES, strict=True):
        places[well] = (float(x), float(y))
    for stop in STOPS:
        places[stop] = (ord(stop[0]) - ord("B") - 1.5, int(stop[1]) - 3.5)
    for node, name in enumerate(NODES):
        if PADS[node]:
            (edge,) = MEETS[node]
            (x, y), (dx, dy) = WELL_PLACES[edge >> 3], COMPASS[edge & 7]
            far = PAD_DISTANCE / math.hypot(dx, dy)
            places[name] = (round(x + dx * far, 4), round(y + dy * far, 4))
    lines: dict[frozenset[str], tuple[str, str]] = {}
    for edge, other in enumerate(BEYOND):
        pair = (WELLS[edge >> 3], NODES[other - FIRST_NODE] if other >= FIRST_NODE else WELLS[other >> 3])
        lines.setdefault(frozenset(pair), pair)
    nodes = {name: places[name] for name in (*NODES, *WELLS)}
    return Layout(
        nodes=nodes,
        lines=tuple(lines.values()),
        placeable=frozenset(WELLS),
        wells=frozenset(WELLS),
        paths=tuple(_curve(edge, other) for edge, other in printed_paths()),
    )


def printed_paths() -> list[tuple[int, int]]:
    """Return the pairs of edges joined by a printed path, each pair once: these edges don't face each other."""
    return [
        (edge, other)
        for edge, other in enumerate(BEYOND)
        if edge < other < FIRST_NODE and other & 7 != ((edge & 7) + 4) % 8
    ]


def _curve(edge: int, other: int) -> tuple[tuple[float, float], ...]:
    """Return points along a printed path, which leaves and enters both edges at a right angle."""
    (x, y), (x2, y2) = _middle(edge, 0.5), _middle(other, 0.5)
    (cx, cy), (cx2, cy2) = _middle(edge, 0.8), _middle(other, 0.8)
    found = []
    for step in range(CURVE_POINTS):
        t = step / (CURVE_POINTS - 1)
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        found.append((round(a * x + b * cx + c * cx2 + d * x2, 4), round(a * y + b * cy + c * cy2 + d * y2, 4)))
    return tuple(found)


def _middle(edge: int, far: float) -> tuple[float, float]:
    """Return the point at this distance from a well's centre, straight through the middle of an edge (at 0.5)."""
    (x, y), (dx, dy) = WELL_PLACES[edge >> 3], COMPASS[edge & 7]
    share = far / math.hypot(dx, dy)
    return x + dx * share, y + dy * share
