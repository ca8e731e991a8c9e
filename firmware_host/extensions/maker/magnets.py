"""Which sensor part works with which magnet on a board: its own stone shows, and all the neighbours' stones do not.

Two conditions, each in the worst case of everything that varies:

- A stone that is put down closes the sensor although its neighbours weaken it: the least field over the sensor, less
  the largest of all others, exceeds the highest operate point of the part.
- A stone that is lifted shows no more although its neighbours' field stays: the largest field of all others is below
  the lowest release point. A hall switch that has closed once holds on to that much.

What varies: a magnet's strength (``span`` of fields.py), a stone's place (:data:`OFF_STONE_MM`,
:data:`OFF_TILE_MM`), the sensor's depth (:data:`DEPTH_MM`), and the part (the data sheet's whole span over parts and
temperatures). The neighbours: a stone on every other node, each with the pole that does most harm; one of them is the
highest stack that the game can make. In a well the tile with the worst pattern in the worst turning. Two tiles in one
well are none of it: what shines through the upper one is sorted out by the rules.

A linear sensor has thresholds in level steps instead (:mod:`firmware_host.sensing.debounce`), after calibration.
A reed is an estimate, because its points are ampere turns (:mod:`hw.sensor_parts`). It responds to the field along its
glass, of which a disc right above its middle has none: :data:`REED_ASIDE_MM` is its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from firmware_host.extensions.maker.fields import STEPS, field_along, field_away, span, steps
from firmware_host.extensions.maker.octagon import direction
from firmware_host.extensions.maker.plate import PAIR_MM, REED_ASIDE_MM
from firmware_host.extensions.maker.tile_sheet import magnets_of
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.sensing.debounce import HYSTERESIS
from hw.magnets import STONE_MM, Magnet, saturates
from hw.ports import CODED, RING, BoardDescription, sensor_name
from hw.registry import has_switch_pairs, scheme_of
from hw.sensor_parts import AXIAL, LINEAR_OUTPUT, PARTS

OFF_STONE_MM = 2.0
"""How far a stone lies beside its sensor's middle: a hand puts it down by the print, the hole is drilled by hand."""
OFF_TILE_MM = 1.0
"""The same for a tile's magnet: half of a well's play of 1 mm, and the two holes."""
DEPTH_MM = 0.5
"""How much deeper or higher a sensor sits than planned."""
SENSITIVITY = 0.05
"""Share by which a linear part's sensitivity may differ (DRV5055: 57 to 63 mV/mT for 60)."""
EARTH_MT = 0.05
"""The Earth's field, rounded up."""
REED_MM = 12.7
"""Length of a reed's glass (Littelfuse MDSR-7)."""
HIDES_STEPS = 4
"""Level steps that count as nothing for certain: the least threshold of a calibrated sensor, 8, less its hysteresis."""
SHOWS_STEPS = 20
"""Level steps that count as a stone for certain: the usual threshold, 16, and the hysteresis."""
DISCS = (
    (8.0, 2.0, "N35"),
    (6.0, 2.0, "N35"),
    (5.0, 2.0, "N35"),
    (5.0, 1.0, "N35"),
    (10.0, 2.0, "N42"),
    (10.0, 3.0, "N42"),
)
"""Common magnets, in the order of preference: weak ones disturb neighbours least."""
GAPS_MM = (5.0, 4.0, 3.0)
"""Common distances from a magnet's face to the sensor: 2 to 4 mm of wood between them."""
STONES_MM = (STONE_MM, 8.0)
"""Heights of stones; where stones of both poles are stacked, a higher one lets less of the upper stones through."""
Point = tuple[float, float]
Fit = tuple[str, Magnet]
"""A sensor part and a magnet."""


@dataclass(frozen=True)
class SensorPlaces:
    """Where a board has sensors and magnets."""

    stones: Mapping[str, Point]
    """Node → its middle (mm), for all nodes where one magnet lies over one sensor: stones, and tiles without a ring."""
    wells: Mapping[str, Point]
    """Well with nine sensors → its middle."""
    patterns: Sequence[tuple[int, ...]] = ()
    """The places of each tile's magnets in such a well."""
    ring_mm: float = 0.0
    stack: int = 1
    """Largest number of pieces on a node."""
    mixed: bool = False
    """Whether a stack may have both poles."""
    aside_mm: float = 0.0
    """Distance of a sensor from its node's middle: half of a pair's."""

    @cached_property
    def distances(self) -> Sequence[Sequence[Point]]:
        """For each sensor how far the stones on all other nodes lie from it, as :func:`_near` has it."""
        return self._others(round_about=True)

    @cached_property
    def offsets(self) -> Sequence[Sequence[Point]]:
        """The same along a row and across it."""
        return self._others(round_about=False)

    def _others(self, *, round_about: bool) -> Sequence[Sequence[Point]]:
        return [
            [_near(to_x - x, to_y - y, round_about) for other, (to_x, to_y) in self.stones.items() if other != name]
            for name, _, (x, y) in _sensors(self)
        ]


def places_of(board: BoardDescription) -> SensorPlaces:
    """Return the places of a board."""
    stones = {node.name: (node.x, node.y) for node in board.nodes.values() if not node.ring}
    wells = {node.name: (node.x, node.y) for node in board.nodes.values() if node.ring}
    patterns = tuple(magnets_of(tile) for tile in board.tiles.values()) if wells else ()
    aside = PAIR_MM / 2 if has_switch_pairs(board) else 0.0
    stack, mixed = _stack(board.game)
    return SensorPlaces(stones, wells, patterns, board.sizes.ring_mm, max(stack, 2 if board.tiles else 1), mixed, aside)


def _stack(name: str) -> tuple[int, bool]:
    """Return the most stones that people can put onto one node of a game, and whether they may have both poles.

    Those who act together may all choose the same node.
    """
    try:
        game = find_game(name)
    except GameError:
        return 1, False
    together = (mode for mode in game.modes if game.simultaneous(game.start(mode)))
    stack = max((len(game.seats(mode)) for mode in together), default=1)
    return stack, stack > 1 and len(set(game.poles.values())) > 1


class Surroundings:
    """The fields of one magnet on the places of a board, in mT, as parts of one response feel them."""

    def __init__(self, places: SensorPlaces, magnet: Magnet, *, along_glass: bool = False) -> None:
        """Compute nothing yet; ``along_glass`` is for reeds."""
        self._places, self._magnet, self._along = places, magnet, along_glass
        self._known: dict[tuple[Point, float, float], float] = {}
        self._stones: dict[Point, tuple[float, float]] = {}

    @cached_property
    def least(self) -> float:
        """The weakest field of a piece over its sensor: with stacks, of a stone below others of the other pole."""
        places, off = self._places, OFF_TILE_MM if not self._places.stones else OFF_STONE_MM
        ways = [(0.0, 0.0), (-off, 0.0), (off, 0.0), (0.0, off)]
        own = min(abs(self._field_at(*self._own_magnet(way), DEPTH_MM)) for way in ways)
        weak, strong = span(self._magnet)
        upper = range(1, places.stack if places.mixed else 1)
        above = sum(abs(self._field_at(*self._own_magnet(), self._magnet.stone_mm * at - DEPTH_MM)) for at in upper)
        return weak * own - strong * above

    @cached_property
    def worst(self) -> tuple[float, str]:
        """The largest field of all other pieces together at any sensor, and that sensor."""
        found = max(self._others())
        return span(self._magnet)[1] * found[0] + EARTH_MT, found[1]

    def middle(self, off: float, deeper: float = 0.0) -> float:
        """Return the usual field of a stone ``off`` mm beside its sensor, and as much deeper."""
        return abs(self._field_at(*self._own_magnet((off, 0.0)), deeper))

    def _own_magnet(self, off: Point = (0.0, 0.0)) -> Point:
        """Return the place of a sensor's own magnet as seen from it."""
        aside = REED_ASIDE_MM if self._along else self._places.aside_mm
        return aside + off[0], off[1]

    def _field_at(self, along: float, across: float, deeper: float) -> float:
        """Return the field of a magnet at this place from a sensor, whose slots lie from left to right."""
        gap = self._magnet.gap_mm + deeper
        if not self._along:
            return field_along(self._magnet, math.hypot(along, across), gap)
        points = _GLASS if math.hypot(along, across) < REED_MM else _GLASS_AFAR
        felt = 0.0
        for point in points:
            aside = math.hypot(point - along, across)
            felt += field_away(self._magnet, aside, gap) * (point - along) / aside if aside else 0.0
        return felt / len(points)

    def _stone(self, at: Point) -> tuple[float, float]:
        """Return the largest fields of another stone at this place, and of the upper ones of a highest stack on it."""
        if at not in self._stones:
            higher = (self._magnet.stone_mm * number for number in range(1, self._places.stack))
            upper = sum(self._other(at, OFF_STONE_MM, height) for height in higher)
            self._stones[at] = self._other(at, OFF_STONE_MM), upper
        return self._stones[at]

    def _other(self, at: Point, off: float, deeper: float = 0.0) -> float:
        """Return the largest field, of either sign, of another piece within ``off`` of this place (:func:`_near`)."""
        key = (at, off, deeper)
        if key not in self._known:
            off += self._places.aside_mm
            depths = (deeper,) if self._along else (deeper - DEPTH_MM, deeper + DEPTH_MM)
            smooth = not self._along and at[0] - off > 2.5 * (deeper + self._magnet.gap_mm + self._magnet.height_mm)
            # That far out the field along the axis only decreases: a dipole's is strongest at twice its height.
            ways = [(at[0] + part, at[1]) for part in ((-off,) if smooth else (-off, 0.0, off))]
            self._known[key] = max(abs(self._field_at(*way, depth)) for way in ways for depth in depths)
        return self._known[key]

    def _others(self) -> Iterator[tuple[float, str]]:
        """Yield the field of all other pieces at each sensor, and the sensor's name."""
        places, round_about = self._places, not self._along
        stones = places.distances if round_about else places.offsets
        for (name, place, (x, y)), others in zip(_sensors(places), stones, strict=True):
            found = [self._in_well(place)] if place is not None else []
            fields = list(map(self._stone, others))
            found += [field for field, _ in fields]
            highest = max((upper for _, upper in fields), default=0.0)
            most = max(map(len, places.patterns), default=0)
            for other, middle in places.wells.items():
                if other != name:
                    ring = _ring(middle, places.ring_mm)
                    near = (_near(to_x - x, to_y - y, round_about) for to_x, to_y in ring)
                    each = sorted(self._other(at, OFF_TILE_MM) for at in near)
                    found.append(sum(each[len(each) - most :]))
                    highest = max(highest, found[-1])
            yield sum(found) + highest, sensor_name(name, place)

    def _in_well(self, place: int) -> float:
        """Return the largest field at one of a well's sensors of its tile's magnets over the others."""
        ring = _ring((0.0, 0.0), self._places.ring_mm)
        x, y = ring[place]
        each = [
            0.0 if other == place else self._other(_near(to_x - x, to_y - y, not self._along), OFF_TILE_MM)
            for other, (to_x, to_y) in enumerate(ring)
        ]
        turned = (
            [RING if one == RING else (one + turn) % RING for one in pattern]
            for pattern in self._places.patterns
            for turn in range(RING)
        )
        return max((sum(each[one] for one in pattern) for pattern in turned), default=0.0)


_GLASS = tuple((part + 0.5) / 9 * REED_MM - REED_MM / 2 for part in range(9))
_GLASS_AFAR = (-REED_MM / math.sqrt(12), REED_MM / math.sqrt(12))
"""Points along a reed's glass over which the field is averaged: midpoints, and Gauss's two where it is smooth."""


def _near(along: float, across: float, round_about: bool) -> Point:
    """Return a place to a tenth of a millimetre, without its side: where a field is the same in size.

    A sensor that feels alike in all directions, ``round_about``, knows a distance only.
    """
    if round_about:
        return round(math.hypot(along, across), 1), 0.0
    return round(abs(along), 1), round(abs(across), 1)


def _ring(middle: Point, radius: float) -> list[Point]:
    """Return the nine places of a well: its ring clockwise from north, then its middle."""
    x, y = middle
    return [*((x + radius * right, y + radius * up) for right, up in map(direction, range(RING))), middle]


def _sensors(places: SensorPlaces) -> Iterator[tuple[str, int | None, Point]]:
    """Yield each sensor: its node, its place among nine, and where it lies."""
    for name, at in places.stones.items():
        yield name, None, at
    for name, middle in places.wells.items():
        for place, at in enumerate(_ring(middle, places.ring_mm)):
            yield name, place, at


@dataclass(frozen=True)
class MagnetVerdict:
    """Whether a part works with a magnet on a board, and the figures that decide, in ``unit``."""

    part: str
    unit: str
    """``mT``, or ``steps`` of a linear part's reading."""
    alone: float
    """Usual strength over the middle of a piece without neighbours."""
    piece: float
    """Least strength over a piece beside all its neighbours."""
    shows: float
    """Strength that surely counts as a piece."""
    others: float
    """Largest strength of all others where no piece lies."""
    hides: float
    """Strength that surely counts as nothing."""
    saturated: bool = False
    stack_mm: float = -1.0
    """How far beside the middle a linear sensor still tells stacks of equal stones from a stone; below 0: nowhere."""

    @property
    def why(self) -> str:
        """Why it does not work; empty if it does."""
        if self.saturated:
            return "a piece drives it to the end of its range"
        if self.piece < self.shows:
            return "a piece may not show"
        return "" if self.others <= self.hides else "a piece that was lifted may still show"

    @property
    def figures(self) -> tuple[str, ...]:
        """The five strengths in words."""
        figures = (max(0.0, figure) for figure in (self.alone, self.piece, self.shows, self.others, self.hides))
        return tuple(f"{figure:.{0 if figure >= 10 else 1}f} {self.unit}" for figure in figures)


class MagnetJudge:
    """Verdicts on parts and magnets for the places of a board."""

    def __init__(self, places: SensorPlaces, volts: float) -> None:
        """MagnetJudge parts at a supply of ``volts``."""
        self.places, self._volts = places, volts
        self._surroundings: dict[tuple[Magnet, bool], Surroundings] = {}

    def verdict(self, part: str, magnet: Magnet) -> MagnetVerdict:
        """Return the verdict on a part with a magnet."""
        data = PARTS[part]
        found = self.surroundings(magnet, along_glass=data.response == AXIAL)
        others, _ = found.worst
        piece = found.least - others
        if data.response != LINEAR_OUTPUT:
            return MagnetVerdict(part, "mT", found.middle(0.0), piece, data.operate_mt[1], others, data.release_mt[0])
        each = self._steps_per_mt(part)
        weak, strong = each * (1 - SENSITIVITY), each * (1 + SENSITIVITY)
        alone = float(steps(part, found.middle(0.0), self._volts))
        figures = (
            alone,
            min(piece, data.linear_at(self._volts)[1]) * weak,
            SHOWS_STEPS,
            others * strong,
            HIDES_STEPS,
        )
        if saturates(part, magnet.mt, self._volts):
            return MagnetVerdict(part, "steps", *figures, saturated=True)
        return MagnetVerdict(
            part, "steps", *figures, stack_mm=self._stacks(part, magnet) if self.places.mixed else -1.0
        )

    def surroundings(self, magnet: Magnet, *, along_glass: bool = False) -> Surroundings:
        """Return the fields of a magnet on the board."""
        key = (magnet, along_glass)
        if key not in self._surroundings:
            self._surroundings[key] = Surroundings(self.places, magnet, along_glass=along_glass)
        return self._surroundings[key]

    def fitting(self, parts: Sequence[str], magnets: Sequence[Magnet]) -> Iterator[Fit]:
        """Yield the parts and magnets that work together, magnet by magnet."""
        for magnet in magnets:
            hopeful = (part for part in parts if self._hopeful(part, magnet))  # Cheap: no neighbours yet.
            yield from ((part, magnet) for part in hopeful if not self.verdict(part, magnet).why)

    def best(self, parts: Sequence[str], magnets: Sequence[Magnet]) -> Fit | None:
        """Return the first part and magnet that work together, of linear ones those that tell stacks farthest out."""
        if not any(PARTS[part].response == LINEAR_OUTPUT for part in parts):
            return next(self.fitting(parts, magnets), None)
        return max(self.fitting(parts, magnets), key=lambda fit: round(self.verdict(*fit).stack_mm, 1), default=None)

    def _hopeful(self, part: str, magnet: Magnet) -> bool:
        """Return whether a part could work if there were no neighbours."""
        data, volts = PARTS[part], self._volts
        least = self.surroundings(magnet, along_glass=data.response == AXIAL).least
        if data.response == LINEAR_OUTPUT:
            return least * self._steps_per_mt(part) >= SHOWS_STEPS and not saturates(part, magnet.mt, volts)
        return least >= data.operate_mt[1]

    def _steps_per_mt(self, part: str) -> float:
        return PARTS[part].linear_at(self._volts)[0] / (1000 * self._volts / 2) * STEPS

    def _stacks(self, part: str, magnet: Magnet) -> float:
        """Return how far beside the middle a calibrated sensor tells stacks from a stone; -1 for nowhere.

        The thresholds lie halfway between the strengths of an opposite stack, a stone and a like stack.
        """
        found = self.surroundings(magnet)
        slack = found.worst[0] + HYSTERESIS / self._steps_per_mt(part)
        stone, upper = found.middle(0.0), found.middle(0.0, magnet.stone_mm)
        if stone + upper / 2 + slack > PARTS[part].linear_at(self._volts)[1]:
            return -1.0

        def tells(off: float) -> bool:
            over, above = found.middle(off), found.middle(off, magnet.stone_mm)
            return over - slack >= stone - upper / 2 and min(over + above - stone, above) - slack >= upper / 2

        return next((tenths for tenths in range(100) if not tells(tenths / 10)), 100) / 10 - 0.1


def judge_of(board: BoardDescription) -> MagnetJudge:
    """Return the judge of a board."""
    return MagnetJudge(places_of(board), scheme_of(board).supply(board.options).volts)


def parts_of(board: BoardDescription) -> Sequence[str]:
    """Return the parts that can read a board's kind; a reed is longer than the distances in a ring."""
    parts = scheme_of(board).sensor_parts(board.channel_kind)
    return [part for part in parts if board.kind != CODED or PARTS[part].response != AXIAL]


def common(board: BoardDescription) -> Sequence[Magnet]:
    """Return the common magnets that fit into a board's tiles, at common distances, the best first."""
    heights = STONES_MM if places_of(board).mixed else STONES_MM[:1]
    discs = [disc for disc in DISCS if not board.tiles or disc[0] <= board.sizes.magnet_mm]
    return [Magnet(*disc, gap, height) for height in heights for disc in discs for gap in GAPS_MM]


def best_fit(board: BoardDescription) -> Fit | None:
    """Return the best sensor part and common magnet for a board; None where none work together."""
    return judge_of(board).best(parts_of(board), common(board))


def stretch(board: BoardDescription, factor: float) -> BoardDescription:
    """Return a board with its nodes further apart."""
    nodes = {name: replace(node, x=node.x * factor, y=node.y * factor) for name, node in board.nodes.items()}
    return replace(board, nodes=nodes)


def refusal(board: BoardDescription) -> str | None:
    """Return why the board's part does not work with its magnet, and what does; None where it works or is not named."""
    judge, parts = judge_of(board), parts_of(board)
    mine = [board.magnet] if board.magnet else common(board)
    if not board.part or any(judge.fitting([board.part], mine)):
        return None
    expected = []
    if board.magnet:
        verdict = judge.verdict(board.part, board.magnet)
        _, piece, shows, others, hides = verdict.figures
        figures = f"the others give up to {others}, it bears {hides}"
        if verdict.piece < verdict.shows:
            figures = f"it gives {piece} at least, {shows} are needed"
        fault = f"{board.part} with {magnet_words(board.magnet)}: {verdict.why} ({figures})"
        other = judge.best(parts, mine)
        expected = [f"{other[0]} with this magnet"] if other else []
    else:
        fault = f"{board.part} works with no common magnet on this board"
    same = judge.best([board.part], common(board))
    expected += [f"{same[0]} with {magnet_words(same[1])}"] if same else []
    best = None if expected else judge.best(parts, common(board))
    expected += [f"{best[0]} with {magnet_words(best[1])}"] if best else []
    return f"{fault}; expected {', or '.join(expected) or 'nodes further apart'}"


def magnet_words(magnet: Magnet) -> str:
    """Return the words for a magnet and its distance: ``8 x 2 mm of N35, 5 mm from face to sensor``."""
    stones = "" if magnet.stone_mm == STONE_MM else f", in stones of {magnet.stone_mm:g} mm"
    return f"{disc_words(magnet.mm, magnet.height_mm, magnet.grade)}, {magnet.gap_mm:g} mm from face to sensor{stones}"


def disc_words(mm: float, height_mm: float, grade: str) -> str:
    """Return the words for a disc: ``8 x 2 mm of N35``."""
    return f"{mm:g} x {height_mm:g} mm of {grade}"
