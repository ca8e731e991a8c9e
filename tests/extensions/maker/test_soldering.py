"""Questions of one who solders a board with the papers alone: each leg, each wire, what to measure, what comes next."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import netlist, printable, soldering, tables
from firmware_host.extensions.maker.budget import LEAD_M, budget
from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.kicad import FOOTPRINTS
from firmware_host.extensions.maker.netlist import POLARISED
from firmware_host.extensions.maker.parts_list import part_rows, rail_m, signal_wire_m, spares
from firmware_host.extensions.maker.pieces import cover_mm, pieces_of
from firmware_host.extensions.maker.plate import ABOVE, BELOW, Label, from_below, plate
from firmware_host.extensions.maker.schematic import PLUS, schematic
from hw.circuit import SUPPLIES
from hw.ports import BoardDescription, LightsWiring, StripWiring
from tests.extensions.maker.test_papers import SPOKES
from tests.extensions.maker.test_verified import BUILD
from tests.schemes import needs, there

NAMES = "spokes-45", *(f"spokes-45-{one}" for one in ("mcp3008", "mcp23017", "pcf8575", "ads1115")), "octiles-189"
CHIPS = there(NAMES)


def board_of(name: str) -> BoardDescription:
    return load_board(find_board(name))


@pytest.mark.parametrize("name", CHIPS)
def test_a_circuit_has_all_legs_of_each_chip(name: str) -> None:
    """An input that no sensor uses, and a leg that leads nowhere, are legs all the same."""
    for block in netlist.circuit_of(board_of(name)).blocks:
        package = re.search(r":(?:DIP|SOIC|VSSOP)-(\d+)", FOOTPRINTS.get(block.part, ""))
        if package:
            legs = sorted(int(pin.number) for pin in block.pins)
            assert legs == list(range(1, int(package[1]) + 1)), block.name


@needs("spokes-45-pcf8575", "spokes-45-4067")
def test_each_free_leg_of_a_chip_is_in_the_wiring() -> None:
    text = tables.wiring_text(board_of("spokes-45-pcf8575"))
    assert "| PCF8575 3 | U4 | 18 (P15), 19 (P16), 20 (P17), 1 (INT): nothing |" in text
    text = tables.wiring_text(SPOKES)
    assert "| chip 1 of 6 | U2 | 7 (/QH): nothing |" in text
    assert "13 (D2): R46 to 3.3 V, 12 (D1): R47 to 3.3 V, 11 (D0): R48 to 3.3 V; 7 (/QH): nothing |" in text
    text = tables.wiring_text(board_of("spokes-45-4067"))
    assert re.search(r"\| multiplexer 3 of 3 \| U4 \| .*16 \(I15 / C15\): nothing \|", text)
    assert "Pin 1 of a chip" in text


@needs("spokes-45-matrix")
def test_a_board_without_chips_has_no_table_of_their_legs() -> None:
    assert "Pin 1 of a chip" not in tables.wiring_text(board_of("spokes-45-matrix"))


@needs("spokes-45-pcf8575")
def test_the_wiring_has_the_settings_of_the_pi_for_this_board() -> None:
    """A pin with PWM wants no sound, I2C its rate; no board is told what only another one needs."""
    text = tables.wiring_text(SPOKES)
    assert "| no analogue sound: `dtparam=audio=off` | before the 5 | `install.sh --board` |" in text
    assert "| root: PWM and PCM are reached through `/dev/mem` | before the 5 |" in text
    assert "dtparam=i2c_arm" not in text
    text = tables.wiring_text(board_of("spokes-45-pcf8575"))
    assert "| the I2C bus at 400 kHz: `dtparam=i2c_arm_baudrate=400000` | every |" in text


@pytest.mark.parametrize("name", there(["spokes-45", "octiles-189", "hexhex-7", "spokes-45-mcp3008"]))
def test_wire_is_bought_by_the_metre(name: str) -> None:
    """Along the pixels and to each feed; a number alone would be a number of what?"""
    board = board_of(name)
    rows = {row.part: str(row.number) for row in part_rows(board) if row.part.startswith("wire of")}
    assert all(number.endswith(" m") for number in rows.values()), rows
    found, strips = budget(board), len(board.lights.strips)
    (thick,) = (part for part in rows if "red and black" in part and f"{found.wire_mm2:g} mm²" in part)
    least = found.chain_m + strips * found.feeds
    assert int(rows[thick].split()[0]) >= least
    assert int(rows["wire of 0.14 mm², one colour"].split()[0]) >= found.chain_m + 1


@pytest.mark.parametrize("name", CHIPS)
def test_each_chip_has_its_package_and_what_carries_it(name: str) -> None:
    rows = part_rows(board_of(name))
    chips = [
        row for row in rows if re.fullmatch(r"74HC165|CD74HC4067|MCP\w+|PCF8575|ADS1115|74AHCT125 at 5 V", row.part)
    ]
    cases = {row.part: re.match(r"(?:DIP|SO|VSSOP)-\d+", row.note) for row in chips}
    assert chips
    assert all(cases.values()), cases
    for row in chips:
        found = cases[row.part]
        assert found is not None
        carriers = [one for one in rows if re.match(rf"(socket|adapter board) {found[0]}\b", one.part)]
        assert sum(int(one.number) for one in carriers) >= int(row.number)
    assert any(row.part == "board with holes 2.54 mm apart" for row in rows)
    soldered = [row.part for row in rows if row.part.startswith(("hall switch", "linear hall"))]
    assert all("(TO-92" in part for part in soldered)


@needs("spokes-45-mcp3008")
def test_the_plus_of_a_capacitor_is_on_all_papers() -> None:
    board = board_of("spokes-45-mcp3008")
    drawn = schematic(board)
    for value in ("1000u", "10u"):
        places = [label for label in drawn.of(Label) if label.text.endswith(f" {value}")]
        assert places
        for place in places:
            pluses = [one for one in drawn.of(Label) if one.text == PLUS]
            beside = [one for one in pluses if math.dist((one.x, one.y), (place.x, place.y)) < 3]
            assert len(beside) == 1
            assert beside[0].x < place.x, "5 V is drawn on the left"
    assert sum(label.text == PLUS for label in drawn.of(Label)) == 1 + sum(
        pole.value in POLARISED for pole in netlist.circuit_of(board).poles
    ), "and the supply's own"
    assert "the stripe is minus" in tables.parts_text(board)
    assert "10 µF (plus here)" in tables.wiring_text(board)


@needs("apa102")
def test_the_box_of_a_strip_says_whose_input_and_output_it_shows() -> None:
    """The first pixel's input hangs on the level shifter, the last one's output on nothing; all others are joined."""
    texts = {label.text for label in schematic(SPOKES).of(Label)}
    assert {"DIN of LED1", "DOUT of LED45", "VDD", "GND"} <= texts
    assert not {"DIN", "DOUT"} & texts
    clocked = replace(SPOKES, lights=LightsWiring((StripWiring("D10", 45, "BGR", "spi", "apa102"),)))
    inputs = {label.text for label in schematic(clocked).of(Label) if label.text.endswith(" of LED1")}
    assert len(inputs) == 2


def test_the_wiring_says_where_a_strip_begins_and_how_a_pixel_lies() -> None:
    text = tables.wiring_text(SPOKES)
    assert "arrows, which point from a pixel's input to its output" in text
    assert "The cut corner of a single one is at 3 (GND)" in text


@pytest.mark.parametrize(
    "name", there(["spokes-45", "spokes-45-matrix", "spokes-45-serial", "octiles-189", "hexhex-7"])
)
def test_each_wire_of_the_supply_has_two_ends_and_a_place(name: str) -> None:
    board = board_of(name)
    circuit = netlist.circuit_of(board)
    wires = list(soldering.feed_rows(board, circuit))
    names = names_of(circuit)
    for key, called in names.items():
        if key.startswith("feed "):
            net = "ground" if key.endswith("ground") else "5 V"
            assert [one for one, end, _ in wires if end == called] == [f"the fork of {net}"]
    assert sum(end.endswith("pin 14 (VCC)") for _, end, _ in wires) == 1
    assert ("the fork of ground", "the Pi, pin 6", "0.14 mm²") in wires
    least = f"{budget(board).wire_mm2:g} mm²"
    assert {mm2 for one, _, mm2 in wires if one == "the fork of 5 V"} == {least}, "behind the fuse"
    ends = Counter(end for wire in wires for end in wire[:2] if end.startswith("the fork"))
    (row,) = (row for row in part_rows(board) if row.part == soldering.FORK)
    places = soldering.PLACES * int(row.number) - 2 * (int(row.number) - len(ends))
    assert sum(ends.values()) <= places, "each wire has its place"
    own = {"spokes-45", "octiles-189", "hexhex-7"}
    assert ("the ground of chips and sensors" in {end for _, end, _ in wires}) == (name in own)


@needs("mcp3008")
def test_a_regulator_at_the_board_s_own_supply_hangs_on_its_fork(tmp_path: Path) -> None:
    path = tmp_path / "coil.toml"
    assert main(["board", "new", "coil", str(path), "--scheme", "mcp3008"]) == 0
    board = load_board(path)
    wires = list(soldering.feed_rows(board, netlist.circuit_of(board)))
    assert any(end.endswith("(regulator), pin 3 (VIN)") for _, end, _ in wires)
    assert ("the fork of ground", "the ground of chips and sensors", "0.5 mm²") in wires


def test_the_list_has_the_stones_of_the_game() -> None:
    """Spokes' rules name 44 of each colour; Coil's name none, so that a stone on each node is the most."""
    rows = {row.part: row for row in part_rows(SPOKES)}
    stones = rows["stones of 22 mm with a magnet each"]
    assert (stones.number, stones.note) == (88, "44 white, north up; 44 black, south up")
    (discs,) = (row for part, row in rows.items() if part.startswith("disc magnets"))
    assert discs.number == 88 + spares(88)
    coil = board_of("hexhex-7")
    (stones,) = (row for row in part_rows(coil) if row.part.startswith("stones"))
    assert stones.number == len(coil.nodes)
    assert stones.note.startswith("at most")
    printed = {part.name: part.number for part in printable.parts(coil)}
    assert printed["stone"] == stones.number, "what is printed is what is bought"
    assert pieces_of(replace(coil, game="nobody-knows-it")).number == 0


@pytest.mark.parametrize("name", there(["spokes-45", "octiles-189", "spokes-45-mcp3008"]))
def test_a_plate_is_thick_enough_for_what_stays_over_its_sensors(name: str) -> None:
    board = board_of(name)
    assert board.magnet is not None
    cover = cover_mm(board)
    assert cover == pytest.approx(board.magnet.gap_mm - 0.7)
    (row,) = (row for row in part_rows(board) if row.part.startswith("plate"))
    least, most = map(int, re.findall(r"\d+", row.part))
    assert cover <= least < most
    assert f"{cover:.1f} mm" in row.note
    assert f"{cover:.1f} mm stay over each sensor" in {label.text for label in plate(board).of(Label)}


def test_the_list_has_the_fuse_s_holder_and_the_value_that_the_schematic_has() -> None:
    parts = {row.part: row for row in part_rows(SPOKES)}
    assert parts["fuse of 2 A (5 x 20 mm, F)"].names == ("F1",)
    assert parts["closed fuse holder, 5 x 20 mm"].number == 1
    assert parts["resistor 47 Ω"].names == ("R49",)
    assert "R49 47R" in {label.text for label in schematic(SPOKES).of(Label)}
    assert "with a socket with screws that fits its plug" in parts["5 V supply of 2 A"].note


@pytest.mark.parametrize("name", [*CHIPS, *there(["spokes-45-serial", "spokes-45-matrix"])])
def test_each_supply_is_measured_before_chips_are_in(name: str) -> None:
    board = board_of(name)
    circuit = netlist.circuit_of(board)
    rows = list(soldering.measure_rows(board, circuit))
    order = [when for when, _, _ in rows]
    assert order == sorted(order, key=[soldering.DEAD, soldering.FED, soldering.RUNNING].index)
    for net in set(SUPPLIES) - {"ground"}:
        assert (net in circuit.nets) == ((soldering.DEAD, f"{net} and ground", soldering.SHORT) in rows)
    told = " ".join(what for when, what, _ in rows if when == soldering.FED)
    for key, called in names_of(circuit).items():
        if key.startswith(("chip 1 ", "converter 1 ", "PCF8575 1", "level shifter")):
            assert re.search(rf"\({called}\b", told), key


@needs("spokes-45-pcf8575")
def test_what_is_measured_is_what_the_circuit_feeds() -> None:
    rows = list(soldering.measure_rows(SPOKES, netlist.circuit_of(SPOKES)))
    assert (soldering.FED, "74HC165 (U2 to U7): pin 16 to pin 8", "3.3 V") in rows
    assert (soldering.FED, "74AHCT125 (U8): pin 14 to pin 7", "5 V") in rows, "no enable, though it is at ground"
    assert (soldering.DEAD, "leg 1 of each hall part and 3.3 V, leg 2 and ground", "joined: a tester beeps") in rows
    expanders = board_of("spokes-45-pcf8575")
    shown = [right for _, _, right in soldering.measure_rows(expanders, netlist.circuit_of(expanders))]
    assert "it shows 20 21 22" in shown


def test_the_check_ends_as_the_wiring_says(capsys: pytest.CaptureFixture[str]) -> None:
    *_, (_, _, told) = soldering.measure_rows(SPOKES, netlist.circuit_of(SPOKES))
    assert main(["hardware", "check", "--board", "spokes-45", "--sim"]) == 0
    printed = capsys.readouterr().out
    assert told == f"its last line: `{printed.splitlines()[-1]}`"
    (shown,) = re.findall(r"<!-- hardware check --board spokes-45 --sim -->\n```text\n(.*?)```", BUILD, re.S)
    assert shown == printed, "what the guide shows is what is printed"


def test_each_paper_that_the_order_of_work_names_has_its_section() -> None:
    order = BUILD[BUILD.index("## In which order") : BUILD.index("## 1. ")]
    titles = set(re.findall(r"^### ([^(\n]+?)(?: \(|$)", tables.wiring_text(SPOKES), re.M))
    named = re.findall(r"\"([A-Z5][^\"]+)\"", order)
    assert len(named) > 5
    assert set(named) <= titles, set(named) - titles


@needs("spokes-45-pcf8575", "spokes-45-serial")
def test_each_question_with_the_iron_in_hand_has_its_answer() -> None:
    """What an answer names is there: a heading or a line of the wiring, a section of the guide, a paper's command."""
    _, _, rest = BUILD.partition("## 11. Questions while soldering")
    rows = [line.strip("|").split(" | ") for line in rest.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 20
    wirings = "".join(tables.wiring_text(board_of(name)) for name in (*CHIPS, "spokes-45-serial"))
    for question, answer in rows:
        for part in answer.split(";"):
            told = wirings if "`board wiring`" in part else BUILD
            missing = [one for one in re.findall(r"\"([A-Z5][^\"]+)\"", part) if one not in told]
            assert not missing, f"{question.strip()}: {missing}"
        for number in re.findall(r"section (\d+)", answer):
            assert f"\n## {number}. " in BUILD, question
        for verb in re.findall(r"`board (\w+)", answer):
            with pytest.raises(SystemExit) as ended:
                main(["board", verb, "--help"])
            assert ended.value.code == 0, question


@needs("spokes-45-mcp3008", "spokes-45-4067")
def test_wire_leads_to_the_chip_at_which_a_sensor_ends() -> None:
    """Behind a converter that is its multiplexer: as much wire as where the multiplexers hang on the Pi."""
    converter, muxed = (board_of(f"spokes-45-{name}") for name in ("mcp3008", "4067"))
    nodes = {name: replace(node, channel=converter.nodes[name].channel) for name, node in muxed.nodes.items()}
    assert signal_wire_m(converter) == pytest.approx(signal_wire_m(replace(muxed, nodes=nodes)))
    assert rail_m(converter) > LEAD_M, "a regulator feeds three multiplexers, which lie apart"


def test_the_title_is_read_from_the_left_on_either_side() -> None:
    for drawn, side in ((plate(SPOKES), ABOVE), (from_below(plate(SPOKES)), BELOW)):
        lines = {label.text: label for label in drawn.of(Label)}
        assert lines[f"{SPOKES.name}: 45 nodes, 74hc165, presence"].x < lines[side].x
