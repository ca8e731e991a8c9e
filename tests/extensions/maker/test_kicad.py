"""The schematic for KiCad: KiCad's own tools find nothing wrong in it, and read the same nets as in our netlist."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import kicad, kicad_project, tables
from firmware_host.extensions.maker.netlist import CONNECTOR, circuit_of
from firmware_host.extensions.maker.parts_list import parts_csv
from hw.sensor_parts import PARTS
from tests.kicad import parse, parts, report, run, shared, value
from tests.sampling import few
from tests.schemes import needs

BOARDS = [path.stem for path in shipped_boards()]
Nets = Mapping[str, frozenset[tuple[str, str]]]
Told = Mapping[str, tuple[str, str]]


def boxes_of(name: str) -> list[kicad.Box]:
    return kicad.boxes(circuit_of(load_board(find_board(name))))


def nets_of(name: str) -> set[frozenset[tuple[str, str]]]:
    """Return which pins (reference, number) a board's circuit joins; an open pin is alone."""
    nets: dict[object, set[tuple[str, str]]] = {}
    for box in boxes_of(name):
        for pin in box.pins:
            nets.setdefault(pin.net or (box.reference, pin.number), set()).add((box.reference, pin.number))
    return {frozenset(pins) for pins in nets.values()}


def read(netlist: Path) -> tuple[Told, Nets]:
    """Return reference → (value, footprint) and net → its pins; KiCad's own names of open pins are left out."""
    tree = parse(netlist.read_text(encoding="utf-8"))
    [components], [nets] = parts(tree, "components"), parts(tree, "nets")
    told = {value(one, "ref"): (value(one, "value"), value(one, "footprint")) for one in parts(components, "comp")}
    joined = {}
    for net in parts(nets, "net"):
        pins = frozenset((value(node, "ref"), value(node, "pin")) for node in parts(net, "node"))
        name = value(net, "name")
        joined[repr(sorted(pins)) if name.startswith("unconnected-") else name] = pins
    return told, joined


@pytest.mark.parametrize("name", few(BOARDS, 4))
def test_every_part_has_a_reference_and_every_pin_a_number_of_its_own(name: str) -> None:
    circuit, boxes = circuit_of(load_board(find_board(name))), boxes_of(name)
    assert len({box.reference for box in boxes}) == len(boxes) == len(circuit.blocks) + len(circuit.poles)
    for box in boxes:
        numbers = [pin.number for pin in box.pins]
        assert all(numbers), box.reference
        assert len(set(numbers)) == len(numbers), box.reference


@pytest.mark.parametrize("name", few(BOARDS, 4))
def test_the_netlist_has_the_nets_of_the_circuit(name: str, tmp_path: Path) -> None:
    _, netlist = kicad_project.write(load_board(find_board(name)), tmp_path)
    told, nets = read(netlist)
    assert set(nets.values()) == nets_of(name)
    assert told == {box.reference: (box.value, box.footprint) for box in boxes_of(name)}


def test_what_is_soldered_has_a_footprint_and_nets_that_differ_in_case_have_a_number() -> None:
    without = {box.part for name in BOARDS for box in boxes_of(name) if not box.footprint}
    # What lies elsewhere: supplies, connectors between wires, and what hangs on a cable of USB.
    assert without == {"5 V, 2 A", "5 V, 3 A", CONNECTOR, "Raspberry Pi", "Raspberry Pi Pico"}
    names = kicad.net_names(boxes_of("octiles-53"))
    assert (names["B3"], names["b3"]) == ("B3", "b3 (2)")
    assert len({one.casefold() for one in names.values()}) == len(names)


WORDS = {"10k": "10 kΩ", "47R": "47 Ω", "330R": "330 Ω", "100n": "100 nF", "10u": "10 µF", "1000u": "1000 µF"}
"""A value as KiCad has it → as the list says it; all others stand in the list as they are."""
BOUGHT_APART = re.compile(
    "wire of|USB cable|disc magnets|stones|round pieces|tiles|plate|"
    "^socket|^adapter board|^board with holes|^lever connector for 5 wires|^closed fuse holder"
)
"""What is no part of the circuit."""


def called(names: str) -> list[str]:
    """Return the names of parts of a row: ``C1 to C3, C9``."""
    found = []
    for one in filter(None, names.split(", ")):
        begin, _, end = one.partition(" to ")
        letters = begin.rstrip("0123456789")
        numbers = range(int(begin[len(letters) :]), int((end or begin)[len(letters) :]) + 1)
        found += [f"{letters}{number}" for number in numbers]
    return found


@pytest.mark.parametrize("name", few(BOARDS, 4))
def test_the_project_is_the_list_of_parts_row_by_row_and_back(name: str, tmp_path: Path) -> None:
    board = load_board(find_board(name))
    sheet, netlist = kicad_project.write(board, tmp_path)
    told, _ = read(netlist)
    tree = parse(sheet.read_text(encoding="utf-8"))
    on_sheet = {
        str(one[2]): next(str(other[2]) for other in parts(symbol, "property") if other[1] == "Value")
        for symbol in parts(tree, "symbol")
        for one in parts(symbol, "property")
        if one[1] == "Reference" and not str(one[2]).startswith("#")
    }
    assert on_sheet == {reference: value for reference, (value, _) in told.items()}
    rows = list(csv.DictReader(io.StringIO(parts_csv(board), newline="")))
    listed: dict[str, str] = {}
    for row in rows:
        names = called(row["names"])
        assert bool(names) != bool(BOUGHT_APART.search(row["part"])), row["part"]
        if not names:
            continue
        assert int(row["quantity"]) == len(names) == len(set(names)), row["part"]
        (bought,) = {told[one] for one in names}  # One row is one value, with one footprint.
        for word in re.split(r", | (?=\()", WORDS.get(bought[0], bought[0])):
            assert word in row["part"], (row["part"], bought)
        assert not listed.keys() & set(names)
        listed |= dict.fromkeys(names, row["part"])
    assert listed.keys() == told.keys()


@pytest.mark.parametrize("name", few(BOARDS, 4))
def test_wiring_tables_and_drawing_name_the_parts_of_the_project(name: str) -> None:
    board = load_board(find_board(name))
    names = {box.reference for box in boxes_of(name)}
    wiring = tables.wiring_text(board)
    in_tables = {one for cell in re.split(r"[|:]", wiring) for one in cell.strip().split(", ") if one in names}
    assert in_tables == names
    for box in boxes_of(name):
        if box.part in PARTS:  # Beside the sensor's own node.
            node = box.place.removesuffix(" white").removesuffix(" black")
            rows = [row for row in wiring.splitlines() if re.search(rf"\b{box.reference}\b", row)]
            assert any(row.replace(" sensor", "").startswith(f"| {node} |") for row in rows), (box, rows)


@needs("spokes-45-mcp3008")
def test_a_switch_pulls_down_only_and_a_linear_sensor_drives() -> None:
    for name, kind in (("spokes-45", kicad.OPEN_COLLECTOR), ("spokes-45-mcp3008", kicad.OUTPUT)):
        boxes = boxes_of(name)
        types = kicad.pin_types(boxes)
        outs = {types[box.reference, pin.number] for box in boxes if box.part in PARTS for pin in box.left}
        assert outs == {kind}


def test_a_hall_sensor_has_the_legs_of_its_data_sheet() -> None:
    box = next(box for box in boxes_of("spokes-45") if box.part == "DRV5032AJ")
    assert {pin.name: pin.number for pin in box.pins} == {"VCC": "1", "GND": "2", "OUT": "3"}


def test_a_file_is_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        assert main(["board", "kicad", "spokes-45", "--out", str(tmp_path / folder)]) == 0
    one, other = (sorted((tmp_path / folder).rglob("*.*")) for folder in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    assert {path.suffix for path in one} == {".kicad_sch", ".kicad_sym", ".kicad_pro", ".net"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOARDS)
def test_kicads_own_tools_find_nothing_wrong_and_read_the_same_netlist(name: str, tmp_path: Path) -> None:
    sheet, netlist = kicad_project.write(load_board(find_board(name)), tmp_path)
    found, exported = tmp_path / "erc.json", tmp_path / "exported.net"
    run(tmp_path, "sch", "erc", "--format", "json", "--severity-all", "-o", found, sheet)
    run(tmp_path, "sch", "export", "netlist", "-o", exported, sheet)
    assert [one for each in report(found)["sheets"] for one in each["violations"]] == []
    assert read(exported) == read(netlist)


@pytest.mark.thorough
@pytest.mark.parametrize("footprint", sorted(set(kicad.FOOTPRINTS.values())))
def test_kicads_footprints_have_a_pad_for_each_pin(footprint: str) -> None:
    library, _, name = footprint.partition(":")
    tree = parse(shared(f"footprints/{library}.pretty/{name}.kicad_mod").read_text(encoding="utf-8"))
    pads = {str(pad[1]) for pad in parts(tree, "pad")}
    boxes = [box for board in BOARDS for box in boxes_of(board) if box.footprint == footprint]
    assert {pin.number for box in boxes for pin in box.pins} <= pads
