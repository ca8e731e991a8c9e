"""A board's plate as geometry: cuts, holes and print. All in mm, y upwards, (0, 0) is the lower left corner."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from firmware_host.extensions.maker import octagon
from firmware_host.extensions.maker.pieces import cover_mm
from hw.ports import RING, BoardDescription, NodeWiring
from hw.registry import has_switch_pairs
from hw.sensor_parts import AXIAL, PARTS

CUT, DRILL, BLIND, WINDOW, PRINT, SCALE, CROSS = "CUT", "DRILL", "BLIND", "WINDOW", "PRINT", "SCALE", "CROSS"
LAYERS = (CUT, DRILL, BLIND, WINDOW, PRINT, SCALE, CROSS)
"""Edge of the plate; holes through it; blind holes from below; pixel windows; print on top; the bar for checking the
scale; crosses for the drill, which a mill or a laser must not follow."""
SCALE_MM = 100.0
SCALE_AT = (20.0, 6.0)
CORNER_INSET_MM = 10.0
LABEL_MM = 3.5
CLOSE_MM = 10.0
"""Maximum distance from a well's edge at which a printed curve is extended to it."""
PAIR_MM = 5.0
"""Distance of the middles of the two switches under a node that reads poles, side by side: each takes 4 mm."""
REED_ASIDE_MM = 4.0
"""How far beside its node's middle a reed and its slot lie, along the slot: right below a disc it has no field."""
WALL_MM = 1.0
"""Least wall between the two holes of a node that has two sensors."""
LEGEND = {
    CUT: "edge: cut",
    DRILL: "hole through the plate",
    BLIND: "blind hole, from below",
    WINDOW: "window of a pixel",
    PRINT: "print on top",
    CROSS: "middle for the drill: do not cut",
}
"""Layer → what its colour means, where people see it."""
HEAD_MM, HEAD_LINE_MM, HEAD_LEFT_MM = 2.5, 4.5, 20.0
"""Height of the title's capitals; from line to line; where the lines begin."""
CHARACTER_MM = 0.72 * HEAD_MM
"""Width of a character in it, on the average of sans-serif fonts, rounded up."""
ABOVE, BELOW = "seen from above", "seen from below"
CROSS_MM = 2.0
"""Half the length of the crosses at the centres of holes."""


class DrawingError(ValueError):
    """A board can't be drawn, or a file can't be made; the message says why and what to do."""


@dataclass(frozen=True)
class _Placed:
    """Something at (x, y), which moves and is mirrored with that point."""

    layer: str
    x: float
    y: float

    def move(self, right: float, up: float) -> Self:
        """Return it elsewhere."""
        return replace(self, x=self.x + right, y=self.y + up)

    def mirror(self, width: float) -> Self:
        """Return it as seen from the other side of a plate of this width."""
        return replace(self, x=width - self.x)


@dataclass(frozen=True)
class Circle(_Placed):
    """A circle round (x, y)."""

    radius: float


@dataclass(frozen=True)
class Arc(_Placed):
    """A part of a circle round (x, y), from one angle to another, degrees anticlockwise from the right."""

    radius: float
    begin: float
    end: float

    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return its first and last point."""
        begin, end = (
            (
                self.x + self.radius * math.cos(math.radians(angle)),
                self.y + self.radius * math.sin(math.radians(angle)),
            )
            for angle in (self.begin, self.end)
        )
        return begin, end

    def mirror(self, width: float) -> Self:
        """Return it as seen from the other side: its end becomes its beginning."""
        return replace(self, x=width - self.x, begin=180 - self.end, end=180 - self.begin)


@dataclass(frozen=True)
class Label(_Placed):
    """A text with its middle at (x, y), or its ``anchor`` (``start``, ``end``); ``height`` is that of its capitals."""

    height: float
    text: str
    anchor: str = "middle"
    shown: str = ""
    """The layer whose colour it has, where that is another than its own."""

    def mirror(self, width: float) -> Self:
        """Return it at its place seen from the other side, readable: what began there ends there."""
        anchor = {"start": "end", "end": "start"}.get(self.anchor, self.anchor)
        return replace(self, x=width - self.x, anchor=anchor)


@dataclass(frozen=True)
class Segment:
    """A straight line between two points."""

    layer: str
    x1: float
    y1: float
    x2: float
    y2: float

    def move(self, right: float, up: float) -> Self:
        """Return it elsewhere."""
        return replace(self, x1=self.x1 + right, y1=self.y1 + up, x2=self.x2 + right, y2=self.y2 + up)

    def mirror(self, width: float) -> Self:
        """Return it as seen from the other side."""
        return replace(self, x1=width - self.x1, x2=width - self.x2)


@dataclass(frozen=True)
class Outline:
    """A closed line that a mill or a laser follows.

    Each corner (x, y, bulge) begins a side to the next one: 0 straight, else an arc, whose bulge is the tangent of a
    quarter of its angle, above 0 anticlockwise (DXF's LWPOLYLINE).
    """

    layer: str
    corners: tuple[tuple[float, float, float], ...]

    @property
    def centre(self) -> tuple[float, float]:
        """The mean of its corners."""
        return (
            sum(x for x, _, _ in self.corners) / len(self.corners),
            sum(y for _, y, _ in self.corners) / len(self.corners),
        )

    def sides(self) -> Iterator[Segment | Arc]:
        """Yield its sides, one after the other."""
        for (x1, y1, bulge), (x2, y2, _) in itertools.pairwise([*self.corners, self.corners[0]]):
            if not bulge:
                yield Segment(self.layer, x1, y1, x2, y2)
                continue
            # From the middle of the chord the arc's centre lies to its left by this share of the chord's length.
            left = (1 / bulge - bulge) / 4
            x, y = (x1 + x2) / 2 - left * (y2 - y1), (y1 + y2) / 2 + left * (x2 - x1)
            begin, end = (math.degrees(math.atan2(at_y - y, at_x - x)) for at_x, at_y in ((x1, y1), (x2, y2)))
            first, last = (begin, end) if bulge > 0 else (end, begin)
            yield Arc(self.layer, x, y, math.dist((x, y), (x1, y1)), first, last + 360 * (last <= first))

    def move(self, right: float, up: float) -> Outline:
        """Return it elsewhere."""
        return Outline(self.layer, tuple((x + right, y + up, bulge) for x, y, bulge in self.corners))

    def mirror(self, width: float) -> Outline:
        """Return it as seen from the other side of a plate of this width."""
        return Outline(self.layer, tuple((width - x, y, -bulge) for x, y, bulge in self.corners))


Shape = Circle | Arc | Label | Segment | Outline
S = TypeVar("S", bound=Shape)


@dataclass(frozen=True)
class Plate:
    """A whole plate, or any other drawing."""

    name: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    to_scale: bool = True
    """Whether it has to be printed at 100 %."""

    def of(self, kind: type[S]) -> list[S]:
        """Return its shapes of one kind."""
        return [one for one in self.shapes if isinstance(one, kind)]


def edges(board: BoardDescription) -> tuple[float, float, float, float]:
    """Return where the plate ends: left, lower, right and upper edge, mm, as the nodes have their places."""
    xs, ys = zip(*((node.x, node.y) for node in board.nodes.values()), strict=True)
    room = board.sizes.edge_mm
    return min(xs) - room, min(ys) - room, max(xs) + room, max(ys) + room


def plate(board: BoardDescription) -> Plate:
    """Return the plate of a board. Raise DrawingError when nodes, wells, windows or slots overlap."""
    if board.node_mm <= 0:
        raise DrawingError(f"{board.name}: node_mm: expected more than 0 mm, got {board.node_mm:g}")
    _check_wells(board)
    _check_windows(board)
    if has_switch_pairs(board) and board.slot_mm[1] > PAIR_MM - WALL_MM:
        expected = f"two switches lie {PAIR_MM:g} mm apart: expected a width of at most {PAIR_MM - WALL_MM:g} mm"
        raise DrawingError(f"{board.name}: slot_mm: {expected}, got {board.slot_mm[1]:g}")
    nodes = tuple(board.nodes.values())
    left, bottom, right, top = edges(board)
    width, height = right - left, top - bottom
    placed = [replace(node, x=node.x - left, y=node.y - bottom) for node in nodes]
    rings = [ring for radius in board.circles_mm for ring in _ring(radius, -left, -bottom, placed, board)]
    slots = [part for x, y in sensor_places(board, placed) for part in _slot(board.slot_mm, x, y)]
    circles = [*_node_circles(board, placed), *_corners(board, width, height)]
    printed = [*_wells(board, placed), *_printed_lines(board, placed), *_paths(board, -left, -bottom)]
    lines = [*printed, *crosses(circles), *_drills(board, placed), *scale_bar()]
    title = (
        f"{board.name}: {len(nodes)} nodes, {board.scheme or board.backend}, {board.kind}",
        f"{width:.1f} x {height:.1f} mm, scale 1:1",
        ABOVE,
        *([f"{cover:.1f} mm stay over each sensor"] if (cover := cover_mm(board)) is not None else []),
    )
    shapes = (*rings, *circles, frame(width, height), *slots, *lines, *_node_labels(board, placed), scale_label())
    shown = {shape.layer for shape in shapes}
    legend = [(layer, text) for layer, text in LEGEND.items() if layer in shown]
    return Plate(board.name, width, height, (*shapes, *title_block(width, height, title, legend)))


def title_block(width: float, top: float, title: Iterable[str], legend: Iterable[tuple[str, str]]) -> Iterator[Label]:
    """Yield the lines at the upper edge of a drawing: what it is, and what each colour (its layer, a text) means."""
    right, down = HEAD_LEFT_MM, top - HEAD_LINE_MM
    for row in ([("", text) for text in title], list(legend)):
        for shown, text in row:
            long = CHARACTER_MM * len(text)
            if right > HEAD_LEFT_MM and right + long > width - HEAD_LEFT_MM:
                right, down = HEAD_LEFT_MM, down - HEAD_LINE_MM
            yield Label(SCALE, right, down, HEAD_MM, text, "start", shown)
            right += long + 2 * CHARACTER_MM
        right, down = HEAD_LEFT_MM, down - HEAD_LINE_MM


def _check_wells(board: BoardDescription) -> None:
    """Raise DrawingError for a well that overlaps another well or a node."""
    wells = [node for node in board.nodes.values() if node.well]
    if wells and not 0 < board.sizes.ring_mm < board.well_mm / 2:
        expected = f"expected more than 0 and less than half of well_mm ({board.well_mm:g})"
        raise DrawingError(f"{board.name}: ring_mm: {expected}, got {board.sizes.ring_mm:g}")
    for well, other in itertools.product(wells, board.nodes.values()):
        apart = octagon.distance_outside((other.x, other.y), (well.x, well.y), board.well_mm)
        if other is not well and apart < rim(board, other):
            raise DrawingError(
                f"{board.name}: {other.name} runs into the well {well.name}: "
                "choose a smaller well_mm or node_mm, or places further apart, in the board file"
            )


def _check_windows(board: BoardDescription) -> None:
    """Raise DrawingError for a window that lies under a piece or overlaps another window."""
    room = board.sizes.window_mm / 2
    for node, other in itertools.permutations(board.nodes.values(), 2):
        dx, dy = window_offset(board, node)
        window, centre = (node.x + dx, node.y + dy), (other.x, other.y)
        apart = math.dist(window, centre)
        free = octagon.distance_outside(window, centre, board.well_mm) if other.well else apart - board.node_mm / 2
        if free < room or math.dist((node.x, node.y), centre) < 2 * room:
            raise DrawingError(
                f"{board.name}: {node.name}'s window lies under {other.name} ({apart:.1f} mm from its centre): "
                "choose another window_at, or a smaller window_mm or node_mm, in the board file"
            )


def rim(board: BoardDescription, node: NodeWiring) -> float:
    """Return the distance of a printed node's rim from its centre; for a well the shortest one."""
    return (board.well_mm if node.well else board.node_mm) / 2


def window_offset(board: BoardDescription, node: NodeWiring) -> tuple[float, float]:
    """Return the offset of a node's window from its centre; a well's is always below it, not hidden by a tile."""
    if node.well:
        return 0.0, -(board.well_mm + board.sizes.window_mm) / 2 - 1.0
    return board.sizes.window_at or (0.0, -(board.node_mm + board.sizes.window_mm) / 2 - 1.0)


def _ring(radius: float, x: float, y: float, nodes: list[NodeWiring], board: BoardDescription) -> list[Circle | Arc]:
    """Return a printed circle round the centre, as arcs between the printed nodes on it."""
    gaps = []
    for node in nodes:
        room = rim(board, node)
        away = math.dist((x, y), (node.x, node.y))
        if abs(away - radius) < room and away > 0:
            middle = math.atan2(node.y - y, node.x - x)
            half = math.acos(min(1.0, max(-1.0, (radius**2 + away**2 - room**2) / (2 * radius * away))))
            gaps.append((math.degrees(middle - half) % 360, 2 * math.degrees(half)))
    if not gaps:
        return [Circle(PRINT, x, y, radius)]
    gaps.sort()
    arcs: list[Circle | Arc] = []
    for (begin, width), (after, _) in itertools.pairwise([*gaps, (gaps[0][0] + 360, 0.0)]):
        if after > begin + width:
            arcs.append(Arc(PRINT, x, y, radius, begin + width, after))
    return arcs


def _node_circles(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Circle]:
    for node in nodes:
        dx, dy = window_offset(board, node)
        if not node.well:
            yield Circle(PRINT, node.x, node.y, board.node_mm / 2)
        yield Circle(WINDOW, node.x + dx, node.y + dy, board.sizes.window_mm / 2)
    if board.sizes.hole_mm and board.slot_mm[0] <= board.slot_mm[1]:
        for x, y in sensor_places(board, nodes):
            yield Circle(BLIND, x, y, board.sizes.hole_mm / 2)


def sensor_places(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[tuple[float, float]]:
    """Yield the places (x, y) of sensors: of two at a node, the one for white lies above the one for black."""
    reed = bool(board.part) and PARTS[board.part].response == AXIAL
    right = REED_ASIDE_MM if reed else 0.0
    for node in nodes:
        for up in (PAIR_MM / 2, -PAIR_MM / 2) if has_switch_pairs(board) else (0.0,):
            yield node.x + right, node.y + up
        for place in range(RING if node.ring else 0):
            to_x, to_y = (board.sizes.ring_mm * part for part in octagon.direction(place))
            yield node.x + to_x + right, node.y + to_y


def _slot(size: tuple[float, float], x: float, y: float) -> Iterator[Outline]:
    """Yield the outline of a horizontal slot of this length and width; nothing for a round hole."""
    length, width = size
    half, radius = (length - width) / 2, width / 2
    if half > 0:
        ends = ((-half, -radius, 0.0), (half, -radius, 1.0), (half, radius, 0.0), (-half, radius, 1.0))
        yield Outline(BLIND, tuple((x + right, y + up, bulge) for right, up, bulge in ends))


def _drills(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Segment]:
    """Yield the crosses at the ends of slots: one line through both ends, where two would lie on each other."""
    half = (board.slot_mm[0] - board.slot_mm[1]) / 2
    for x, y in sensor_places(board, nodes) if half > 0 else ():
        yield Segment(CROSS, x - half - CROSS_MM, y, x + half + CROSS_MM, y)
        for at in (x - half, x + half):
            yield Segment(CROSS, at, y - CROSS_MM, at, y + CROSS_MM)


def _is_title(label: Label) -> bool:
    return label.layer == SCALE and label.anchor == "start"


def from_below(drawn: Plate) -> Plate:
    """Return a plate seen from below, without the print on top, for drilling and soldering."""
    shown = (one for one in drawn.shapes if one.layer != PRINT or isinstance(one, Label))
    # The lines of the title are read from the left on either side.
    seen = (one if isinstance(one, Label) and _is_title(one) else one.mirror(drawn.width) for one in shown)
    kept = (one for one in seen if not (isinstance(one, Label) and one.shown == PRINT))
    shapes = (replace(one, text=BELOW) if isinstance(one, Label) and one.text == ABOVE else one for one in kept)
    return replace(drawn, name=f"{drawn.name} from below", shapes=tuple(shapes))


def _wells(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Segment]:
    for node in nodes:
        if node.well:
            for (x1, y1), (x2, y2) in octagon.sides(node.x, node.y, board.well_mm):
                yield Segment(PRINT, x1, y1, x2, y2)


def _paths(board: BoardDescription, x: float, y: float) -> Iterator[Segment]:
    for path in board.paths_mm:
        points = [*_from_rim(board, path[0]), *path, *_from_rim(board, path[-1])]
        for (x1, y1), (x2, y2) in itertools.pairwise(octagon.smooth_curve(points)):
            yield Segment(PRINT, x + x1, y + y1, x + x2, y + y2)


def _from_rim(board: BoardDescription, end: tuple[float, float]) -> list[tuple[float, float]]:
    """Return a list with the middle of the well's edge close to the end of a printed curve; else an empty list."""
    for node in board.nodes.values():
        for right, up in map(octagon.direction, range(octagon.EDGES if node.well else 0)):
            at = (node.x + right * board.well_mm / 2, node.y + up * board.well_mm / 2)
            if 0.1 < math.dist(at, end) < CLOSE_MM:
                return [at]
    return []


def _corners(board: BoardDescription, width: float, height: float) -> Iterator[Circle]:
    inset = CORNER_INSET_MM
    if board.sizes.corner_mm:
        for x, y in itertools.product((inset, width - inset), (inset, height - inset)):
            yield Circle(DRILL, x, y, board.sizes.corner_mm / 2)


def frame(width: float, height: float) -> Outline:
    """Return the edge of a plate."""
    return Outline(CUT, ((0.0, 0.0, 0.0), (width, 0.0, 0.0), (width, height, 0.0), (0.0, height, 0.0)))


def _printed_lines(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Segment]:
    """Yield the printed lines from rim to rim of the nodes, not through them."""
    places = {node.name: node for node in nodes}
    for names in board.lines:
        for one, other in itertools.pairwise(names):
            begin, end = places[one], places[other]
            apart = math.dist((begin.x, begin.y), (end.x, end.y))
            first, last = rim(board, begin), rim(board, end)
            if apart <= first + last:
                continue
            dx, dy = (end.x - begin.x) / apart, (end.y - begin.y) / apart
            yield Segment(PRINT, begin.x + dx * first, begin.y + dy * first, end.x - dx * last, end.y - dy * last)


def crosses(circles: Iterable[Circle]) -> Iterator[Segment]:
    """Yield the crosses at the centres of holes and windows."""
    for hole in circles:
        if hole.layer in {DRILL, BLIND, WINDOW}:
            yield Segment(CROSS, hole.x - CROSS_MM, hole.y, hole.x + CROSS_MM, hole.y)
            yield Segment(CROSS, hole.x, hole.y - CROSS_MM, hole.x, hole.y + CROSS_MM)


def scale_label() -> Label:
    """Return the text over the bar for checking the scale."""
    return Label(SCALE, SCALE_AT[0] + SCALE_MM / 2, SCALE_AT[1] + 6, LABEL_MM, "100 mm: measure me")


def scale_bar() -> Iterator[Segment]:
    """Yield the bar for checking the scale."""
    x, y = SCALE_AT
    yield Segment(SCALE, x, y, x + SCALE_MM, y)
    for tick in range(0, int(SCALE_MM) + 1, 10):
        yield Segment(SCALE, x + tick, y, x + tick, y + (3 if tick % 50 == 0 else 1.5))


def _node_labels(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Label]:
    for node in nodes:
        # In a well the name is between the middle sensor and the ring's northern sensor.
        up = board.sizes.ring_mm / 2 if node.well else board.node_mm / 2 - LABEL_MM - 1
        yield Label(PRINT, node.x, node.y + up, LABEL_MM, node.name)
