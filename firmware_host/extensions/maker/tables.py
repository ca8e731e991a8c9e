"""A board's tables in Markdown: parts, wiring, power and magnets, from its description and its circuit.

``python -m firmware_host.extensions.maker.tables`` updates those of build.md. There a table is between
``<!-- lodestone board WHAT BOARD -->`` and ``<!-- end -->``: the output of that command.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.maker.kicad import LEGS
from firmware_host.extensions.maker.magnets import (
    DEPTH_MM,
    GAPS_MM,
    OFF_STONE_MM,
    OFF_TILE_MM,
    MagnetJudge,
    MagnetVerdict,
    common,
    disc_words,
    judge_of,
    magnet_words,
    parts_of,
)
from firmware_host.extensions.maker.tile_sheet import PLAY_MM, magnets_of
from hw.budget import PowerBudget, budget, lead_v, overload_words, rail_mm2
from hw.circuit import (
    CAPACITOR,
    CHARGER,
    DECOUPLING,
    GROUND,
    HALL,
    USB,
    V5,
    V5_PI,
    V5_SCANNER,
    V33,
    V33_OWN,
    V33_SCANNER,
    Circuit,
)
from hw.lights import STRIPS
from hw.magnets import Magnet
from hw.netlist import SHIFTERS, circuit_of, strip_lines
from hw.pins import HEADER
from hw.ports import CODED, BoardDescription, NodeWiring
from hw.registry import has_switch_pairs, inputs_of, scheme_of, sensor_kind, sensors_circuit
from hw.regulator import NAME as REGULATOR
from hw.regulator import PART as REGULATOR_PART
from hw.regulator import cooling
from hw.sensor_parts import AXIAL, HALL_SWITCHES, LINEAR_OUTPUT, PARTS

TextRow = tuple[str, str, str]
PartRow = tuple[object, str, str]
Row = Sequence[object]


def markdown_table(heads: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


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

LEGS_NOTES = (
    "The legs of a hall part in TO-92 (LPG), its marked face towards you, legs down. Supply and ground exchanged may "
    "destroy it: compare each part before you solder it."
)

REGULATOR_NOTES = (
    "Chips and sensors take more than the pin at hand gives: every 3.3 V below is this regulator's, never joined to "
    "another 3.3 V. Switch all supplies on and off together: chips without a supply would be fed through their signals."
)

FED_BY_5V = {
    "diode 1N5817": "through a Schottky diode to the microcontroller",
    REGULATOR_PART: "the sensors' regulator",
}


# -- parts -------------------------------------------------------------------------------------------------------------


_OTHERS = {
    "presence": "omnipolar hall switches with open drain, for 3.3 V (DRV5032, DRV5033)",
    "polarity": "unipolar hall switches with open drain, for 3.3 V (DRV5023)",
    "level": "more sensitive variants for weaker magnets (`lodestone board magnets`)",
}
"""Kind → sensors besides the usual one."""


NUMBERS: Mapping[str, tuple[str, str]] = {
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}LPG") for name in ("DRV5032AJ", "DRV5032FC", "DRV5032ZE")},
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}QLPG") for name in ("DRV5033AJ", "DRV5033FA")},
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}QLPG") for name in ("DRV5023AJ", "DRV5023FA", "DRV5023BI")},
    **{f"DRV5055A{one} ": ("Texas Instruments", f"DRV5055A{one}QLPG") for one in (1, 2, 3, 4)},
    "reed switch": ("Littelfuse", "MDSR-10-20-25"),
    "74HC165": ("Texas Instruments", "SN74HC165N"),
    "CD74HC4067": ("Texas Instruments", "CD74HC4067M96"),
    "MCP3008": ("Microchip", "MCP3008-I/P"),
    "ADS1115": ("Texas Instruments", "ADS1115IDGSR"),
    "MCP23017": ("Microchip", "MCP23017-E/SP"),
    "PCF8575": ("Texas Instruments", "PCF8575DWR"),
    "74AHCT125": ("Texas Instruments", "SN74AHCT125N"),
    "LM1085IT-3.3": ("Texas Instruments", "LM1085IT-3.3/NOPB"),
    "diode 1N4148": ("Vishay", "1N4148-TAP"),
    "diode 1N5817": ("Diodes Incorporated", "1N5817-T"),
    "resistor 10 kΩ": ("Yageo", "CFR-25JB-52-10K"),
    "resistor 33 to 100 Ω": ("Yageo", "CFR-25JB-52-47R"),
    "resistor 330 Ω": ("Yageo", "CFR-25JB-52-330R"),
    "capacitor 100 nF": ("KEMET", "C320C104K5R5TA"),
    "capacitor 1000 µF": ("Panasonic", "EEU-FR1A102"),
    "capacitor 10 µF, tantalum": ("KEMET", "T350E106K016AT"),
    "fuse of 2 A": ("Littelfuse", "0217002.HXP"),
    "fuse of 3.15 A": ("Littelfuse", "02173.15HXP"),
    "fuse of 4 A": ("Littelfuse", "0217004.HXP"),
    "fuse of 5 A": ("Littelfuse", "0217005.HXP"),
    "Raspberry Pi Pico": ("Raspberry Pi", "SC0915"),
}
"""Words in a part's name → manufacturer and number of one part that fits, from their catalogues."""
PART_HEADS = ("number", "part", "note")


def _parts(board: BoardDescription) -> list[PartRow]:
    return [*_electronic_parts(board, circuit_of(board)), *_light_parts(board), *_plate_parts(board)]


def parts_text(board: BoardDescription) -> str:
    """Return the list of parts as a Markdown table."""
    return markdown_table(PART_HEADS, _parts(board))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a file for spreadsheets and workshops; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def parts_csv(board: BoardDescription, prices: Mapping[str, Decimal] | None = None) -> str:
    """Return the list of parts for a spreadsheet: the same rows, with a manufacturer's number where one part fits.

    The column ``price`` is for the maker to fill in. ``prices`` (:func:`read_prices`) are what one of each costs: they
    add what all of a row cost, and a last row with the sum.
    """
    heads = ("quantity", "part", "manufacturer", "manufacturer's number", "note", "price")
    rows: list[Sequence[object]] = [heads if prices is None else (*heads, "sum")]
    whole, without = Decimal(0), 0
    for number, part, note in _parts(board):
        known = max((words for words in NUMBERS if words in part), key=len, default=None)
        row = (number, part, *(NUMBERS[known] if known else ("", "")), note)
        each = cost = None
        if prices is not None and isinstance(number, int):
            each = prices.get(part, prices.get(NUMBERS[known][1]) if known else None)
            cost = each and each * number
        whole += cost or 0
        without += each is None
        rows.append((*row, each) if prices is None else (*row, each, cost))
    if prices is not None:
        rows.append(("", "all that have a price", "", "", f"{without} rows have none", "", whole))
    return csv_text(rows)


def read_prices(text: str) -> dict[str, Decimal]:
    """Return part, or manufacturer's number → what one costs, from a file with the columns ``part`` and ``price``.

    The list of parts itself, its column ``price`` filled in, is such a file; empty prices are left out. Raise
    ValueError naming the line.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"part", "price"} <= set(reader.fieldnames or ()):
        raise ValueError(f"expected the columns part and price, got {', '.join(reader.fieldnames or ()) or 'none'}")
    found = {}
    for row in reader:
        told = (row["price"] or "").strip().replace(",", ".")
        if not told:
            continue
        try:
            price = Decimal(told)
        except InvalidOperation:
            price = Decimal(-1)
        if not price.is_finite() or price < 0:
            raise ValueError(f"line {reader.line_num}: price: expected a number such as 0.35, got {told[:20]!r}")
        found[row["part"]] = price
        if number := row.get("manufacturer's number"):
            found[number] = price
    return found


def _electronic_parts(board: BoardDescription, circuit: Circuit) -> Iterator[PartRow]:
    inputs = inputs_of(board)
    each = "one under each node" if inputs == board.channels else "two under each node, one of them face down"
    if board.kind == CODED:
        wells = sum(bool(node.ring) for node in board.nodes.values())
        each = f"nine under each of {wells} wells, one under each other node"
    yield 1, "Raspberry Pi with its own supply", "Zero 2 W, 3, 4 or 5"
    kind, usual = sensor_kind(board), scheme_of(board).sensor_parts(sensor_kind(board))[0]
    others = "" if board.part else f"; the board file names no `part`, others: {_OTHERS[kind]}"
    yield inputs, PARTS[board.part or usual].about, each + others
    metres = math.ceil(signal_wire_m(board))
    yield (
        f"{metres} m",
        "wire of 0.14 mm², several colours",
        "from sensors to their chips; a quarter for bends",
    )
    yield from ((part.number, part.name, part.note) for part in scheme_of(board).parts(board))
    regulator = next((block for block in circuit.blocks if block.name == REGULATOR), None)
    if regulator is not None:
        load = circuit.load_ma(V33_OWN)
        yield 1, f"regulator {REGULATOR_PART}, TO-220", cooling(load)
        yield 2, "capacitor 10 µF, tantalum", "at the regulator's input and output"
        yield 1, f"wire of {rail_mm2(load):g} mm², red and black", "from the regulator to chips and sensors"
    chips = sum(pole.kind == CAPACITOR and pole.value == DECOUPLING for pole in circuit.poles)
    sensors = sum(pole.kind == HALL for pole in circuit.poles)
    if chips or sensors:
        beside = " and ".join(what for what, number in (("chip", chips), ("sensor", sensors)) if number)
        yield chips + sensors, "capacitor 100 nF", f"one beside each {beside}, between its supply and ground"


def _light_parts(board: BoardDescription) -> Iterator[PartRow]:
    found, strips = budget(board), board.lights.strips
    if found.pixels:
        kinds = Counter[str]()
        for one in strips:
            kinds[f"{STRIPS.get(one.scheme).part} pixel, colour order {one.order}"] += one.length
        yield from ((number, kind, "single ones, or cut from a strip") for kind, number in kinds.items())
        yield found.pixels, "capacitor 100 nF at 5 V", "one at each single pixel; a strip has them"
        lines = strip_lines(board)
        what = " and ".join(dict.fromkeys(line.what for line in lines))
        lifts = f"lifts the {what} of {len(strips)} strip{'s' * (len(strips) > 1)} from 3.3 V; 100 nF beside it"
        if lines:
            yield 1, "74AHCT125 at 5 V", lifts
            yield len(lines), "resistor 330 Ω", f"in the {what} line of each strip"
        for one in strips:
            if driver := STRIPS.get(one.scheme).controller:
                yield 1, driver, f"at the address {one.pin}, fed with 5 V as the pixels are"
        yield len(strips), "capacitor 1000 µF", "across each strip's 5 V, where it begins"
    if found.total_ma:
        yield 1, f"5 V supply of {found.supply_a:g} A", f"for {found.feeds_what} only, ground joined to the Pi's"
        yield 1, f"{found.fuse.words} with a closed holder", "in the 5 V line, close to the supply"
        along = "from the supply to each feed, and along the pixels" if found.pixels else "from the supply"
        yield 1, f"wire of {found.wire_mm2:g} mm², red and black", f"{along}; 0.14 mm² for data and sensors"
    if found.pixels:
        feeds = "a pair at each feed" if found.feeds > 1 else "where the strip begins"
        yield found.feeds, f"connector for {max(3.0, found.supply_a):g} A or more", f"{feeds}; JST-SM bears 3 A"


SPARES = 20
"""One of so many magnets more, at least two: they chip, and stick where they should not."""


def spares(number: int) -> int:
    """Return how many magnets to buy beyond a number."""
    return max(2, -(-number // SPARES))


def signal_wire_m(board: BoardDescription) -> float:
    """Return the length of wire to the sensors, m: from each to the middle of those that its chip reads, and its feed.

    Of a part with a supply there are three wires, of a switch two; a quarter is added for bends.
    """
    chip = scheme_of(board).chip
    each = chip.inputs if chip else max(1, inputs_of(board))
    share = 2 if has_switch_pairs(board) else 1
    places = {channel: (node.x, node.y) for node in board.nodes.values() for channel in node.channels}
    groups: dict[int, list[tuple[float, float]]] = {}
    for channel, place in places.items():
        for way in range(share):
            groups.setdefault((channel * share + way) // each, []).append(place)
    wires = 2 if board.part and PARTS[board.part].response == AXIAL else 3
    total = 0.0
    for group in groups.values():
        middle = (sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group))
        total += sum(math.dist(middle, place) for place in group)
    return 1.25 * wires * total / 1000


def _plate_parts(board: BoardDescription) -> Iterator[PartRow]:
    magnet = board.magnet
    if magnet is not None:
        disc = f"disc magnets of {disc_words(magnet.mm, magnet.height_mm, magnet.grade)}"
        if board.supply:
            pieces_count = sum(board.supply.values())
            yield pieces_count + spares(pieces_count), disc, f"one a piece, {spares(pieces_count)} to spare"
        else:
            yield "", disc, "one a stone, and one of twenty to spare: how many stones, the rules say"
    if board.supply:
        pieces = ", ".join(f"{count} {letter}" for letter, count in board.supply.items())
        yield sum(board.supply.values()), f"round pieces of at most {board.node_mm:g} mm with a magnet each", pieces
    else:
        yield "", f"stones of {board.node_mm:g} mm with a magnet each", "white north up, black south up: build.md"
    if board.tiles:
        made = [magnets_of(tile) for tile in board.tiles.values()]
        yield (
            len(made),
            f"octagonal tiles of {board.well_mm - PLAY_MM:g} mm",
            "`lodestone board tiles`: lines and magnets",
        )
        yield sum(map(len, made)), f"disc magnets of {board.sizes.magnet_mm:g} mm", "in the tiles' undersides"
    yield 1, "plate, 3 to 5 mm", "`lodestone board drawing`: holes, windows, print"


# -- wiring ------------------------------------------------------------------------------------------------------------


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board. Raise HardwareError where no supply suffices for its sensors."""
    scheme = scheme_of(board)
    notes = "\n\n".join(note for note in (scheme.notes_of(board), _part_notes(board), scheme.setup) if note)
    circuit, own = circuit_of(board), scheme.own_pins(board)
    on_header, regulated = header(board, circuit), regulator(circuit)
    used = markdown_table(("pin", "GPIO", "goes to"), on_header) if on_header else "No pin is used."
    parts = [f"### The Pi's header\n\n{used}"]
    if own:
        parts.append(f"### {own.title}\n\n{markdown_table(('leg', 'name', 'goes to'), own.rows)}")
    if regulated:
        table = markdown_table(("pin", "name", "goes to"), regulated)
        parts.append(f"### Regulator ({REGULATOR_PART})\n\n{REGULATOR_NOTES}\n\n{table}")
    parts.append(f"### Sensors ({board.scheme}, {board.kind})\n\n{notes}\n\n{sensors_table(board)}")
    if strip_lines(board):
        parts.append(f"### Level shifter (74AHCT125)\n\n{markdown_table(('pin', 'name', 'goes to'), shifter(board))}")
    if board.lights.has_strips:
        parts.append(f"### Pixels\n\n{markdown_table(('pixel', 'node', 'wire from the one before'), pixels(board))}")
    return "\n\n".join(parts)


def _part_notes(board: BoardDescription) -> str:
    """Return the notes on soldering the sensors; empty for those without a supply."""
    kind, volts = sensor_kind(board), f"{scheme_of(board).supply(board.options).volts:g} V"
    if kind == "level":
        return f"{LINEAR_NOTES.format(volts=volts)}\n\n{legs_text()}"
    hall = HALL_NOTES.format(volts=volts)
    if kind == "polarity":
        return f"{hall} {POLES_NOTES}\n\n{legs_text()}"
    return f"{hall}\n\n{legs_text()}" if board.part in HALL_SWITCHES else ""


def legs_text() -> str:
    """Return the legs of a hall sensor, drawn as it lies with its marked face towards the reader."""
    left_to_right = [name for name, _ in sorted(LEGS.items(), key=lambda one: int(one[1]))]
    goes = {"VCC": "supply", "GND": "ground", "OUT": "output"}
    width = max(map(len, goes.values())) + 2
    rows = (
        " " + "_" * (3 * width),
        "/" + "marked face".center(3 * width) + "\\",
        "|" + "_" * (3 * width) + "|",
        " " + "".join("|".center(width) for _ in left_to_right),
        " " + "".join(LEGS[name].center(width) for name in left_to_right),
        " " + "".join(name.center(width) for name in left_to_right),
        " " + "".join(goes[name].center(width) for name in left_to_right),
    )
    drawn = "\n".join(row.rstrip() for row in rows)
    return f"{LEGS_NOTES}\n\n```text\n{drawn}\n```"


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
    goes |= {V33: "supply of the sensors' chips", GROUND: _ground_words(board, circuit)}
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


def _ground_words(board: BoardDescription, circuit: Circuit) -> str:
    """Return what is joined to the Pi's ground; empty where it is alone, or joined through USB."""
    own = sensors_circuit(board)
    wired = not {USB, CHARGER} & own.nets
    ends = [
        ("chips", bool(own.blocks) and wired),
        ("sensors", bool(own.poles) and GROUND in own.nets and wired),
        ("level shifter", bool(strip_lines(board))),
        (f"the {'pixels' if board.lights.has_strips else 'sensors'}' own supply", V5 in circuit.nets),
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
    if has_switch_pairs(board):
        rows = [
            (node.name, node.channel, place(board, 2 * node.channel), place(board, 2 * node.channel + 1))
            for node in nodes
        ]
        return markdown_table(("node", "channel", "closes for north up (white)", "closes for south up (black)"), rows)
    return markdown_table(
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


# -- power -------------------------------------------------------------------------------------------------------------


def power_text(board: BoardDescription) -> str:
    """Return the budget as a Markdown table."""
    found, circuit = budget(board), circuit_of(board)
    rows = [*(_lights_power(found) if found.pixels else ()), *(_supply_power(found) if found.total_ma else ())]
    rows += [*_loads(board, circuit), *_unnamed_part(board)]
    return markdown_table(("what", "how much", "why"), rows)


def _lights_power(found: PowerBudget) -> Iterator[TextRow]:
    feeds = "its beginning" if found.feeds == 1 else f"{found.feeds} places, evenly spread from its beginning"
    yield "pixels dark", f"{found.idle_ma:.0f} mA", f"{found.pixels} x {found.idle_ma / found.pixels:.3g} mA"
    yield "pixels at the limit", f"{found.lights_ma:.0f} mA", f"max_current_ma = {found.limit_ma:g}, and the above"
    full = f"{found.pixels} x {found.unlimited_ma / found.pixels:.3g} mA"
    yield "all pixels at full, were there no limit", f"{found.unlimited_ma:.0f} mA", full
    yield "wire along the longest strip", f"{found.chain_m:.1f} m", f"{_wire(found)}; feed 5 V in at {feeds}"
    yield "one frame of light", f"{found.frame_ms:.1f} ms", "the longest strip"


def _supply_power(found: PowerBudget) -> Iterator[TextRow]:
    """Yield the rows of the board's own 5 V supply."""
    fuse = found.fuse
    yield f"5 V supply for {found.feeds_what}", f"{found.supply_a:g} A or more", "a quarter in reserve"
    if found.pixels:
        yield "should the limit fail", f"{(found.unlimited_ma + found.sensors_ma) / 1000:.1f} A", overload_words(found)
    holds = f"holds {fuse.holds_a:.1f} A for {fuse.holds_for}, opens within {fuse.opens_in} at {fuse.opens_a:.1f} A"
    yield "fuse in its 5 V line", f"{fuse.amperes:g} A ({fuse.kind})", f"against shorts: {holds}"
    loses = f"bears what the fuse holds; a metre loses {found.lead_v:.2f} V, there and back"
    yield "wire from this supply", _wire(found), loses


def _wire(found: PowerBudget) -> str:
    return f"{found.wire_mm2:g} mm² or more"


def _ma(current: float) -> str:
    return f"{current:.0f} mA" if current >= 10 else f"{current:.1g} mA"


def _loads(board: BoardDescription, circuit: Circuit) -> Iterator[TextRow]:
    """Yield a row for each supply but the pixels': its load, what takes it, and what gives how much at most."""
    supply = scheme_of(board).supply(board.options)
    sources = {
        V33: ("chips and sensors at 3.3 V", "the Pi's 3.3 V pin"),
        V33_SCANNER: ("chips and sensors at 3.3 V", supply.words),
        V5_SCANNER: ("chips and sensors at 5 V", supply.words),
        V33_OWN: ("chips and sensors at 3.3 V", "a regulator of their own"),
        V5_PI: ("from the Pi's 5 V pin", "the Pi's supply"),
        USB: ("microcontroller and what it feeds", "one USB port"),
        CHARGER: ("microcontroller and what it feeds", "a USB charger"),
    }
    for net, (what, source) in sources.items():
        takers = circuit.consumers(net)
        if takers:
            names = ", ".join(f"{one.number} x {one.name}: {_ma(one.ma)}" for one in takers)
            told = f"{names}; from {source}, {circuit.limit_ma(net):g} mA at most"
            yield what, _ma(circuit.load_ma(net)), told
        if net == V33_OWN and takers:
            load = circuit.load_ma(net)
            yield "the sensors' regulator", REGULATOR_PART, cooling(load)
            loses = f"a metre loses {lead_v(load / 1000, rail_mm2(load)):.2f} V, there and back"
            yield "wire from the regulator", f"{rail_mm2(load):g} mm² or more", loses


def _unnamed_part(board: BoardDescription) -> Iterator[TextRow]:
    """Yield a row with the sensors' largest current where the board file names no part."""
    if not board.part:
        usual, *others = scheme_of(board).sensor_parts(sensor_kind(board))
        most = max(others, key=lambda part: PARTS[part].ma, default=usual)
        if PARTS[most].ma > PARTS[usual].ma:
            inputs, each = inputs_of(board), PARTS[most].ma
            told = f"no `part` in [sensors]: all tables show {usual}; {inputs} x {most} would take {each:g} mA each"
            yield "other sensors", f"up to {_ma(inputs * each)}", told


# -- magnets -----------------------------------------------------------------------------------------------------------


_SWITCH_HEADS = (
    "part",
    "a piece alone",
    "at least, with all others",
    "closes by",
    "all others",
    "opens below",
    "verdict",
)
_LINEAR_HEADS = (
    "part",
    "a piece alone",
    "at least, with all others",
    "counts from",
    "all others",
    "nothing up to",
    "verdict",
)
_COUNTED = (
    "Counted: the weakest and the strongest magnet of its grade, from 10 to 35 °C; a piece "
    f"{OFF_STONE_MM:g} mm beside the middle (a tile {OFF_TILE_MM:g} mm), a sensor {DEPTH_MM:g} mm too deep or high; "
    "a piece on every other node, each with the pole that does most harm, and one of the game's highest stacks; the "
    "whole span of the part's data sheet. Not counted: steel nearby."
)


def magnets_text(board: BoardDescription) -> str:
    """Return two Markdown tables: all parts with the board's magnet, and the parts for all common magnets."""
    judge, parts = judge_of(board), parts_of(board)
    best = judge.best([board.part] if board.part else parts, common(board))
    magnet = board.magnet or (best[1] if best else common(board)[0])
    where = judge.surroundings(magnet).worst[1]
    linear = any(PARTS[part].response == LINEAR_OUTPUT for part in parts)
    heads = _LINEAR_HEADS if linear else _SWITCH_HEADS
    named = "Magnets" if board.magnet else "The board file names no magnet. With magnets"
    discs = dict.fromkeys((one.mm, one.height_mm, one.grade) for one in common(board))
    fits = (
        (disc_words(*disc), *(_fitting_parts(judge, parts, Magnet(*disc, gap, magnet.stone_mm)) for gap in GAPS_MM))
        for disc in discs
    )
    return "\n\n".join(
        (
            f"{named} of {magnet_words(magnet)}; their neighbours disturb {where} most:",
            markdown_table(heads, (_magnet_row(judge, judge.verdict(part, magnet), board.part) for part in parts)),
            "Parts that work on this board with common magnets, by the distance from the magnet's face to the sensor:",
            markdown_table(("magnet", *(f"{gap:g} mm" for gap in GAPS_MM)), fits),
            _COUNTED,
        )
    )


def _magnet_row(judge: MagnetJudge, verdict: MagnetVerdict, named: str) -> tuple[str, ...]:
    part = f"**{verdict.part}**" if verdict.part == named else verdict.part
    words = [f"no: {verdict.why}" if verdict.why else "works"]
    if PARTS[verdict.part].response == AXIAL:
        words.append("an estimate: try one")
    if verdict.unit == "steps" and judge.places.mixed and not verdict.why:
        far = f"tells stacks from stones up to {verdict.stack_mm:.1f} mm beside the middle"
        words.append(far if verdict.stack_mm >= 0 else "can't tell stacks from stones")
    return part, *verdict.figures, "; ".join(words)


def _fitting_parts(judge: MagnetJudge, parts: Sequence[str], magnet: Magnet) -> str:
    return ", ".join(part for part, _ in judge.fitting(parts, [magnet])) or "none"


# -- tables in pages ---------------------------------------------------------------------------------------------------


TABLES: Mapping[str, tuple[Callable[[BoardDescription], str], str]] = {
    "parts": (parts_text, "the list of parts"),
    "wiring": (wiring_text, "where every wire goes"),
    "power": (power_text, "supply, fuse and wires"),
    "magnets": (magnets_text, "which sensor part works with which magnet, beside its neighbours"),
}
"""WHAT of ``lodestone board`` → the function that returns its table, and its help."""
GUIDE = Path(__file__).parent / "build.md"
_PLACE = re.compile(r"(<!-- lodestone board (\S+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def update_tables(page: str) -> str:
    """Return a page of Markdown with all its tables updated."""

    def table(found: re.Match[str]) -> str:
        text, _ = TABLES[found[2]]
        return f"{found[1]}{text(load_board(find_board(found[3])))}\n{found[4]}"

    return _PLACE.sub(table, page)


if __name__ == "__main__":
    GUIDE.write_text(update_tables(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
