"""Printed circuit boards from board files: KiCad finds nothing wrong, and parts lie where the board file says."""

from __future__ import annotations

import csv
import io
import itertools
import math
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions import maker
from firmware_host.extensions.maker import kicad, packages, panels, router
from firmware_host.extensions.maker.plate import DrawingError, window_offset
from firmware_host.extensions.maker.whole_board import whole_board
from hw.circuit import GROUND, HALL
from hw.lights import STRIPS
from hw.ports import BoardDescription
from tests.kicad import parse, parts, report, run, shared, symbol_pins, tool
from tests.sampling import few
from tests.schemes import needs, there

ROWS = there(
    (
        ("spokes-45", "B1", "1"),
        ("spokes-45-mcp3008", "2", "D2"),
        ("octiles-53", "A4", "F3"),
        ("octiles-189", "a3", "F3"),
        ("go-9x9", "A9", "J9"),
        ("go-9x9", "B9", "B1"),
        ("hexhex-7", "j1", "j10"),
        ("hexhex-7", "g1", "g13"),
        ("hexhex-7", "a1", "m7"),
    )
)
"""Rows along, across, aslant to their windows; with wells; the longest; against their pixels' order; dearer below."""


Point = tuple[float, float]


def laid(panel: panels.Panel) -> Any:
    from firmware_host.extensions.maker import kicad_board  # noqa: PLC0415 - slow to import, and each worker imports this file

    return kicad_board.laid(panel)


def write(panel: panels.Panel, folder: Path) -> Any:
    from firmware_host.extensions.maker import kicad_board  # noqa: PLC0415

    return kicad_board.write(panel, folder)


def shipped(name: str) -> BoardDescription:
    return load_board(find_board(name))


def sensors(panel: panels.Panel) -> list[panels.Placed]:
    return [one for one in panel.parts if one.box.part.startswith("DRV")]


def test_the_sensors_of_a_well_s_panel_lie_in_its_ring_in_the_order_of_the_chip_s_inputs() -> None:
    board = shipped("octiles-189")
    panel = panels.well_panel(board)
    outputs = [next(pin.net for pin in one.box.pins if pin.name == "OUT") for one in sensors(panel)]
    assert outputs == [*(f"ring {place}" for place in range(8)), "middle"]
    for place, one in enumerate(sensors(panel)[:8]):
        angle = math.radians(45 * place)  # Clockwise from north, and y runs downwards.
        at = panel.width / 2 + 19 * math.sin(angle), panel.height / 2 - 19 * math.cos(angle)
        assert math.dist((one.x, one.y), at) < 0.01
    [chip] = [one.box for one in panel.parts if one.box.part == "74HC165"]
    # A chip shifts D7 out first: channel 0 of a ring.
    assert {pin.name: pin.net for pin in chip.pins if pin.name.startswith("D")} == {
        f"D{7 - at}": f"ring {at}" for at in range(8)
    }


@pytest.mark.parametrize(("name", "first", "last"), few(ROWS, 3))
def test_sensors_and_pixels_of_a_strip_lie_under_their_nodes_and_windows(name: str, first: str, last: str) -> None:
    board = shipped(name)
    panel = panels.row_strip(board, first, last)
    halls = {next(pin.net for pin in one.box.pins if pin.name == "OUT"): (one.x, one.y) for one in sensors(panel)}
    pixels = {
        one.box.place.removeprefix("pixel "): (one.x, one.y) for one in panel.parts if one.box.part == panels.PIXEL
    }
    assert {first, last} <= set(halls) == set(pixels)
    nodes = [board.nodes[node] for node in halls]
    places = [halls[node.name] for node in nodes] + [pixels[node.name] for node in nodes]
    windows = [window_offset(board, node) for node in nodes]
    wanted = [(node.x, node.y) for node in nodes]
    wanted += [(node.x + right, node.y + up) for node, (right, up) in zip(nodes, windows, strict=True)]
    for one, (place, true) in enumerate(zip(places, wanted, strict=True)):
        for other, also in zip(places[one + 1 :], wanted[one + 1 :], strict=True):
            assert math.isclose(math.dist(place, other), math.dist(true, also), abs_tol=2 * panels.STRAIGHT_MM)
    # Seen from above, not mirrored: from sensor to sensor to pixel it turns the same way, with y downwards.
    if abs(_turning(places[0], places[1], places[len(nodes)])) > 1:
        assert (
            _turning(places[0], places[1], places[len(nodes)]) * _turning(wanted[0], wanted[1], wanted[len(nodes)]) < 0
        )


def _turning(one: Point, middle: Point, other: Point) -> float:
    (x1, y1), (x2, y2), (x3, y3) = one, middle, other
    return (x2 - x1) * (y3 - y1) - (y2 - y1) * (x3 - x1)


@pytest.mark.parametrize(
    ("name", "row", "why"),
    there(
        [
            ("octiles-53", None, "no well has nine sensors"),
            ("spokes-45", ("B1", "B9"), "expected the names of two nodes, got 'B9'"),
            ("spokes-45", ("B1", "B1"), "expected two different nodes"),
            ("spokes-45-matrix", ("B1", "1"), "a circuit board has hall sensors"),
        ]
    ),
)
def test_what_has_no_circuit_board_is_said(name: str, row: tuple[str, str] | None, why: str) -> None:
    with pytest.raises(DrawingError, match=why):
        panels.row_strip(shipped(name), *row) if row else panels.well_panel(shipped(name))


@pytest.mark.thorough
def test_the_router_keeps_its_distance_and_says_where_there_is_no_way() -> None:
    def pad(net: str, x: float, y: float) -> router.Terminal:
        return router.Terminal(net, packages.Pad("1", x, y, 1.0, 1.0))

    ends = [pad("one", 2, 5), pad("one", 18, 5), pad("other", 10, 1.2), pad("other", 10, 8.8)]
    copper = router.connect((20, 10), ends, [], [], GROUND)
    assert {one.net for one in copper.tracks} == {"one", "other"}
    assert len(copper.vias) == 2, "one of them crosses the other one below"
    wall = [router.Track("wall", layer, (10, 0), (10, 10), 1.0) for layer in (router.FRONT, router.BACK)]
    with pytest.raises(router.NoWayError, match="one"):
        router.connect((20, 10), ends[:2], wall, [], GROUND)


def test_copper_of_different_nets_keeps_its_distance() -> None:
    found = laid(panels.row_strip(shipped("spokes-45"), "B1", "1"))
    lines = [(one.net, {one.layer}, one.begin, one.end, one.width) for one in found.copper.tracks]
    lines += [(one.net, {0, 1}, one.at, one.at, router.VIA) for one in found.copper.vias]
    for one in found.terminals:
        left, top, right, low = one.pad.box
        thin = min(one.pad.width, one.pad.height)
        begin, end = (left + thin / 2, top + thin / 2), (right - thin / 2, low - thin / 2)
        lines.append((one.net, {0, 1} if one.pad.drill else {0}, begin, end, thin))
    near = [
        (one[0], other[0], room)
        for one, other in itertools.combinations(lines, 2)
        if one[0] != other[0] and one[1] & other[1]
        if (room := _apart(one[2:4], other[2:4]) - (one[4] + other[4]) / 2) < router.CLEARANCE - 1e-6
    ]
    assert near == []


def islands(found: Any) -> dict[str, int]:
    """Return net → how many pieces of copper have a pad of it, where these are more than one; ground has its plane."""
    pieces: dict[str, list[tuple[set[int], Point, Point, float, bool]]] = {}
    for one in found.copper.tracks:
        pieces.setdefault(one.net, []).append(({one.layer}, one.begin, one.end, one.width, False))
    for one in found.copper.vias:
        pieces.setdefault(one.net, []).append(({0, 1}, one.at, one.at, router.VIA, False))
    for one in found.terminals:
        at = (one.pad.x, one.pad.y)
        pieces.setdefault(one.net, []).append(({0, 1} if one.pad.drill else {0}, at, at, one.pad.width, True))
    apart = {}
    for net, own in pieces.items():
        left, groups = list(range(len(own))), 0
        while left:
            group, found_pad = [left.pop()], False
            for at in group:
                found_pad = found_pad or own[at][4]
                near = [other for other in left if own[at][0] & own[other][0] and touching(own[at], own[other])]
                left = [other for other in left if other not in near]
                group += near
            groups += found_pad
        if groups > 1 and net != GROUND:
            apart[net] = groups
    return apart


def touching(one: Any, other: Any) -> bool:
    return _apart(one[1:3], other[1:3]) < (one[3] + other[3]) / 2


@pytest.mark.thorough
def test_every_strip_of_a_whole_board_joins_what_its_nets_join() -> None:
    """A rail whose only way to a header goes below by a via at its end had lost that end."""
    for strip in whole_board(shipped("spokes-45")).strips:
        assert islands(laid(strip)) == {}, strip.name


def test_a_rail_is_kept_up_to_a_via_on_it() -> None:
    strips = whole_board(shipped("spokes-45")).strips
    (strip,) = (one for one in strips if one.name == "spokes-45-D9-B3")
    assert islands(laid(strip)) == {}


def _apart(one: tuple[Point, Point], other: tuple[Point, Point]) -> float:
    """Return the distance of two straight lines."""
    turns = [_turning(*line, end) for line, ends in ((one, other), (other, one)) for end in ends]
    if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
        return 0.0
    return min(_beside(end, line) for line, ends in ((one, other), (other, one)) for end in ends)


def _beside(point: Point, line: tuple[Point, Point]) -> float:
    (x1, y1), (x2, y2) = line
    long = math.dist(*line) ** 2
    share = ((point[0] - x1) * (x2 - x1) + (point[1] - y1) * (y2 - y1)) / long if long else 0.0
    share = min(1.0, max(0.0, share))
    return math.dist(point, (x1 + share * (x2 - x1), y1 + share * (y2 - y1)))


def test_the_parts_of_a_panel_have_numbers_and_sums() -> None:
    rows = list(csv.DictReader(io.StringIO(panels.parts_csv(panels.well_panel(shipped("octiles-189"))))))
    counted = {row["Manufacturer Part Number"]: int(row["Quantity"]) for row in rows}
    assert counted == {"SN74HC165DR": 1, "": 1, "DRV5032AJDBZR": 9, "RC0805FR-0710KL": 9, "C0805C104K5RACTU": 10}
    assert all(len(row["Designator"].split(",")) == int(row["Quantity"]) for row in rows)


@pytest.mark.thorough
def test_the_command_writes_a_project_and_says_what_the_maker_has_to_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("one", "other"):
        assert main(["board", "pcb", "spokes-45", "--row", "B1", "1", "--out", str(tmp_path / folder)]) == 0
    said = capsys.readouterr().out
    assert "spokes-45-B1-1.kicad_pcb: 198.5 x 12.8 mm, two layers" in said
    assert "with gap_mm = 5 there are 3.5 mm for wood and paint over it" in said
    one, other = (
        sorted(path for path in (tmp_path / folder).rglob("*") if path.is_file()) for folder in ("one", "other")
    )
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    assert len(one) == len(other) > 10


@pytest.mark.parametrize("words", [["kicad", "spokes-45"], ["pcb", "octiles-189"]])
def test_without_the_libraries_it_says_how_to_get_them(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kicad_sheet", "kicad_board"):
        monkeypatch.setitem(sys.modules, f"firmware_host.extensions.maker.{name}", None)
        monkeypatch.delattr(maker, name, raising=False)
    assert main(["board", *words, "--out", str(tmp_path)]) != 0
    assert "pip install 'lodestone-board[kicad]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@needs("spokes-45-mcp3008")
def test_without_kicad_the_gerbers_are_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["board", "pcb", "spokes-45-mcp3008", "--row", "2", "D2", "--out", str(tmp_path), "--gerbers"]) != 0
    assert "--gerbers needs KiCad 8 or later" in capsys.readouterr().err


def checked(panel: panels.Panel, folder: Path) -> list[str]:
    """Return what KiCad's own rules find wrong in a panel: errors and warnings, and what differs from the schematic."""
    tool()
    written, sheet, _ = write(panel, folder)
    return [*ruled(written, folder), *drawn(sheet, folder)]


def ruled(circuit_board: Path, folder: Path) -> list[str]:
    words = ("pcb", "drc", "--schematic-parity", "--severity-all", "--format", "json", "-o", folder / "drc.json")
    run(folder, *words, circuit_board)
    told = report(folder / "drc.json")
    sections = ("violations", "unconnected_items", "schematic_parity")
    return [f"{one['type']}: {one['description']}" for what in sections for one in told[what]]


def drawn(sheet: Path, folder: Path) -> list[str]:
    run(folder, "sch", "erc", "--severity-all", "--format", "json", "-o", folder / "erc.json", sheet)
    return [one["type"] for each in report(folder / "erc.json")["sheets"] for one in each["violations"]]


@pytest.mark.thorough
def test_kicads_rules_find_nothing_wrong_in_the_panel_of_a_well(tmp_path: Path) -> None:
    assert checked(panels.well_panel(shipped("octiles-189")), tmp_path) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "first", "last"), ROWS)
def test_kicads_rules_find_nothing_wrong_in_strips(name: str, first: str, last: str, tmp_path: Path) -> None:
    assert checked(panels.row_strip(shipped(name), first, last), tmp_path) == []


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["spokes-45", "octiles-53", "octiles-189", "go-9x9", "hexhex-7"])
def test_kicads_rules_find_nothing_wrong_in_any_strip_of_a_whole_board(name: str, tmp_path: Path) -> None:
    """The other shipped boards have the nodes and windows of one of these."""
    found = {}
    for strip in whole_board(shipped(name)).strips:
        (tmp_path / strip.name).mkdir()
        found[strip.name] = checked(strip, tmp_path / strip.name)
    assert {one: told for one, told in found.items() if told} == {}


@needs("spokes-45-mcp3008")
@pytest.mark.thorough
def test_kicads_rules_find_a_track_that_is_missing(tmp_path: Path) -> None:
    tool()
    written, *_ = write(panels.row_strip(shipped("spokes-45-mcp3008"), "2", "D2"), tmp_path)
    lines = written.read_text(encoding="utf-8").splitlines()
    [rail] = [at for at, line in enumerate(lines) if "(segment" in line and f"(width {panels.SUPPLY_MM})" in line]
    written.write_text("\n".join(lines[:rail] + lines[rail + 1 :]), encoding="utf-8")
    assert any(one.startswith("unconnected_items") for one in ruled(written, tmp_path))


@pytest.mark.thorough
def test_a_workshop_s_files_have_every_layer_hole_and_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(tool()).parent}:/usr/bin:/bin:/usr/sbin:/sbin")
    monkeypatch.chdir(tmp_path)
    assert main(["board", "pcb", "octiles-189", "--out", str(tmp_path), "--gerbers"]) == 0, capsys.readouterr().err
    stem = tmp_path / "octiles-189-well" / "octiles-189-well"
    with zipfile.ZipFile(f"{stem}-gerbers.zip") as packed:
        texts = {name.rpartition(".")[2]: packed.read(name).decode() for name in packed.namelist()}
    assert set(texts) >= {"gtl", "gbl", "gtp", "gts", "gbs", "gto", "gbo", "gm1", "drl"}
    panel = panels.well_panel(shipped("octiles-189"))
    flashed = sum(line.endswith("D03*") for line in texts["gtp"].splitlines())
    assert flashed == sum(not pad.drill for one in panel.parts for pad in one.pads)  # Paste on each pad without a hole.
    drills = sum(line.startswith("X") for line in texts["drl"].splitlines())
    copper = router_of(panel)
    assert drills == len(copper.vias) + 11 + 4  # Headers of 6 and 5 pins, screws.
    with Path(f"{stem}-places.csv").open(encoding="utf-8") as file:
        places = {row["Designator"]: (float(row["Mid X"]), float(row["Mid Y"])) for row in csv.DictReader(file)}
    fitted = {one.box.reference: (one.x, one.y) for one in panel.parts if not one.box.reference.startswith("J")}
    assert set(places) == set(fitted)
    middle = next(one for one in sensors(panel) if "middle" in {pin.net for pin in one.box.pins}).box.reference
    for reference, (x, y) in fitted.items():
        aside, up = (part - of for part, of in zip(places[reference], places[middle], strict=True))
        assert math.dist((aside, -up), (x - fitted[middle][0], y - fitted[middle][1])) < 0.001


def router_of(panel: panels.Panel) -> router.Copper:
    return laid(panel).copper


@pytest.mark.thorough
@pytest.mark.parametrize("part", [HALL, "resistor", "capacitor", "74HC165", panels.PIXEL])
def test_pads_are_those_of_kicads_own_footprints(part: str) -> None:
    package = packages.PACKAGES[part]
    tree = parse(shared(f"footprints/*.pretty/{package.name}.kicad_mod").read_text(encoding="utf-8"))
    theirs = {
        str(pad[1]): (*map(float, next(parts(pad, "at"))[1:3]), *map(float, next(parts(pad, "size"))[1:3]))
        for pad in parts(tree, "pad")
    }
    assert theirs == {pad.number: (pad.x, pad.y, pad.width, pad.height) for pad in package.pads}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("library", "symbol", "ours"),
    [
        ("Sensor_Magnetic", "DRV5055A1xDBZxQ1", packages.LEGS),
        ("Sensor_Magnetic", "DRV5033AJxDBZ", packages.LEGS),
        ("Sensor_Magnetic", "DRV5055A1xLPGxQ1", kicad.LEGS),
        ("Sensor_Magnetic", "DRV5033AJxLPG", kicad.LEGS),
        ("LED", "WS2812B", {"VSS" if one == "GND" else one: leg for one, leg in STRIPS.get("ws2812").legs.items()}),
    ],
)
def test_pins_are_those_of_kicads_own_symbols(library: str, symbol: str, ours: Mapping[str, str]) -> None:
    assert {name: number for number, name in symbol_pins(library, symbol).items()} == ours
