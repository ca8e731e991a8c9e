"""The schematic for KiCad: KiCad's own tools find no error in it, and the nets that they read are the circuit's."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.maker import kicad
from firmware_host.maker.netlist import circuit_of

BOARDS = [path.stem for path in shipped_boards()]
Nets = set[frozenset[tuple[str, str]]]


def nets_of(name: str) -> Nets:
    """Return which pins (reference, number) a board's circuit joins; an open pin is alone."""
    nets: dict[object, set[tuple[str, str]]] = {}
    for box in kicad.boxes(circuit_of(load_board(find_board(name)))):
        for pin in box.left + box.right:
            nets.setdefault(pin.net or (box.reference, pin.number), set()).add((box.reference, pin.number))
    return {frozenset(pins) for pins in nets.values()}


@pytest.mark.parametrize("name", BOARDS)
def test_every_part_has_a_reference_and_every_pin_a_number_of_its_own(name: str) -> None:
    circuit = circuit_of(load_board(find_board(name)))
    boxes = kicad.boxes(circuit)
    assert len({box.reference for box in boxes}) == len(boxes) == len(circuit.blocks) + len(circuit.poles)
    for box in boxes:
        numbers = [pin.number for pin in box.left + box.right]
        assert all(numbers), box.reference
        assert len(set(numbers)) == len(numbers), box.reference


def test_a_file_is_the_same_each_time(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        assert main(["board", "kicad", "spokes-45", "--out", str(tmp_path / folder)]) == 0
    one, other = ((tmp_path / folder / "spokes-45.kicad_sch").read_bytes() for folder in ("one", "other"))
    assert one == other


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOARDS)
def test_kicads_own_tools_find_no_error_and_the_same_nets(name: str, tmp_path: Path) -> None:
    parser = importlib.import_module("kiutils.utils.sexpr")
    tool = shutil.which("kicad-cli") or pytest.skip("no kicad-cli (KiCad 8 or later) here")
    sheet = kicad.write(load_board(find_board(name)), tmp_path)
    report, exported = tmp_path / "erc.json", tmp_path / "board.net"
    for what in (["erc", "--format", "json", "--severity-error", "-o", report], ["export", "netlist", "-o", exported]):
        subprocess.run([tool, "sch", *what, sheet], check=True, capture_output=True, timeout=60)
    sheets = json.loads(report.read_text(encoding="utf-8"))["sheets"]
    assert [one for each in sheets for one in each["violations"]] == []

    def parts(tree: list[Any], word: str) -> list[list[Any]]:
        return [one for one in tree if isinstance(one, list) and one[0] == word]

    [nets] = parts(parser.parse_sexp(exported.read_text(encoding="utf-8")), "nets")
    read: Nets = {
        frozenset((str(parts(node, "ref")[0][1]), str(parts(node, "pin")[0][1])) for node in parts(net, "node"))
        for net in parts(nets, "net")
    }
    assert read == nets_of(name)
