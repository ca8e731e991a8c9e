"""Writes the shipped board files that follow from others: ``python -m boards.write``.

Spokes in every scheme is ``spokes-45.toml`` with another section [sensors]; the grids follow from their games' layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from firmware_host.games.registry import game as find_game
from firmware_host.maker.new_board import board_text, pieces_of

FOLDER = Path(__file__).parent
ORIGINAL = "spokes-45"

SENSORS: Mapping[str, tuple[str, str]] = {
    "74hc165-spi": (
        "reed or hall switches behind six 74HC165 that a Pi's SPI bus reads: the way to go on a Pi 5.",
        """\
scheme = "74hc165-spi"      # QH to MISO (GPIO 9), CLK to SCLK (GPIO 11), CLK INH to ground
kind = "presence"           # "polarity": two switches a node, inputs 2c (north) and 2c + 1 (south) for channel c
scan_hz = 50
spi_bus = 0
spi_device = 0              # nothing hangs on the chip select
spi_hz = 1_000_000
pins = { load = 5 }         # BCM number of SH/LD
""",
    ),
    "4067": (
        "reed or hall switches behind three CD74HC4067, which share their select lines.",
        """\
scheme = "4067"             # channel c is channel c % 16 of multiplexer c // 16; switches close to ground
kind = "presence"           # "polarity": two switches a node, inputs 2c (north) and 2c + 1 (south), six multiplexers
scan_hz = 50
settle_us = 10              # between choosing a channel and reading it; longer for long wires
pins = { select = [5, 6, 13, 19], common = [16, 20, 21] }   # S0 to S3; each SIG; E to ground
""",
    ),
    "matrix": (
        "reed or hall switches in five rows and nine columns, each with a diode (1N4148) towards its row.",
        """\
scheme = "matrix"           # channel c is row c // 9, column c % 9
kind = "presence"
scan_hz = 50
settle_us = 10              # between pulling a row low and reading the columns; longer for long wires
pins = { rows = [5, 6, 13, 19, 26], columns = [12, 16, 20, 21, 22, 23, 24, 25, 27] }   # BCM numbers
""",
    ),
    "mcp3008": (
        "linear hall sensors behind three CD74HC4067, read by an MCP3008 on a Pi's SPI bus.",
        """\
scheme = "mcp3008"          # channel c is channel c % 16 of the multiplexer before ADC input c // 16
kind = "level"
scan_hz = 50
spi_bus = 0                 # DOUT to MISO (GPIO 9), DIN to MOSI (GPIO 10), CLK to SCLK (GPIO 11)
spi_device = 0              # CS to CE0 (GPIO 8)
spi_hz = 1_000_000
settle_us = 10              # between choosing a channel and measuring it
pins = { select = [5, 6, 13, 19] }   # BCM numbers of S0 to S3; E to ground
rest = 16                   # weaker than this (of 128): nothing there; the next two part stacks from stones
single = 56
double = 96
""",
    ),
    "ads1115": (
        "linear hall sensors behind three CD74HC4067, read by an ADS1115 on a Pi's I2C bus (slow: 1.2 ms a sensor).",
        """\
scheme = "ads1115"          # channel c is channel c % 16 of the multiplexer before ADC input c // 16
kind = "level"
scan_hz = 13                # the chip makes no more; an MCP3008 does
i2c_bus = 1                 # SDA to GPIO 2, SCL to GPIO 3
address = 0x48              # ADDR to ground
settle_us = 10              # between choosing a channel and measuring it
pins = { select = [5, 6, 13, 19] }   # BCM numbers of S0 to S3; E to ground
rest = 16                   # weaker than this (of 128): nothing there; the next two part stacks from stones
single = 56
double = 96
""",
    ),
    "serial": (
        "whatever a scanner on USB reads (a Pico, see hw/scanner).",
        """\
scheme = "serial"
kind = "presence"           # what the scanner says that it reads
scan_hz = 50
device = "/dev/ttyACM0"
baud = 115200
""",
    ),
}
"""For each scheme: what the file is about, and its section [sensors]."""

GRIDS: Mapping[str, tuple[str, str]] = {
    "go-9x9": ("phalanx", "Nine by nine points for Phalanx"),
    "hexhex-7": ("coil", "A hexagon of seven cells a side for Coil"),
}
"""For each file: the game, and what it is about."""

WELLS: Mapping[str, tuple[str, bool, str]] = {
    "octiles-53": ("octiles", False, "Octiles, tiles felt by one sensor a well"),
    "octiles-189": ("octiles", True, "Octiles, tiles read by nine sensors a well"),
}
"""For each file: the game, whether wells read tiles, and what it is about."""


def files() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file that this module writes."""
    original = (FOLDER / f"{ORIGINAL}.toml").read_text(encoding="utf-8")
    for scheme, (about, sensors) in SENSORS.items():
        yield f"{ORIGINAL}-{scheme}", _rewired(original, scheme, about, sensors)
    for name, (game, about) in GRIDS.items():
        yield name, board_text(name, game, find_game(game).layout(), about)
    for name, (game, coded, about) in WELLS.items():
        rules = find_game(game)
        yield name, board_text(name, game, rules.layout(), about, pieces=pieces_of(rules, coded=coded))


def _rewired(original: str, scheme: str, about: str, sensors: str) -> str:
    _, _, rest = original.partition("\n#\n")
    before, _, tail = rest.partition("[sensors]\n")
    _, _, after = tail.partition("\n[lights]")
    name = f"{ORIGINAL}-{scheme}"
    text = f"# Spokes on 45 nodes: {about}\n#\n{before}[sensors]\n{sensors}\n[lights]{after}"
    return text.replace(f'name = "{ORIGINAL}"', f'name = "{name}"')


if __name__ == "__main__":
    for written, text in files():
        (FOLDER / f"{written}.toml").write_text(text, encoding="utf-8")
