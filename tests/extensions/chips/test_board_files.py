"""[sensors] of these schemes: every mistake is refused with its line and reason; what carries 189 channels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import HardwareError
from hw.registry import open_board
from tests.boardfile.test_sensors import is_refused
from tests.boardfile.test_tiles import TEXT, loaded, refused
from tests.sampling import together
from tests.schemes import FOUND as SCHEMES

MISTAKES = [
    ("spokes-45-4067", "select = [5, 6, 13, 19]", "select = [5, 6, 13]", "select: expected a list of 4 pins"),
    (
        "spokes-45-4067",
        "select = [5, 6, 13, 19]",
        "select = [5, 6, 13, 99]",
        "select: expected whole numbers from 0 to",
    ),
    ("spokes-45-4067", "select = [5, 6, 13, 19]", "select = 5", "select: expected a list of 4 pins, got 5"),
    ("spokes-45-4067", "select = [5, 6, 13, 19], ", "", "select: expected a list of 4 pins, but it is missing"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 5]", "common 2: pin 5 is select 0's already"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 16]", "common 2: pin 16 is common 0's already"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, true]", "common: expected whole numbers from 0 to"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20]", "45 inputs take 3 multiplexers of 16, expected 3"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 21, 22]", "expected 3 pins here, got 4"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 18]", "D18 is the sensors' common 2 already"),
    ("spokes-45-4067", "select = [5,", "enable = 16, select = [5,", "enable: pin 16 is common 0's already"),
    ("spokes-45-4067", 'kind = "presence"', 'kind = "level"', "kind: 4067 reads presence or polarity, got 'level'"),
    ("spokes-45-4067", "settle_us = 10", "settle_us = 1", "settle_us: expected a whole number from 5 to 1000, got 1"),
    ("spokes-45-4067", "settle_us = 10", "spi_bus = 0", "spi_bus: unknown, expected one of scheme, kind"),
    ("spokes-45-matrix", "rows = [5, 6, 13, 19, 26]", "rows = [5, 6, 13, 19]", "4 rows of 9 columns hold 36 inputs"),
    ("spokes-45-matrix", "rows = [5,", "rows = [4, 5,", "45 inputs fill 5 rows of 9, got 6 rows"),
    ("spokes-45-matrix", "columns = [12,", "columns = [13,", "columns 0: pin 13 is rows 2's already"),
    ("spokes-45-mcp3008", "select = [5,", "select = [8,", "select 0: pin 8 is SPI 0's select 0 already"),
    ("spokes-45-mcp3008", "pins = { select = [5, 6, 13, 19] }", "", "at most 16 nodes on the ADC chips of this bus"),
    ("spokes-45-mcp3008", "pins = {", "pins = { common = 5,", "common: unknown, expected one of select"),
    (
        "spokes-45-mcp3008",
        "pins = { select = [5, 6, 13, 19] }",
        "pins = 7",
        "pins: expected { select } with BCM numbers",
    ),
    ("spokes-45-ads1115", "scan_hz = 13", "scan_hz = 50", "ads1115 reads 45 inputs at most 13 times a second"),
    ("spokes-45-ads1115", "address = 0x48", "address = 0x50", "address: expected a whole number from 72 to 75, got 80"),
    ("spokes-45-ads1115", "select = [5,", "select = [2,", "select 0: pin 2 is I2C 1's SDA already"),
]


@together(("board", "old", "new", "words"), MISTAKES)
def test_a_mistake_is_refused_with_line_and_reason(tmp_path: Path, board: str, old: str, new: str, words: str) -> None:
    is_refused(tmp_path, board, old, new, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scheme": "9000"}, "scheme: expected one of 4067, 74hc165"),
        ({"kind": "level"}, "scheme 4067 can't read kind level"),
        ({"kind": "polarity"}, "90 inputs take 6 multiplexers"),
    ],
)
def test_a_wiring_that_cant_carry_its_board_is_refused_before_any_pin(change: dict[str, str], words: str) -> None:
    board = replace(load_board(find_board("spokes-45-4067")), **change)  # type: ignore[arg-type]
    with pytest.raises(HardwareError, match=words):
        open_board(board)


def test_every_scheme_says_whether_189_channels_fit(tmp_path: Path) -> None:
    """Pins and chips must carry nine inputs per well and one per other node."""
    begin, end = TEXT.index("scheme = "), TEXT.index("\n[lights]")
    fits = {
        "74hc165": "load = 5, clock = 6, data = 13",
        "4067": "select = [5, 6, 13, 19], common = [2, 3, 4, 12, 14, 15, 16, 17, 20, 21, 22, 23]",
        "matrix": f"rows = {[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}, columns = {list(range(14, 28))}",
    }
    for scheme, pins in fits.items():
        sensors = f'scheme = "{scheme}"\nkind = "coded"\nscan_hz = 20\npins = {{ {pins} }}\n'
        text = TEXT[:begin] + sensors + TEXT[end:]
        if scheme == "matrix":  # Fourteen rows of fourteen leave no pin for the lights.
            assert "pin" in refused(tmp_path, text)
            continue
        loaded(tmp_path, text)
    few = f'scheme = "4067"\nkind = "coded"\npins = {{ {fits["4067"].replace(", 22, 23]", "]")} }}\n'
    message = refused(tmp_path, TEXT[:begin] + few + TEXT[end:])
    assert "189 inputs take 12 multiplexers of 16" in message
    assert set(SCHEMES) > set(fits)
