"""A board's plate as geometry: what is cut, drilled and printed where. All in mm, y upwards, (0, 0) the lower left."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from hw.ports import BoardDescription, NodeWiring

CUT, DRILL, WINDOW, PRINT, SCALE = "CUT", "DRILL", "WINDOW", "PRINT", "SCALE"
LAYERS = (CUT, DRILL, WINDOW, PRINT, SCALE)
"""Edge of the plate; holes; pixel windows; what is printed on top; the bar to check the scale by."""
SCALE_MM = 100.0
SCALE_AT = (20.0, 6.0)
CORNER_INSET_MM = 10.0
LABEL_MM = 3.5
CROSS_MM = 2.0
"""Half the length of the crosses that mark where to put the drill."""


class DrawingError(ValueError):
    """A board that can't be drawn, or a file that can't be made; the message says why and what to do."""


@dataclass(frozen=True)
class Circle:
    """A circle round (x, y)."""

    layer: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Arc:
    """A part of a circle round (x, y), from one angle to another, degrees anticlockwise from the right."""

    layer: str
    x: float
    y: float
    radius: float
    begin: float
    end: float

    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the points where it begins and ends."""
        begin, end = (
            (
                self.x + self.radius * math.cos(math.radians(angle)),
                self.y + self.radius * math.sin(math.radians(angle)),
            )
            for angle in (self.begin, self.end)
        )
        return begin, end


@dataclass(frozen=True)
class Line:
    """A straight line."""

    layer: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Label:
    """A text whose middle is at (x, y) and whose capitals are so high."""

    layer: str
    x: float
    y: float
    height: float
    text: str


@dataclass(frozen=True)
class Plate:
    """A whole plate."""

    name: str
    width: float
    height: float
    circles: tuple[Circle, ...]
    arcs: tuple[Arc, ...]
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]


def plate(board: BoardDescription) -> Plate:
    """Return the plate of a board. Raise DrawingError where two things would lie in the same place."""
    if board.node_mm <= 0:
        raise DrawingError(f"{board.name}: node_mm: expected more than 0 mm, got {board.node_mm:g}")
    _check_windows(board)
    nodes = tuple(board.nodes.values())
    room = board.sizes.edge_mm
    left, bottom = min(node.x for node in nodes) - room, min(node.y for node in nodes) - room
    width = max(node.x for node in nodes) + room - left
    height = max(node.y for node in nodes) + room - bottom
    placed = [NodeWiring(node.name, node.channel, node.pixel, node.x - left, node.y - bottom) for node in nodes]
    rings = [ring for radius in board.circles_mm for ring in _ring(radius, -left, -bottom, placed, board.node_mm / 2)]
    whole = [ring for ring in rings if isinstance(ring, Circle)]
    arcs = tuple(ring for ring in rings if isinstance(ring, Arc))
    circles = [*whole, *_node_circles(board, placed), *_corners(board, width, height)]
    lines = [*_frame(width, height), *_printed_lines(board, placed), *_crosses(circles), *_scale_bar()]
    labels = [
        *_node_labels(board, placed),
        Label(SCALE, SCALE_AT[0] + SCALE_MM / 2, SCALE_AT[1] + 6, LABEL_MM, "100 mm: measure me"),
    ]
    return Plate(board.name, width, height, tuple(circles), arcs, tuple(lines), tuple(labels))


def _check_windows(board: BoardDescription) -> None:
    """No window may lie under the stone of a node or run into another window."""
    dx, dy = board.sizes.window(board.node_mm)
    room = board.sizes.window_mm / 2
    for node, other in itertools.permutations(board.nodes.values(), 2):
        apart = math.dist((node.x + dx, node.y + dy), (other.x, other.y))
        if apart < room + board.node_mm / 2 or math.dist((node.x, node.y), (other.x, other.y)) < 2 * room:
            raise DrawingError(
                f"{board.name}: {node.name}'s window lies under {other.name} ({apart:.1f} mm from its centre): "
                "choose another window_at, or a smaller window_mm or node_mm, in the board file"
            )


def _ring(radius: float, x: float, y: float, nodes: list[NodeWiring], room: float) -> list[Circle | Arc]:
    """A printed circle round the centre, left out where printed nodes (of radius ``room``) lie on it."""
    gaps = []
    for node in nodes:
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
    dx, dy = board.sizes.window(board.node_mm)
    for node in nodes:
        yield Circle(PRINT, node.x, node.y, board.node_mm / 2)
        yield Circle(WINDOW, node.x + dx, node.y + dy, board.sizes.window_mm / 2)
        if board.sizes.hole_mm:
            yield Circle(DRILL, node.x, node.y, board.sizes.hole_mm / 2)


def _corners(board: BoardDescription, width: float, height: float) -> Iterator[Circle]:
    inset = CORNER_INSET_MM
    if board.sizes.corner_mm:
        for x, y in itertools.product((inset, width - inset), (inset, height - inset)):
            yield Circle(DRILL, x, y, board.sizes.corner_mm / 2)


def _frame(width: float, height: float) -> Iterator[Line]:
    corners = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield Line(CUT, x1, y1, x2, y2)


def _printed_lines(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Line]:
    """Lines run from rim to rim of the printed nodes, not through them."""
    places = {node.name: node for node in nodes}
    for names in board.lines:
        for one, other in itertools.pairwise(names):
            begin, end = places[one], places[other]
            apart = math.dist((begin.x, begin.y), (end.x, end.y))
            if apart <= board.node_mm:
                continue
            share = board.node_mm / 2 / apart
            dx, dy = (end.x - begin.x) * share, (end.y - begin.y) * share
            yield Line(PRINT, begin.x + dx, begin.y + dy, end.x - dx, end.y - dy)


def _crosses(circles: list[Circle]) -> Iterator[Line]:
    for hole in circles:
        if hole.layer in {DRILL, WINDOW}:
            yield Line(hole.layer, hole.x - CROSS_MM, hole.y, hole.x + CROSS_MM, hole.y)
            yield Line(hole.layer, hole.x, hole.y - CROSS_MM, hole.x, hole.y + CROSS_MM)


def _scale_bar() -> Iterator[Line]:
    x, y = SCALE_AT
    yield Line(SCALE, x, y, x + SCALE_MM, y)
    for tick in range(0, int(SCALE_MM) + 1, 10):
        yield Line(SCALE, x + tick, y, x + tick, y + (3 if tick % 50 == 0 else 1.5))


def _node_labels(board: BoardDescription, nodes: list[NodeWiring]) -> Iterator[Label]:
    for node in nodes:
        yield Label(PRINT, node.x, node.y + board.node_mm / 2 - LABEL_MM - 1, LABEL_MM, node.name)
