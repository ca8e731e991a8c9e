"""Correct documents: magnets, fuses, readings per second, slots, views from below, circuits without loose ends."""

from __future__ import annotations

import itertools
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import budget as budgets
from firmware_host.extensions.maker import netlist, tables
from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.fields import steps
from firmware_host.extensions.maker.files import A4_MM, LETTER_MM, write_dxf
from firmware_host.extensions.maker.kicad import LEGS
from firmware_host.extensions.maker.plate import (
    BLIND,
    CROSS,
    DRILL,
    WINDOW,
    Circle,
    Label,
    Outline,
    Segment,
    from_below,
    plate,
)
from firmware_host.extensions.maker.schematic import pages as schematic_pages
from firmware_host.extensions.maker.schematic import schematic
from firmware_host.link.supplies import load_ma
from hw.circuit import CAPACITOR, DIODE, HALL, RESISTOR, SUPPLIES, SWITCH, V33, Circuit
from hw.magnets import Magnet, fitting, saturates
from hw.ports import LightsWiring, StripWiring, no_lights
from hw.sensor_parts import LINEAR, PARTS
from tests.extensions.maker.drawn import read_dxf, read_pdf
from tests.sampling import together
from tests.schemes import EVERY_WAY, FOUND, described, loose_ends, needs, there

SPOKES = load_board(find_board("spokes-45"))
SMALL = [(name, kind) for name, kind in EVERY_WAY if FOUND[name].example(FOUND[name].inputs(9, kind)) is not None]


def refused(tmp_path: Path, board: str, *changes: tuple[str, str]) -> str:
    text = find_board(board).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "my.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BoardFileError) as caught:
        load_board(path)
    return str(caught.value)


# -- sensors and magnets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "field"), [(5.0, 92), (3.0, 165)])
def test_the_field_of_a_10_by_3_mm_disc_of_n42(gap: float, field: int) -> None:
    assert round(Magnet(10, 3, "N42", gap).mt) == field


def test_a_disc_s_field_is_that_of_a_dipole_from_afar() -> None:
    """B = μ0 m / (2 π z³) with m = Br/μ0 times the volume."""
    magnet = Magnet(10, 3, "N42", 500)
    volume = math.pi * 5**2 * 3
    assert magnet.mt == pytest.approx(1000 * 1.30 * volume / (2 * math.pi * 501.5**3), rel=0.001)


def test_which_variants_a_strong_magnet_saturates() -> None:
    """At 3.3 V: ±22, ±44, ±88 and ±176 mT."""
    assert [name for name in LINEAR if saturates(name, 92)] == ["DRV5055A1", "DRV5055A2", "DRV5055A3"]
    assert fitting(92) == "DRV5055A4"
    assert fitting(52) == "DRV5055A3"
    assert steps("DRV5055A4", 92) == round(92 * 7.5 / 1650 * 128) == 54
    assert all(part.range_mt * part.mv_per_mt < 1650 for part in PARTS.values())


@needs("spokes-45-mcp3008")
def test_a_part_that_the_magnet_saturates_is_refused(tmp_path: Path) -> None:
    part, magnet = ('"DRV5055A3"', '"DRV5055A2"'), ("height_mm = 2", "height_mm = 3")
    told = refused(tmp_path, "spokes-45-mcp3008", part, magnet)
    wanted = "magnet: 92 mT at 5 mm saturate the DRV5055A2 (±44 mT), expected DRV5055A4, or a weaker magnet"
    assert wanted in told
    told = refused(tmp_path, "spokes-45-mcp3008", ('"N42"', '"N99"'))
    assert "magnet: grade: expected one of N35, N38, N42, N45, N52, got 'N99'" in told


@needs("spokes-45-matrix")
def test_a_matrix_is_for_reeds(tmp_path: Path) -> None:
    told = refused(tmp_path, "spokes-45-matrix", ('kind = "presence"', 'kind = "polarity"'))
    assert "kind: matrix reads presence, got 'polarity' (a hall switch has three wires" in told
    told = refused(tmp_path, "spokes-45-matrix", ('part = "reed"', 'part = "DRV5032AJ"'))
    assert "part: matrix with kind 'presence' takes reed, got 'DRV5032AJ' (a hall switch has three wires" in told


@needs("spokes-45-mcp3008")
def test_a_reed_feels_no_pole_and_a_converter_reads_no_switch(tmp_path: Path) -> None:
    told = refused(tmp_path, "spokes-45", ('kind = "presence"', 'kind = "polarity"'), ('"DRV5032AJ"', '"reed"'))
    assert "with kind 'polarity' takes DRV5023BI or DRV5023AJ or DRV5023FA, got 'reed' (a reed feels no pole)" in told
    told = refused(tmp_path, "spokes-45-mcp3008", ('part = "DRV5055A3"', 'part = "DRV5033AJ"'))
    assert "takes DRV5055A4 or DRV5055A3 or DRV5055A2 or DRV5055A1, got 'DRV5033AJ'" in told


def test_two_switches_that_each_close_for_one_pole_read_polarity(tmp_path: Path) -> None:
    polarity = ('kind = "presence"', 'kind = "polarity"')
    told = refused(tmp_path, "spokes-45", polarity, ('"DRV5032AJ"', '"DRV5032ZE"'))
    assert "got 'DRV5032ZE' (it is omnipolar: it closes for either pole)" in told
    told = refused(tmp_path, "spokes-45", ('"DRV5032AJ"', '"DRV5023BI"'))
    assert "got 'DRV5023BI' (it closes for one pole only, and stones lie either way up)" in told


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_the_table_runs_at_3_3_v_and_its_points_are_in_order(name: str) -> None:
    part = PARTS[name]
    least, most = part.supply_v
    assert part.legs == 2 or least <= 3.3 <= most
    assert part.ma > 0
    (operate, highest), (lowest, release) = part.operate_mt, part.release_mt
    assert part.range_mt > 0 or 0 < lowest < operate <= highest
    assert part.range_mt > 0 or lowest < release < highest


# -- power -----------------------------------------------------------------------------------------------------------


def test_hall_switches_are_in_the_sum() -> None:
    """45 of them, 48 pull-ups of 0.33 mA and six chips of 0.5 mA."""
    for part, ma in {"reed": 0.0, "DRV5032AJ": 0.45, "DRV5033AJ": 157.5}.items():
        circuit = netlist.circuit_of(replace(SPOKES, part=part))
        assert load_ma(circuit, V33) == pytest.approx(ma + 48 * 0.33 + 6 * 0.5)
    many = replace(load_board(find_board("octiles-189")), part="DRV5033AJ")
    assert "189 x DRV5033AJ: 662 mA; from a regulator of their own, 3000 mA at most" in tables.power_text(many)


def lit(pixels: int, most_ma: int) -> budgets.PowerBudget:
    return budgets.budget(replace(SPOKES, lights=LightsWiring((StripWiring("D18", pixels),), max_current_ma=most_ma)))


def test_what_gives_way_should_the_limit_fail() -> None:
    """A fuse of 2 A holds 3 A for an hour: at 2.7 A the supply of 2 A gives way first."""
    found = lit(45, 1500)
    assert (found.fuse.holds_a, found.fuse.opens_a) == pytest.approx((3.0, 4.2))
    told = "the fuse holds 3.0 A for an hour; if anything gives way, the supply switches off at 2.2 to 3.0 A"
    assert budgets.overload_words(found) == told
    assert budgets.overload_words(lit(45, 2700)) == "supply, fuse and wire bear it"
    assert "before the fuse, which opens for sure at 13.5 A" in budgets.overload_words(
        replace(lit(127, 100_000), supply_a=5.0, unlimited_ma=14_000.0)
    )


@pytest.mark.parametrize(("pixels", "most_ma"), [(10, 200), (45, 1500), (127, 4000), (189, 100_000)])
def test_the_wire_bears_what_the_fuse_holds_and_loses_little(pixels: int, most_ma: int) -> None:
    found = lit(pixels, most_ma)
    bears = dict(budgets.WIRES)[found.wire_mm2]
    thickest = found.wire_mm2 == budgets.WIRES[-1][0]
    assert thickest or (bears >= found.fuse.holds_a and found.lead_v <= budgets.DROP_V)
    assert found.lead_v == pytest.approx(found.total_ma / 1000 * 2 * 0.0178 / found.wire_mm2)
    assert found.fuse.amperes >= found.total_ma / 1000 * 1.1


def test_a_pico_feeds_its_own_chips() -> None:
    board = load_board(find_board("spokes-45-serial"))
    assert "from the Raspberry Pi Pico's 3V3(OUT), pin 36" in tables.power_text(board)
    assert "| 6 | 74HC165 |" in tables.parts_text(board)
    head = tables.wiring_text(board).partition("### Raspberry Pi Pico")[0]
    assert "3.3 V" not in head


def test_a_board_without_lights_has_no_papers_of_lights() -> None:
    board = replace(SPOKES, lights=no_lights(45))
    papers = "".join((tables.power_text(board), tables.parts_text(board), tables.wiring_text(board)))
    assert not {word for word in ("WS2812B", "74AHCT125", "fuse", "5 V supply") if word in papers}
    assert "DRV5032AJ" in papers
    assert schematic(board).of(Segment)


# -- the plate -------------------------------------------------------------------------------------------------------


def test_a_slot_is_entered_by_its_part() -> None:
    """The corners of a TO-92's face (4.1 by 3 mm) are inside the slot, as is a reed's glass of 14 by 2.3 mm."""
    for part, (wide, high) in {"DRV5033AJ": (4.1, 3.0), "DRV5055A4": (4.1, 3.0), "reed": (14.0, 2.3)}.items():
        length, width = PARTS[part].slot_mm
        assert math.dist((max(0.0, wide / 2 - (length - width) / 2), high / 2), (0, 0)) <= width / 2


def test_crosses_have_a_layer_of_their_own(tmp_path: Path) -> None:
    drawn = plate(SPOKES)
    write_dxf(drawn, tmp_path / "board.dxf")
    space = read_dxf(tmp_path / "board.dxf").modelspace()
    assert (
        len(space.query('LINE[layer=="CROSS"]')) == len([line for line in drawn.of(Segment) if line.layer == CROSS]) > 0
    )
    assert len(space.query('*[layer=="BLIND"]')) == 45, "the slots, and no cross"
    assert len(space.query('*[layer=="DRILL"]')) == 4, "the screws"


def test_from_below_left_is_right(tmp_path: Path) -> None:
    drawn = plate(SPOKES)
    below = from_below(drawn)
    again = [(one.x, one.y, one.radius) for one in from_below(below).of(Circle)]
    kept = [(one.x, one.y, one.radius) for one in drawn.of(Circle) if one.layer != "PRINT"]
    assert [value for one in again for value in one] == pytest.approx([value for one in kept for value in one])
    places = {label.text: label.x for label in below.of(Label)}
    assert places["5"] < places["A1"] < places["13"], "5 is to the right from above"
    slots = [(one.centre, one.corners) for one in drawn.of(Outline) if one.layer == BLIND]
    for (x, y), corners in slots:
        assert ((drawn.width - x, y), len(corners)) in [(one.centre, 4) for one in below.of(Outline)]
    path = tmp_path / "below.svg"
    assert main(["board", "drawing", "spokes-45", "--below", "--svg", str(path)]) == 0
    assert "from below" in path.read_text(encoding="utf-8")


# -- the circuit -----------------------------------------------------------------------------------------------------


def unfolded(text: str) -> Iterator[str]:
    """Yield the names of parts in a label: ``LED1 to LED45: WS2812B`` has 45 of them."""
    for letters, first, last in re.findall(r"\b([A-Z]+)(\d+)(?: to [A-Z]+(\d+))?", text):
        yield from (f"{letters}{number}" for number in range(int(first), int(last or first) + 1))


def on(circuit: Circuit, net: str, kind: str) -> int:
    return sum(pole.kind == kind and net in {pole.one, pole.other} for pole in circuit.poles)


@together(("name", "kind"), SMALL)
def test_a_circuit_has_no_loose_ends_and_every_sensor_once(name: str, kind: str) -> None:
    board = replace(described(name, kind, 9), lights=LightsWiring((StripWiring("D18", 9),)))
    circuit = netlist.circuit_of(board)
    assert loose_ends(circuit) == []
    inputs = FOUND[name].inputs(9, kind)
    sensors = [pole for pole in circuit.poles if pole.kind in {SWITCH, HALL}]
    assert len(sensors) == inputs
    assert len({frozenset((pole.one, pole.other)) for pole in sensors}) == inputs


@pytest.mark.parametrize("name", there(["74hc165", "74hc165-spi", "4067"]))
def test_the_circuit_solders_where_the_wiring_table_says(name: str) -> None:
    board = load_board(find_board("spokes-45" if name == "74hc165" else f"spokes-45-{name}"))
    circuit = netlist.circuit_of(board)
    wired = {pin.net: f"(pin {pin.number})" for block in circuit.blocks[1:] for pin in block.left}
    for node in board.nodes.values():
        assert wired[node.name] in FOUND[name].label(board, node.channel)


@needs("spokes-45-matrix", "spokes-45-4067")
def test_what_must_be_in_a_circuit_is_there() -> None:
    chain = netlist.circuit_of(SPOKES)
    assert all(on(chain, node, RESISTOR) == 1 for node in SPOKES.nodes)
    assert on(chain, "CLK", RESISTOR) == 1
    assert sum(pole.kind == CAPACITOR and pole.at.startswith("chip") for pole in chain.poles) == 6
    (shifter,) = (block for block in chain.blocks if block.part == "74AHCT125")
    numbered = {pin.number: pin.net for pin in shifter.pins}
    assert (numbered["1"], numbered["2"], numbered["3"]) == ("ground", "strip 1 data, 3.3 V", "data 1, 5 V")
    assert (numbered["14"], numbered["7"], numbered["4"]) == ("5 V", "ground", "5 V")
    assert len(numbered) == 14
    matrix = netlist.circuit_of(load_board(find_board("spokes-45-matrix")))
    assert sum(pole.kind == DIODE and pole.other.startswith("rows[") for pole in matrix.poles) == 45
    muxed = netlist.circuit_of(load_board(find_board("spokes-45-4067")))
    assert all(on(muxed, f"common[{at}]", RESISTOR) == 1 for at in range(3))


@pytest.mark.parametrize("board", there(["spokes-45", "spokes-45-matrix", "spokes-45-serial", "octiles-189"]))
def test_every_net_and_part_is_in_the_drawing_and_on_the_page(board: str) -> None:
    description = load_board(find_board(board))
    circuit, drawn = netlist.circuit_of(description), schematic(description)
    texts = {label.text for label in drawn.of(Label)}
    nets = {pin.net for block in circuit.blocks for pin in block.pins if not block.group} - {"", "ground"}
    assert nets <= texts
    names = names_of(circuit)
    assert {f"{names[block.name]} {block.part} ({block.name})" for block in circuit.blocks if not block.group} <= texts
    drawn_names = {name for text in texts for name in unfolded(text)}
    assert set(names.values()) <= drawn_names
    for line in drawn.of(Segment):
        assert 0 <= min(line.x1, line.x2) <= max(line.x1, line.x2) <= drawn.width
        assert 0 <= min(line.y1, line.y2) <= max(line.y1, line.y2) <= drawn.height
    headings = [label for label in drawn.of(Label) if label.text.endswith(")") and "(" in label.text]
    for one, other in itertools.combinations(headings, 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) > 10, "two blocks in one place"


@needs("spokes-45-matrix")
def test_the_ring_of_each_diode_looks_to_its_row() -> None:
    """The matrix's rows are the Pi's pins at the right end of each chain of parts, where the triangles point."""
    drawn = schematic(load_board(find_board("spokes-45-matrix")))
    slanted = [
        line for line in drawn.of(Segment) if abs(line.y2 - line.y1) == pytest.approx(1.4) and line.x1 != line.x2
    ]
    assert len(slanted) == 2 * 45
    assert all(line.x2 > line.x1 for line in slanted)
    assert {label.text.rpartition(", ")[2] for label in drawn.of(Label)} >= set(SPOKES.nodes)


@needs("spokes-45-mcp3008")
def test_the_command_draws_svg_and_pdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files: Mapping[str, Path] = {kind: tmp_path / f"circuit.{kind}" for kind in ("svg", "pdf")}
    call = ["board", "schematic", "spokes-45-mcp3008", "--svg", str(files["svg"]), "--pdf", str(files["pdf"])]
    assert main(call) == 0
    words = {element.text for element in ET.fromstring(files["svg"].read_text(encoding="utf-8")).iter()}
    (page,) = read_pdf(files["pdf"]).pages
    read = page.extract_text()
    for word in ("U5 MCP3008 (converter 1 of 1)", "SPI 0's MISO", "R2 330R", "VREF"):
        assert word in words
        assert word in read
    assert main(["board", "schematic", "spokes-45"]) == 1
    assert "expected --svg, --pdf" in capsys.readouterr().err


@needs("spokes-45-mcp23017", "spokes-45-matrix")
def test_a_schematic_is_printed_on_pages_that_have_all_its_parts(tmp_path: Path) -> None:
    for name, paper in (("spokes-45-mcp23017", A4_MM), ("spokes-45-matrix", LETTER_MM)):
        board, path = load_board(find_board(name)), tmp_path / f"{name}.pdf"
        kind = "--pdf-a4" if paper == A4_MM else "--pdf-letter"
        assert main(["board", "schematic", name, kind, str(path)]) == 0
        pages = read_pdf(path).pages
        sheets = schematic_pages(board, paper)
        assert len(pages) == len(sheets) > 1
        for page, sheet in zip(pages, sheets, strict=True):
            width, height = float(page.mediabox.width), float(page.mediabox.height)
            assert width / height == pytest.approx(paper[0] / paper[1], abs=0.001)
            for label in sheet.of(Label):
                assert 0 <= label.x <= sheet.width
                assert 0 <= label.y <= sheet.height
            for line in sheet.of(Segment):
                assert max(line.x1, line.x2) <= sheet.width
                assert min(line.y1, line.y2) >= 0
        parts = Counter(label.text for sheet in sheets for label in sheet.of(Label) if label.layer == WINDOW)
        assert parts == Counter(label.text for label in schematic(board).of(Label) if label.layer == WINDOW)


def test_no_name_of_a_wire_stands_in_a_part_s_value() -> None:
    for name in there(["spokes-45", "spokes-45-mcp23017", "octiles-53"]):
        drawn = schematic(load_board(find_board(name)))
        values = [label for label in drawn.of(Label) if label.layer == WINDOW]
        for wire in (label for label in drawn.of(Label) if label.layer == DRILL):
            for value in values:
                if abs(wire.y - value.y) < (wire.height + value.height) / 2:
                    (left, right), (begin, end) = spread(wire), spread(value)
                    assert right <= begin or end <= left, (wire.text, value.text)


def spread(label: Label) -> tuple[float, float]:
    """Return about where a text begins and ends, from left to right."""
    long = 0.62 * label.height * len(label.text)
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    return label.x - share * long, label.x + (1 - share) * long


@pytest.mark.parametrize("name", there(["spokes-45-mcp23017", "spokes-45-pcf8575"]))
def test_the_wiring_says_which_address_pins_of_each_expander_are_high(name: str) -> None:
    board = load_board(find_board(name))
    text = tables.wiring_text(board)
    chips = [block for block in netlist.circuit_of(board).blocks if block.part in {"MCP23017", "PCF8575"}]
    assert len(chips) > 2
    for at, chip in enumerate(chips):
        high = [
            f"{pin.name} (pin {pin.number})" for pin in chip.pins if pin.name in {"A0", "A1", "A2"} and pin.net == V33
        ]
        assert f"chip {at + 1} ({0x20 + at:#x}): {' and '.join(high) or 'none'}" in text


@pytest.mark.parametrize("name", ["spokes-45", "octiles-189", "hexhex-7"])
def test_the_table_of_pixels_says_where_each_connector_of_the_supply_goes(name: str) -> None:
    board = load_board(find_board(name))
    circuit = netlist.circuit_of(board)
    wanted = [called for one, called in names_of(circuit).items() if one.startswith("feed ")]
    rows = [row for row in tables.pixels(board, circuit) if "5 V and ground enter" in str(row[2])]
    assert [called for row in rows for called in str(row[2]).rpartition(": ")[2].split(", ")] == wanted
    assert len(wanted) >= 2
    assert rows[0][0] == 0
    text = tables.wiring_text(board)
    assert "1 VDD, 2 DOUT, 3 GND, 4 DIN" in text


def test_supplies_are_no_signals() -> None:
    """Only capacitors may connect two supplies; a resistor or a sensor there would be a fault of the circuit."""
    for board in there(["spokes-45", "spokes-45-4067", "spokes-45-ads1115"]):
        for pole in netlist.circuit_of(load_board(find_board(board))).poles:
            assert pole.kind == CAPACITOR or not {pole.one, pole.other} <= set(SUPPLIES)


@needs("spokes-45-4067")
def test_a_multiplexer_s_pins_have_the_names_of_a_module_too() -> None:
    """Ready-made modules print C0 to C15, SIG and EN beside their holes."""
    board = load_board(find_board("spokes-45-4067"))
    text = tables.wiring_text(board)
    assert "multiplexer 1, I0 (pin 9), C0 of a module |" in text
    assert "multiplexer 2, I15 (pin 16), C15 of a module |" in text
    assert "a module prints SIG, EN, C0 to C15" in text
    names = {pin.name for block in netlist.circuit_of(board).blocks for pin in block.pins}
    assert {"I0 / C0", "I15 / C15", "common / SIG", "E / EN"} <= names


def test_a_pin_that_only_belongs_to_the_bus_is_not_called_used() -> None:
    """A chain hangs on no chip select; the SPI driver holds the pin all the same."""
    text = tables.wiring_text(load_board(find_board("spokes-45-74hc165-spi")))
    assert "| 24 | GPIO 8 | nothing: SPI 0's select 0 is the bus's own, leave it free |" in text
    assert "| 21 | GPIO 9 | sensors: SPI 0's MISO |" in text


def test_every_single_pixel_has_its_capacitor() -> None:
    assert "| 45 | capacitor 100 nF at 5 V | one at each single pixel; a strip has them |" in tables.parts_text(SPOKES)
    circuit = netlist.circuit_of(SPOKES)
    beside = [pole.at for pole in circuit.poles if pole.kind == CAPACITOR and (pole.one, pole.value) == ("5 V", "100n")]
    pixels = [block.name for block in circuit.blocks if block.group]
    assert beside == ["level shifter", *pixels]


def test_power_and_parts_name_the_same_wire() -> None:
    """The wire along the pixels lies behind the same fuse as the wire from the supply."""
    for board in (SPOKES, load_board(find_board("octiles-189"))):
        wire = budgets.budget(board).wire_mm2
        table = tables.power_text(board)
        assert f"| wire from this supply | {wire:g} mm² or more |" in table
        assert re.search(rf"wire along the longest strip \| [\d.]+ m \| {wire:g} mm² or more;", table)
        along = f"wire of {wire:g} mm², red and black | from the supply to each feed, and along the pixels;"
        assert along in tables.parts_text(board)
    hungry = replace(board, part="DRV5033AJ")
    assert "| wire from the regulator | 0.34 mm² or more |" in tables.power_text(hungry)
    assert "wire of 0.34 mm², red and black | from the regulator to chips and sensors" in tables.parts_text(hungry)


@pytest.mark.parametrize("name", there(["spokes-45", "spokes-45-mcp3008", "octiles-189", "spokes-45-matrix"]))
def test_the_legs_of_hall_parts_are_drawn_as_the_schematic_numbers_them(name: str) -> None:
    board = load_board(find_board(name))
    text = tables.wiring_text(board)
    drawn = re.search(r"```text\n(.*?)```", text, re.S)
    assert (drawn is not None) == any(pole.kind == HALL for pole in netlist.circuit_of(board).poles)
    if drawn is not None:
        *_, numbers, names, _ = drawn[1].splitlines()
        assert dict(zip(names.split(), numbers.split(), strict=True)) == dict(LEGS)
        assert numbers.split() == ["1", "2", "3"]
