"""Writes the shipped board files that follow from others: ``python -m boards.write``.

Spokes in every scheme is ``spokes-45.toml`` with another section [sensors]; the grids are laid out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

FOLDER = Path(__file__).parent
ORIGINAL = "spokes-45"
PITCH_MM = 40.0

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

GRID_SENSORS = """\
scheme = "74hc165"
kind = "presence"           # "polarity": two switches a node, inputs 2c (north) and 2c + 1 (south) for channel c
scan_hz = 50
pins = { load = 5, clock = 6, data = 13, inhibit = 19 }   # BCM numbers
"""


@dataclass(frozen=True)
class Node:
    """A node and where it lies, mm from the centre."""

    name: str
    x: float
    y: float


def files() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file that this module writes."""
    original = (FOLDER / f"{ORIGINAL}.toml").read_text(encoding="utf-8")
    for scheme, (about, sensors) in SENSORS.items():
        yield f"{ORIGINAL}-{scheme}", _rewired(original, scheme, about, sensors)
    go = _square()
    yield "go-9x9", _grid("go-9x9", "phalanx", "Nine by nine points for Phalanx", go, _square_lines(go))
    hexagon = _hexagon(7)
    about = "A hexagon of seven cells a side for Coil"
    yield "hexhex-7", _grid("hexhex-7", "coil", about, hexagon, _hexagon_lines(hexagon))


def _rewired(original: str, scheme: str, about: str, sensors: str) -> str:
    _, _, rest = original.partition("\n#\n")
    before, _, tail = rest.partition("[sensors]\n")
    _, _, after = tail.partition("\n[lights]")
    name = f"{ORIGINAL}-{scheme}"
    text = f"# Spokes on 45 nodes: {about}\n#\n{before}[sensors]\n{sensors}\n[lights]{after}"
    return text.replace(f'name = "{ORIGINAL}"', f'name = "{name}"')


def _square() -> list[list[Node]]:
    """Return the points of a Go board of nine by nine, rows from the top, points from the left."""
    return [
        [
            Node(f"{letter}{row}", (column - 4) * PITCH_MM, (row - 5) * PITCH_MM)
            for column, letter in enumerate("ABCDEFGHJ")
        ]
        for row in range(9, 0, -1)
    ]


def _square_lines(rows: Sequence[Sequence[Node]]) -> list[list[str]]:
    return [[node.name for node in line] for line in (*rows, *zip(*rows, strict=True))]


def _hexagon(side: int) -> list[list[Node]]:
    """Return the cells of a hexagon, rows from the top, cells from the left."""
    rows = []
    for row in range(2 * side - 1):
        count = 2 * side - 1 - abs(row - side + 1)
        y = (side - 1 - row) * PITCH_MM * sqrt(3) / 2
        letter = chr(ord("a") + row)
        rows.append([Node(f"{letter}{at + 1}", (at - (count - 1) / 2) * PITCH_MM, y) for at in range(count)])
    return rows


def _hexagon_lines(rows: Sequence[Sequence[Node]]) -> list[list[str]]:
    """Return the lines of a hexagon in its three directions."""
    lines: dict[tuple[str, float], list[str]] = {}
    rise = PITCH_MM * sqrt(3) / 2
    for row in rows:
        for node in row:
            lean = node.y / rise * PITCH_MM / 2
            for direction, place in (("level", node.y), ("up", node.x - lean), ("down", node.x + lean)):
                lines.setdefault((direction, round(place, 3)), []).append(node.name)
    return [line for direction in ("level", "up", "down") for key, line in sorted(lines.items()) if key[0] == direction]


def _grid(name: str, game: str, about: str, rows: Sequence[Sequence[Node]], lines: Sequence[Sequence[str]]) -> str:
    """Return the file of a board in rows: channels row by row, the strip to and fro."""
    nodes = [node for row in rows for node in row]
    strip = [node.name for at, row in enumerate(rows) for node in (row if at % 2 == 0 else reversed(row))]
    chips = -(-len(nodes) // 8)
    width = max(len(node.name) for node in nodes)
    drawn = "\n".join("    [" + ", ".join(f'"{node}"' for node in line) + "]," for line in lines)
    wired = "\n".join(
        f"{node.name:<{width}} = {{ channel = {channel:3}, pixel = {strip.index(node.name):3}, "
        f"x = {node.x:7.1f}, y = {node.y + 0.0:7.1f} }}"
        for channel, node in enumerate(nodes)
    )
    return f"""\
# {about}: reed or hall switches behind {chips} 74HC165, one NeoPixel under each node.
#
# One node a line: its sensor channel, its pixel, and where it lies (mm from the centre, x to the right, y upwards).
# Channels run row by row from the top left, the strip to and fro; wire yours as you like and say so below.

[board]
name = "{name}"
game = "{game}"
backend = "gpio"            # "sim" simulates the very same wiring
node_mm = 22.0              # diameter of a printed node: a stone's

[sensors]
{GRID_SENSORS}
[lights]
pin = "D18"
length = {len(nodes)}
order = "GRB"
max_current_ma = 1500       # 20 mA a colour channel at full; the whole board stays under this

[drawing]
lines = [
{drawn}
]

[nodes]
{wired}
"""


if __name__ == "__main__":
    for written, text in files():
        (FOLDER / f"{written}.toml").write_text(text, encoding="utf-8")
