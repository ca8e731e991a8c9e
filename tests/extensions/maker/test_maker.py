"""Documents for makers: geometry at full size, read back from the files; complete wiring tables; power figures."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.boardfile.sections import KEYS
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import budget as budgets
from firmware_host.extensions.maker import files, tables
from firmware_host.extensions.maker.command import libraries_text
from firmware_host.extensions.maker.files import write_dxf
from firmware_host.extensions.maker.netlist import GROUND_PINS, circuit_of
from firmware_host.extensions.maker.plate import (
    BLIND,
    DRILL,
    LAYERS,
    PRINT,
    SCALE,
    WINDOW,
    Arc,
    Circle,
    DrawingError,
    Outline,
    plate,
)
from firmware_host.extensions.maker.tables import GUIDE, update_tables
from hw import pi
from hw.lights import STRIPS
from hw.ports import KINDS, BoardDescription, LightsWiring, Sizes, StripWiring
from tests.extensions.maker.drawn import read_dxf, read_pdf
from tests.hw.test_pi import PI4, PI5
from tests.sampling import few, together
from tests.schemes import FOUND as SCHEMES
from tests.schemes import needs

if TYPE_CHECKING:
    from pypdf import PageObject


BOARDS = [path.stem for path in sorted(find_board("spokes-45").parent.glob("*.toml"))]
SPOKES = load_board(find_board("spokes-45"))
SVG = "{http://www.w3.org/2000/svg}"
POINT = 25.4 / 72

Place = tuple[float, float]


def apart(places: dict[str, Place], one: str, other: str) -> float:
    return math.dist(places[one], places[other])


def circles_in_svg(text: str, layer: str) -> list[tuple[float, float, float]]:
    root = ET.fromstring(text)
    (group,) = (found for found in root.iter(f"{SVG}g") if found.get("id") == layer)
    return [tuple(float(found.get(name, "")) for name in ("cx", "cy", "r")) for found in group.iter(f"{SVG}circle")]  # type: ignore[misc]


def test_the_svg_is_in_millimetres() -> None:
    root = ET.fromstring(files.svg(plate(SPOKES)))
    assert (root.get("width"), root.get("height")) == ("460.000mm", "460.000mm")
    assert root.get("viewBox") == "0 0 460.000 460.000"


@together("name", BOARDS)
def test_every_node_is_where_the_board_file_says(name: str) -> None:
    board = load_board(find_board(name))
    drawn = plate(board)
    left = min(node.x for node in board.nodes.values()) - board.sizes.edge_mm
    bottom = min(node.y for node in board.nodes.values()) - board.sizes.edge_mm
    text = files.svg(drawn)
    windows, printed = (circles_in_svg(text, layer) for layer in (WINDOW, PRINT))
    sides = [side for slot in drawn.of(Outline) if slot.layer == BLIND for side in slot.sides()]
    ends = {(round(arc.x, 3), round(arc.y, 3)) for arc in sides if isinstance(arc, Arc)}
    half = (board.slot_mm[0] - board.slot_mm[1]) / 2
    for node in board.nodes.values():
        x, y = node.x - left, drawn.height - (node.y - bottom)
        below = board.sizes.window_at or (0.0, -(board.node_mm + board.sizes.window_mm) / 2 - 1.0)
        dx, dy = (0.0, -30.5) if node.well else below
        aside = 4.0 if board.part == "reed" else 0.0
        for side in (aside - half, aside + half):
            assert (round(node.x - left + side, 3), round(node.y - bottom, 3)) in ends
        assert any(math.dist((x + dx, y - dy), hole[:2]) < 0.002 and hole[2] == 2.5 for hole in windows)
        rings = [ring for ring in printed if math.dist((x, y), ring[:2]) < 0.002 and ring[2] == board.node_mm / 2]
        assert len(rings) == (0 if node.well else 1)
    assert (len(windows), len(ends)) == (len(board.nodes), 2 * board.channels)


def test_the_bar_is_100_mm_long() -> None:
    root = ET.fromstring(files.svg(plate(SPOKES)))
    (group,) = (found for found in root.iter(f"{SVG}g") if found.get("id") == SCALE)
    lengths = [abs(float(line.get("x2", "")) - float(line.get("x1", ""))) for line in group.iter(f"{SVG}line")]
    assert max(lengths) == 100.0


def test_the_dxf_holds_the_same_in_millimetres(tmp_path: Path) -> None:
    drawn = plate(SPOKES)
    write_dxf(drawn, tmp_path / "board.dxf")
    document = read_dxf(tmp_path / "board.dxf")
    assert document.units == 4, "millimetres"
    assert not document.audit().has_errors
    space = document.modelspace()
    holes = {
        (round(e.dxf.center.x, 6), round(e.dxf.center.y, 6), e.dxf.radius)
        for e in space.query('CIRCLE[layer=="DRILL"]')
    }
    assert holes == {(round(c.x, 6), round(c.y, 6), c.radius) for c in drawn.of(Circle) if c.layer == DRILL}
    labels = {e.dxf.text: (e.get_placement()[1].x, e.get_placement()[1].y) for e in space.query('TEXT[layer=="PRINT"]')}
    assert set(labels) == set(SPOKES.nodes)
    assert apart(labels, "A1", "1") == pytest.approx(200.0)
    assert apart(labels, "5", "13") == pytest.approx(400.0)
    bar = max(space.query('LINE[layer=="SCALE"]'), key=lambda line: line.dxf.start.distance(line.dxf.end))
    assert bar.dxf.start.distance(bar.dxf.end) == pytest.approx(100.0)
    assert {layer.dxf.name for layer in document.layers} >= set(LAYERS)


def test_arcs_run_from_node_to_node_in_every_form(tmp_path: Path) -> None:
    """Printed circles stop at the printed nodes: 4 + 8 + 16 + 16 arcs, each ending on a node's rim."""
    drawn = plate(SPOKES)
    drawn = replace(drawn, shapes=tuple(one for one in drawn.shapes if not isinstance(one, Outline)))
    assert len(drawn.of(Arc)) == 4 + 8 + 16 + 16
    rims = [circle for circle in drawn.of(Circle) if circle.layer == PRINT and circle.radius == 11]
    write_dxf(drawn, tmp_path / "board.dxf")
    in_dxf = [(e.start_point, e.end_point) for e in read_dxf(tmp_path / "board.dxf").modelspace().query("ARC")]
    pairs = [((a.x, a.y), (b.x, b.y)) for a, b in in_dxf]
    root = ET.fromstring(files.svg(drawn))
    paths = [list(map(float, re.findall(r"-?\d+\.?\d*", path.get("d", "")))) for path in root.iter(f"{SVG}path")]
    pairs += [((way[0], drawn.height - way[1]), (way[-2], drawn.height - way[-1])) for way in paths]
    assert len(pairs) == 2 * len(drawn.of(Arc))
    for place in (end for pair in pairs for end in pair):
        assert any(abs(math.dist(place, (rim.x, rim.y)) - 11) < 0.01 for rim in rims)


def labels_in_pdf(page: PageObject) -> dict[str, Place]:
    """Return the start of each text on a page, mm from the upper left."""
    found: dict[str, Place] = {}
    height = float(page.mediabox.height)

    def see(text: str, _cm: object, tm: list[float], _font: object, _size: object) -> None:
        if text.strip():
            found[text.strip()] = (tm[4] * POINT, (height - tm[5]) * POINT)

    page.extract_text(visitor_text=see)
    return found


def test_the_large_pdf_is_one_page_at_full_size(tmp_path: Path) -> None:
    files.write_pdf(plate(SPOKES), tmp_path / "board.pdf")
    reader = read_pdf(tmp_path / "board.pdf")
    (page,) = reader.pages
    assert (float(page.mediabox.width) * POINT, float(page.mediabox.height) * POINT) == pytest.approx(
        (460, 460), abs=0.01
    )
    assert reader.root_object["/ViewerPreferences"]["/PrintScaling"] == "/None"  # type: ignore[index]
    labels = labels_in_pdf(page)
    assert set(SPOKES.nodes) <= set(labels)
    assert apart(labels, "D1", "D9") == pytest.approx(300.0, abs=0.05)
    assert apart(labels, "C3", "C7") == pytest.approx(200.0, abs=0.05)
    drawn = page.get_contents().get_data().decode("latin-1")  # type: ignore[union-attr]
    lines = re.findall(r"([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l", drawn)
    lengths = [math.dist((float(a), float(b)), (float(c), float(d))) * POINT for a, b, c, d in lines]
    assert any(length == pytest.approx(100.0, abs=0.01) for length in lengths)


@pytest.mark.parametrize("paper", few([pytest.param(files.A4_MM), pytest.param(files.LETTER_MM)], 1))
def test_the_tiles_are_of_the_paper_and_cover_everything(tmp_path: Path, paper: tuple[float, float]) -> None:
    drawn = plate(SPOKES)
    files.write_pdf(drawn, tmp_path / "board.pdf", paper)
    pages = read_pdf(tmp_path / "board.pdf").pages
    tiles = files.tiles(drawn, paper)
    assert len(pages) == len(tiles) == 6
    for page, tile in zip(pages, tiles, strict=True):
        size = float(page.mediabox.width) * POINT, float(page.mediabox.height) * POINT
        assert size == pytest.approx(paper, abs=0.05)
        assert any(f"row {tile.row + 1}, column {tile.column + 1}" in text for text in labels_in_pdf(page))
    wide, high = (side - 20 for side in paper)
    shown = [(tile.x, tile.x + wide, tile.top - high, tile.top) for tile in tiles]
    for circle in drawn.of(Circle):
        if circle.layer != PRINT or circle.radius <= 11:
            assert any(l <= circle.x <= r and b <= circle.y <= t for l, r, b, t in shown), circle  # noqa: E741
    assert max(r for _, r, _, _ in shown) >= drawn.width
    assert min(b for _, _, b, _ in shown) <= 0
    neighbours = labels_in_pdf(pages[0]), labels_in_pdf(pages[1])
    assert neighbours[0]["A1"][0] - neighbours[1]["A1"][0] == pytest.approx(paper[0] - 30, abs=0.05)


def test_every_text_of_a_tile_has_a_font_where_it_is_drawn(tmp_path: Path) -> None:
    """A reader of PDF draws no text whose font was chosen inside a clip that has ended: the page's name was missing."""
    files.write_pdf(plate(SPOKES), tmp_path / "board.pdf", files.A4_MM)
    for page in read_pdf(tmp_path / "board.pdf").pages:
        contents = page.get_contents()
        assert contents is not None
        fonts = [False]
        drawn = 0
        for _, operator in contents.operations:
            if operator == b"q":
                fonts.append(fonts[-1])
            elif operator == b"Q":
                fonts.pop()
            elif operator == b"Tf":
                fonts[-1] = True
            elif operator in {b"Tj", b"TJ"}:
                assert fonts[-1]
                drawn += 1
        assert drawn


def test_neighbouring_tiles_carry_the_same_crosses() -> None:
    """Two pages glued cross on cross show each point of the plate at one place."""
    found = {(tile.row, tile.column): set(tile.marks()) for tile in files.tiles(plate(SPOKES))}
    assert len(found[0, 0] & found[0, 1]) == len(found[0, 0] & found[1, 0]) == 2
    assert len(found[0, 0] & found[1, 1]) == 1


def test_windows_under_stones_are_refused() -> None:
    board = replace(SPOKES, sizes=Sizes(window_at=(0.0, 45.0)))
    with pytest.raises(DrawingError, match="A1's window lies under B1"):
        plate(board)


def test_a_machine_without_the_libraries_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, option in (("fpdf", "--pdf"), ("ezdxf", "--dxf")):
        monkeypatch.setitem(sys.modules, module, None)
        assert main(["board", "drawing", "spokes-45", option, str(tmp_path / "x")]) == 1
        assert "lodestone-board[drawing]" in capsys.readouterr().err
    assert main(["board", "drawing", "spokes-45", "--svg", str(tmp_path / "x.svg")]) == 0


def test_the_command_writes_all_at_once_and_refuses_politely(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("a.svg", "a.pdf", "a4.pdf", "a.dxf")]
    options = [
        word for pair in zip(("--svg", "--pdf", "--pdf-a4", "--dxf"), map(str, files), strict=True) for word in pair
    ]
    assert main(["board", "drawing", "spokes-45", *options]) == 0
    assert all(path.stat().st_size > 1000 for path in files)
    for call, words in (
        (["drawing", "spokes-45"], "expected at least one of --svg"),
        (["drawing", "spokes-45", "--svg", str(tmp_path / "no/where.svg")], "can't be written"),
        (["wiring", "chess-64"], "board: expected a file, or one of"),
    ):
        assert main(["board", *call]) == 1
        assert words in capsys.readouterr().err


# -- tables --------------------------------------------------------------------------------------------------------


@together("name", BOARDS)
def test_wiring_tables_leave_nothing_out(name: str) -> None:
    board = load_board(find_board(name))
    text = tables.wiring_text(board)
    titles, texts = re.findall(r"^### (.*)$", text, re.M), re.split(r"^### .*\n", text, flags=re.M)[1:]
    by_title = {title.split(" (")[0]: part for title, part in zip(titles, texts, strict=True)}
    header, sensors, shifter, lights = (
        by_title[title] for title in ("The Pi's header", "Sensors", "Level shifter", "Pixels")
    )
    assert len(re.findall(r"^\| \d", shifter, re.M)) == 14, "every pin of the level shifter"
    rows = [line.split(" | ") for line in sensors.splitlines() if line.startswith("| ") and "channel" not in line[:20]]
    assert sorted(row[0].strip("| ") for row in rows) == sorted(map(board.sensor_words, board.sensors()))
    soldered = [place for row in rows for place in row[2:]]
    assert len(set(soldered)) == len(soldered), "two sensors at one place"
    for node in board.nodes.values():
        assert re.search(rf"^\| {node.pixel} \| {node.name} \|", lights, re.M)
    for value in board.pins.values():
        for gpio in (value,) if isinstance(value, int) else value:
            assert f"| GPIO {gpio} |" in header
    for strip in board.lights.strips:
        assert f"GPIO {strip.pin[1:]} | strip" in header


def test_polarity_takes_two_places_a_node() -> None:
    board = replace(SPOKES, kind="polarity", part="")
    table = tables.sensors_table(board, circuit_of(board))
    names = r"U\d+, R\d+, C\d+"
    assert re.search(rf"\| B1 \| 1 \| chip 1, D5 \(pin 4\): {names} \| chip 1, D4 \(pin 3\): {names} \|", table)


def test_a_second_strip_begins_anew_in_the_table() -> None:
    lights = LightsWiring((StripWiring("D18", 40), StripWiring("D10", 7, "GRB", "spi")))
    board = replace(SPOKES, lights=lights)
    *rows, names = zip(*tables.pixels(board, circuit_of(board)), strict=True)
    rows = list(zip(*rows, strict=True))
    assert rows[0] == (0, "A1", "from D18: strip 1 begins; 5 V and ground enter: J1, J2")
    assert rows[1] == (1, "B1", "50 mm")
    assert rows[40] == (40, "12", "from D10: strip 2 begins; 5 V and ground enter: J5, J6")
    assert rows[45:] == [(45, "none: stays dark", ""), (46, "none: stays dark", "")]
    assert [name.partition(",")[0] for name in names] == [f"LED{number}" for number in range(1, 48)]


@pytest.mark.parametrize(
    ("found", "choice"), [({"RPi.GPIO": "0.7.1"}, PI4), ({"rpi-lgpio": "0.6"}, PI4), ({"rpi-lgpio": "0.6"}, PI5)]
)
def test_libraries_that_work_leave_nothing_to_do(found: dict[str, str], choice: pi.PackageChoice) -> None:
    assert "to do      nothing" in libraries_text(found, choice)
    assert f"kernel {choice.kernel}" in libraries_text({}, choice)


def test_the_header_is_that_of_a_pi() -> None:
    """Samples agree with the published pinout, and no pin is listed twice."""
    assert [tables.HEADER[gpio] for gpio in (2, 3, 4, 10, 11, 18, 21)] == [3, 5, 7, 19, 23, 12, 40]
    assert sorted(tables.HEADER) == list(range(28))
    supply = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}
    assert set(GROUND_PINS) == supply - {1, 2, 4, 17}
    assert sorted([*tables.HEADER.values(), *supply]) == list(range(1, 41))


def budget(lights: LightsWiring) -> budgets.PowerBudget:
    return budgets.budget(replace(SPOKES, lights=lights))


def test_the_power_budget_by_hand() -> None:
    found = budget(LightsWiring((StripWiring("D18", 45),), max_current_ma=1500))
    assert (found.idle_ma, found.lights_ma, found.unlimited_ma) == (45, 1545, 2700)
    assert found.supply_a == 2  # 1.545 A x 1.25 = 1.93 A
    assert found.fuse.amperes == 2  # 1.545 A x 1.1 = 1.70 A
    assert found.frame_ms == pytest.approx((45 * 30 + 300) / 1000)
    bears = next(most for area, most in budgets.WIRES if area == found.wire_mm2)
    assert bears >= found.fuse.holds_a == 3


def test_without_a_limit_127_pixels_draw_76_a() -> None:
    found = budget(LightsWiring((StripWiring("D18", 127),), max_current_ma=100_000))
    assert found.unlimited_ma == 7620
    assert found.lights_ma == 7747
    assert (found.supply_a, found.fuse.words) == (10, "fuse of 10 A (blade, ATO)")


def test_feeding_in_more_places_keeps_the_loss_small() -> None:
    found = budget(LightsWiring((StripWiring("D18", 45),), max_current_ma=1500))
    stretch, amperes = found.chain_m / found.feeds, found.lights_ma / 1000 / found.feeds
    assert amperes * budgets.OHM_MM2_PER_M * 2 * stretch / found.wire_mm2 / 2 <= budgets.DROP_V


@together("name", BOARDS)
def test_every_board_has_its_parts_and_power(name: str) -> None:
    board: BoardDescription = load_board(find_board(name))
    assert f"| {board.lights.length} | WS2812B pixel" in tables.parts_text(board)
    assert "5 V supply for the pixels" in tables.power_text(board)


# -- the guide ---------------------------------------------------------------------------------------------------


@needs("spokes-45-mcp3008")
def test_the_guides_tables_are_what_the_commands_print() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    assert page.count("<!-- lodestone board ") == 5
    assert update_tables(page) == page, "run: python -m firmware_host.extensions.maker.tables"


def test_the_guide_knows_every_scheme_and_size() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    for name in (*SCHEMES, *STRIPS.names(), *KEYS, *KINDS, "gpio", "spi"):
        assert f"`{name}`" in page or f'"{name}"' in page, name
