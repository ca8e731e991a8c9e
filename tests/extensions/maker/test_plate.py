"""What a mill or a laser follows: closed outlines, blind holes apart from those that go through, a hole a sensor."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.extensions.maker import files, tile_sheet
from firmware_host.extensions.maker.files import write_dxf, write_pdf
from firmware_host.extensions.maker.plate import (
    ABOVE,
    BELOW,
    BLIND,
    CROSS,
    CUT,
    DRILL,
    HEAD_MM,
    SCALE,
    WINDOW,
    Arc,
    Circle,
    DrawingError,
    Label,
    Outline,
    Plate,
    Segment,
    from_below,
    plate,
    title_block,
)
from hw.ports import BoardDescription
from hw.registry import inputs_of
from hw.sensor_parts import PARTS
from tests.extensions.maker.drawn import read_dxf, read_pdf
from tests.sampling import together

SPOKES = replace(load_board(find_board("spokes-45")), part="reed")
POLES = replace(SPOKES, kind="polarity", part="DRV5023BI")
OCTILES = load_board(find_board("octiles-189"))


def area(corners: list[tuple[float, float, float]]) -> float:
    """Return the area of a closed outline whose bulged sides are half circles outwards."""
    found = 0.0
    for (x1, y1, bulge), (x2, y2, _) in itertools.pairwise([*corners, corners[0]]):
        found += (x1 * y2 - x2 * y1) / 2 + bulge * math.pi * math.dist((x1, y1), (x2, y2)) ** 2 / 8
    return found


def in_dxf(drawn: Plate, folder: Path, layer: str) -> list[list[tuple[float, float, float]]]:
    write_dxf(drawn, folder / "x.dxf")
    document = read_dxf(folder / "x.dxf")
    assert not document.audit().has_errors
    found = list(document.modelspace().query(f'LWPOLYLINE[layer=="{layer}"]'))
    assert all(line.closed for line in found)
    return [[(x, y, bulge) for x, y, bulge in line.get_points("xyb")] for line in found]


@pytest.mark.parametrize("below", [False, True])
def test_slots_and_the_edge_are_closed_outlines_in_the_dxf(below: bool, tmp_path: Path) -> None:
    drawn = from_below(plate(SPOKES)) if below else plate(SPOKES)
    slots, (edge,) = in_dxf(drawn, tmp_path, BLIND), in_dxf(drawn, tmp_path, CUT)
    length, width = PARTS["reed"].slot_mm
    assert len(slots) == 45
    for slot in slots:
        assert abs(area(slot)) == pytest.approx((length - width) * width + math.pi * width**2 / 4)
    assert abs(area(edge)) == pytest.approx(460 * 460)
    others = read_dxf(tmp_path / "x.dxf").modelspace().query("LINE ARC")
    assert {one.dxf.layer for one in others} & {BLIND, CUT, DRILL} == set()


def test_blind_holes_have_a_layer_of_their_own(tmp_path: Path) -> None:
    """Only the four screws go through the plate; a magnet's hole in a tile does not."""
    drawn = plate(replace(SPOKES, part=""))
    assert [hole.layer for hole in drawn.of(Circle) if hole.layer in {BLIND, DRILL}].count(BLIND) == 45
    assert sum(hole.layer == DRILL for hole in drawn.of(Circle)) == 4
    layers = {hole.layer for hole in tile_sheet.sheet(OCTILES).of(Circle)}
    assert layers == {BLIND}
    text = files.svg(drawn)
    assert '<g id="BLIND"' in text


def test_a_tile_is_cut_along_a_closed_outline(tmp_path: Path) -> None:
    tiles = in_dxf(tile_sheet.sheet(OCTILES), tmp_path, CUT)
    assert len(tiles) == 18
    across = OCTILES.well_mm - 1
    assert abs(area(tiles[0])) == pytest.approx(across**2 * 2 * (math.sqrt(2) - 1))


def test_an_outline_is_the_same_in_svg_and_pdf(tmp_path: Path) -> None:
    """A slot of 20 by 3 mm: two straight sides of 17 mm, two half circles of 1.5 mm."""
    slot = Outline(BLIND, ((-8.5, -1.5, 0.0), (8.5, -1.5, 1.0), (8.5, 1.5, 0.0), (-8.5, 1.5, 1.0)))
    arcs = [side for side in slot.sides() if isinstance(side, Arc)]
    lines = [side for side in slot.sides() if isinstance(side, Segment)]
    for arc, expected in zip(arcs, [(8.5, 0.0, 1.5, 0.0), (-8.5, 0.0, 1.5, 180.0)], strict=True):
        assert (arc.x, arc.y, arc.radius, (arc.begin + arc.end) / 2 % 360) == pytest.approx(expected)
    assert [one.end - one.begin for one in arcs] == pytest.approx([180.0, 180.0])
    assert [abs(one.x2 - one.x1) for one in lines] == pytest.approx([17.0, 17.0])
    drawn = plate(SPOKES)
    root = ET.fromstring(files.svg(drawn))
    (group,) = (found for found in root.iter("{http://www.w3.org/2000/svg}g") if found.get("id") == BLIND)
    paths = [path.get("d", "") for path in group]
    assert len(paths) == 45
    assert all(path.startswith("M ") and path.endswith(" Z") and path.count(" A ") == 2 for path in paths)
    write_pdf(drawn, tmp_path / "x.pdf")
    content = read_pdf(tmp_path / "x.pdf").pages[0].get_contents()
    assert content is not None
    assert content.get_data().count(b" c\n") >= 2 * 45


@together("board, holes", [(SPOKES, 45), (POLES, 90), (replace(POLES, part=""), 90), (OCTILES, 189)])
def test_each_sensor_has_a_hole(board: BoardDescription, holes: int) -> None:
    drawn = plate(board)
    places = [(one.x, one.y, 2.0) for one in drawn.of(Circle) if one.layer == BLIND]
    places += [(*one.centre, board.slot_mm[1] / 2) for one in drawn.of(Outline) if one.layer == BLIND]
    assert len(places) == holes == inputs_of(board)
    for one, other in itertools.combinations(places, 2):
        assert math.dist(one[:2], other[:2]) >= one[2] + other[2] + 0.99, "a wall of 1 mm between two holes"


def test_two_switches_at_a_node_lie_one_above_the_other() -> None:
    """Above the middle the one for white, below it the one for black, each 2.5 mm from it."""
    drawn = plate(POLES)
    middle = next(one for one in drawn.of(Circle) if one.layer == "PRINT")
    near = [one.centre for one in drawn.of(Outline) if one.layer == BLIND]
    own = sorted(y - middle.y for x, y in near if math.dist((x, y), (middle.x, middle.y)) < 5)
    assert own == pytest.approx([-2.5, 2.5])


def test_a_reed_lies_beside_the_middle_where_it_has_a_field() -> None:
    drawn = plate(SPOKES)
    below = from_below(drawn)
    middle = next(one for one in drawn.of(Circle) if one.layer == "PRINT")
    assert (middle.x + 4, middle.y) in [pytest.approx(one.centre) for one in drawn.of(Outline)]
    assert (below.width - middle.x - 4, middle.y) in [pytest.approx(one.centre) for one in below.of(Outline)]


def test_slots_that_would_run_into_each_other_are_refused() -> None:
    with pytest.raises(DrawingError, match=r"slot_mm: two switches lie 5 mm apart: expected a width of at most 4 mm"):
        plate(replace(POLES, sizes=replace(POLES.sizes, slot_mm=(6.0, 5.0))))


def test_a_reed_with_bent_legs_enters_its_slot() -> None:
    """14 mm of glass, 3 mm at each end before the leg may be bent (a reed's data sheet asks for that)."""
    assert PARTS["reed"].slot_mm == (20.0, 3.0)


def test_no_two_crosses_lie_on_each_other() -> None:
    for path in shipped_boards():
        lines = [one for one in plate(load_board(path)).of(Segment) if one.layer == CROSS]
        level = sorted(
            (round(one.y1, 3), min(one.x1, one.x2), max(one.x1, one.x2)) for one in lines if one.y1 == one.y2
        )
        for (y, _, end), (other, begin, _) in itertools.pairwise(level):
            assert y != other or begin >= end - 1e-6, (path.stem, y, begin)


@pytest.mark.parametrize("name", ["spokes-45", "go-9x9", "octiles-189"])
def test_a_drawing_says_what_it_is_and_what_each_colour_means(name: str) -> None:
    board = load_board(find_board(name))
    for drawn, seen, other in ((plate(board), ABOVE, BELOW), (from_below(plate(board)), BELOW, ABOVE)):
        heads = [label for label in drawn.of(Label) if label.height == HEAD_MM]
        texts = {label.text for label in heads}
        assert seen in texts
        assert other not in texts
        assert any(name in text and board.scheme in text for text in texts)
        shapes = {shape.layer for shape in drawn.shapes if not isinstance(shape, Label)}
        assert {label.shown for label in heads if label.shown} == shapes - {SCALE}
        assert {label.layer for label in heads} == {SCALE}, "no tool cuts a legend"
        svg = ET.fromstring(files.svg(drawn))
        fills = {one.text: one.get("fill") for one in svg.iter("{http://www.w3.org/2000/svg}text")}
        assert all(fills[label.text] == files.COLOURS[label.shown or SCALE] for label in heads)
        lines: dict[float, list[tuple[float, float]]] = {}
        for label in heads:
            long = 0.72 * HEAD_MM * len(label.text)
            begin = label.x - (long if label.anchor == "end" else 0.0)
            assert 0 < begin < begin + long < drawn.width
            lines.setdefault(label.y, []).append((begin, begin + long))
        for row in lines.values():
            assert all(one[1] < other[0] for one, other in itertools.pairwise(sorted(row)))
        nearest = min(drawn.height - node.y for node in drawn.of(Circle) if node.layer == WINDOW)
        assert drawn.height - min(lines) < nearest


def test_a_title_takes_more_lines_on_a_small_plate() -> None:
    heads = list(title_block(90.0, 60.0, ("a" * 20, "b" * 20), [(CUT, "c" * 30), (DRILL, "d" * 30)]))
    assert len({label.y for label in heads}) == 4
