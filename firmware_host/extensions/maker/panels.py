"""Two printed circuit boards from a board file: a panel under one well for tiles, and a strip under a row of nodes.

The panel of a well has its nine hall sensors and the 74HC165 that reads the eight of the ring; the middle one is led
out, to a chip that reads middles. Panels are chained by flat cables: each one's IN is the next one's OUT. The strip has
a hall sensor under each node and a WS2812B under its window; the sensors' outputs are led to one header, for whatever
scheme the board file has, and the pixels go from one end to the other.

Both lie under the plate, parts up, at a distance of 2 mm that the tallest part (1.75 mm) needs. Then a sensor's element
is about 1.5 mm below the plate (:data:`DEEP_MM`), which the board file's ``gap_mm`` has to allow for. Places are in mm
from the upper left corner, y downwards, as KiCad has them; what is soldered by hand are headers, from below.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_host.extensions.maker import kicad, octagon
from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.netlist import circuit_of, pixel_block
from firmware_host.extensions.maker.packages import (
    BY_NAME,
    FOOTPRINTS,
    LEGS,
    NUMBERS,
    Pad,
    header_part,
    pads_at,
)
from firmware_host.extensions.maker.parts_list import csv_text
from firmware_host.extensions.maker.pieces import sensor_kind
from firmware_host.extensions.maker.plate import DrawingError, window_offset
from firmware_host.extensions.maker.router import EDGE, FRONT, STEP, Track
from firmware_host.link.supplies import sensors_circuit
from hw.circuit import CAPACITOR, DECOUPLING, GROUND, HALL, OPEN, RESISTOR, V5, V33, Block, Circuit, Pin, Pole
from hw.lights import STRIPS
from hw.ports import RING, BoardDescription, NodeWiring, StripWiring
from hw.registry import has_switch_pairs, scheme_of
from hw.schemes.hc165 import CHIP, INPUT_PINS
from hw.sensor_parts import PARTS

SPACE_MM = 2.0
"""From the circuit board to the plate: washers, or foam tape."""
ELEMENT_MM = 0.5
"""Of a SOT-23 sensor's element above the circuit board (1.12 mm high, 0.65 mm below its face)."""
DEEP_MM = SPACE_MM - ELEMENT_MM
"""How far below the plate's underside the sensors' elements are."""
SCREW_MM = 3.2
MAX_MM = 600.0
"""The longest circuit board that usual services make without asking."""
PIXEL = "WS2812B"
PIXEL_MA = 60.0
SUPPLY_MM, PIXELS_MM = 0.8, 2.0
"""Width of the tracks for the sensors' supply and the pixels' 5 V (2 mm bear 3.9 A with 10 K more: IPC-2221)."""
RAIL_MM = 3.6
"""From the pixels' middles to the track of their 5 V."""
STRAIGHT_MM = 0.5
"""How far a node may lie beside the line of its row."""

USUAL_STRIP = StripWiring().scheme
Point = tuple[float, float]


@dataclass(frozen=True)
class Placed:
    """A part at its place, turned anticlockwise."""

    box: kicad.Box
    x: float
    y: float
    degrees: int = 0

    @property
    def pads(self) -> tuple[Pad, ...]:
        """Its pads on the board."""
        return tuple(pads_at(BY_NAME[self.box.footprint.partition(":")[2]], self.x, self.y, self.degrees))


@dataclass(frozen=True)
class Print:
    """A line of text, its middle at (x, y); on the side of the headers with ``below``."""

    text: str
    x: float
    y: float
    below: bool = False
    height: float = 1.0


@dataclass(frozen=True)
class Panel:
    """A printed circuit board: its size, parts, prints, screw holes (x, y), and tracks that are given."""

    name: str
    width: float
    height: float
    parts: tuple[Placed, ...]
    prints: tuple[Print, ...]
    screws: tuple[tuple[float, float], ...] = ()
    rails: tuple[Track, ...] = ()
    notes: tuple[str, ...] = ()
    """What its maker has to know, sentences."""
    corners: tuple[Point, ...] = ()
    """Where its corners lie under the plate, from above: mm right and up, as nodes have them; none for a well's."""


@dataclass
class _Draft:
    """Parts of a circuit with their places, from the middle or from the first node."""

    blocks: list[tuple[Block, tuple[float, float, int]]] = field(default_factory=list)
    poles: list[tuple[Pole, tuple[float, float, int]]] = field(default_factory=list)

    def parts(self, dx: float, dy: float, known: Mapping[str, str] | None = None) -> tuple[Placed, ...]:
        """Return all parts, moved; ``known`` are the names that parts have on the board's other papers."""
        circuit = Circuit(tuple(block for block, _ in self.blocks), tuple(pole for pole, _ in self.poles))
        places = [place for _, place in (*self.blocks, *self.poles)]
        found = kicad.boxes(circuit, FOOTPRINTS, LEGS, known)
        return tuple(Placed(box, x + dx, y + dy, turn) for box, (x, y, turn) in zip(found, places, strict=True))


def _sensor(board: BoardDescription) -> str:
    """Return the hall sensor of a board. Raise DrawingError where it has none that lies on a circuit board."""
    part = board.part or scheme_of(board).sensor_parts(sensor_kind(board))[0]
    if has_switch_pairs(board):
        raise DrawingError(
            f"{board.name}: two switches at a node, one of them face down, don't fit on a circuit board: "
            "expected kind presence, level or coded in [sensors]"
        )
    if PARTS[part].legs != len(LEGS):
        raise DrawingError(
            f"{board.name}: a circuit board has hall sensors: expected such a part in [sensors], got {part!r}"
        )
    return part


def _hall(
    draft: _Draft, part: str, net: str, place: tuple[float, float, int], beside: tuple[float, float, int]
) -> None:
    """Add a sensor and its capacitor."""
    draft.poles.append((Pole(HALL, part, net, GROUND, V33, part=part, takes_ma=PARTS[part].ma, name=net), place))
    draft.poles.append((Pole(CAPACITOR, DECOUPLING, V33, GROUND, at=net), beside))


def _header(name: str, rows: int, columns: int, pins: Sequence[tuple[str, str]]) -> Block:
    own = tuple(Pin(str(at), what, net) for at, (what, net) in enumerate(pins, 1))
    return Block(name, header_part(rows, columns), own, ())


# -- the panel of a well -----------------------------------------------------------------------------------------------

WELL_EDGE_MM = 4.0
"""From the ring's outermost sensors to the edge."""
CABLE = (("3V3", V33), ("GND", GROUND), ("LOAD", "load"), ("CLK", "clock"))


def well_panel(board: BoardDescription) -> Panel:
    """Return the panel for one of a board's wells. Raise DrawingError for a board without such wells or 74HC165."""
    wells = [node for node in board.nodes.values() if node.ring]
    if not wells:
        raise DrawingError(
            f'{board.name}: no well has nine sensors: expected kind = "coded" in [sensors], or --row with two nodes'
        )
    if not any(block.part == CHIP.name for block in sensors_circuit(board).blocks):
        raise DrawingError(f"{board.name}: the panel of a well has a {CHIP.name}: expected such a scheme in [sensors]")
    part, radius = _sensor(board), board.sizes.ring_mm
    draft = _Draft()
    chip = (0.0, -9.0, 90)
    order = [f"ring {place}" for place in range(RING)]
    inputs = tuple(Pin(str(INPUT_PINS[7 - at]), f"D{7 - at}", net) for at, net in enumerate(order))
    rest = (
        Pin("16", "VCC", V33, takes_ma=CHIP.ma),
        Pin("8", "GND", GROUND),
        Pin("1", "SH/LD", "load"),
        Pin("2", "CLK", "clock"),
        Pin("15", "CLK INH", GROUND),
        Pin("10", "SER", "data in"),
        Pin("9", "QH", "data out"),
        Pin("7", "/QH", OPEN),
    )
    draft.blocks += [
        (Block("ring", CHIP.name, inputs, rest), chip),
        (_header("to the Pi", 6, 1, (*CABLE, ("OUT", "data out"), ("MID", "middle"))), (-10.5, 2.0, 0)),
        (_header("next well", 5, 1, (*CABLE, ("IN", "data in"))), (10.5, 2.0, 0)),
    ]
    for place, net in enumerate(order):
        right, up = octagon.direction(place)
        x, y = radius * right, -radius * up
        capacitor, pull_up = _beside_ring(place, x, y)
        _hall(draft, part, net, (x, y, 0), capacitor)
        draft.poles.append((Pole(RESISTOR, "10k", net, V33), pull_up))
    _hall(draft, part, "middle", (0.0, 0.0, 0), (0.0, 3.5, 0))
    draft.poles.append((Pole(CAPACITOR, DECOUPLING, V33, GROUND, at=CHIP.name), (7.5, -9.0, 90)))
    # The last panel's input has to be at a level; the next one's output is stronger.
    draft.poles.append((Pole(RESISTOR, "10k", "data in", GROUND), (5.5, 7.0, 90)))
    half = radius + WELL_EDGE_MM
    corner = half - 3.5
    screws = tuple((half + x * corner, half + y * corner) for x, y in itertools.product((-1, 1), repeat=2))
    prints = [Print(f"{board.name}: a well, north", half, 1.2, height=0.8)]
    for at, text in enumerate((*(what for what, _ in CABLE), "OUT", "MID")):
        prints.append(Print(text, half - 7.8, half + 2.0 + (at - 2.5) * 2.54, below=True))
    for at, text in enumerate((*(what for what, _ in CABLE), "IN")):
        prints.append(Print(text, half + 7.8, half + 2.0 + (at - 2) * 2.54, below=True))
    return Panel(
        f"{board.name}-well",
        2 * half,
        2 * half,
        _check_overlaps(board, draft.parts(half, half)),
        tuple(prints),
        screws,
        notes=tuple(_well_notes(board, wells)),
    )


def _beside_ring(place: int, x: float, y: float) -> tuple[tuple[float, float, int], tuple[float, float, int]]:
    """Return the places of a ring sensor's capacitor and pull-up, inside the octagon."""
    if place in {0, 4}:
        return (x - 4.2, y, 90), (x + 4.2, y, 90)
    if place in {2, 6}:
        return (x, y - 3.6, 0), (x, y + 3.6, 0)
    inwards = -math.copysign(4.2, x)
    return (x + inwards, y, 90), (x, y - math.copysign(3.6, y), 0)


def _well_notes(board: BoardDescription, wells: Sequence[NodeWiring]) -> Iterator[str]:
    yield f"{len(wells)} panels, one under each well, with north up; each well's middle goes to another chip."
    yield from _gap_notes(board)
    other = [
        node.name for node in wells if node.ring[0] % 8 or node.ring[:8] != tuple(range(node.ring[0], node.ring[0] + 8))
    ]
    if other:
        yield (
            f"A panel's chip reads the ring clockwise from north: in the board file number the channels of "
            f"{', '.join(other)} so, from a multiple of 8."
        )


def _gap_notes(board: BoardDescription) -> Iterator[str]:
    if board.magnet is not None:
        over = board.magnet.gap_mm - DEEP_MM
        yield (
            f"Mounted {SPACE_MM:g} mm below the plate its sensors lie {DEEP_MM:g} mm below it: with gap_mm = "
            f"{board.magnet.gap_mm:g} there are {over:g} mm for wood and paint over it."
        )


# -- the strip of a row ------------------------------------------------------------------------------------------------


def row_strip(board: BoardDescription, first: str, last: str) -> Panel:
    """Return the strip for all nodes on the straight line from one node to another. Raise DrawingError."""
    nodes, angle = _row(board, first, last)
    return strip_under(board, nodes, angle, names_of(circuit_of(board)))


def strip_under(board: BoardDescription, nodes: Sequence[NodeWiring], angle: float, known: Mapping[str, str]) -> Panel:
    """Return the strip for nodes on one line, in order; the line runs at an angle, anticlockwise from the right.

    ``known`` are the names of parts on the board's other papers; headers are numbered behind them. Raise DrawingError.
    """
    part = _sensor(board)
    first, last = nodes[0].name, nodes[-1].name
    lit = board.lights.has_strips
    kinds = {strip.scheme for strip in board.lights.strips}
    if lit and kinds != {USUAL_STRIP}:
        raise DrawingError(
            f"{board.name}: a strip's circuit board has pixels of scheme {USUAL_STRIP}: expected these in [lights], "
            f"got {', '.join(sorted(kinds))}"
        )
    reach = [math.dist((nodes[0].x, nodes[0].y), (node.x, node.y)) for node in nodes]
    windows = [_seen_along(window_offset(board, node), angle) for node in nodes] if lit else []
    # Pixels below the sensors, in the strip's own direction: else it is drawn from its other end.
    if windows and max((down for _, down in windows), key=abs) < -1.0:
        return strip_under(board, list(reversed(nodes)), angle + math.pi, known)
    draft = _Draft()
    rows = (len(nodes) + 3) // 2
    deepest = max((down for _, down in windows), default=0.0)
    between = 0.5 * len(nodes) + 8.0
    beside = 0.0 if deepest >= between else 0.5 * len(nodes) + 1.0  # Room for the outputs' tracks above the sensors.
    top = -4.2 - beside
    low = max(deepest + RAIL_MM + 2.0, 3.5, top + rows * 2.54 + 3.0)
    left = 14.0 + max([5.0, *(7.5 - aside for aside, _ in windows)])
    right = reach[-1] + (12.5 + max(0.0, *(aside for aside, _ in windows)) if windows else 6.0)
    names = [(node.name, node.name) for node in nodes]
    spare = 2 * rows - 2 - len(names)
    outputs = _header("sensors", rows, 2, [("3V3", V33), ("GND", GROUND), *names, *[("GND", GROUND)] * spare])
    middle = (top + low) / 2
    header_x = 6.5 - left
    draft.blocks.append((outputs, (header_x, middle, 0)))
    for node, along in zip(nodes, reach, strict=True):
        _hall(draft, part, node.name, (along, 0.0, 0), (along + 4.0, -1.0, 270))
    rails = [Track(V33, FRONT, (header_x + 3.0, -3.0), (reach[-1] + 4.0, -3.0), SUPPLY_MM)]
    notes = list(_gap_notes(board))
    prints = list(_header_prints(outputs, header_x, middle))
    if lit:
        forwards = nodes[0].pixel <= nodes[-1].pixel
        places = [(along + aside, down) for along, (aside, down) in zip(reach, windows, strict=True)]
        _pixels(draft, nodes, places, forwards)
        starts, ends = (13.5 - left, right - 4.0) if forwards else (right - 4.0, 13.5 - left)
        rail = low - 2.0
        rails.append(
            Track(
                V5,
                FRONT,
                (min(starts, places[0][0]), rail),
                (max(starts, places[-1][0] + 3), rail),
                PIXELS_MM,
            )
        )
        for name, x, pins in (
            ("pixels", starts, [("DIN", "pixels in"), ("GND", GROUND), ("5V", V5)]),
            ("next pixels", ends, [("DOUT", "pixels out"), ("GND", GROUND)]),
        ):
            block = _header(name, len(pins), 1, pins)
            y = rail - 2.54 * (len(pins) - 1) / 2 - (0.0 if name == "pixels" else 3.2)
            draft.blocks.append((block, (x, y, 0)))
            prints += _header_prints(block, x, y, 1 if x < reach[-1] / 2 else -1)
        notes += _pixel_notes(nodes, forwards)
    size = (right + left, low - top)
    if max(size) > MAX_MM:
        raise DrawingError(
            f"{board.name}: the strip from {first} to {last} would be {max(size):.0f} mm long; "
            f"expected a part of that row, up to {MAX_MM:.0f} mm"
        )
    notes.append(
        f"It sticks out {left:.0f} mm before {nodes[0].name} and {right - reach[-1]:.0f} mm behind {nodes[-1].name}."
    )
    parts = draft.parts(left, -top, known)
    placed_prints = [Print(one.text, one.x + left, one.y - top, one.below, one.height) for one in prints]
    placed_prints += _names(parts, size, placed_prints)
    return Panel(
        f"{board.name}-{nodes[0].name}-{nodes[-1].name}",
        *size,
        _check_overlaps(board, parts),
        tuple(placed_prints),
        (),
        tuple(_on_grid(one, left, -top) for one in rails),
        tuple(notes),
        tuple(
            (
                nodes[0].x + x * math.cos(angle) + y * math.sin(angle),
                nodes[0].y + x * math.sin(angle) - y * math.cos(angle),
            )
            for x, y in ((-left, top), (right, top), (right, low), (-left, low))
        ),
    )


BESIDE = {
    HALL: ((-3.8, 0.8), (-3.8, 2.0), (0.0, 2.6), (0.0, -2.6)),
    PIXEL: ((-5.8, 0.0), (5.8, 0.0), (0.0, 3.4), (0.0, -3.4)),
}
"""Where the name of a part may stand, seen from its middle: the first place over no copper is taken."""
NODE_BESIDE = ((-3.8, -0.6), (0.0, -2.6), (0.0, 2.6), (-3.8, 0.8))
"""The same for the name of a sensor's node, which is written first."""
NAME_MM = 0.8


def _names(parts: Sequence[Placed], size: tuple[float, float], prints: Sequence[Print]) -> Iterator[Print]:
    """Yield the names of nodes, sensors and pixels, beside them, where no pad, edge and other print is in the way."""
    taken = [pad.box for one in parts for pad in one.pads]
    taken += [_room_of_print(one) for one in prints if not one.below]
    sensors = [one for one in parts if one.box.part in PARTS]
    wanted = [(one, one.box.place, NODE_BESIDE, 1.0) for one in sensors]
    wanted += [(one, one.box.reference, BESIDE[HALL], NAME_MM) for one in sensors]
    wanted += [(one, one.box.reference, BESIDE[PIXEL], NAME_MM) for one in parts if one.box.part == PIXEL]
    for one, text, places, height in wanted:
        for right, down in places:
            named_here = Print(text, one.x + right, one.y + down, height=height)
            left, top, to, bottom = _room_of_print(named_here)
            on_board = min(left, top) > EDGE and to < size[0] - EDGE and bottom < size[1] - EDGE
            if on_board and not any(left < x2 and x1 < to and top < y2 and y1 < bottom for x1, y1, x2, y2 in taken):
                taken.append((left, top, to, bottom))
                yield named_here
                break


def _room_of_print(one: Print) -> tuple[float, float, float, float]:
    """Return the room of a print: left, upper, right and lower edge."""
    wide, high = one.height * len(one.text) / 2 + 0.25, one.height / 2 + 0.25
    return one.x - wide, one.y - high, one.x + wide, one.y + high


def _on_grid(rail: Track, dx: float, dy: float) -> Track:
    """Return a straight track moved, and from there to where the router's tracks can meet it."""
    ends = (
        tuple(round((part + by) / STEP) * STEP for part, by in zip(end, (dx, dy), strict=True))
        for end in (rail.begin, rail.end)
    )
    begin, end = ((x, y) for x, y in ends)
    return Track(rail.net, rail.layer, begin, end, rail.width)


def _row(board: BoardDescription, first: str, last: str) -> tuple[list[NodeWiring], float]:
    """Return the nodes on the line between two, in order, and the line's angle."""
    for name in (first, last):
        if name not in board.nodes:
            raise DrawingError(f"{board.name}: --row: expected the names of two nodes, got {name!r}")
    one, other = board.nodes[first], board.nodes[last]
    if one is other:
        raise DrawingError(f"{board.name}: --row: expected two different nodes, got {first!r} twice")
    long = math.dist((one.x, one.y), (other.x, other.y))
    right, up = (other.x - one.x) / long, (other.y - one.y) / long

    def along(node: NodeWiring) -> float:
        return (node.x - one.x) * right + (node.y - one.y) * up

    def beside(node: NodeWiring) -> float:
        return abs((node.x - one.x) * up - (node.y - one.y) * right)

    on = [node for node in board.nodes.values() if beside(node) <= STRAIGHT_MM and -0.01 <= along(node) <= long + 0.01]
    return sorted(on, key=along), math.atan2(up, right)


def _seen_along(offset: tuple[float, float], angle: float) -> tuple[float, float]:
    """Return an offset (right, up) on the plate as one along the row and down from it."""
    right, up = offset
    return right * math.cos(angle) + up * math.sin(angle), right * math.sin(angle) - up * math.cos(angle)


def _pixels(draft: _Draft, nodes: Sequence[NodeWiring], places: Sequence[tuple[float, float]], forwards: bool) -> None:
    """Add the pixels with their capacitors, chained from the end where the first one is."""
    chain = list(range(len(nodes)) if forwards else reversed(range(len(nodes))))
    nets = ["pixels in", *(f"pixel {nodes[at].name}" for at in chain[:-1]), "pixels out"]
    legs = STRIPS.get(USUAL_STRIP).legs
    for number, at in enumerate(chain):
        x, y = places[at]
        own = {"VDD": V5, "DOUT": nets[number + 1], "GND": GROUND, "DIN": nets[number]}
        pins = tuple(
            Pin(legs[name], name, net, takes_ma=PIXEL_MA if name == "VDD" else 0.0) for name, net in own.items()
        )
        name, side = pixel_block(nodes[at].name), 5.2 if forwards else -5.2
        pixel = Block(name, PIXEL, pins[:2], pins[2:], group="pixels")
        draft.blocks.append((pixel, (x, y, 180 if forwards else 0)))
        draft.poles.append((Pole(CAPACITOR, DECOUPLING, V5, GROUND, at=name), (x + side, y, 90)))


def _pixel_notes(nodes: Sequence[NodeWiring], forwards: bool) -> Iterator[str]:
    chain = list(nodes if forwards else reversed(nodes))
    begin = chain[0].pixel
    if [node.pixel for node in chain] != list(range(begin, begin + len(chain))):
        yield (
            f"Its pixels are chained {', '.join(node.name for node in chain)}: "
            "number them so in the board file, which has other numbers."
        )


def _header_prints(block: Block, x: float, y: float, side: int = 0) -> Iterator[Print]:
    """Yield the names of a header's pins on the side where it is soldered on, to their right (1) or left (-1).

    Without a side it has two columns, each with its names beside it.
    """
    columns = 1 if side else 2
    rows = len(block.left) // columns
    for at, pin in enumerate(block.left):
        row, column = divmod(at, columns)
        towards = side or (1 if column else -1)
        away = 1.27 * (columns - 1) + 1.2 + 0.4 * len(pin.name)
        yield Print(pin.name, x + towards * away, y + (row - (rows - 1) / 2) * 2.54, below=True, height=0.8)


# -- both --------------------------------------------------------------------------------------------------------------


def _check_overlaps(board: BoardDescription, parts: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """Return the parts. Raise DrawingError where two overlap."""
    rooms = []
    for one in parts:
        wide, high = BY_NAME[one.box.footprint.partition(":")[2]].half
        rooms.append((high, wide) if one.degrees % 180 else (wide, high))
    for (one, (w1, h1)), (other, (w2, h2)) in itertools.combinations(zip(parts, rooms, strict=True), 2):
        if abs(one.x - other.x) < w1 + w2 and abs(one.y - other.y) < h1 + h2:
            raise DrawingError(
                f"{board.name}: {one.box.value} and {other.box.value} overlap on the circuit board: "
                "expected nodes further apart, another window_at or ring_mm"
            )
    return parts


def parts_csv(panel: Panel) -> str:
    """Return the parts for a workshop that fits them, with the names of columns that JLCPCB and others read."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in panel.parts:
        value = one.box.value.partition(" (")[0]
        groups.setdefault((one.box.part, value, one.box.footprint.partition(":")[2]), []).append(one.box.reference)
    heads = ("Comment", "Designator", "Footprint", "Quantity", "Manufacturer", "Manufacturer Part Number")
    rows = [
        (value, ",".join(references), package, len(references), *NUMBERS.get(part, ("", "")))
        for (part, value, package), references in groups.items()
    ]
    return csv_text([heads, *rows])
