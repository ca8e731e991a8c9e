"""Wiring tables in Markdown, from a board file: the Pi's header, the chips, each sensor, each pixel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from hw.pins import HEADER
from hw.ports import BoardDescription, NodeWiring
from hw.registry import inputs_of, scheme_of

Row = Sequence[object]


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board."""
    parts = (
        f"### The Pi's header\n\n{_table(('pin', 'GPIO', 'goes to'), header(board))}",
        f"### Sensors ({board.scheme}, {board.kind})\n\n{scheme_of(board).notes}\n\n{sensors_table(board)}",
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
    for name, pin in scheme_of(board).bus_pins(board.options).items():
        used[pin] = f"sensors: {name}"
    for number, strip in enumerate(board.lights.strips, 1):
        used[int(strip.pin[1:])] = f"strip {number}: data, through a 74AHCT125 at 5 V"
    rows: list[Row] = [(HEADER[gpio], f"GPIO {gpio}", what) for gpio, what in used.items()]
    rows.append((1, "3.3 V", "supply of the sensors' chips"))
    rows.append((6, "ground", "chips, switches, level shifter and the pixels' own supply"))
    return sorted(rows, key=lambda row: int(str(row[0])))


def sensors_table(board: BoardDescription) -> str:
    """Return the table of every sensor, in channel order."""
    place = scheme_of(board).label
    nodes = sorted(board.nodes.values(), key=lambda node: node.channel)
    if inputs_of(board) == 2 * board.channels:
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


def _table(heads: Sequence[str], rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])
