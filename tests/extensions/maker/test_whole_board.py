"""All circuit boards of a board: every node once, inside the plate, none over another, pixels as they are chained."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.netlist import circuit_of
from firmware_host.extensions.maker.panels import PIXEL, Panel, Point
from firmware_host.extensions.maker.plate import SCALE, DrawingError, Label, plate, window_offset
from firmware_host.extensions.maker.whole_board import WholeBoard, layout, list_csv, whole_board
from hw.ports import LightsWiring, StripWiring
from hw.sensor_parts import PARTS

EACH = pytest.mark.parametrize(
    "name",
    [
        "spokes-45",
        *(pytest.param(one, marks=pytest.mark.thorough) for one in ("go-9x9", "hexhex-7", "octiles-53", "octiles-189")),
    ],
)


@cache
def all_of(name: str) -> WholeBoard:
    return whole_board(load_board(find_board(name)))


def under_plate(strip: Panel, x: float, y: float) -> Point:
    """Return where a place on a strip lies under the plate."""
    (left, top), (right, to), _, (low, bottom) = strip.corners
    along, down = x / strip.width, y / strip.height
    return left + along * (right - left) + down * (low - left), top + along * (to - top) + down * (bottom - top)


def inside(place: Point, corners: Sequence[Point]) -> bool:
    """Return whether a place is inside a rectangle: on the same side of all its edges."""
    sides = []
    for (x1, y1), (x2, y2) in itertools.pairwise((*corners, corners[0])):
        sides.append((x2 - x1) * (place[1] - y1) - (y2 - y1) * (place[0] - x1) > 0)
    return len(set(sides)) == 1


@EACH
def test_every_node_has_one_circuit_board_inside_the_plate_and_none_lies_over_another(name: str) -> None:
    board, found = load_board(find_board(name)), all_of(name)
    wells = [node.name for node in board.nodes.values() if node.ring]
    assert sorted([*itertools.chain(*found.nodes), *wells, *found.left]) == sorted(board.nodes)
    assert len(found.left) <= len(board.nodes) // 12
    assert bool(wells) == (found.well is not None)
    drawn, room = plate(board), board.sizes.edge_mm
    left, bottom = (min(getattr(node, part) for node in board.nodes.values()) - room for part in ("x", "y"))
    for strip in found.strips:
        for x, y in strip.corners:
            assert left - 1e-6 <= x <= left + drawn.width + 1e-6, strip.name
            assert bottom - 1e-6 <= y <= bottom + drawn.height + 1e-6, strip.name
    grids = {
        strip.name: [
            under_plate(strip, strip.width * right / 40, strip.height * down / 8)
            for right, down in itertools.product(range(41), range(9))
        ]
        for strip in found.strips
    }
    for one, other in itertools.permutations(found.strips, 2):
        assert not any(inside(place, other.corners) for place in grids[one.name]), (one.name, other.name)


@EACH
def test_sensors_and_pixels_lie_under_their_nodes_and_have_their_names_of_the_other_papers(name: str) -> None:
    found = all_of(name)
    names = names_of(circuit_of(found.board))
    used: list[str] = []
    for strip, nodes in zip(found.strips, found.nodes, strict=True):
        used += [one.box.reference for one in strip.parts]
        seen = set()
        for one in strip.parts:
            node = found.board.nodes.get(one.box.place.removeprefix("pixel "))
            if node is None or one.box.part == "capacitor":
                continue
            right, up = (0.0, 0.0) if one.box.part in PARTS else window_offset(found.board, node)
            assert math.dist(under_plate(strip, one.x, one.y), (node.x + right, node.y + up)) < 0.6, one.box
            seen.add((node.name, one.box.part in PARTS))
            assert any(print_.text == node.name for print_ in strip.prints)
            assert one.box.reference in names.values()
            assert any(print_.text == one.box.reference for print_ in strip.prints)
        assert seen == {(node, is_sensor) for node in nodes for is_sensor in (True, False)}
    assert len(set(used)) == len(used)


@EACH
def test_pixels_are_numbered_as_they_are_chained(name: str) -> None:
    found = all_of(name)
    chain = [node for nodes in found.nodes for node in nodes]
    assert [found.board.nodes[node].pixel for node in chain] == list(range(len(chain)))
    assert sorted(node.pixel for node in found.board.nodes.values()) == list(range(len(found.board.nodes)))
    for strip, nodes in zip(found.strips, found.nodes, strict=True):
        assert not any("number them" in note for note in strip.notes)
        boxes = [one.box for one in strip.parts if one.box.part == PIXEL]
        pixels = {box.place.removeprefix("pixel "): box for box in boxes}
        for one, other in itertools.pairwise(nodes):
            (out,) = (pin.net for pin in pixels[one].pins if pin.name == "DOUT")
            (into,) = (pin.net for pin in pixels[other].pins if pin.name == "DIN")
            assert out == into


@EACH
def test_no_print_lies_over_a_pad(name: str) -> None:
    """A workshop cuts it away there."""
    for strip in all_of(name).strips:
        for one, part in itertools.product(strip.prints, strip.parts):
            for pad in part.pads if not one.below else ():
                x, y = (abs(a - b) for a, b in ((one.x, pad.x), (one.y, pad.y)))
                assert x > one.height * len(one.text) / 2 + pad.width / 2 or y > (one.height + pad.height) / 2, one


def test_the_drawing_and_the_list_have_all_of_them() -> None:
    found = all_of("spokes-45")
    numbers = {label.text for label in layout(found).of(Label) if label.layer == SCALE and label.text.isdigit()}
    assert numbers == {str(number) for number in range(1, len(found.strips) + 1)}
    rows = list(csv.DictReader(list_csv(found).splitlines()))
    assert [row["circuit board"] for row in rows] == [strip.name for strip in found.strips]
    assert [tuple(row["nodes"].split()) for row in rows] == list(found.nodes)


@pytest.mark.thorough
def test_every_shipped_board_has_strips_or_is_told_why_not() -> None:
    for path in shipped_boards():
        board = load_board(path)
        if board.part == "reed":
            with pytest.raises(DrawingError, match="a circuit board has hall sensors"):
                whole_board(board)
        else:
            assert whole_board(board).strips


def test_pixels_on_two_strips_are_no_chain() -> None:
    board = load_board(find_board("spokes-45"))
    two = LightsWiring((StripWiring("D18", 40), StripWiring("D10", 5, "GRB", "spi")))
    with pytest.raises(DrawingError, match="one chain"):
        whole_board(replace(board, lights=two))


@pytest.mark.thorough
def test_the_command_writes_all_of_them_and_a_board_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "pcb", "spokes-45", "--all", "--out", str(tmp_path)]) == 0
    folder = tmp_path / "spokes-45-boards"
    found = all_of("spokes-45")
    for strip in found.strips:
        assert (folder / strip.name / f"{strip.name}.kicad_pcb").exists()
        assert (folder / strip.name / f"{strip.name}-parts.csv").exists()
    assert load_board(folder / "spokes-45-boards.toml").nodes == found.board.nodes
    assert main(["board", "pcb", "spokes-45", "--all", "--row", "B1", "1", "--out", str(tmp_path)]) == 1
    assert "--row" in capsys.readouterr().err
