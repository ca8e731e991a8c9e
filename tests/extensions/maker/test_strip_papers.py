"""The papers of a board with every installed kind of strip, ours or another package's."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.load import load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import files, tables
from firmware_host.extensions.maker.netlist import circuit_of, strip_lines
from firmware_host.extensions.maker.schematic import schematic
from hw.pins import HEADER
from tests.hw.test_strip_contract import FOUND, board_with
from tests.schemes import loose_ends

EACH = pytest.mark.parametrize("name", FOUND)


@EACH
def test_the_command_writes_a_board_file_with_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert main(["board", "new", "spokes", str(path), "--scheme", "74hc165", "--strip", name]) == 0
    (strip,) = load_board(path).lights.strips
    assert strip.scheme == name


@EACH
def test_a_board_with_it_can_be_made(name: str, tmp_path: Path) -> None:
    board, scheme = board_with(name, tmp_path), FOUND[name]
    (strip,) = board.lights.strips
    assert loose_ends(circuit_of(board)) == []
    text = tables.wiring_text(board)
    for line in strip_lines(board):
        assert f"| {HEADER[line.gpio]} | GPIO {line.gpio} | strip 1: {line.what}, through a 74AHCT125" in text
        assert f"330 Ω, then {line.end} of strip 1's first pixel" in text
    listing = tables.parts_text(board)
    assert f"| 45 | {scheme.part} pixel, colour order {strip.order} |" in listing
    lines = f"| {len(scheme.inputs)} | resistor 330 Ω |"
    assert (lines in listing) == (not scheme.controller)
    assert f"| 1 | {scheme.controller} |" in listing or not scheme.controller
    full = 45 * len(strip.order) * scheme.channel_ma
    assert f"| all pixels at full, were there no limit | {full:.0f} mA |" in tables.power_text(board)
    assert scheme.part in files.svg(schematic(board))
