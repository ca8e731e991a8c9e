"""The sheet for making a board's tiles, at scale 1:1: outlines, lines with bridges, magnets, names.

Everything is drawn as seen from above; magnets are inserted from below.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from firmware_host.extensions.maker import octagon
from firmware_host.extensions.maker.octagon import Point
from firmware_host.extensions.maker.plate import (
    BLIND,
    CUT,
    LABEL_MM,
    PRINT,
    Circle,
    DrawingError,
    Label,
    Outline,
    Plate,
    Segment,
    Shape,
    crosses,
    scale_bar,
    scale_label,
)
from firmware_host.extensions.maker.plate import from_below as mirror
from hw.ports import BoardDescription, TileMaking
from hw.tile_codes import MIDDLE, magnets

PLAY_MM = 1.0
"""Difference between a well's and its tile's width."""
LANE_MM = 5.0
"""Width of a line, which is drawn as two strokes."""
BRIDGE_MM = 0.8
"""Gap on either side of a line that crosses over another."""
GAP_MM = 4.0
"""Gap between two tiles on the sheet."""
PAGE_MM = (210.0, 297.0)
COLUMNS, ROWS = 3, 4
"""Maximum number of tiles across and down a page of A4."""
HEAD_MM = 18.0
NORTH, SOUTH = "N", "S"
FROM_ABOVE, FROM_BELOW = "north up, let in from below", "seen from below: south looks at you"
MARK_MM = 2.4
"""Side of the triangle that marks north."""


def magnets_of(tile: TileMaking) -> tuple[int, ...]:
    """Return the places (0 to 7 in the ring, 8 in the middle) of a tile's magnets; without a ring only the middle."""
    return tuple(place for place, one in enumerate(magnets(tile.ring)) if one) if tile.ring else (MIDDLE,)


def pages(board: BoardDescription) -> list[Plate]:
    """Return the sheet as pages of A4. Raise DrawingError for a board without tiles, or with too large tiles."""
    across = _across(board)
    columns = min(COLUMNS, int((PAGE_MM[0] - GAP_MM) / (across + GAP_MM)))
    rows = min(ROWS, int((PAGE_MM[1] - 2 * HEAD_MM) / (across + GAP_MM)))
    if not columns or not rows:
        raise DrawingError(f"{board.name}: well_mm: tiles of {across:g} mm do not fit a page of A4")
    names = list(board.tiles)
    parts = [names[begin : begin + columns * rows] for begin in range(0, len(names), columns * rows)]
    return [
        _page(board, part, columns, PAGE_MM, f"page {number} of {len(parts)}") for number, part in enumerate(parts, 1)
    ]


def sheet(board: BoardDescription) -> Plate:
    """Return all tiles on one sheet. Raise DrawingError for a board without tiles."""
    step = _across(board) + GAP_MM
    columns = math.ceil(math.sqrt(len(board.tiles)))
    rows = math.ceil(len(board.tiles) / columns)
    size = (max(columns * step + GAP_MM, 130.0), rows * step + GAP_MM + 2 * HEAD_MM)
    return _page(board, list(board.tiles), columns, size, f"{len(board.tiles)} tiles")


def from_below(sheet: Plate) -> Plate:
    """Return a sheet seen from below, without the lines on top, for drilling."""
    # Texts are not mirrored, and tiles keep their names. A magnet shows its other pole.
    seen = {NORTH: SOUTH, FROM_ABOVE: FROM_BELOW}
    below = mirror(sheet)
    return replace(
        below,
        shapes=tuple(
            replace(one, text=_replace_end(one.text, seen)) if isinstance(one, Label) else one for one in below.shapes
        ),
    )


def _replace_end(text: str, instead: Mapping[str, str]) -> str:
    for begin, other in instead.items():
        if text == begin or text.endswith(f", {begin}"):
            return text.removesuffix(begin) + other
    return text


def _across(board: BoardDescription) -> float:
    across = board.well_mm - PLAY_MM
    if not board.tiles:
        raise DrawingError(f"{board.name}: there are no tiles, expected a section [tiles] in the board file")
    if board.sizes.ring_mm + board.sizes.magnet_mm / 2 >= across / 2:
        raise DrawingError(f"{board.name}: ring_mm: the magnets would reach over the edge of tiles of {across:g} mm")
    return across


def _page(board: BoardDescription, names: Sequence[str], columns: int, size: tuple[float, float], head: str) -> Plate:
    across = _across(board)
    width, height = size
    step = across + GAP_MM
    left = (width - columns * step + GAP_MM) / 2 + across / 2
    middle, top = width / 2, height - HEAD_MM / 2
    drawn: list[Shape] = [
        *scale_bar(),
        scale_label(),
        Label(PRINT, middle, top + 2, LABEL_MM, f"{board.name}: tiles of {across:g} mm, {head}"),
        Label(PRINT, middle, top - 4, LABEL_MM * 0.8, f"magnets of {board.sizes.magnet_mm:g} mm, {FROM_ABOVE}"),
    ]
    for at, name in enumerate(names):
        row, column = divmod(at, columns)
        drawn += _tile(board, name, (left + column * step, height - HEAD_MM - across / 2 - row * step))
    drawn += crosses(one for one in drawn if isinstance(one, Circle))
    return Plate(f"{board.name} tiles", width, height, tuple(drawn))


def _tile(board: BoardDescription, name: str, centre: Point) -> Iterator[Shape]:
    """Yield the shapes of one tile round its centre."""
    x, y = centre
    across, tile = _across(board), board.tiles[name]
    beside = board.sizes.magnet_mm / 2 + 1.4
    yield Outline(CUT, tuple((right, up, 0.0) for right, up in octagon.corners(x, y, across)))
    for begin, end in lanes(tile.lines, across):
        yield Segment(PRINT, x + begin[0], y + begin[1], x + end[0], y + end[1])
    for place in magnets_of(tile):
        far = 0.0 if place == MIDDLE else board.sizes.ring_mm
        right, up = (far * part for part in octagon.direction(place % octagon.EDGES))
        yield Circle(BLIND, x + right, y + up, board.sizes.magnet_mm / 2)
        yield Label(BLIND, x + right + beside, y + up, 1.6, NORTH)
    yield Label(PRINT, x + 7.0, y + across / 2 - 3.0, 3.0, name)
    mark = [(-7.0, -1.0), (-7.0 - MARK_MM / 2, -1.0 - MARK_MM), (-7.0 + MARK_MM / 2, -1.0 - MARK_MM)]
    for (x1, y1), (x2, y2) in itertools.pairwise([*mark, mark[0]]):
        yield Segment(PRINT, x + x1, y + across / 2 + y1, x + x2, y + across / 2 + y2)


def lanes(pairs: Sequence[tuple[int, int]], across: float) -> Iterator[tuple[Point, Point]]:
    """Yield the strokes of a tile's lines round (0, 0); where two cross, the later one interrupts the earlier one."""
    ways = [octagon.edge_curve(one, other, across) for one, other in pairs]
    for at, line in enumerate(ways):
        over = ways[at + 1 :]
        for side in (LANE_MM / 2, -LANE_MM / 2):
            for begin, end in itertools.pairwise(octagon.parallel_curve(line, side)):
                middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
                if all(octagon.distance_to(middle, other) > LANE_MM / 2 + BRIDGE_MM for other in over):
                    yield begin, end
