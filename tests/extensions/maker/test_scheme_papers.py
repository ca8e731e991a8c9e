"""The papers of a board in every installed sensor scheme, ours or another package's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_host.extensions.maker import files, tables
from firmware_host.extensions.maker.plate import plate
from hw.pins import pin_list
from tests.hw.test_scheme_contract import board_of
from tests.schemes import FOUND


@pytest.mark.parametrize("name", FOUND)
def test_a_new_board_can_be_made(name: str, tmp_path: Path) -> None:
    board, scheme = board_of(name, tmp_path), FOUND[name]
    header, *sections = re.split(r"^### .*\n", tables.wiring_text(board), flags=re.M)[1:]
    (sensors,) = (section for section in sections if scheme.notes_of(board) in section)
    for index in range(scheme.inputs_of(board)):
        assert scheme.label(board, index) in sensors
    for gpio in (
        *scheme.bus_pins(board.options).values(),
        *(pin for one in board.pins for pin in pin_list(board.pins, one)),
    ):
        assert f"| GPIO {gpio} |" in header
    listing = tables.parts_text(board)
    for part in {block.part for block in scheme.circuit(board).blocks}:
        assert part in listing
    assert "5 V supply for the pixels" in tables.power_text(board)
    assert files.svg(plate(board)).count("<circle") >= 9
