"""Board files of earlier versions: names of schemes, pins and options keep their meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from hw.registry import SCHEMES
from lodestone.boards import Clock
from simulator.board import SimulatedBoard

SELECT = {"select": (5, 6, 13, 19)}
SPI = {"spi_bus": 0, "spi_device": 0, "spi_hz": 1_000_000}
OLD = {
    "74hc165": ("pins = { load = 5, clock = 6, data = 13, inhibit = 19 }", {}),
    "74hc165-spi": ("spi_bus = 0\nspi_device = 0\nspi_hz = 1_000_000\npins = { load = 5 }", SPI),
    "4067": ("settle_us = 10\npins = { select = [5, 6, 13, 19], common = [16, 20, 21] }", {"settle_us": 10}),
    "matrix": (
        "settle_us = 10\npins = { rows = [5, 6, 13, 19, 26], columns = [12, 16, 20, 21, 22, 23, 24, 25, 27] }",
        {"settle_us": 10},
    ),
    "mcp3008": (
        "spi_bus = 0\nspi_device = 0\nspi_hz = 1_000_000\nsettle_us = 10\npins = { select = [5, 6, 13, 19] }",
        {**SPI, "settle_us": 10},
    ),
    "ads1115": (
        "i2c_bus = 1\naddress = 0x48\nsettle_us = 10\npins = { select = [5, 6, 13, 19] }\nscan_hz = 13",
        {"i2c_bus": 1, "address": 0x48, "settle_us": 10},
    ),
    "serial": (
        'device = "/dev/ttyACM0"\nbaud = 115200',
        {
            "device": "/dev/ttyACM0",
            "code": "",
            "baud": 115200,
            "microcontroller": "pico",
            "chip": "usual",
            "configuration": "",
        },
    ),
}


@pytest.mark.parametrize("scheme", [scheme for scheme in OLD if scheme in SCHEMES.names()])
def test_an_old_section_is_read_as_it_was(scheme: str, tmp_path: Path) -> None:
    before, _, rest = find_board("spokes-45").read_text().partition("[sensors]\n")
    _, _, after = rest.partition("\n[lights]")
    lines, options = OLD[scheme]
    path = tmp_path / "old.toml"
    path.write_text(f'{before}[sensors]\nscheme = "{scheme}"\nkind = "presence"\n{lines}\n\n[lights]{after}')
    board = load_board(path, backend="sim")
    assert (board.scheme, board.options) == (scheme, options)
    shipped = load_board(find_board("spokes-45" if scheme == "74hc165" else f"spokes-45-{scheme}"))
    assert (board.pins, board.options, board.nodes) == (shipped.pins, shipped.options, shipped.nodes)
    assert SimulatedBoard(board, Clock()).description.scheme == scheme


def test_any_hall_switch_is_no_part(tmp_path: Path) -> None:
    """Before parts had names, ``hall`` was any hall switch."""
    path = tmp_path / "old.toml"
    path.write_text(find_board("spokes-45").read_text().replace('"DRV5032AJ"', '"hall"'))
    assert load_board(path, backend="sim").part == ""
