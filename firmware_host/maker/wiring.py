"""Wiring tables in Markdown, from a board file: the Pi's header, the chips, each sensor, each pixel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from hw import schemes
from hw.ports import BoardDescription, NodeWiring

HEADER = {
    2: 3, 3: 5, 4: 7, 17: 11, 27: 13, 22: 15, 10: 19, 9: 21, 11: 23, 0: 27, 5: 29, 6: 31, 13: 33, 19: 35, 26: 37,
    14: 8, 15: 10, 18: 12, 23: 16, 24: 18, 25: 22, 8: 24, 7: 26, 1: 28, 12: 32, 16: 36, 20: 38, 21: 40,
}  # fmt: skip
"""Where each GPIO (BCM number) is on the 40-pin header of every Pi."""
HC165_PIN = {0: 11, 1: 12, 2: 13, 3: 14, 4: 3, 5: 4, 6: 5, 7: 6}
"""Pin of the parallel input D0 to D7 of a 74HC165 (DIP or SO, 16 pins)."""
HC4067_PIN = {
    0: 9,
    1: 8,
    2: 7,
    3: 6,
    4: 5,
    5: 4,
    6: 3,
    7: 2,
    8: 23,
    9: 22,
    10: 21,
    11: 20,
    12: 19,
    13: 18,
    14: 17,
    15: 16,
}
"""Pin of the channel I0 to I15 of a CD74HC4067 (24 pins)."""
_CHAIN = (
    "pin 9 (QH) of chip 1; pin 10 (SER) of each chip goes to pin 9 of the next one, that of the last chip to ground. "
    "Each input, the unused ones too, has 10 kΩ to 3.3 V; its switch closes to ground."
)
_ADC_MULTIPLEXERS = (
    "With multiplexers: pin 1 (common) of each to its input of the ADC, `select` to pins 10, 11, 14, 13 (S0 to S3) of "
    "all of them, pins 15 and 12 to ground, pin 24 to 3.3 V."
)
CHIP_NOTES = {
    "74hc165": (
        "Each 74HC165: pin 16 to 3.3 V with 100 nF to pin 8, pin 8 to ground, `load` to pin 1, `clock` to pin 2, "
        f"pin 15 (CLK INH) to `inhibit` or ground. `data` comes from {_CHAIN}"
    ),
    "74hc165-spi": (
        "Each 74HC165: pin 16 to 3.3 V with 100 nF to pin 8, pins 8 and 15 to ground, `load` to pin 1, the bus's clock "
        f"to pin 2. The bus's MISO comes from {_CHAIN}"
    ),
    "4067": (
        "Each CD74HC4067: pin 24 to 3.3 V with 100 nF to pin 12, pin 12 to ground, `select` to pins 10, 11, 14, 13 "
        "(S0 to S3) of all of them, pin 15 (E) to `enable` or ground, pin 1 (common) to its own GPIO, which is pulled "
        "up. Switches close to ground."
    ),
    "matrix": (
        "Each switch lies between its row and its column with a diode (1N4148) of its own, the ring towards the row: "
        "a row is driven low, columns are pulled up."
    ),
    "direct": "Each switch lies between its pin and ground; the Pi pulls the pin up.",
    "mcp3008": (
        "Each MCP3008: pins 16 and 15 (VDD, VREF) to 3.3 V with 100 nF to pin 14, pins 9 and 14 to ground, pins 13, "
        f"11, 12, 10 (CLK, DIN, DOUT, CS) to the bus's clock, MOSI, MISO and select. {_ADC_MULTIPLEXERS}"
    ),
    "ads1115": (
        "Each ADS1115: VDD to 3.3 V with 100 nF to GND, SDA and SCL to the bus, ADDR to GND, VDD, SDA or SCL for the "
        f"addresses 0x48 to 0x4b. {_ADC_MULTIPLEXERS}"
    ),
    "serial": "The scanner's own configuration says where each channel is soldered; the Pi needs only USB or its UART.",
}

Row = Sequence[object]


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board."""
    parts = (
        f"### The Pi's header\n\n{_table(('pin', 'GPIO', 'goes to'), header(board))}",
        f"### Sensors ({board.scheme}, {board.kind})\n\n{CHIP_NOTES[board.scheme]}\n\n{sensors_table(board)}",
        f"### Pixels\n\n{_table(('pixel', 'node', 'wire from the one before'), pixels(board))}",
    )
    return "\n\n".join(parts)


def header(board: BoardDescription) -> list[Row]:
    """Return a row for every pin of the header that the board uses: pin, GPIO, what it goes to; sorted by pin."""
    used: dict[int, str] = {}
    for name, value in board.pins.items():
        if isinstance(value, int):
            used[value] = f"sensors: {name}"
        else:
            used |= {pin: f"sensors: {name}[{index}]" for index, pin in enumerate(value)}
    for name, pin in schemes.bus_pins(board.scheme, board.options).items():
        used[pin] = f"sensors: {name}"
    for number, strip in enumerate(board.lights.strips, 1):
        used[int(strip.pin[1:])] = f"strip {number}: data, through a 74AHCT125 at 5 V"
    rows: list[Row] = [(HEADER[gpio], f"GPIO {gpio}", what) for gpio, what in used.items()]
    rows.append((1, "3.3 V", "supply of the sensors' chips"))
    rows.append((6, "ground", "chips, switches, level shifter and the pixels' own supply"))
    return sorted(rows, key=lambda row: int(str(row[0])))


def sensors_table(board: BoardDescription) -> str:
    """Return the table of every sensor, in channel order."""
    place = _PLACES[board.scheme]
    nodes = sorted(board.nodes.values(), key=lambda node: node.channel)
    if schemes.inputs_of(board.scheme, board.feels, 1) == 2:
        rows = [
            (node.name, node.channel, place(board, 2 * node.channel), place(board, 2 * node.channel + 1))
            for node in nodes
        ]
        return _table(("node", "channel", "closes for north up (white)", "closes for south up (black)"), rows)
    return _table(
        ("node", "channel", "soldered to"),
        [(board.sensor_words(channel), channel, place(board, channel)) for channel in sorted(board.sensors())],
    )


def pixels(board: BoardDescription) -> list[Row]:
    """Return a row for every pixel: its number, its node, and how far (mm) from the pixel before it on its strip."""
    names: Mapping[int, NodeWiring] = {node.pixel: node for node in board.nodes.values()}
    rows: list[Row] = []
    begin = 0
    for number, strip in enumerate(board.lights.strips, 1):
        before: NodeWiring | None = None
        for pixel in range(begin, begin + strip.length):
            node = names.get(pixel)
            first = f"from {strip.pin}: strip {number} begins" if pixel == begin else ""
            if node is None:
                rows.append((pixel, "none: stays dark", first))
                continue
            far = f"{math.dist((before.x, before.y), (node.x, node.y)):.0f} mm" if before else ""
            rows.append((pixel, node.name, first or far))
            before = node
        begin += strip.length
    return rows


def _hc165(_board: BoardDescription, index: int) -> str:
    bit = 7 - index % 8
    return f"chip {index // 8 + 1}, D{bit} (pin {HC165_PIN[bit]})"


def _multiplexed(index: int) -> str:
    channel = index % schemes.CHANNELS_4067
    return f"multiplexer {index // schemes.CHANNELS_4067 + 1}, I{channel} (pin {HC4067_PIN[channel]})"


def _4067(_board: BoardDescription, index: int) -> str:
    return _multiplexed(index)


def _matrix(board: BoardDescription, index: int) -> str:
    columns = schemes.listed(board.pins, "columns")
    rows = schemes.listed(board.pins, "rows")
    row, column = divmod(index, len(columns))
    return f"row {row} (GPIO {rows[row]}), column {column} (GPIO {columns[column]})"


def _direct(board: BoardDescription, index: int) -> str:
    gpio = schemes.listed(board.pins, "inputs")[index]
    return f"GPIO {gpio} (pin {HEADER[gpio]})"


def _adc(board: BoardDescription, index: int) -> str:
    each = schemes.MCP3008_INPUTS if board.scheme == "mcp3008" else schemes.ADS1115_INPUTS
    muxed = bool(schemes.listed(board.pins, "select"))
    chip, channel = divmod(index // schemes.CHANNELS_4067 if muxed else index, each)
    name = f"{board.scheme.upper()} {chip + 1}, {'CH' if board.scheme == 'mcp3008' else 'AIN'}{channel}"
    return f"{_multiplexed(index)}, whose common goes to {name}" if muxed else name


def _serial(_board: BoardDescription, index: int) -> str:
    return f"the scanner's channel {index}"


_PLACES: Mapping[str, Callable[[BoardDescription, int], str]] = {
    "74hc165": _hc165,
    "74hc165-spi": _hc165,
    "4067": _4067,
    "matrix": _matrix,
    "direct": _direct,
    "mcp3008": _adc,
    "ads1115": _adc,
    "serial": _serial,
}


def _table(heads: Sequence[str], rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])
