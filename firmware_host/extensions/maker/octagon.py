"""The geometry of octagonal wells and their tiles: outlines, distances, curves. In mm, y upwards."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

Point = tuple[float, float]

EDGES = 8
SAMPLES = 12
"""Number of straight pieces of a drawn curve between two of its points."""


def direction(edge: int) -> Point:
    """Return the unit vector from the centre to the middle of an edge: 0 north, then clockwise."""
    angle = math.radians(45 * edge)
    return math.sin(angle), math.cos(angle)


def corners(x: float, y: float, across: float) -> list[Point]:
    """Return the corners of an octagon with this width from flat to flat, clockwise from the first after north."""
    radius = across / 2 / math.cos(math.pi / EDGES)
    angles = (math.radians(45 * edge + 22.5) for edge in range(EDGES))
    return [(x + radius * math.sin(angle), y + radius * math.cos(angle)) for angle in angles]


def sides(x: float, y: float, across: float) -> Iterator[tuple[Point, Point]]:
    """Yield the sides of an octagon, each as its two ends."""
    found = corners(x, y, across)
    yield from itertools.pairwise([*found, found[0]])


def distance_outside(point: Point, centre: Point, across: float) -> float:
    """Return a lower bound of a point's distance from an octagon; negative inside."""
    dx, dy = point[0] - centre[0], point[1] - centre[1]
    return max(dx * right + dy * up for right, up in map(direction, range(EDGES))) - across / 2


def smooth_curve(points: Sequence[Point]) -> list[Point]:
    """Return a smooth curve through distinct points (a Catmull-Rom spline), as a sequence of points."""
    found = [points[0]]
    ends = [_beyond(points[1], points[0]), *points, _beyond(points[-2], points[-1])]
    for at in range(len(points) - 1):
        before, begin, end, after = ends[at : at + 4]
        found += [_between(before, begin, end, after, step / SAMPLES) for step in range(1, SAMPLES + 1)]
    return found


def edge_curve(one: int, other: int, across: float, samples: int = 4 * SAMPLES) -> list[Point]:
    """Return a tile's line from edge to edge round the centre (0, 0), perpendicular to both edges."""
    begin, end = ((across / 2 * part for part in direction(edge)) for edge in (one, other))
    (x1, y1), (x2, y2) = tuple(begin), tuple(end)
    bend = 0.45  # Distance of the control points from the centre, as a share of the edge's.
    found = []
    for step in range(samples + 1):
        t = step / samples
        first, last = (1 - t) ** 3 + 3 * (1 - t) ** 2 * t * bend, t**3 + 3 * (1 - t) * t**2 * bend
        found.append((first * x1 + last * x2, first * y1 + last * y2))
    return found


def parallel_curve(line: Sequence[Point], far: float) -> list[Point]:
    """Return the parallel curve at distance ``far`` to the left of another (negative: to its right)."""
    found = []
    for at, (x, y) in enumerate(line):
        (x1, y1), (x2, y2) = line[max(0, at - 1)], line[min(len(line) - 1, at + 1)]
        length = math.hypot(x2 - x1, y2 - y1)
        found.append((x - (y2 - y1) / length * far, y + (x2 - x1) / length * far))
    return found


def distance_to(point: Point, line: Sequence[Point]) -> float:
    """Return the distance of a point from the nearest point of a curve."""
    return min(math.dist(point, other) for other in line)


def _beyond(inner: Point, end: Point) -> Point:
    return 2 * end[0] - inner[0], 2 * end[1] - inner[1]


def _between(before: Point, begin: Point, end: Point, after: Point, t: float) -> Point:
    """Return a point between ``begin`` (t = 0) and ``end`` (t = 1) of the centripetal spline, which has no loops."""
    four = (before, begin, end, after)
    knots = [0.0, *itertools.accumulate(math.sqrt(math.dist(*pair)) for pair in itertools.pairwise(four))]
    at = knots[1] + t * (knots[2] - knots[1])

    def mix(one: Point, other: Point, first: float, last: float) -> Point:
        share = (at - first) / (last - first)
        return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])

    left, inner, right = (
        mix(one, other, first, last)
        for (one, other), (first, last) in zip(itertools.pairwise(four), itertools.pairwise(knots), strict=True)
    )
    low, high = mix(left, inner, knots[0], knots[2]), mix(inner, right, knots[1], knots[3])
    return mix(low, high, knots[1], knots[2])
