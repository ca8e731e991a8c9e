"""Wells on the plate and the sheet for making tiles: measures, magnets under sensors, bridges where lines cross."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.commands.cli import main
from firmware_host.extensions.maker import octagon, tile_sheet
from firmware_host.extensions.maker.plate import (
    BLIND,
    CUT,
    PRINT,
    Circle,
    DrawingError,
    Label,
    Outline,
    Plate,
    Segment,
    plate,
)
from firmware_host.games.octiles import board as octiles
from hw.tile_codes import MIDDLE, RING
from simulator.tiles import Pieces
from tests.extensions.maker.drawn import read_dxf, read_pdf
from tests.sampling import cases, together
from tests.sensing.wells import PLAIN, described

BOARD = described()
ACROSS = BOARD.well_mm - tile_sheet.PLAY_MM
POINT = 25.4 / 72


def centres(sheet: Plate) -> dict[str, tuple[float, float]]:
    """Return the centre of each tile: its name is 7 mm right of it, 3 mm below the northern edge."""
    return {
        label.text: (label.x - 7.0, label.y - ACROSS / 2 + 3.0)
        for label in sheet.of(Label)
        if label.layer == PRINT and label.text in BOARD.tiles
    }


# -- tiles -----------------------------------------------------------------------------------------------------------


def test_every_tile_has_its_outline_and_its_magnets_over_the_sensors_of_a_well() -> None:
    sheet = tile_sheet.sheet(BOARD)
    places = centres(sheet)
    assert set(places) == set(BOARD.tiles)
    sides = [side for outline in sheet.of(Outline) if outline.layer == CUT for side in outline.sides()]
    assert len(sides) == 8 * len(places)
    length = ACROSS * math.tan(math.radians(22.5))
    for side in sides:
        assert isinstance(side, Segment)
        assert math.dist((side.x1, side.y1), (side.x2, side.y2)) == pytest.approx(length)
    pieces = Pieces.of(BOARD)
    holes = {(round(hole.x, 3), round(hole.y, 3)) for hole in sheet.of(Circle) if hole.layer == BLIND}
    assert len(holes) == 78
    for name, (x, y) in places.items():
        for place, magnet in enumerate(pieces.magnets(f"{name}r0")):
            far = 0.0 if place == MIDDLE else BOARD.sizes.ring_mm
            angle = math.radians(45 * place)
            at = (round(x + far * math.sin(angle), 3), round(y + far * math.cos(angle), 3))
            assert any(math.dist(at, hole) < 0.01 for hole in holes) == bool(magnet), f"tile {name}, place {place}"


def test_turned_tiles_lie_with_their_magnets_over_the_holes_of_the_plate() -> None:
    """Sheet, plate and simulated world number the places alike: clockwise from north."""
    drawn = plate(replace(BOARD, part=""))
    node = BOARD.nodes["b3"]
    left = min(node.x for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    bottom = min(node.y for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    holes = [(hole.x, hole.y) for hole in drawn.of(Circle) if hole.layer == BLIND]
    for place in range(RING):
        right, up = (BOARD.sizes.ring_mm * part for part in octagon.direction(place))
        at = (node.x - left + right, node.y - bottom + up)
        assert sum(math.dist(at, hole) < 0.01 for hole in holes) == 1
    assert octagon.direction(0) == pytest.approx((0, 1))
    assert octagon.direction(2) == pytest.approx((1, 0)), "east follows north"
    assert len(holes) == 189


def test_the_plain_board_has_one_magnet_a_tile_and_one_hole_a_well() -> None:
    board = described(PLAIN)
    holes = [hole for hole in tile_sheet.sheet(board).of(Circle) if hole.layer == BLIND]
    assert len(holes) == 18
    assert len([hole for hole in plate(replace(board, part="")).of(Circle) if hole.layer == BLIND]) == 53


@given(one=st.integers(0, 7), other=st.integers(0, 7))
def test_a_line_meets_both_its_edges_squarely(one: int, other: int) -> None:
    if one == other:
        return
    line = octagon.edge_curve(one, other, ACROSS)
    for edge, (end, after) in ((one, line[:2]), (other, line[:-3:-1])):
        right, up = octagon.direction(edge)
        assert end == pytest.approx((right * ACROSS / 2, up * ACROSS / 2))
        along = math.dist(end, after)
        assert ((end[0] - after[0]) / along, (end[1] - after[1]) / along) == pytest.approx((right, up), abs=0.06)
    assert all(octagon.distance_outside(point, (0, 0), ACROSS) < 1e-9 for point in line), "it never leaves the tile"


def crossing(one: Sequence[octagon.Point], other: Sequence[octagon.Point]) -> bool:
    def side(a: octagon.Point, b: octagon.Point, c: octagon.Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return any(
        side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
        for (a, b), (c, d) in itertools.product(itertools.pairwise(one), itertools.pairwise(other))
    )


@together("tile", list(octiles.TILES))
def test_where_lines_cross_one_runs_over_the_other(tile: int) -> None:
    """No stroke crosses a stroke of another line; the last line has no gap."""
    pairs = octiles.LINES[tile]
    strokes = list(tile_sheet.lanes(pairs, ACROSS))
    ways = [octagon.edge_curve(one, other, ACROSS) for one, other in pairs]
    whole = 2 * (len(ways[-1]) - 1)
    assert len(list(tile_sheet.lanes(pairs[-1:], ACROSS))) == whole
    cross = any(crossing(one, other) for one, other in itertools.combinations(ways, 2))
    assert (len(strokes) < whole * len(pairs)) >= cross, "gaps where they cross"
    over = [octagon.parallel_curve(ways[-1], side) for side in (tile_sheet.LANE_MM / 2, -tile_sheet.LANE_MM / 2)]
    for begin, end in strokes[:-whole]:
        assert not any(crossing((begin, end), lane) for lane in over)


def test_pages_are_a4_at_full_size(tmp_path: Path) -> None:
    path = tmp_path / "tiles.pdf"
    assert main(["board", "tiles", "octiles-189", "--out", str(path)]) == 0
    pages = read_pdf(path).pages
    assert len(pages) == 2
    for page in pages:
        assert float(page.mediabox.width) * POINT == pytest.approx(210, abs=0.1)
        assert float(page.mediabox.height) * POINT == pytest.approx(297, abs=0.1)
    words = [page.extract_text().split() for page in pages]
    for number, name in enumerate(BOARD.tiles):
        assert name in words[number // 12]
    for sheet in tile_sheet.pages(BOARD):
        for line in sheet.of(Segment):
            assert 0 <= min(line.x1, line.x2) <= max(line.x1, line.x2) <= sheet.width
            assert 0 <= min(line.y1, line.y2) <= max(line.y1, line.y2) <= sheet.height


@pytest.mark.parametrize("suffix", cases(["svg", "dxf"], "svg"))
def test_svg_and_dxf_hold_all_tiles(tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    assert main(["board", "tiles", "octiles-189", "--out", str(tmp_path / f"tiles.{suffix}")]) == 0
    assert "18 tiles at scale 1:1" in capsys.readouterr().out
    if suffix == "svg":
        root = ET.fromstring((tmp_path / "tiles.svg").read_text())
        assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 78
    else:
        assert len(read_dxf(tmp_path / "tiles.dxf").modelspace().query('CIRCLE[layer=="BLIND"]')) == 78


@pytest.mark.thorough
def test_from_below_everything_is_mirrored_but_the_texts(tmp_path: Path) -> None:
    path = tmp_path / "tiles.dxf"
    assert main(["board", "tiles", "octiles-189", "--out", str(path), "--below"]) == 0
    sheet = tile_sheet.sheet(BOARD)
    below = tile_sheet.from_below(sheet)
    assert [(hole.x, hole.y) for hole in below.of(Circle)] == [
        (sheet.width - hole.x, hole.y) for hole in sheet.of(Circle)
    ]
    assert {line.layer for line in below.of(Segment)} == {"CROSS", "SCALE"}, "nothing of the top side"
    texts = [(one.text, other.text) for one, other in zip(sheet.of(Label), below.of(Label), strict=True)]
    assert texts.count(("N", "S")) == 78, "of the magnets one sees the other pole"
    changed = {(one, other) for one, other in texts if one != other} - {("N", "S")}
    assert changed == {
        ("magnets of 5 mm, north up, let in from below", "magnets of 5 mm, seen from below: south looks at you")
    }
    drilled = read_dxf(path).modelspace().query('CIRCLE[layer=="BLIND"]')
    assert {round(hole.dxf.center.x, 3) for hole in drilled} == {round(hole.x, 3) for hole in below.of(Circle)}


@pytest.mark.parametrize(
    ("board", "out", "words"),
    [
        ("octiles-189", "tiles.png", "--out: expected a file that ends in .pdf, .svg, .dxf"),
        ("spokes-45", "tiles.svg", "spokes-45: there are no tiles, expected a section [tiles]"),
        ("octiles-189", "no/such/place.svg", "can't be written"),
    ],
)
def test_what_can_not_be_drawn_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], board: str, out: str, words: str
) -> None:
    assert main(["board", "tiles", board, "--out", str(tmp_path / out)]) != 0
    assert words in capsys.readouterr().err


def test_magnets_beyond_the_edge_and_tiles_beyond_the_page_are_refused() -> None:
    wide = replace(BOARD, sizes=replace(BOARD.sizes, ring_mm=25.0))
    with pytest.raises(DrawingError, match="magnets would reach over the edge of tiles of 53 mm"):
        tile_sheet.sheet(wide)
    with pytest.raises(DrawingError, match="do not fit a page of A4"):
        tile_sheet.pages(replace(BOARD, well_mm=230.0))


# -- wells on the plate ----------------------------------------------------------------------------------------------


def test_wells_are_octagons_with_their_names_and_no_line_runs_through_them() -> None:
    drawn = plate(BOARD)
    left = min(node.x for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    bottom = min(node.y for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    printed = [line for line in drawn.of(Segment) if line.layer == PRINT]
    for node in BOARD.nodes.values():
        at = (node.x - left, node.y - bottom)
        if not node.well:
            continue
        rims = [
            line
            for line in printed
            if all(
                abs(octagon.distance_outside(end, at, BOARD.well_mm)) < 1e-6
                for end in ((line.x1, line.y1), (line.x2, line.y2))
            )
        ]
        assert len(rims) == 8
        for line in printed:
            middle = ((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2)
            assert octagon.distance_outside(middle, at, BOARD.well_mm) > -1e-6
    assert {label.text for label in drawn.of(Label)} >= set(BOARD.nodes)


def test_printed_paths_lead_from_well_to_well() -> None:
    """Each of the eight paths begins and ends in the middle of a well's edge."""
    middles = [
        (node.x + right * BOARD.well_mm / 2, node.y + up * BOARD.well_mm / 2)
        for node in BOARD.nodes.values()
        if node.well
        for right, up in map(octagon.direction, range(8))
    ]
    left = min(node.x for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    bottom = min(node.y for node in BOARD.nodes.values()) - BOARD.sizes.edge_mm
    drawn = [line for line in plate(BOARD).of(Segment) if line.layer == PRINT]
    ends = [(x + left, y + bottom) for line in drawn for x, y in ((line.x1, line.y1), (line.x2, line.y2))]
    assert len(BOARD.paths_mm) == 8
    for path in BOARD.paths_mm:
        for end in (path[0], path[-1]):
            close = [middle for middle in middles if math.dist(middle, end) < 5]
            assert len(close) == 1
            assert any(math.dist(close[0], begin) < 0.01 for begin in ends)


def test_no_window_lies_under_a_tile_or_a_runner() -> None:
    drawn = plate(BOARD)
    assert len({(circle.x, circle.y) for circle in drawn.of(Circle) if circle.layer == "WINDOW"}) == 53


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"well_mm": 63.0}, "runs into the well"),
        ({"node_mm": 40.0}, "runs into the well"),
        ({"well_mm": 60.0}, "window lies under"),
    ],
)
def test_wells_that_do_not_fit_are_refused(change: dict[str, float], words: str) -> None:
    with pytest.raises(DrawingError, match=words):
        plate(replace(BOARD, **change))  # type: ignore[arg-type]


def test_a_ring_outside_its_well_is_refused() -> None:
    with pytest.raises(DrawingError, match="ring_mm: expected more than 0 and less than half of well_mm"):
        plate(replace(BOARD, sizes=replace(BOARD.sizes, ring_mm=27.0)))
