"""All circuit boards of a board at once: strips under every node, inside the plate's edge, their pixels as one chain.

The nodes are covered by straight strips (:func:`firmware_host.extensions.maker.panels.strip_under`), the longest ones
first; of the directions in which neighbours lie each is tried as the first one, and the plan with fewest strips is
taken. No strip overlaps another, or leaves the plate. A strip's end leads to the strip whose end is nearest: pixels get
new numbers in that order. Wells for tiles have panels of their own, and single pixels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.netlist import circuit_of
from firmware_host.extensions.maker.packages import HEADER
from firmware_host.extensions.maker.panels import STRAIGHT_MM, Panel, Point, strip_under, well_panel
from firmware_host.extensions.maker.parts_list import csv_text
from firmware_host.extensions.maker.plate import (
    CORNER_INSET_MM,
    LABEL_MM,
    SCALE,
    DrawingError,
    Label,
    Plate,
    Segment,
    Shape,
    edges,
    from_below,
    plate,
)
from hw.ports import BoardDescription, NodeWiring

NEIGHBOURS = 1.6
"""How much further than the nearest node a node may be that counts as a neighbour."""
GAP = 2.2
"""Largest distance of two nodes on a strip, in smallest ones of its line."""
SCREW_ROOM_MM = 4.0
ROOM_MM = 0.5
"""Least distance of two circuit boards."""


@dataclass(frozen=True)
class Run:
    """Nodes on one line, in order, and its angle, anticlockwise from the right."""

    nodes: tuple[NodeWiring, ...]
    angle: float


@dataclass(frozen=True)
class WholeBoard:
    """A board's circuit boards."""

    board: BoardDescription
    """With pixels numbered as they are chained."""
    strips: tuple[Panel, ...]
    """In the order of the chain."""
    nodes: tuple[tuple[str, ...], ...]
    """The nodes over each strip, in the order of their pixels."""
    well: Panel | None
    """The panel that lies under each well for tiles."""
    left: tuple[str, ...]
    """Nodes that no circuit board carries: they are soldered by hand."""


def whole_board(board: BoardDescription) -> WholeBoard:
    """Return all circuit boards of a board. Raise DrawingError where there are none."""
    if len(board.lights.strips) > 1:
        raise DrawingError(
            f"{board.name}: all pixels of its circuit boards are one chain: expected one strip in [lights], "
            f"got {len(board.lights.strips)}"
        )
    wells = [node for node in board.nodes.values() if node.ring]
    rest = [node for node in board.nodes.values() if not node.ring]
    runs = _cover(board, rest)
    if not runs and not wells:
        strip_under(board, rest[:1], 0.0, {})  # It says why.
        raise DrawingError(f"{board.name}: no circuit board fits under its nodes: expected nodes further apart")
    chain = list(_chain(board, runs))
    on = [node.name for run in chain for node in run.nodes]
    order = [
        *on,
        *(node.name for node in sorted(board.nodes.values(), key=lambda one: one.pixel) if node.name not in on),
    ]
    nodes = {name: replace(node, pixel=order.index(name)) for name, node in board.nodes.items()}
    numbered = replace(board, nodes=nodes)
    known = names_of(circuit_of(numbered))
    strips = []
    for run in chain:
        strips.append(strip_under(numbered, [nodes[one.name] for one in run.nodes], run.angle, known))
        known |= _headers(strips[-1])
    left = tuple(node.name for node in rest if node.name not in on)
    under = tuple(tuple(node.name for node in run.nodes) for run in chain)
    return WholeBoard(numbered, tuple(strips), under, well_panel(board) if wells else None, left)


def _headers(strip: Panel) -> Iterator[tuple[str, str]]:
    """Yield the names of a strip's headers, so that the next strip's have others."""
    for one in strip.parts:
        if one.box.part.startswith(HEADER):
            yield f"{strip.name} {one.box.place}", one.box.reference


def layout(found: WholeBoard) -> Plate:
    """Return the drawing of all strips under the plate, seen from below, where they are mounted."""
    drawn = plate(found.board)
    left, bottom, _, _ = edges(found.board)
    shapes: list[Shape] = []
    for number, strip in enumerate(found.strips, 1):
        corners = [(x - left, y - bottom) for x, y in strip.corners]
        sides = itertools.pairwise((*corners, corners[0]))
        shapes += [Segment(SCALE, x1, y1, x2, y2) for (x1, y1), (x2, y2) in sides]
        x, y = (sum(part) / len(corners) for part in zip(*corners, strict=True))
        shapes.append(Label(SCALE, x, y, LABEL_MM, f"{number}"))
    return from_below(replace(drawn, name=f"{drawn.name} circuit boards", shapes=(*drawn.shapes, *shapes)))


def list_csv(found: WholeBoard) -> str:
    """Return the list of all circuit boards: how many of which, their size, nodes and pixels."""
    heads = ("number", "circuit board", "quantity", "width mm", "height mm", "nodes", "first pixel", "last pixel")
    rows: list[Sequence[object]] = [heads]
    for number, (strip, nodes) in enumerate(zip(found.strips, found.nodes, strict=True), 1):
        pixels = [found.board.nodes[name].pixel for name in nodes]
        size = (f"{strip.width:.1f}", f"{strip.height:.1f}")
        rows.append((number, strip.name, 1, *size, " ".join(nodes), pixels[0], pixels[-1]))
    if found.well is not None:
        wells = [node.name for node in found.board.nodes.values() if node.ring]
        size = (f"{found.well.width:.1f}", f"{found.well.height:.1f}")
        rows.append(("", found.well.name, len(wells), *size, " ".join(wells), "", ""))
    return csv_text(rows)


# -- which strips ------------------------------------------------------------------------------------------------------


def _cover(board: BoardDescription, nodes: Sequence[NodeWiring]) -> list[Run]:
    """Return the runs that cover the nodes: of all plans the one that leaves fewest out and has fewest strips."""
    lines = list(_lines(nodes))
    fits = _Fits(board)
    alone = [Run((node,), 0.0) for node in nodes]
    best: list[Run] | None = None
    for first in dict.fromkeys(_degrees(line.angle) for line in lines) or (0,):
        runs = [run for line in lines for run in _parts(line)]
        runs.sort(key=lambda run: (-len(run.nodes), _degrees(run.angle) != first))
        plan: list[Run] = []
        done: set[str] = set()
        for run in [*runs, *alone]:
            if not any(node.name in done for node in run.nodes) and fits.beside(run, plan):
                plan.append(run)
                done |= {node.name for node in run.nodes}
        if best is None or _worth(plan) > _worth(best):
            best = plan
    return best or []


def _worth(plan: Sequence[Run]) -> tuple[int, int]:
    return sum(len(run.nodes) for run in plan), -len(plan)


def _degrees(angle: float) -> int:
    return round(math.degrees(angle)) % 180


def _lines(nodes: Sequence[NodeWiring]) -> Iterator[Run]:
    """Yield the lines on which neighbours lie, each once, where no gap is much longer than the shortest one."""
    seen: set[frozenset[str]] = set()
    for node in nodes:
        others = [(math.dist((node.x, node.y), (other.x, other.y)), other) for other in nodes if other is not node]
        nearest = min((far for far, _ in others), default=0.0)
        for far, other in others:
            if far > NEIGHBOURS * nearest:
                continue
            right, up = (other.x - node.x) / far, (other.y - node.y) / far
            if (up, right) < (-1e-9, 0.0) or (abs(up) < 1e-9 and right < 0):
                right, up = -right, -up
            for run in _unbroken(nodes, node, (right, up)):
                names = frozenset(one.name for one in run)
                if len(run) > 1 and names not in seen:
                    seen.add(names)
                    yield Run(tuple(run), math.atan2(up, right))


def _unbroken(nodes: Sequence[NodeWiring], through: NodeWiring, way: Point) -> Iterator[list[NodeWiring]]:
    right, up = way

    def along(node: NodeWiring) -> float:
        return (node.x - through.x) * right + (node.y - through.y) * up

    on = [one for one in nodes if abs((one.x - through.x) * up - (one.y - through.y) * right) <= STRAIGHT_MM]
    on.sort(key=along)
    gaps = [along(other) - along(one) for one, other in itertools.pairwise(on)]
    run = on[:1]
    for node, gap in zip(on[1:], gaps, strict=True):
        if gap > GAP * min(gaps):
            yield run
            run = []
        run.append(node)
    yield run


def _parts(line: Run) -> Iterator[Run]:
    """Yield a line and all its stretches of two nodes and more."""
    for begin, end in itertools.combinations(range(len(line.nodes) + 1), 2):
        if end - begin > 1:
            yield Run(line.nodes[begin:end], line.angle)


class _Fits:
    """Whether strips lie inside the plate, and beside each other."""

    def __init__(self, board: BoardDescription) -> None:
        self._board = board
        left, bottom, right, top = edges(board)
        self._low, self._high = (left, bottom), (right, top)
        inset = CORNER_INSET_MM
        corners = itertools.product(
            (self._low[0] + inset, self._high[0] - inset), (self._low[1] + inset, self._high[1] - inset)
        )
        self._taken = [_square(x, y, SCREW_ROOM_MM) for x, y in corners] if board.sizes.corner_mm else []
        wells = [node for node in board.nodes.values() if node.ring]
        if wells:
            half = well_panel(board).width / 2
            self._taken += [_square(node.x, node.y, half) for node in wells]
        self._corners: dict[tuple[str, ...], tuple[Point, ...] | None] = {}

    def beside(self, run: Run, plan: Iterable[Run]) -> bool:
        """Return whether a run's strip fits beside those of others."""
        own = self._of(run)
        if own is None:
            return False
        others = (corners for one in plan if (corners := self._of(one)) is not None)
        return all(_apart(own, other) for other in (*self._taken, *others))

    def _of(self, run: Run) -> tuple[Point, ...] | None:
        """Return the corners of a run's strip; None where it can't be made, or leaves the plate."""
        key = tuple(node.name for node in run.nodes)
        if key not in self._corners:
            try:
                corners = strip_under(self._board, run.nodes, run.angle, {}).corners
            except DrawingError:
                corners = ()
            inside = all(
                low - 1e-6 <= part <= high + 1e-6
                for corner in corners
                for part, low, high in zip(corner, self._low, self._high, strict=True)
            )
            self._corners[key] = corners if corners and inside else None
        return self._corners[key]


def _square(x: float, y: float, half: float) -> tuple[Point, ...]:
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def _apart(one: Sequence[Point], other: Sequence[Point]) -> bool:
    """Return whether two rectangles have room between them: some side of one separates them."""
    for corners in (one, other):
        for (x1, y1), (x2, y2) in itertools.pairwise(corners[:3]):
            long = math.dist((x1, y1), (x2, y2))
            right, up = (x2 - x1) / long, (y2 - y1) / long
            ours, theirs = ([x * right + y * up for x, y in each] for each in (one, other))
            if max(ours) + ROOM_MM <= min(theirs) or max(theirs) + ROOM_MM <= min(ours):
                return True
    return False


# -- in which order ----------------------------------------------------------------------------------------------------


def _chain(board: BoardDescription, runs: Sequence[Run]) -> Iterator[Run]:
    """Yield the runs, first the one with an end nearest to pixel 0: each begins nearest to where the last one ends."""
    left = list(runs)
    first = min(board.nodes.values(), key=lambda node: node.pixel)
    at = (first.x, first.y)
    while left:
        run, backwards = min(
            itertools.product(left, (False, True)),
            key=lambda one: math.dist(at, _place(one[0].nodes[-1 if one[1] else 0])),
        )
        left.remove(run)
        if backwards:
            run = Run(run.nodes[::-1], run.angle + math.pi)
        yield run
        at = _place(run.nodes[-1])


def _place(node: NodeWiring) -> Point:
    return node.x, node.y
