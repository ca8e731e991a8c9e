"""Wiring tables in Markdown: the Pi's header, the chips, each sensor, each pixel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from firmware_host.maker.netlist import SHIFTERS, circuit_of, strip_lines
from hw.circuit import GROUND, USB, V5, V5_PI, V33, Circuit
from hw.pins import HEADER
from hw.ports import BoardDescription, NodeWiring
from hw.registry import inputs_of, scheme_of, sensor_kind, sensors_circuit
from hw.regulator import NAME as REGULATOR
from hw.regulator import PART as REGULATOR_PART
from hw.sensor_parts import HALL_SWITCHES

Row = Sequence[object]
HALL_NOTES = (
    "Each hall switch: supply to {volts} with 100 nF to its ground, ground to ground, output (open drain) to its "
    "place. Never one that needs 5 V (A3144: 4.5 V), never one that drives its output (push-pull)."
)
POLES_NOTES = (
    "Of the two at a node the one for white has its marked face up (it closes for a south pole above it, which a stone "
    "with north up shows), the one for black has it down. Above the node's middle lies the one for white, below "
    "it the one for black."
)
LINEAR_NOTES = (
    "Each linear sensor: supply to {volts} with 100 nF to its ground, ground to ground, output to its place; marked "
    "face up. A stone with north up shows it a south pole, and it reads above half the supply."
)

REGULATOR_NOTES = (
    "Chips and sensors take more than the pin at hand gives: every 3.3 V below is this regulator's, never joined to "
    "another 3.3 V. Switch all supplies on and off together: chips without a supply would be fed through their signals."
)

FED_BY_5V = {
    "diode 1N5817": "through a Schottky diode to the microcontroller",
    REGULATOR_PART: "the sensors' regulator",
}


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board. Raise HardwareError where no supply suffices for its sensors."""
    scheme = scheme_of(board)
    notes = "\n\n".join(note for note in (scheme.notes_of(board), _part_notes(board), scheme.setup) if note)
    circuit, own = circuit_of(board), scheme.own_pins(board)
    on_header, regulated = header(board, circuit), regulator(circuit)
    parts = [
        f"### The Pi's header\n\n{_table(('pin', 'GPIO', 'goes to'), on_header) if on_header else 'No pin is used.'}"
    ]
    if own:
        parts.append(f"### {own.title}\n\n{_table(('leg', 'name', 'goes to'), own.rows)}")
    if regulated:
        table = _table(("pin", "name", "goes to"), regulated)
        parts.append(f"### Regulator ({REGULATOR_PART})\n\n{REGULATOR_NOTES}\n\n{table}")
    parts.append(f"### Sensors ({board.scheme}, {board.kind})\n\n{notes}\n\n{sensors_table(board)}")
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
    lines = strip_lines(board)
    for number, (enable, data, out) in enumerate(SHIFTERS):
        if number < len(lines):
            line = lines[number]
            rows += [
                (enable, f"{number + 1}OE", "ground: always on"),
                (data, f"{number + 1}A", f"GPIO {line.gpio} (pin {HEADER[line.gpio]})"),
                (out, f"{number + 1}Y", f"330 Ω, then {line.end} of strip {line.strip}'s first pixel"),
            ]
        else:
            rows += [
                (enable, f"{number + 1}OE", "5 V: off"),
                (data, f"{number + 1}A", "ground"),
                (out, f"{number + 1}Y", "nothing"),
            ]
    return sorted(rows, key=lambda row: int(str(row[0])))


def header(board: BoardDescription, circuit: Circuit) -> list[tuple[str, str, str]]:
    """Return one row per used pin of the header of a board with this circuit: pin, GPIO, connection; sorted by pin."""
    goes = {one.net: f"strip {one.strip}: {one.what}, through a 74AHCT125 at 5 V" for one in strip_lines(board)}
    goes |= {V33: "supply of the sensors' chips", GROUND: _grounded(board, circuit)}
    goes |= {V5_PI: " and ".join(FED_BY_5V.get(one.name, one.name) for one in circuit.consumers(V5_PI))}
    pins = (pin for pin in circuit.blocks[0].pins if pin.net != USB)
    rows = [(pin.number, pin.name, goes.get(pin.net, f"sensors: {pin.net}")) for pin in pins]
    bus = scheme_of(board).bus_pins(board.options)
    # A circuit of the scheme's own shows which of the bus's pins are wired; the others belong to the bus all the same.
    wired = bool(bus.keys() & circuit.nets)
    free = "nothing: {} is the bus's own, leave it free" if wired else "sensors: {}"
    rows += [
        (str(HEADER[gpio]), f"GPIO {gpio}", free.format(what)) for what, gpio in bus.items() if what not in circuit.nets
    ]
    return sorted((row for row in rows if row[2]), key=lambda row: int(row[0]))


def _grounded(board: BoardDescription, circuit: Circuit) -> str:
    """Return what is joined to the Pi's ground; empty where it is alone, or joined through USB."""
    own = sensors_circuit(board)
    over_usb = USB in own.nets
    ends = [
        ("chips", bool(own.blocks) and not over_usb),
        ("sensors", bool(own.poles) and GROUND in own.nets and not over_usb),
        ("level shifter", board.lights.wired),
        (f"the {'pixels' if board.lights.wired else 'sensors'}' own supply", V5 in circuit.nets),
    ]
    words = [what for what, joined in ends if joined]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def regulator(circuit: Circuit) -> list[Row]:
    """Return one row per pin of the sensors' regulator: pin, name, connection; none where there is none."""
    found = next((block for block in circuit.blocks if block.name == REGULATOR), None)
    if found is None:
        return []
    feed = found.left[0].net
    source = "the Pi's 5 V (pin 2)" if feed == V5_PI else "5 V of the board's own supply, behind its fuse"
    return [
        ("1", "GND", "ground"),
        ("2", "VOUT", "3.3 V of all chips and sensors; 10 µF (tantalum) to pin 1; the tab is joined to it"),
        ("3", "VIN", f"{source}; 10 µF to pin 1"),
    ]


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
