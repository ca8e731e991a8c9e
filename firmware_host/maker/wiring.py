"""Wiring tables in Markdown: the Pi's header, the chips, each sensor, each pixel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from firmware_host.maker.power import sensor_kind
from hw.circuit import GROUND, V5_PI, V33
from hw.pins import HEADER
from hw.ports import BoardDescription, NodeWiring
from hw.registry import inputs_of, scheme_of
from hw.sensor_parts import HALL_SWITCHES

Row = Sequence[object]
SHIFTERS = ((1, 2, 3), (4, 5, 6), (10, 9, 8), (13, 12, 11))
"""Pins of the four gates of a 74AHCT125: enable (active low), input and output."""
HALL_NOTES = (
    "Each hall switch: supply to {volts} with 100 nF to its ground, ground to ground, output (open drain) to its "
    "place. Never one that needs 5 V (A3144: 4.5 V), never one that drives its output (push-pull)."
)
POLES_NOTES = (
    "Of the two at a node the one for white has its marked face up (it closes for a south pole above it, which a stone "
    "with north up shows), the one for black has it down."
)
LINEAR_NOTES = (
    "Each linear sensor: supply to {volts} with 100 nF to its ground, ground to ground, output to its place; marked "
    "face up. A stone with north up shows it a south pole, and it reads above half the supply."
)


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board."""
    scheme = scheme_of(board)
    notes = "\n\n".join(note for note in (scheme.notes_of(board), _part_notes(board), scheme.setup) if note)
    on_header, own = header(board), scheme.own_pins(board)
    parts = [
        f"### The Pi's header\n\n{_table(('pin', 'GPIO', 'goes to'), on_header) if on_header else 'No pin is used.'}",
        *([f"### {own.title}\n\n{_table(('leg', 'name', 'goes to'), own.rows)}"] if own else []),
        f"### Sensors ({board.scheme}, {board.kind})\n\n{notes}\n\n{sensors_table(board)}",
    ]
    if board.lights.wired:
        parts += [
            f"### Level shifter (74AHCT125)\n\n{_table(('pin', 'name', 'goes to'), shifter(board))}",
            f"### Pixels\n\n{_table(('pixel', 'node', 'wire from the one before'), pixels(board))}",
        ]
    return "\n\n".join(parts)


def _part_notes(board: BoardDescription) -> str:
    """Return the notes on soldering the sensors; empty for those without a supply."""
    kind, volts = sensor_kind(board), f"{scheme_of(board).supply(board.options).volts:g} V"
    if kind == "level":
        return LINEAR_NOTES.format(volts=volts)
    hall = HALL_NOTES.format(volts=volts)
    if kind == "polarity":
        return f"{hall} {POLES_NOTES}"
    return hall if board.part in HALL_SWITCHES else ""


def shifter(board: BoardDescription) -> list[Row]:
    """Return one row per pin of the level shifter: pin, name, connection; sorted by pin."""
    rows: list[Row] = [
        (7, "GND", "ground"),
        (14, "VCC", "5 V of the pixels, 100 nF to pin 7"),
    ]
    for number, (enable, data, out) in enumerate(SHIFTERS):
        if number < len(board.lights.strips):
            strip = board.lights.strips[number]
            gpio = int(strip.pin[1:])
            rows += [
                (enable, f"{number + 1}OE", "ground: always on"),
                (data, f"{number + 1}A", f"GPIO {gpio} (pin {HEADER[gpio]})"),
                (out, f"{number + 1}Y", f"330 Ω, then DIN of strip {number + 1}'s first pixel"),
            ]
        else:
            rows += [
                (enable, f"{number + 1}OE", "5 V: off"),
                (data, f"{number + 1}A", "ground"),
                (out, f"{number + 1}Y", "nothing"),
            ]
    return sorted(rows, key=lambda row: int(str(row[0])))


def header(board: BoardDescription) -> list[Row]:
    """Return one row per used pin of the header: pin, GPIO, connection; sorted by pin."""
    used: dict[int, str] = {}
    for name, value in board.pins.items():
        if isinstance(value, int):
            used[value] = f"sensors: {name}"
        else:
            used |= {pin: f"sensors: {name}[{index}]" for index, pin in enumerate(value)}
    for name, pin in scheme_of(board).bus_pins(board.options).items():
        used[pin] = f"sensors: {name}"
    for number, strip in enumerate(board.lights.strips if board.lights.wired else (), 1):
        used[int(strip.pin[1:])] = f"strip {number}: data, through a 74AHCT125 at 5 V"
    rows: list[Row] = [(HEADER[gpio], f"GPIO {gpio}", what) for gpio, what in used.items()]
    rows += _supplies(board)
    return sorted(rows, key=lambda row: int(str(row[0])))


def _supplies(board: BoardDescription) -> Iterator[Row]:
    """Yield the rows of the header's supply and ground, as far as the sensors' circuit or the lights have them."""
    scheme = scheme_of(board)
    feeds, circuit = scheme.supply(board.options).header, scheme.circuit(board)
    if feeds and circuit.nets & {V33, V5_PI}:
        yield feeds
    grounded = [what for what, is_so in (("chips", circuit.blocks), ("sensors", circuit.poles)) if is_so]
    ends = grounded if feeds and GROUND in circuit.nets else []
    ends += ["level shifter", "the pixels' own supply"] if board.lights.wired else []
    if ends:
        yield 6, "ground", " and ".join([", ".join(ends[:-1]), ends[-1]] if len(ends) > 1 else ends)


def sensors_table(board: BoardDescription) -> str:
    """Return the Markdown table of all sensors, in channel order."""
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
    """Return one row per pixel: its number, its node, its distance (mm) from the pixel before it on its strip."""
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
