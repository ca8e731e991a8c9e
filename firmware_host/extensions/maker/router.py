"""Finds tracks for a printed circuit board of two layers: on a grid of 0.25 mm, a cheap way for each pin in turn.

The search is A* (Hart, Nilsson and Raphael, 1968) over the cells of both layers, in eight directions, with vias between
the layers. The lower layer is the ground's plane: what runs there costs double or more, and a via as much as 4 mm. It
is known for each cell whether the middle of a track or of a via may be there: whether all else around is far enough
away. A net that finds no way is tried first the next time (rip-up and retry), all others after it.
"""

from __future__ import annotations

import heapq
import itertools
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_host.extensions.maker.packages import Pad

STEP = 0.25
CLEARANCE = 0.2
"""Between copper of different nets, mm; that of the usual service for prototypes is 0.15 or less."""
TRACK, VIA, VIA_DRILL = 0.25, 0.6, 0.3
EDGE = 0.5
"""From copper to the board's edge."""
FRONT, BACK = 0, 1
STRAIGHT, DIAGONAL, LAYER_CHANGE = 10, 14, 160
SLACK = 0.05
"""So much nearer than its cells an oblique track can come to a point between two of them: where both are r away,
r - sqrt(r² - STEP² / 2)."""
EAGER = 1.2
"""Factor of the estimated rest of a way: a way costs at most this times the least, and is soon found."""
NOBODY = -1
TRIES = 40

Place = tuple[float, float]
Node = int


class NoWayError(RuntimeError):
    """A net finds no way; the message names it."""


@dataclass(frozen=True)
class Track:
    """A straight piece of copper on a layer."""

    net: str
    layer: int
    begin: Place
    end: Place
    width: float = TRACK


@dataclass(frozen=True)
class Via:
    """A plated hole between the layers."""

    net: str
    at: Place


@dataclass(frozen=True)
class Terminal:
    """A pad of a net."""

    net: str
    pad: Pad


@dataclass
class Copper:
    """What the router has laid."""

    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)


def connect(
    size: Place,
    terminals: Sequence[Terminal],
    rails: Sequence[Track],
    holes: Sequence[tuple[float, float, float]],
    plane: str,
    below: int = 2,
) -> Copper:
    """Return tracks and vias that join all pads of each net; the plane's pads get a via each.

    ``size``: width and height, mm. ``rails`` are tracks that are there already. ``holes``: x, y and diameter, without
    copper. ``below``: so many times what it costs above costs a track on the plane's layer. Raise NoWayError.
    """
    nets = list(dict.fromkeys(one.net for one in terminals))
    # The plane's stubs are short and can't be led elsewhere; then what has the shortest way.
    order = sorted(nets, key=lambda net: (net != plane, _span(terminals, net)))
    for _ in range(TRIES):
        grid = _Grid(size, terminals, rails, holes, plane, below)
        failed = next((net for net in order if not grid.join(net)), None)
        if failed is None:
            return grid.copper
        order.remove(failed)
        order.insert(0, failed)
    raise NoWayError(failed)


def _span(terminals: Sequence[Terminal], net: str) -> float:
    pads = [one.pad for one in terminals if one.net == net]
    return max(math.dist((one.x, one.y), (other.x, other.y)) for one in pads for other in pads)


class _Grid:
    """The cells of both layers, and the copper so far."""

    def __init__(
        self,
        size: Place,
        terminals: Sequence[Terminal],
        rails: Sequence[Track],
        holes: Sequence[tuple[float, float, float]],
        plane: str,
        below: int,
    ) -> None:
        self.copper = Copper()
        self._numbers: dict[str, int] = {}
        self._wide, self._high = (int(side / STEP) + 1 for side in size)
        self._cells = self._wide * self._high
        self._track = [array("h", bytes(2 * self._cells)) for _ in (FRONT, BACK)]
        self._via = array("h", bytes(2 * self._cells))
        self._plane, self._below = plane, below
        self._terminals = terminals
        self._edge(size)
        self._own: dict[str, set[Node]] = {}
        self._middles: dict[tuple[str, Node], Place] = {}
        for x, y, diameter in holes:
            box = (x - diameter / 2, y - diameter / 2, x + diameter / 2, y + diameter / 2)
            self._keep_away(box, NOBODY, (FRONT, BACK))
        for one in terminals:
            self._keep_away(one.pad.box, self._number(one.net), (FRONT, BACK) if one.pad.drill else (FRONT,))
            if not one.pad.drill:  # Solder would run off through a via in a pad.
                self._mark(self._via, one.pad.box, VIA / 2 + 0.05, NOBODY)
        for rail in rails:
            (x1, y1), (x2, y2) = rail.begin, rail.end
            half = rail.width / 2
            box = (min(x1, x2) - half, min(y1, y2) - half, max(x1, x2) + half, max(y1, y2) + half)
            self._keep_away(box, self._number(rail.net), (rail.layer,))
            line = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
            for cell in self._inside(line, 1e-3):
                self._own.setdefault(rail.net, set()).add(cell + rail.layer * self._cells)
                x, y = self._place(cell)
                self._middles[rail.net, cell + rail.layer * self._cells] = (
                    min(max(x, line[0]), line[2]),
                    min(max(y, line[1]), line[3]),
                )

    def join(self, net: str) -> bool:
        """Join all pads of a net; return whether that was possible."""
        pads = [one.pad for one in self._terminals if one.net == net]
        if net == self._plane:
            return all(pad.drill or self._lead(net, self._cells_of(net, pad), None) for pad in pads)
        tree = self._own.get(net, set())
        if not tree:
            tree = self._cells_of(net, pads.pop(0))
        while pads:
            near = [self._place(node % self._cells) for node in itertools.islice(tree, 0, None, 1 + len(tree) // 50)]
            pad = min(pads, key=lambda one: min(math.dist((one.x, one.y), place) for place in near))
            pads.remove(pad)
            laid = self._lead(net, self._cells_of(net, pad), tree)
            if not laid:
                return False
            tree = tree | laid | self._cells_of(net, pad)
        return True

    def _number(self, net: str) -> int:
        return self._numbers.setdefault(net, len(self._numbers) + 1)

    def _place(self, cell: Node) -> Place:
        return cell % self._wide * STEP, cell // self._wide * STEP

    def _inside(self, box: tuple[float, float, float, float], room: float, corners: float = 0.0) -> Iterator[Node]:
        """Yield the cells that are nearer to a rectangle than this, to its corners by ``corners`` more."""
        left, top, right, low = box
        reach = room - 1e-6
        wide = reach + corners
        for row in range(max(0, math.ceil((top - wide) / STEP)), min(self._high - 1, int((low + wide) / STEP)) + 1):
            down = max(top - row * STEP, row * STEP - low, 0.0)
            aside = math.sqrt(wide**2 - down**2) if down else reach
            spans = [(left - aside, right + aside)] if down <= reach else [(left - aside, left), (right, right + aside)]
            for begin, end in spans:
                first, last = max(0, math.ceil(begin / STEP)), min(self._wide - 1, math.floor(end / STEP))
                yield from range(row * self._wide + first, row * self._wide + last + 1)

    def _mark(
        self, cells: array[int], box: tuple[float, float, float, float], room: float, owner: int, corners: float = 0.0
    ) -> None:
        for cell in self._inside(box, room, corners):
            if cells[cell] != owner:
                cells[cell] = owner if cells[cell] == 0 else NOBODY

    def _keep_away(self, box: tuple[float, float, float, float], owner: int, layers: Iterable[int]) -> None:
        for layer in layers:
            self._mark(self._track[layer], box, CLEARANCE + TRACK / 2, owner, SLACK)
        self._mark(self._via, box, CLEARANCE + VIA / 2, owner)

    def _edge(self, size: Place) -> None:
        for row, column in itertools.product(range(self._high), range(self._wide)):
            x, y = column * STEP, row * STEP
            room = min(x, y, size[0] - x, size[1] - y)
            cell = row * self._wide + column
            if room < EDGE + TRACK / 2:
                self._track[FRONT][cell] = self._track[BACK][cell] = NOBODY
            if room < EDGE + VIA / 2:
                self._via[cell] = NOBODY

    def _cells_of(self, net: str, pad: Pad) -> set[Node]:
        """Return the cells in the inner half of a pad, on its layers; a track from there ends in the pad's middle."""
        left, top, right, low = pad.box
        box = (left + pad.width / 4, top + pad.height / 4, right - pad.width / 4, low - pad.height / 4)
        cells = set(self._inside(box, STEP / 2))
        found = cells | ({cell + self._cells for cell in cells} if pad.drill else set())
        self._middles |= {(net, node): (pad.x, pad.y) for node in found}
        return found

    def _lead(self, net: str, begin: set[Node], goals: set[Node] | None) -> set[Node]:
        """Lay a cheap way to one of these cells, or to a via if ``goals`` is None; return its cells, or none."""
        path = self._search(self._number(net), begin, goals)
        if not path:
            return set()
        points: list[tuple[int, Place]] = [(node // self._cells, self._place(node % self._cells)) for node in path]
        for at, end in ((0, path[0]), (len(points), path[-1])):
            middle = self._middles.get((net, end))
            if middle is not None:
                points.insert(at, (end // self._cells, middle))
        if goals is None:
            points.append((BACK, points[-1][1]))
        for layer, line in _lines(points):
            for one, other in itertools.pairwise(line):
                self.copper.tracks.append(Track(net, layer, one, other))
        for (layer, place), (after, _) in itertools.pairwise(points):
            if layer != after:
                self.copper.vias.append(Via(net, place))
        self._occupy(net, points)
        return set(path)

    def _occupy(self, net: str, points: Sequence[tuple[int, Place]]) -> None:
        owner = self._number(net)
        for (layer, (x1, y1)), (after, (x2, y2)) in itertools.pairwise(points):
            for x, y in ((x1, y1), (x2, y2)):
                spot = (x, y, x, y)
                self._mark(self._track[layer], spot, TRACK + CLEARANCE + SLACK, owner)
                self._mark(self._via, spot, TRACK / 2 + CLEARANCE + VIA / 2 + SLACK, owner)
            if layer != after:
                spot = (x1, y1, x1, y1)
                for each in (FRONT, BACK):
                    self._mark(self._track[each], spot, VIA / 2 + CLEARANCE + TRACK / 2 + SLACK, owner)
                self._mark(self._via, spot, VIA + CLEARANCE, owner)

    def _search(self, owner: int, begin: set[Node], goals: set[Node] | None) -> list[Node]:
        cells, wide, via = self._cells, self._wide, self._via
        track = self._track[FRONT] + self._track[BACK]
        guess = self._guess(goals)
        cost = {node: 0 for node in begin if track[node] in {0, owner}}
        came: dict[Node, Node] = {}
        queue = [(guess(node), node) for node in cost]
        heapq.heapify(queue)
        moves = [(side + down * wide, DIAGONAL if side and down else STRAIGHT)
                 for side, down in itertools.product((-1, 0, 1), repeat=2) if side or down]  # fmt: skip
        done: set[Node] = set()
        while queue:
            _, node = heapq.heappop(queue)
            if node in done:
                continue
            done.add(node)
            layer, cell = divmod(node, cells)
            through = via[cell] in {0, owner}
            if node in goals if goals is not None else through:
                return _way(came, node)
            so_far, dear = cost[node], self._below if layer else 1
            steps = [(node + move, so_far + price * dear) for move, price in moves]
            if through:
                steps.append(((node + cells) % (2 * cells), so_far + LAYER_CHANGE))
            for other, price in steps:
                if track[other] in {0, owner} and price < cost.get(other, math.inf):
                    cost[other] = price
                    came[other] = node
                    heapq.heappush(queue, (price + guess(other), other))
        return []

    def _guess(self, goals: set[Node] | None) -> Callable[[Node], float]:
        """Return the least cost from a cell to the rectangle round the goals."""
        if not goals:
            return lambda _: 0
        cells, wide = self._cells, self._wide
        columns = [node % cells % wide for node in goals]
        rows = [node % cells // wide for node in goals]
        left, right, top, low = min(columns), max(columns), min(rows), max(rows)

        def guess(node: Node) -> float:
            row, column = divmod(node % cells, wide)
            across = max(left - column, column - right, 0)
            down = max(top - row, row - low, 0)
            return (STRAIGHT * abs(across - down) + DIAGONAL * min(across, down)) * EAGER

        return guess


def _way(came: Mapping[Node, Node], node: Node) -> list[Node]:
    path = [node]
    while path[-1] in came:
        path.append(came[path[-1]])
    return path[::-1]


def _lines(points: Sequence[tuple[int, Place]]) -> Iterator[tuple[int, list[Place]]]:
    """Yield each stretch on one layer as the corners of its line."""
    for layer, group in itertools.groupby(points, key=lambda point: point[0]):
        places = [place for _, place in group]
        corners: list[Place] = []
        for place in places:
            if corners and math.dist(corners[-1], place) < 1e-9:
                continue
            if len(corners) > 1 and _straight(corners[-2], corners[-1], place):
                corners.pop()
            corners.append(place)
        yield layer, corners


def _straight(one: Place, middle: Place, other: Place) -> bool:
    (x1, y1), (x2, y2), (x3, y3) = one, middle, other
    along = (x2 - x1) * (x3 - x2) + (y2 - y1) * (y3 - y2)
    return abs((x2 - x1) * (y3 - y2) - (y2 - y1) * (x3 - x2)) < 1e-9 and along > 0
