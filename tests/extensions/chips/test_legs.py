"""The legs of the port expanders are those of KiCad's own symbols."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.link.supplies import sensors_circuit
from tests.kicad import symbol_pins

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    ("board", "symbol", "named"),
    [
        ("spokes-45-mcp23017", "MCP23017_SP", {"SCK": "SCL"}),
        ("spokes-45-pcf8575", "PCF8575DBR", {f"P{at}": f"P0{at}" for at in range(8)}),
    ],
)
def test_legs_of_expanders_are_those_of_kicads_own_symbols(board: str, symbol: str, named: Mapping[str, str]) -> None:
    """``named``: KiCad's names that differ from the data sheet's, without the mark of an inverted pin."""
    theirs = {
        leg: name.removeprefix("~{").removesuffix("}")
        for leg, name in symbol_pins("Interface_Expansion", symbol).items()
    }
    for chip in sensors_circuit(load_board(find_board(board))).blocks:
        assert {pin.number: pin.name for pin in chip.pins} == {leg: named.get(one, one) for leg, one in theirs.items()}
