"""Writes a printed circuit board for KiCad 8 and later, with its schematic: needs kiutils, and manifold3d.

Tracks are laid by ``router.py``; the lower layer is a plane at ground. KiCad's command line fills
no plane by itself, so that its copper is computed here: the board's rectangle without what other nets need there, and
with four bridges to each pin of a header, which can then be soldered. In KiCad the key B fills it anew.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import manifold3d
from kiutils.board import Board
from kiutils.footprint import Attributes, DrillDefinition, Footprint
from kiutils.footprint import Pad as BoardPad
from kiutils.items.brditems import GeneralSettings, LayerToken, Segment
from kiutils.items.brditems import Via as BoardVia
from kiutils.items.common import Effects, Font, Justify, Net, PageSettings, Position
from kiutils.items.fpitems import FpLine, FpRect, FpText
from kiutils.items.gritems import GrRect, GrText
from kiutils.items.zones import FilledPolygon, FillSettings, Hatch, Zone, ZonePolygon

from firmware_host.extensions.maker import kicad, kicad_project, kicad_sheet, router
from firmware_host.extensions.maker.packages import BY_NAME, LIBRARY, Package
from firmware_host.extensions.maker.panels import SCREW_MM, Panel, Placed
from firmware_host.extensions.maker.plate import DrawingError
from hw.circuit import GROUND, OPEN

VERSION = "20221018"
"""The format of KiCad 7, which all later ones read."""
LAYERS = ("F.Cu", "B.Cu")
PLANE_MM, THINNEST_MM, BRIDGE_MM = 0.25, 0.25, 0.5
"""From the plane to other nets; its thinnest place; width of the bridges to a header's pin."""
BRIDGES = 2
"""So many bridges from the plane to each pin of a header, where some way of the tracks leaves them: KiCad wants two."""
PRICES = (2, 4, 8)
"""What a track on the plane's layer costs, compared with one above: more, where the plane is cut in pieces else."""
ROUND = 32
MARGIN_MM = 30.0
"""From the corner of the sheet to that of the board."""
SCREW = "MountingHole_3.2mm"
DESIGN = {
    "board": {
        "design_settings": {
            "rules": {
                "min_clearance": router.CLEARANCE,
                "min_copper_edge_clearance": router.EDGE,
                "min_hole_clearance": 0.25,
                "min_hole_to_hole": 0.25,
                "min_through_hole_diameter": router.VIA_DRILL,
                "min_track_width": 0.2,
                "min_via_annular_width": 0.13,
                "min_via_diameter": router.VIA,
            }
        }
    },
    "net_settings": {
        "classes": [
            {
                "name": "Default",
                "clearance": router.CLEARANCE,
                "track_width": router.TRACK,
                "via_diameter": router.VIA,
                "via_drill": router.VIA_DRILL,
            }
        ],
        "meta": {"version": 3},
    },
}
"""What a usual service for prototypes makes without a surcharge, and KiCad checks."""
Point = tuple[float, float]


def write(panel: Panel, folder: Path) -> list[Path]:
    """Write a panel's project into a folder: circuit board, schematic, netlist, libraries. Return the first three.

    Raise DrawingError where no way is found for a net, and OSError.
    """
    parts = [one.box for one in panel.parts]
    sheet, netlist = kicad_project.write_project(panel.name, parts, folder)
    kicad_sheet.write_project_file(panel.name, folder, **DESIGN)
    library = folder / f"{LIBRARY}.pretty"
    library.mkdir(exist_ok=True)
    for name in sorted({one.footprint.partition(":")[2] for one in parts}):
        _footprint(BY_NAME[name]).to_file(str(library / f"{name}.kicad_mod"), encoding="utf-8")
    if panel.screws:
        _screw().to_file(str(library / f"{SCREW}.kicad_mod"), encoding="utf-8")
    kicad_sheet.write_table(folder, "fp", library.name)
    file = folder / f"{panel.name}.kicad_pcb"
    _board(panel).to_file(str(file), encoding="utf-8")
    return [file, sheet, netlist]


@dataclass(frozen=True)
class Laid:
    """A panel's nets, and the copper that joins them."""

    of_pad: Mapping[tuple[str, str], str]
    """(reference, number of a pad) → name of its net."""
    terminals: Sequence[router.Terminal]
    copper: router.Copper
    plane: Sequence[Point]
    """The outline of the plane at ground."""


def laid(panel: Panel) -> Laid:
    """Return a panel's tracks and plane. Raise DrawingError where no way is found for a net, or the plane is cut."""
    nets = kicad.net_names([one.box for one in panel.parts])
    of_pad = {
        (one.box.reference, pin.number): nets[pin.net] if pin.net != OPEN else _alone(one, pin.number)
        for one in panel.parts
        for pin in one.box.pins
    }
    terminals = [router.Terminal(of_pad[one.box.reference, pad.number], pad) for one in panel.parts for pad in one.pads]
    screws = [(x, y, SCREW_MM) for x, y in panel.screws]
    found: Laid | None = None
    for below in PRICES:
        try:
            copper = router.connect((panel.width, panel.height), terminals, panel.rails, screws, GROUND, below)
        except router.NoWayError as error:
            raise DrawingError(
                f"{panel.name}: no way is found for the track {error}: expected fewer nodes, or nodes further apart"
            ) from error
        plane, is_held = _fill_plane(panel, copper, terminals)
        if plane and (found is None or is_held):
            rails = [_cut(rail, copper) for rail in panel.rails]
            found = Laid(of_pad, terminals, router.Copper([*rails, *copper.tracks], copper.vias), plane)
        if plane and is_held:
            break
    if found is not None:
        return found
    raise DrawingError(f"{panel.name}: tracks cut the plane at ground in pieces: expected nodes further apart")


def _cut(rail: router.Track, copper: router.Copper) -> router.Track:
    """Return a rail from the first to the last track or via that meets it: KiCad wants no loose ends."""
    (x1, y1), (x2, _) = rail.begin, rail.end
    ends = [
        end for one in copper.tracks if (one.net, one.layer) == (rail.net, rail.layer) for end in (one.begin, one.end)
    ]
    ends += [one.at for one in copper.vias if one.net == rail.net]
    on = [x for x, y in ends if abs(y - y1) < 1e-6 and x1 <= x <= x2]
    return replace(rail, begin=(min(on), y1), end=(max(on), y1))


def _board(panel: Panel) -> Board:
    found = laid(panel)
    of_pad, copper = found.of_pad, found.copper
    numbers = {name: at for at, name in enumerate(dict.fromkeys(of_pad.values()), 1)}
    board = Board.create_new()
    board.version, board.generator = VERSION, "lodestone"
    board.general = GeneralSettings(thickness=1.6)
    board.paper = PageSettings("User", panel.width + 2 * MARGIN_MM, panel.height + 2 * MARGIN_MM)
    board.layers = [LayerToken(one.ordinal, one.name, one.type, one.userName) for one in board.layers]
    board.nets = [Net(), *(Net(at, name) for name, at in numbers.items())]
    board.footprints = [_place(panel, one, of_pad, numbers) for one in panel.parts]
    for at, (x, y) in enumerate(panel.screws):
        hole = _screw()
        hole.libraryNickname, hole.position = LIBRARY, _at(x, y)
        hole.tstamp = kicad.identifier(panel.name, f"screw {at}")
        board.footprints.append(hole)
    board.graphicItems = [
        GrRect(
            _at(0, 0), _at(panel.width, panel.height), "Edge.Cuts", 0.1, tstamp=kicad.identifier(panel.name, "edge")
        ),
        *_prints(panel),
    ]
    board.traceItems = [
        Segment(_at(*one.begin), _at(*one.end), one.width, LAYERS[one.layer], net=numbers[one.net],
                tstamp=kicad.identifier(panel.name, f"track {at}"))
        for at, one in enumerate(copper.tracks)
    ] + [
        BoardVia(position=_at(*one.at), size=router.VIA, drill=router.VIA_DRILL, layers=list(LAYERS),
                 net=numbers[one.net], tstamp=kicad.identifier(panel.name, f"via {at}"))
        for at, one in enumerate(copper.vias)
    ]  # fmt: skip
    board.zones = [_zone(panel, found.plane, numbers[GROUND])]
    return board


def _alone(part: Placed, number: str) -> str:
    """Return KiCad's name of an open pin's net."""
    pin = next(pin for pin in part.box.pins if pin.number == number)
    return f"unconnected-({part.box.reference}-{pin.name.replace('/', '{slash}')}-Pad{number})"


def _at(x: float, y: float, angle: float | None = None) -> Position:
    return Position(round(x + MARGIN_MM, 6), round(y + MARGIN_MM, 6), angle)


# -- footprints --------------------------------------------------------------------------------------------------------


def _footprint(package: Package) -> Footprint:
    """Return a package as an entry of the library."""
    made = Footprint(entryName=package.name, version=VERSION, generator="lodestone", tedit="0")
    through = any(pad.drill for pad in package.pads)
    made.attributes = Attributes(type="through_hole" if through else "smd")
    wide, high = package.half
    text = Effects(font=Font(height=0.6, width=0.6, thickness=0.1))
    made.graphicItems = [
        FpText("reference", "REF**", Position(0, 0), "F.Fab", effects=text),
        FpText("value", package.name, Position(0, 0.8), "F.Fab", hide=True, effects=text),
        FpRect(Position(-wide, -high), Position(wide, high), "F.CrtYd", 0.05),
        FpRect(Position(-wide + 0.25, -high + 0.25), Position(wide - 0.25, high - 0.25), "F.Fab", 0.1),
    ]
    first = package.pads[0]
    if len(package.pads) > 3 and not through:  # Which pin is the first one says the print.
        left, top, right, _ = first.box
        made.graphicItems.append(FpLine(Position(left, top - 0.25), Position(right, top - 0.25), "F.SilkS", 0.12))
    made.pads = [
        BoardPad(
            number=pad.number,
            type="thru_hole" if pad.drill else "smd",
            shape=("rect" if pad.number == "1" else "circle") if pad.drill else "roundrect",
            position=Position(pad.x, pad.y),
            size=Position(pad.width, pad.height),
            drill=DrillDefinition(diameter=pad.drill) if pad.drill else None,
            layers=["*.Cu", "*.Mask"] if pad.drill else ["F.Cu", "F.Paste", "F.Mask"],
            roundrectRatio=None if pad.drill else 0.25,
        )
        for pad in package.pads
    ]
    return made


def _place(panel: Panel, part: Placed, of_pad: Mapping[tuple[str, str], str], numbers: dict[str, int]) -> Footprint:
    """Return a part's footprint at its place, joined to its symbol and its nets."""
    box = part.box
    made = _footprint(BY_NAME[box.footprint.partition(":")[2]])
    made.version = made.generator = None
    made.libraryNickname = LIBRARY
    made.position = _at(part.x, part.y, part.degrees or None)
    made.tstamp = kicad.identifier(panel.name, f"footprint {box.reference}")
    made.path = f"/{kicad.identifier(panel.name, box.reference)}"
    made.graphicItems[0].text, made.graphicItems[1].text = box.reference, box.value
    for at, item in enumerate(made.graphicItems):
        item.tstamp = kicad.identifier(panel.name, f"{box.reference} drawn {at}")
    for text in made.graphicItems[:2]:
        text.position.angle = part.degrees or None
    types = {pin.number: pin for pin in box.pins}
    for pad in made.pads:
        name = of_pad[box.reference, pad.number]
        pad.net = Net(numbers[name], name)
        pad.pinFunction = types[pad.number].name or None
        pad.position.angle = part.degrees or None
        pad.tstamp = kicad.identifier(panel.name, f"{box.reference} pad {pad.number}")
    return made


def _screw() -> Footprint:
    """Return a hole for a screw of 3 mm."""
    made = Footprint(entryName=SCREW, tedit="0")
    made.attributes = Attributes(boardOnly=True, excludeFromPosFiles=True, excludeFromBom=True)
    text = Effects(font=Font(height=0.6, width=0.6, thickness=0.1))
    made.graphicItems = [
        FpText("reference", "H", Position(0, 0), "F.Fab", hide=True, effects=text),
        FpText("value", SCREW, Position(0, 0), "F.Fab", hide=True, effects=text),
        FpRect(Position(-SCREW_MM, -SCREW_MM), Position(SCREW_MM, SCREW_MM), "F.CrtYd", 0.05),
    ]
    size = Position(SCREW_MM, SCREW_MM)
    drill = DrillDefinition(diameter=SCREW_MM)
    made.pads = [
        BoardPad("", "np_thru_hole", "circle", Position(0, 0), size=size, drill=drill, layers=["*.Cu", "*.Mask"])
    ]
    return made


def _prints(panel: Panel) -> Iterator[GrText]:
    for at, one in enumerate(panel.prints):
        font = Font(height=one.height, width=one.height, thickness=0.15)
        effects = Effects(font=font, justify=Justify(mirror=one.below))
        layer = "B.SilkS" if one.below else "F.SilkS"
        yield GrText(one.text, False, _at(one.x, one.y), layer, effects, kicad.identifier(panel.name, f"print {at}"))


# -- the plane at ground -----------------------------------------------------------------------------------------------


def _fill_plane(panel: Panel, copper: router.Copper, terminals: Sequence[router.Terminal]) -> tuple[list[Point], bool]:
    """Return the outline of the plane of the lower layer, and whether bridges hold each header's pin in it.

    The outline is empty where tracks cut the plane in pieces.
    """
    inset = router.EDGE
    whole = _box(inset, inset, panel.width - inset, panel.height - inset)
    out = [_disc(x, y, SCREW_MM / 2 + 0.3) for x, y in panel.screws]
    gaps: list[manifold3d.CrossSection] = []
    bridges, anchors = [], [one.at for one in copper.vias if one.net == GROUND]
    ends: list[list[Point]] = []
    for one in copper.vias:
        if one.net != GROUND:
            out.append(_disc(*one.at, router.VIA / 2 + PLANE_MM))
    for track in (*panel.rails, *copper.tracks):
        if track.layer == router.BACK:
            out.append(_stretch(track.begin, track.end, track.width / 2 + PLANE_MM))
    for pad in (one for one in terminals if one.pad.drill):
        x, y, half = pad.pad.x, pad.pad.y, pad.pad.width / 2
        room = half * math.sqrt(2) if pad.pad.number == "1" else half
        (gaps if pad.net == GROUND else out).append(_disc(x, y, room + PLANE_MM))
        if pad.net == GROUND:
            far, thin = room + PLANE_MM + 0.2, BRIDGE_MM / 2
            bridges += [_box(x - far, y - thin, x + far, y + thin), _box(x - thin, y - far, x + thin, y + far)]
            bridges.append(_disc(x, y, half))
            anchors.append((x, y))
            ends.append([(x + far, y), (x - far, y), (x, y + far), (x, y - far)])
    batch = manifold3d.CrossSection.batch_boolean
    kept = batch([batch([whole, *gaps], manifold3d.OpType.Subtract), *bridges], manifold3d.OpType.Add)
    kept = batch([kept, *out], manifold3d.OpType.Subtract)
    thin = THINNEST_MM / 2
    kept = kept.offset(-thin, manifold3d.JoinType.Round, 2.0, ROUND).offset(thin, manifold3d.JoinType.Round, 2.0, ROUND)
    pieces = [[[(float(x), float(y)) for x, y in ring] for ring in one.to_polygons()] for one in kept.decompose()]
    held = [piece for piece in pieces if any(_inside(anchor, piece) for anchor in anchors)]
    whole_plane = len(held) == 1 and all(_inside(anchor, held[0]) for anchor in anchors)
    is_held = all(sum(_inside(end, piece) for piece in held for end in four) >= BRIDGES for four in ends)
    return (_outline(held[0]) if whole_plane else [], is_held)


def _zone(panel: Panel, outline: Sequence[Point], number: int) -> Zone:
    """Return the plane as KiCad has it: the area that it may fill, and its copper."""
    corners = [_at(*corner) for corner in ((0, 0), (panel.width, 0), (panel.width, panel.height), (0, panel.height))]
    return Zone(
        net=number,
        netName=GROUND,
        layers=["B.Cu"],
        tstamp=kicad.identifier(panel.name, "plane"),
        name="ground",
        hatch=Hatch("edge", 0.5),
        clearance=PLANE_MM,
        minThickness=THINNEST_MM,
        filledAreasThickness="no",
        fillSettings=FillSettings(yes=True, thermalGap=PLANE_MM, thermalBridgeWidth=BRIDGE_MM, islandRemovalMode=0),
        polygons=[ZonePolygon(corners)],
        filledPolygons=[FilledPolygon("B.Cu", coordinates=[_at(x, y) for x, y in outline])],
    )


def _box(left: float, top: float, right: float, low: float) -> manifold3d.CrossSection:
    return manifold3d.CrossSection([[(left, top), (right, top), (right, low), (left, low)]])


def _disc(x: float, y: float, radius: float) -> manifold3d.CrossSection:
    # Its corners lie outside of the circle, so that no side of it comes too close.
    return manifold3d.CrossSection.circle(radius / math.cos(math.pi / ROUND), ROUND).translate((x, y))


def _stretch(begin: Point, end: Point, half: float) -> manifold3d.CrossSection:
    return manifold3d.CrossSection.batch_hull([_disc(*begin, half), _disc(*end, half)])


def _inside(point: Point, rings: Sequence[Sequence[Point]]) -> bool:
    """Return whether a point is inside of a piece, by the number of its edges to the left of it."""
    x, y = point
    crossed = 0
    for ring in rings:
        for (x1, y1), (x2, y2) in itertools.pairwise([*ring, ring[0]]):
            if (y1 > y) != (y2 > y) and x1 + (y - y1) / (y2 - y1) * (x2 - x1) < x:
                crossed += 1
    return crossed % 2 == 1


def _outline(rings: Sequence[Sequence[Point]]) -> list[Point]:
    """Return a piece with holes as one outline, cut open from each hole to what lies to the left of it, as KiCad wants.

    Holes come from left to right, so that what a cut meets is part of the outline already.
    """
    area = [sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in itertools.pairwise([*ring, ring[0]])) for ring in rings]
    outer = max(range(len(rings)), key=lambda at: abs(area[at]))
    found = list(rings[outer])
    holes = sorted((list(ring) for at, ring in enumerate(rings) if at != outer), key=min)
    for ring in holes:
        begin = ring.index(min(ring))
        hole = ring[begin:] + ring[: begin + 1]
        x, y = hole[0]
        cuts = []
        for at, ((x1, y1), (x2, y2)) in enumerate(itertools.pairwise([*found, found[0]])):
            if (y1 > y) != (y2 > y):
                where = x1 + (y - y1) / (y2 - y1) * (x2 - x1)
                if where < x:
                    cuts.append((where, at))
        where, at = max(cuts, key=operator.itemgetter(0))
        found[at + 1 : at + 1] = [(where, y), *hole, (where, y)]
    return found
