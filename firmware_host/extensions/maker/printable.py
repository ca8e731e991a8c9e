"""Parts for a 3D printer, in mm: stones and tiles with pockets for magnets, cups for sensor and pixel, templates.

All sizes follow from the board file, as those of the drawings do. Each part is an outline of one height with upright
holes: it prints flat and without supports, and OpenSCAD's source says the same in a few lines. A printed hole comes out
smaller than drawn: :data:`PLAY_MM` is for that.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmware_host.extensions.maker import octagon
from firmware_host.extensions.maker.pieces import pieces_of
from firmware_host.extensions.maker.plate import (
    BLIND,
    DRILL,
    WINDOW,
    Circle,
    DrawingError,
    Outline,
    plate,
    sensor_places,
    window_offset,
)
from hw.ports import RING, BoardDescription, NodeWiring

PLAY_MM = 0.2
"""A pocket is so much wider and deeper than what goes in."""
TILE_MM = 5.0
"""Height of a tile."""
TILE_PLAY_MM = 1.0
"""So much narrower than its well a tile is, from flat to flat."""
CUP_MM = 10.0
"""Height of a cup: from the plate's underside to behind sensor and pixel."""
PIXEL_MM = 10.2
"""Diameter of the pocket for a single pixel's round board."""
SHADE_MM = 3.0
"""Of a cup's height, the shaft between pixel and window: light reaches no other window."""
WALL_MM = 1.6
"""Least wall of a cup: four lines of a usual nozzle."""
SLOT_MM = (5.0, 4.0)
"""Length and width of a sensor's hole in a cup where the board file's part has no slot: a TO-92."""
TEMPLATE_MM = 3.0
PILOT_MM = 2.2
"""Diameter of a template's holes: they lead a drill of 2 mm."""
BED_MM = 200.0
"""Largest length of a template's piece."""
SEGMENTS = 96
MISSING = "install the library for solids: pip install 'lodestone-board[printable]'; --scad needs none"


@dataclass(frozen=True)
class Hole:
    """An upright hole round (x, y): a circle, or a rectangle of (length, width)."""

    x: float
    y: float
    size: tuple[float, float]
    """Diameter twice for a circle."""
    begin: float
    end: float
    """From this height to that one."""
    round: bool = True


@dataclass(frozen=True)
class Part:
    """One thing to print, and how many of it."""

    name: str
    number: int
    outline: tuple[tuple[float, float], ...]
    """Its corners, anticlockwise."""
    height: float
    holes: tuple[Hole, ...] = ()

    @property
    def size(self) -> tuple[float, float, float]:
        """Length, width and height, mm."""
        xs, ys = zip(*self.outline, strict=True)
        return max(xs) - min(xs), max(ys) - min(ys), self.height


def parts(board: BoardDescription) -> list[Part]:
    """Return all parts of a board. Raise DrawingError where its sizes leave no room."""
    return [*_pieces(board), *_cups(board), *_templates(board)]


# -- pieces ------------------------------------------------------------------------------------------------------------


def _pieces(board: BoardDescription) -> Iterator[Part]:
    magnet = board.magnet
    if magnet is None:
        raise DrawingError(f"{board.name}: magnet: expected the stones' magnet in [sensors], it names none")
    if magnet.height_mm + PLAY_MM > magnet.stone_mm - 1.0 or magnet.mm + PLAY_MM > board.node_mm - 2 * WALL_MM:
        size = f"{magnet.mm:g} x {magnet.height_mm:g} mm"
        room = f"a stone of {board.node_mm:g} x {magnet.stone_mm:g} mm"
        raise DrawingError(f"{board.name}: magnet: {size} finds no room in {room}")
    deep = magnet.height_mm + PLAY_MM
    pocket = Hole(0.0, 0.0, (magnet.mm + PLAY_MM,) * 2, 0.0, deep)
    stones = pieces_of(board).number or 2 * (len(board.nodes) - 1)
    yield Part("stone", stones, _circle(board.node_mm / 2), magnet.stone_mm, (pocket,))
    if board.tiles:
        across = board.well_mm - TILE_PLAY_MM
        wide = (board.sizes.magnet_mm + PLAY_MM,) * 2
        read = any(tile.ring for tile in board.tiles.values())
        if board.sizes.ring_mm + wide[0] / 2 + WALL_MM > across / 2:
            raise DrawingError(f"{board.name}: ring_mm: the magnets reach over the edge of tiles of {across:g} mm")
        places = [(0.0, 0.0), *_ring(board.sizes.ring_mm)] if read else [(0.0, 0.0)]
        pockets = tuple(Hole(x, y, wide, 0.0, deep) for x, y in places)
        outline = tuple(octagon.corners(0.0, 0.0, across)[::-1])
        yield Part("tile", len(board.tiles), outline, TILE_MM, pockets)


def _ring(radius: float) -> list[tuple[float, float]]:
    return [(radius * right, radius * up) for right, up in map(octagon.direction, range(RING))]


# -- below the plate ---------------------------------------------------------------------------------------------------


def _cups(board: BoardDescription) -> Iterator[Part]:
    """Yield a cup for each kind of node; it stands on the plate's side that was printed last, the window's shaft."""
    kinds: dict[tuple[bool, bool], list[NodeWiring]] = {}
    for node in board.nodes.values():
        kinds.setdefault((node.well, bool(node.ring)), []).append(node)
    for (well, ring), nodes in kinds.items():
        name = "cup" if not well else "cup-well"
        yield _cup(board, f"{name}-ring" if ring else name, nodes)


def _cup(board: BoardDescription, name: str, nodes: Sequence[NodeWiring]) -> Part:
    at_middle = replace(nodes[0], x=0.0, y=0.0)
    long, wide = (side or least for side, least in zip(board.slot_mm, SLOT_MM, strict=True))
    sensors = [
        Hole(x, y, (long + PLAY_MM, wide + PLAY_MM), 0.0, CUP_MM, round=False)
        for x, y in sensor_places(board, [at_middle])
    ]
    x, y = window_offset(board, at_middle)
    shaft = Hole(x, y, (board.sizes.window_mm,) * 2, CUP_MM - SHADE_MM, CUP_MM)
    pixel = Hole(x, y, (PIXEL_MM,) * 2, 0.0, CUP_MM - SHADE_MM)
    holes = (*sensors, *((shaft, pixel) if board.lights.length else ()))
    left, right = (side(hole.x + sign * hole.size[0] / 2 for hole in holes) + sign * WALL_MM for side, sign in _ENDS)
    bottom, top = (side(hole.y + sign * hole.size[1] / 2 for hole in holes) + sign * WALL_MM for side, sign in _ENDS)
    outline = ((left, bottom), (right, bottom), (right, top), (left, top))
    return Part(name, len(nodes), outline, CUP_MM, holes)


_ENDS = ((min, -1), (max, 1))


def _templates(board: BoardDescription) -> Iterator[Part]:
    """Yield the pieces of a drilling template for the whole plate, row by row from the lower left corner."""
    drawn = plate(board)
    marks = [(one.x, one.y) for one in drawn.of(Circle) if one.layer in {BLIND, DRILL, WINDOW}]
    marks += [one.centre for one in drawn.of(Outline) if one.layer == BLIND]
    columns = _cuts(drawn.width, [x for x, _ in marks])
    rows = _cuts(drawn.height, [y for _, y in marks])
    for row, (low, high) in enumerate(itertools.pairwise(rows), 1):
        for column, (left, right) in enumerate(itertools.pairwise(columns), 1):
            own = [(x - left, y - low) for x, y in marks if left <= x < right and low <= y < high]
            holes = tuple(Hole(x, y, (PILOT_MM,) * 2, 0.0, TEMPLATE_MM) for x, y in own)
            outline = ((0.0, 0.0), (right - left, 0.0), (right - left, high - low), (0.0, high - low))
            yield Part(f"template-{row}-{column}", 1, outline, TEMPLATE_MM, holes)


def _cuts(length: float, marks: Sequence[float]) -> list[float]:
    """Return where a length is cut: into as few pieces as fit the bed, each cut as far from all holes as it can be."""
    count = math.ceil(length / (BED_MM - 20.0))
    cuts = [0.0]
    for number in range(1, count):
        near = [length * number / count + step / 2 for step in range(-40, 41)]
        cuts.append(max(near, key=lambda cut: min((abs(cut - mark) for mark in marks), default=0.0)))
    return [*cuts, length]


# -- files -------------------------------------------------------------------------------------------------------------


def scad(part: Part) -> str:
    """Return a part as OpenSCAD's source."""
    corners = ", ".join(f"[{x:.3f}, {y:.3f}]" for x, y in part.outline)
    lines = [
        f"// {part.name}: print {part.number}; {' x '.join(f'{side:.1f}' for side in part.size)} mm",
        "$fn = 96;",
        "difference() {",
        f"  linear_extrude({part.height:.3f}) polygon([{corners}]);",
    ]
    for hole in part.holes:
        begin, end = _through(hole, part)
        flat = (
            f"circle(d = {hole.size[0]:.3f})"
            if hole.round
            else f"square([{hole.size[0]:.3f}, {hole.size[1]:.3f}], true)"
        )
        place = f"[{hole.x:.3f}, {hole.y:.3f}, {begin:.3f}]"
        lines.append(f"  translate({place}) linear_extrude({end - begin:.3f}) {flat};")
    return "\n".join([*lines, "}", ""])


def _through(hole: Hole, part: Part) -> tuple[float, float]:
    """Return from where to where a hole is cut: a little beyond faces that it opens, which no cut may merely touch."""
    return hole.begin - (0.5 if hole.begin <= 0 else 0.0), hole.end + (0.5 if hole.end >= part.height else 0.01)


def stl(part: Part) -> bytes:
    """Return a part as a binary STL file. Raise DrawingError without the library for solids."""
    try:
        import manifold3d  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise DrawingError(MISSING) from error
    solid = _extrude(manifold3d, part.outline, 0.0, part.height)
    for hole in part.holes:
        (long, wide), (begin, end) = hole.size, _through(hole, part)
        flat = _circle(long / 2) if hole.round else _rectangle(long, wide)
        solid -= _extrude(manifold3d, [(x + hole.x, y + hole.y) for x, y in flat], begin, end)
    mesh = solid.to_mesh()
    points, triangles = mesh.vert_properties, mesh.tri_verts
    head = f"{part.name}, mm".encode().ljust(80)
    body = b"".join(_facet([tuple(map(float, points[corner][:3])) for corner in triangle]) for triangle in triangles)
    return head + struct.pack("<I", len(triangles)) + body


def _extrude(manifold3d: Any, outline: Sequence[tuple[float, float]], begin: float, end: float) -> Any:
    flat = manifold3d.CrossSection([list(outline)])
    return manifold3d.Manifold.extrude(flat, end - begin).translate((0.0, 0.0, begin))


def _facet(corners: Sequence[tuple[float, ...]]) -> bytes:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    normal = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
    length = math.hypot(*normal) or 1.0
    return struct.pack("<12fH", *(side / length for side in normal), *itertools.chain(*corners), 0)


def _circle(radius: float) -> tuple[tuple[float, float], ...]:
    angles = (math.tau * at / SEGMENTS for at in range(SEGMENTS))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def _rectangle(long: float, wide: float) -> tuple[tuple[float, float], ...]:
    x, y = long / 2, wide / 2
    return (-x, -y), (x, -y), (x, y), (-x, y)


def write(board: BoardDescription, folder: Path, *, solids: bool = True) -> Iterator[tuple[Part, Path]]:
    """Write each part of a board into a folder, as source and (``solids``) as STL; yield what was written.

    Raise DrawingError, or OSError where a file can't be written.
    """
    made = parts(board)
    folder.mkdir(parents=True, exist_ok=True)
    for part in made:
        path = folder / f"{part.name}.scad"
        path.write_text(scad(part), encoding="utf-8")
        if solids:
            path = folder / f"{part.name}.stl"
            path.write_bytes(stl(part))
        yield part, path
